package ingest

import (
	"maps"
	"path"
	"slices"
	"strings"

	"vaak/catalogue/transcript"
)

// matcher finds the recordings that transcripts are of.
type matcher struct {
	*reader
	byStem map[string][]*Recording // path without audio/ and extension
	byBase map[string][]*Recording // the last part of it
}

// transcripts reads the files of transcripts/ and gives them to the recordings.
func (r *reader) transcripts() {
	m := &matcher{reader: r, byStem: map[string][]*Recording{}, byBase: map[string][]*Recording{}}
	for _, p := range slices.Sorted(maps.Keys(r.byPath)) {
		s := stem(p, "audio")
		m.byStem[s] = append(m.byStem[s], r.byPath[p])
		m.byBase[path.Base(s)] = append(m.byBase[path.Base(s)], r.byPath[p])
	}
	for _, p := range r.under("transcripts") {
		if archives[strings.ToLower(path.Ext(p))] {
			r.report.add(p, 0, "is an archive; unpack it first")
			continue
		}
		if file, ok := r.transcript(p); ok {
			m.match(p, file)
		}
	}
}

// transcript reads one file.
func (r *reader) transcript(p string) (transcript.File, bool) {
	none := transcript.File{}
	head, err := r.head(p)
	if err != nil {
		r.report.add(p, 0, "cannot be read: %s", reason(err))
		return none, false
	}
	format, ok := transcript.Detect(p, head)
	if !ok {
		r.report.add(p, 0, "is in no format that is known; transcripts are in TextGrid, RTTM, CTM, STM, SegLST, WebVTT, SRT, CSV or JSON")
		return none, false
	}
	in, err := r.openMeta(p, r.limits.MetadataBytes)
	if err != nil {
		r.report.add(p, 0, "cannot be read: %s", reason(err))
		return none, false
	}
	defer in.Close()
	file, problems := transcript.Read(in, format, r.limits.Transcript)
	for _, one := range problems {
		r.report.add(p, one.Line, "%s", one.Message)
	}
	return file, len(problems) == 0
}

// head reads how a file begins.
func (r *reader) head(p string) ([]byte, error) {
	f, err := r.open(p)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, 4096)
	n, err := f.ReadAt(head, 0)
	if n > 0 {
		err = nil // an end before 4 KiB is none
	}
	if r.files[p].Size() == 0 {
		err = nil
	}
	return head[:n], err
}

// match gives each part of a file to its recording.
func (m *matcher) match(p string, file transcript.File) {
	own := m.ofPath(p)
	if len(own) > 1 {
		m.report.add(p, 0, "is a transcript of two files: %s and %s", own[0].Path, own[1].Path)
		return
	}
	names := slices.Sorted(maps.Keys(file.Recordings))
	if len(names) == 0 || len(names) == 1 && names[0] == "" {
		if len(own) == 0 {
			m.report.add(p, 0, "matches no audio file: there is no audio/%s.*", stem(p, "transcripts"))
			return
		}
		m.give(own[0], place{file: p}, file.Format, file.WordTimes, file.Recordings[""])
		return
	}
	for _, name := range names {
		m.part(p, name, file, own, len(names) == 1)
	}
}

// part gives the segments under one name to the recording of that name.
func (m *matcher) part(p, name string, file transcript.File, own []*Recording, alone bool) {
	segments := file.Recordings[name]
	line := 0
	for _, s := range segments {
		if line == 0 || s.Line < line {
			line = s.Line
		}
	}
	found := m.ofName(name)
	switch {
	case len(found) == 0:
		m.report.add(p, line, "names the recording %s, which is not in the folder", shown(name))
	case len(found) > 1:
		m.report.add(p, line, "names the recording %s, which is two: %s and %s", shown(name), found[0].Path, found[1].Path)
	case alone && len(own) == 1 && own[0] != found[0]:
		m.report.add(p, line, "is called like %s and names the recording %s", own[0].Path, shown(name))
	default:
		m.give(found[0], place{p, line}, file.Format, file.WordTimes, segments)
	}
}

// ofPath returns the recordings that a transcript is called like. A second
// extension that names a format, as in x.seglst.json, is left out, too.
func (m *matcher) ofPath(p string) []*Recording {
	s := stem(p, "transcripts")
	if found := m.byStem[s]; found != nil {
		return found
	}
	if ext := strings.ToLower(path.Ext(s)); ext == ".seglst" || ext == ".words" || ext == ".segments" {
		return m.byStem[strings.TrimSuffix(s, path.Ext(s))]
	}
	return nil
}

// ofName returns the recordings that a name inside a transcript means: by id, by
// path, by the last part of the path.
func (m *matcher) ofName(name string) []*Recording {
	if name == "" {
		return nil
	}
	if rec := m.byID[strings.ToLower(name)]; rec != nil {
		return []*Recording{rec}
	}
	if found := m.byStem[name]; found != nil {
		return found
	}
	return m.byBase[name]
}
