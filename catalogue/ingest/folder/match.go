package folder

import (
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"vaak/catalogue/ingest/layout"
	"vaak/catalogue/ingest/report"
	"vaak/catalogue/transcript"
)

// matcher finds the recording of each transcript.
type matcher struct {
	*reader
	byStem   map[string][]*layout.Recording // path without audio/ and extension
	byBase   map[string][]*layout.Recording // the last part of it
	parallel *parallel                      // nil in our own layout
}

// transcripts reads the files in transcripts/, and those that lie beside audio or are called like
// it, and gives them to the recordings.
func (r *reader) transcripts() {
	m := &matcher{reader: r, byStem: map[string][]*layout.Recording{}, byBase: map[string][]*layout.Recording{}}
	for _, rec := range r.set.Recordings() {
		s := strings.TrimSuffix(rec.Path, path.Ext(rec.Path))
		if r.folder.Layout.Own {
			s = stem(rec.Path, "audio")
		}
		m.byStem[s] = append(m.byStem[s], rec)
		m.byBase[path.Base(s)] = append(m.byBase[path.Base(s)], rec)
	}
	if !r.folder.Layout.Own {
		m.parallel = newParallel(slices.Collect(maps.Keys(m.byStem)), r.stems)
		m.anywhere()
		return
	}
	for _, p := range r.Under("audio") {
		if !layout.AudioExtensions[strings.ToLower(path.Ext(p))] && r.beside(p) {
			m.read(p)
		}
	}
	for _, p := range r.Under("transcripts") {
		if archives[strings.ToLower(path.Ext(p))] {
			r.Report.Add(p, 0, "%s", unread(p))
			continue
		}
		m.read(p)
	}
}

// read reads one file of transcripts and gives them to the recordings.
func (m *matcher) read(p string) {
	if file, ok := m.transcript(p); ok {
		m.match(p, file)
	}
}

// anywhere reads the transcripts of a folder that is not in our own layout: files with an extension
// that only transcripts have, and other files that are transcripts and are called like a recording.
// A file that is called like none and names none is left unused; and so is one of which it is not
// clear which recording it is called like, which a remark says.
func (m *matcher) anywhere() {
	unclear, first := 0, ""
	for _, p := range m.Sorted() {
		if m.Opened(p) || layout.AudioExtensions[strings.ToLower(path.Ext(p))] {
			continue
		}
		named := namesRecordings[strings.ToLower(path.Ext(p))]
		own, doubt := m.ofPath(p)
		if len(own) == 0 && !named && !doubt {
			continue
		}
		head, err := m.Head(p, 4096)
		if len(own) == 0 && !named {
			if _, ok := transcript.Detect(p, head); err == nil && ok {
				if unclear++; unclear == 1 {
					first = p
				}
			}
			continue
		}
		if err != nil {
			m.Report.Add(p, 0, "cannot be read: %s", report.Reason(err))
			continue
		}
		if _, ok := transcript.Detect(p, head); ok {
			m.read(p)
		} else if strings.ToLower(path.Ext(p)) == ".txt" && m.folder.Layout.Tool == "" {
			m.plain(p)
		}
	}
	if unclear > 0 {
		m.set.Remark("transcripts that are not used: %d, such as %s: several recordings are called like them, or one in another folder; put each beside its recording",
			unclear, report.Quote(first))
	}
}

// maxPlain is how many bytes a text without times has.
const maxPlain = 64 << 10

// plain gives a text without times to the recording beside it: corpora for speech synthesis come
// so. A text elsewhere may be anything, and is left unused.
func (m *matcher) plain(p string) {
	found := m.byStem[strings.TrimSuffix(p, path.Ext(p))]
	if len(found) != 1 || found[0].Transcript != nil {
		return
	}
	text, err := m.ReadAll(p, maxPlain)
	switch {
	case err != nil:
		m.Report.Add(p, 0, "%s", report.Reason(err))
	case !utf8.Valid(text):
		m.Report.Add(p, 0, "is not UTF-8 text")
	default:
		m.set.GiveText(found[0], layout.Place{File: p}, strings.TrimPrefix(string(text), "\uFEFF"))
	}
}

// namesRecordings are the extensions of transcripts that name their recordings inside.
var namesRecordings = map[string]bool{".rttm": true, ".ctm": true, ".stm": true, ".seglst": true}

// index notes the audio files by their path without extension.
func (r *reader) index(audio []string) {
	r.stems = make(map[string]bool, len(audio))
	for _, p := range audio {
		r.stems[strings.TrimSuffix(p, path.Ext(p))] = true
	}
}

// beside reports whether a file is a transcript by its first bytes, and lies beside an audio file
// with its name.
func (r *reader) beside(p string) bool {
	if !r.stems[strings.TrimSuffix(p, path.Ext(p))] {
		return false
	}
	head, err := r.Head(p, 4096)
	if err != nil {
		return false // reported when the file is read
	}
	_, ok := transcript.Detect(p, head)
	return ok
}

