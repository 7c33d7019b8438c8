package folder

import (
	"maps"
	"path"
	"slices"
	"strings"

	"vaak/catalogue/ingest/layout"
	"vaak/catalogue/ingest/report"
	"vaak/catalogue/transcript"
)

// matcher finds the recording of each transcript.
type matcher struct {
	*reader
	byStem map[string][]*layout.Recording // path without audio/ and extension
	byBase map[string][]*layout.Recording // the last part of it
}

// transcripts reads the files in transcripts/ and gives them to the recordings.
func (r *reader) transcripts() {
	m := &matcher{reader: r, byStem: map[string][]*layout.Recording{}, byBase: map[string][]*layout.Recording{}}
	for _, rec := range r.set.Recordings() {
		s := stem(rec.Path, "audio")
		m.byStem[s] = append(m.byStem[s], rec)
		m.byBase[path.Base(s)] = append(m.byBase[path.Base(s)], rec)
	}
	for _, p := range r.Under("transcripts") {
		if archives[strings.ToLower(path.Ext(p))] {
			r.Report.Add(p, 0, "is an archive; unpack it first")
			continue
		}
		if file, ok := r.transcript(p); ok {
			m.match(p, file)
		}
	}
}

// transcript reads one file; false means that it has faults, which are reported.
func (r *reader) transcript(p string) (transcript.File, bool) {
	none := transcript.File{}
	head, err := r.head(p)
	if err != nil {
		r.Report.Add(p, 0, "cannot be read: %s", report.Reason(err))
		return none, false
	}
	format, ok := transcript.Detect(p, head)
	if !ok {
		r.Report.Add(p, 0, "is in no format that is known; transcripts are in TextGrid, RTTM, CTM, STM, SegLST, WebVTT, SRT, CSV or JSON")
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

// head returns the beginning of a file, from which its format is detected.
func (r *reader) head(p string) ([]byte, error) {
	f, err := r.Open(p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, 4096)
	n, err := f.ReadAt(head, 0)
	if n > 0 {
		err = nil // io.EOF: the file is shorter
	}
	if r.folder.Size(p) == 0 {
		err = nil
	}
	return head[:n], err
}

// match gives the transcripts in a file to their recordings. A file without names of
// recordings belongs to the recording that it is named like.
func (m *matcher) match(p string, file transcript.File) {
	own := m.ofPath(p)
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
		m.set.Give(own[0], layout.Place{File: p}, file.Format, file.WordTimes, file.Recordings[""])
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
		m.set.Give(found[0], layout.Place{File: p, Line: line}, file.Format, file.WordTimes, segments)
	}
}

// ofPath returns the recordings whose path without extension is that of the transcript. A
// second extension that names a format, as in x.seglst.json, is ignored.
func (m *matcher) ofPath(p string) []*layout.Recording {
	s := stem(p, "transcripts")
	if found := m.byStem[s]; found != nil {
		return found
	}
	// After the whole name: "talk.words" may be the name of a recording.
	if ext := strings.ToLower(path.Ext(s)); ext == ".seglst" || ext == ".words" || ext == ".segments" {
		return m.byStem[strings.TrimSuffix(s, path.Ext(s))]
	}
	return nil
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
