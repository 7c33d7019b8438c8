package layout

import (
	"vaak/catalogue/ingest/tree"
	"vaak/catalogue/transcript"
)

// nemoRow is a row of a manifest of NeMo: an utterance, which is a file or a part of one.
type nemoRow struct {
	Path     string   `json:"audio_filepath"`
	Duration *float64 `json:"duration"`
	Offset   *float64 `json:"offset"`
	Text     *string  `json:"text"`
	Speaker  string   `json:"speaker"`
}

// readNeMo reads a manifest of NeMo. The rows of one file are its segments. A file with a
// single row and no offset has a text without times.
func readNeMo(set *Set, p string) {
	all := map[*Recording][]transcript.Segment{}
	whole := map[*Recording]bool{} // its only row so far has no offset
	texts := map[*Recording]bool{} // a row has a text, even an empty one
	tree.JSONLines(set.Tree, p, func(line int, row nemoRow) {
		at := Place{p, line}
		file, ok := set.file(at, row.Path)
		if !ok {
			return
		}
		rec := set.byPath[file]
		if rec == nil {
			if rec = set.recording(at, defaultID(file), file); rec == nil {
				return
			}
		}
		s, ok := nemoSegment(set, at, row)
		if !ok {
			return
		}
		// A second row of the same file means that rows are segments, even without offsets.
		whole[rec] = row.Offset == nil && len(all[rec]) == 0
		texts[rec] = texts[rec] || row.Text != nil
		all[rec] = append(all[rec], s)
	})
	for rec, segments := range all {
		rec.Speakers = speakersOf(segments)
		if texts[rec] {
			rec.Untimed = whole[rec]
			set.Give(rec, Place{p, segments[0].Line}, "nemo", false, inOrder(segments))
		}
	}
}

// nemoSegment returns the segment of a row; false is a problem that it has added.
func nemoSegment(set *Set, at Place, row nemoRow) (transcript.Segment, bool) {
	s := transcript.Segment{Speaker: set.name(at, "the speaker", row.Speaker), Line: at.Line}
	if row.Duration == nil {
		set.Report.Add(at.File, at.Line, "duration is required")
		return s, false
	}
	if row.Text != nil {
		s.Text = set.spoken(at, *row.Text)
	}
	if row.Offset != nil {
		s.Start = *row.Offset
	}
	s.End = s.Start + *row.Duration
	return s, set.span(at, s.Start, s.End)
}