// transcript reads one file; false means that it has faults, which are reported.
func (r *reader) transcript(p string) (transcript.File, bool) {
	none := transcript.File{}
	head, err := r.Head(p, 4096)
	if err != nil {
		r.Report.Add(p, 0, "cannot be read: %s", report.Reason(err))
		return none, false
	}
	format, ok := transcript.Detect(p, head)
	if !ok {
		r.Report.Add(p, 0, "is in no format that is known; transcripts are in TextGrid, RTTM, CTM, STM, SegLST, WebVTT, SRT, ELAN, Whisper, CSV or JSON, or labels of Audacity")
		return none, false
	}
	in, err := r.OpenMetadata(p, r.limits.MetadataBytes)
	if err != nil {
		r.Report.Add(p, 0, "cannot be read: %s", report.Reason(err))
		return none, false
	}
	defer in.Close()
	file, problems := transcript.Read(in, format, r.limits.Transcript)
	for _, one := range problems {
		r.Report.Add(p, one.Line, "%s", one.Message)
	}
	return file, len(problems) == 0
}

// match gives the transcripts in a file to their recordings. A file without names of
// recordings belongs to the recording that it is named like.
func (m *matcher) match(p string, file transcript.File) {
	own, _ := m.ofPath(p)
	// Two audio files with the same path and different extensions.
	if len(own) > 1 {
		m.Report.Add(p, 0, "is a transcript of two files: %s and %s", own[0].Path, own[1].Path)
		return
	}
	names := slices.Sorted(maps.Keys(file.Recordings))
	if len(names) == 0 || len(names) == 1 && names[0] == "" {
		if len(own) == 0 {
			m.Report.Add(p, 0, "matches no audio file: there is no audio/%s.*", stem(p, "transcripts"))
			return
		}
		m.set.Give(own[0], layout.Place{File: p}, file.Format, file.WordTimes, false, file.Recordings[""])
		return
	}
	for _, name := range names {
		m.part(p, name, file, own, len(names) == 1)
	}
}

// part gives the segments under one name to the recording of that name. own are the
// recordings that the file itself is named like; alone says that the file has one name.
func (m *matcher) part(p, name string, file transcript.File, own []*layout.Recording, alone bool) {
	segments := file.Recordings[name]
	line := 0 // of the first segment
	for _, s := range segments {
		if line == 0 || s.Line < line {
			line = s.Line
		}
	}
	found := m.ofName(name)
	switch {
	case len(found) == 0:
		m.Report.Add(p, line, "names the recording %s, which is not in the folder", report.Quote(name))
	case len(found) > 1:
		m.Report.Add(p, line, "names the recording %s, which is two: %s and %s", report.Quote(name), found[0].Path, found[1].Path)
	// The name of the file and the name inside it disagree: one of them is a mistake.
	case alone && len(own) == 1 && own[0] != found[0]:
		m.Report.Add(p, line, "is called like %s and names the recording %s", own[0].Path, report.Quote(name))
	default:
		m.set.Give(found[0], layout.Place{File: p, Line: line}, file.Format, file.WordTimes, false, segments)
	}
}

// ofPath returns the recordings whose path without extension is that of the transcript. A
// second extension that names a format, as in x.seglst.json, is ignored. Outside of our own layout it
// may also be the recording that the transcript belongs to in a folder of their own; see [parallel].
// doubt says that there is none of these, but recordings with the same name.
func (m *matcher) ofPath(p string) (own []*layout.Recording, doubt bool) {
	s := stem(p, "transcripts")
	if !m.folder.Layout.Own {
		s = strings.TrimSuffix(p, path.Ext(p))
	}
	names := []string{s}
	// After the whole name: "talk.words" may be the name of a recording.
	if ext := strings.ToLower(path.Ext(s)); ext == ".seglst" || ext == ".words" || ext == ".segments" || ext == ".whisper" {
		names = append(names, strings.TrimSuffix(s, path.Ext(s)))
	}
	for _, name := range names {
		if found := m.byStem[name]; found != nil && name != "" {
			return found, false
		}
	}
	if m.parallel == nil {
		return nil, false
	}
	for _, name := range names {
		found, several := m.parallel.of(name)
		// Two audio files of one name that differ in their extensions.
		if own := m.byStem[found]; len(own) == 1 {
			return own, false
		} else if several || len(own) > 1 {
			doubt = true
		}
	}
	return nil, doubt
}

// ofName returns the recordings that a name inside a transcript may mean: the one with that
// id, else those with that path, else those whose path ends with it.
func (m *matcher) ofName(name string) []*layout.Recording {
	if name == "" {
		return nil
	}
	if rec := m.set.Find(name); rec != nil {
		return []*layout.Recording{rec}
	}
	if found := m.byStem[name]; found != nil {
		return found
	}
	return m.byBase[name]
}

// stem returns a path without its top folder and its extension, which is what an audio file
// and its transcript have in common.
func stem(p, top string) string {
	p = strings.TrimPrefix(p, top+"/")
	return strings.TrimSuffix(p, path.Ext(p))
}
