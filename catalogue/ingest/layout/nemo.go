package layout

import (
	"path"
	"slices"
	"strings"

	"vaak/catalogue/ingest/report"
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
	Language string   `json:"lang"`
}

// isNeMo reports whether a file is a manifest of NeMo. Only names that manifests have are looked
// into: a folder may have a JSON file for each recording.
func isNeMo(t *tree.Tree, p string) bool {
	ext := path.Ext(p)
	if ext != ".json" && ext != ".jsonl" {
		return false
	}
	if !strings.Contains(strings.ToLower(path.Base(p)), "manifest") && usualSplit(strings.TrimSuffix(path.Base(p), ext)) == "" {
		return false
	}
	_, ok := firstRow(t, p)["audio_filepath"]
	return ok
}

// readNeMo reads manifests of NeMo. Of several, each is a split if it is called like one. A file may
// be in two of them, such as one of the whole beside one for each split, if both say the same of it.
func readNeMo(set *Set, manifests []string) {
	n := &nemo{set, map[*Recording]nemoSaid{}}
	for _, p := range manifests {
		split := ""
		if !set.Found.Own {
			split = splitOfPath(p)
		}
		n.read(p, split)
	}
	for rec, said := range n.said {
		rec.Speakers, rec.ByChannel = speakersOf(said.segments)
		if said.text {
			set.Give(rec, Place{said.file, said.segments[0].Line}, "nemo", false, said.whole, inOrder(said.segments))
		}
	}
}

// nemo reads manifests of NeMo.
type nemo struct {
	*Set
	said map[*Recording]nemoSaid
}

// nemoSaid is what a manifest says of a recording. The rows of one file are its segments.
type nemoSaid struct {
	file     string
	segments []transcript.Segment
	whole    bool // its only row has no offset: its text has no times
	text     bool // a row has a text, even an empty one
}

// nemoUtterance is what tells rows apart: two rows that agree in it say the same.
type nemoUtterance struct {
	rec           *Recording
	start, end    float64
	speaker, text string
	offset, said  bool // the row has an offset; a text
}

// read reads a manifest. A row that says what an earlier one says is left out: manifests that were
// joined have such rows, and a text must not count twice.
func (n *nemo) read(p, split string) {
	all := map[*Recording]nemoSaid{}
	seen, again := map[nemoUtterance]bool{}, 0
	tree.JSONLines(n.Tree, p, func(line int, row nemoRow) {
		at := Place{p, line}
		file, ok := n.find(at, row.Path)
		if !ok {
			return
		}
		rec := n.byPath[file]
		said, here := all[rec]
		switch {
		case rec == nil:
			if rec = n.recording(at, n.defaultID(file), file); rec == nil {
				return
			}
			rec.Split, rec.guessed = split, true
			n.Told.language(row.Language)
		case !here:
			n.splitAgain(rec, at, split)
		}
		s, ok := nemoSegment(n.Set, at, row)
		if !ok {
			return
		}
		key := nemoUtterance{rec, s.Start, s.End, s.Speaker, s.Text, row.Offset != nil, row.Text != nil}
		switch {
		case seen[key]:
			again++
			return
		// Without offsets nobody knows where in the file each text is spoken, or which of them is right.
		case len(said.segments) > 0 && (said.whole || row.Offset == nil):
			n.Report.Add(p, line, "is a second row of the file %s, after line %d; rows of one file are its segments, and each has an offset",
				report.Quote(file), said.segments[0].Line)
			return
		}
		seen[key] = true
		said.file = p
		said.whole = row.Offset == nil
		said.text = said.text || row.Text != nil
		said.segments = append(said.segments, s)
		all[rec] = said
	})
	if again > 0 {
		n.Remark("%d rows of %s say what an earlier row says, and count once", again, p)
	}
	for rec, said := range all {
		first, twice := n.said[rec]
		if !twice {
			n.said[rec] = said
		} else if !first.same(said) {
			n.Report.Add(p, said.segments[0].Line, "says something else of the recording %s than %s; keep one of them", report.Quote(rec.ID), first.file)
		}
	}
}

// same reports whether two manifests say the same of a recording.
func (a nemoSaid) same(b nemoSaid) bool {
	return a.whole == b.whole && a.text == b.text && slices.EqualFunc(inOrder(slices.Clone(a.segments)), inOrder(slices.Clone(b.segments)), func(x, y transcript.Segment) bool {
		return x.Start == y.Start && x.End == y.End && x.Speaker == y.Speaker && x.Text == y.Text
	})
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
