package ingest

import (
	"path"
	"strings"

	"vaak/catalogue/transcript"
)

// nemoRow is a row of a manifest of NeMo: an utterance, in a file of its own or in
// a part of one.
type nemoRow struct {
	Path     string   `json:"audio_filepath"`
	Duration *float64 `json:"duration"`
	Offset   *float64 `json:"offset"`
	Text     *string  `json:"text"`
	Speaker  string   `json:"speaker"`
}

// nemo reads a manifest of NeMo. Rows of one file are its segments. A file with a
// single row without offset has a text, but no times.
func (r *reader) nemo(p string) {
	all := map[*Recording][]transcript.Segment{}
	whole := map[*Recording]bool{}
	texts := map[*Recording]bool{}
	jsonLines(r.tree, p, func(line int, row nemoRow) {
		at := place{p, line}
		file, ok := r.file(at, row.Path)
		if !ok {
			return
		}
		rec := r.byPath[file]
		if rec == nil {
			if rec = r.recording(at, defaultID(file), file); rec == nil {
				return
			}
		}
		s, ok := r.nemoSegment(at, row)
		if !ok {
			return
		}
		whole[rec] = row.Offset == nil && len(all[rec]) == 0
		texts[rec] = texts[rec] || row.Text != nil
		all[rec] = append(all[rec], s)
	})
	for rec, segments := range all {
		rec.Speakers = speakersOf(segments)
		if texts[rec] {
			rec.Untimed = whole[rec]
			r.give(rec, place{p, segments[0].Line}, "nemo", false, inOrder(segments))
		}
	}
}

func (r *reader) nemoSegment(at place, row nemoRow) (transcript.Segment, bool) {
	s := transcript.Segment{Speaker: r.name(at, "the speaker", row.Speaker), Line: at.line}
	if row.Duration == nil {
		r.report.add(at.file, at.line, "duration is required")
		return s, false
	}
	if row.Text != nil {
		s.Text = r.spoken(at, *row.Text)
	}
	if row.Offset != nil {
		s.Start = *row.Offset
	}
	s.End = s.Start + *row.Duration
	return s, r.span(at, s.Start, s.End)
}

// audioFolderRow is a row of metadata.jsonl.
type audioFolderRow struct {
	File          string  `json:"file_name"`
	Transcription *string `json:"transcription"`
	Text          *string `json:"text"`
	Speaker       string  `json:"speaker"`
}

// audioFolder reads the metadata of an AudioFolder: a text for each file, without
// times. The first folder of a file is its split where it is called like one;
// columns that are not known are of no matter.
func (r *reader) audioFolder(p string) {
	each := func(line int, row audioFolderRow) {
		at := place{p, line}
		if row.File == "" {
			r.report.add(p, line, "file_name is required")
			return
		}
		if why := badPath(row.File); why != "" { // before it is joined, which would hide it
			r.report.add(p, line, "the path %s %s", shown(row.File), why)
			return
		}
		if file, ok := r.file(at, path.Join(path.Dir(p), row.File)); ok {
			r.audioFolderRow(at, file, row)
		}
	}
	if strings.HasSuffix(p, ".jsonl") {
		jsonLines(r.tree, p, each)
		return
	}
	named := false
	r.csvRows(p, func(_ int, column string) { named = named || column == "file_name" }, func(line int, c row) {
		if !named {
			return // told below
		}
		one := audioFolderRow{File: c["file_name"], Speaker: c["speaker"]}
		for name, to := range map[string]**string{"transcription": &one.Transcription, "text": &one.Text} {
			if text, ok := c[name]; ok {
				*to = &text
			}
		}
		each(line, one)
	})
	if !named && !r.unread[p] {
		r.stop(p, 1, "has no column file_name")
	}
}

func (r *reader) audioFolderRow(at place, file string, row audioFolderRow) {
	rec := r.recording(at, defaultID(file), file)
	if rec == nil {
		return
	}
	top, _, nested := strings.Cut(strings.TrimPrefix(file, "audio/"), "/")
	if split, _ := splitName(top); nested && (split == "train" || split == "validation" || split == "test") {
		rec.Split = split
	}
	if name := r.name(at, "the speaker", row.Speaker); name != "" {
		rec.Speakers = []string{name}
	}
	text := row.Transcription
	if text == nil {
		text = row.Text
	}
	if text == nil {
		return
	}
	s := transcript.Segment{Text: r.spoken(at, *text), Line: at.line}
	if len(rec.Speakers) == 1 {
		s.Speaker = rec.Speakers[0]
	}
	rec.Untimed = true
	r.give(rec, at, "audiofolder", false, []transcript.Segment{s})
}
