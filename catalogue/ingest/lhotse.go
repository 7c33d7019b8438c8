package ingest

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"vaak/catalogue/transcript"
	"vaak/internal/fault"
)

// supervisions is where Lhotse has what is said.
const supervisions = "supervisions.jsonl"

// lhotseRecording is a row of recordings.jsonl. What it says of rates and lengths
// is measured instead.
type lhotseRecording struct {
	ID      string `json:"id"`
	Sources []struct {
		Type   string `json:"type"`
		Source string `json:"source"`
	} `json:"sources"`
	Channels   []int             `json:"channel_ids"`
	Transforms []json.RawMessage `json:"transforms"`
}

// lhotseSupervision is a row of supervisions.jsonl.
type lhotseSupervision struct {
	ID        string          `json:"id"`
	Recording string          `json:"recording_id"`
	Start     *float64        `json:"start"`
	Duration  *float64        `json:"duration"`
	Channel   json.RawMessage `json:"channel"` // a number from 0, or a list of them
	Text      string          `json:"text"`
	Speaker   string          `json:"speaker"`
}

// lhotse reads the manifests of Lhotse. Sources are single files of the folder;
// addresses and commands are refused.
func (r *reader) lhotse(p string) {
	recs := map[string]*Recording{}
	jsonLines(r.tree, p, func(line int, row lhotseRecording) {
		if rec := r.lhotseRecording(place{p, line}, row); rec != nil {
			recs[row.ID] = rec
		}
	})
	said := supervisions
	switch plain, packed := r.has(said), r.has(said+".gz"); {
	case plain && packed:
		r.report.add(said+".gz", 0, "stands beside %s; a manifest has one", said)
		return
	case packed:
		said += ".gz"
	case !plain:
		return // recordings alone
	}
	all := map[*Recording][]transcript.Segment{}
	ids := map[string]int{}
	jsonLines(r.tree, said, func(line int, row lhotseSupervision) {
		at := place{said, line}
		if first := ids[row.ID]; row.ID != "" && first > 0 {
			r.report.add(said, line, "the id %s is there twice, first in line %d", shown(row.ID), first)
			return
		}
		ids[row.ID] = line
		if rec, s, ok := r.supervision(at, row, recs); ok {
			all[rec] = append(all[rec], s)
		}
	})
	for rec, segments := range all {
		rec.Speakers = speakersOf(segments)
		r.give(rec, place{file: said}, "lhotse", false, inOrder(segments))
	}
}

func (r *reader) lhotseRecording(at place, row lhotseRecording) *Recording {
	switch {
	case len(row.Sources) != 1:
		r.report.add(at.file, at.line, "has %d sources; a recording is one file, with all its channels", len(row.Sources))
		return nil
	case row.Sources[0].Type == "command":
		r.report.add(at.file, at.line, "the source is a command; commands are not run: write its output to a file")
		return nil
	case row.Sources[0].Type != "file":
		r.report.add(at.file, at.line, "the source is of the type %s; allowed is file, of this folder", shown(row.Sources[0].Type))
		return nil
	case slices.ContainsFunc(row.Channels, func(id int) bool { return id < 0 || id >= len(row.Channels) }):
		r.report.add(at.file, at.line, "channel_ids are %s; allowed are those of a whole file, from 0 on", fault.Listed(row.Channels))
		return nil
	case len(row.Transforms) > 0:
		r.report.add(at.file, at.line, "has transforms, which are not applied: write their output to a file")
		return nil
	}
	file, ok := r.file(at, row.Sources[0].Source)
	if !ok {
		return nil
	}
	return r.recording(at, row.ID, file)
}

func (r *reader) supervision(at place, row lhotseSupervision, recs map[string]*Recording) (*Recording, transcript.Segment, bool) {
	rec := recs[row.Recording]
	s := transcript.Segment{Speaker: r.name(at, "the speaker", row.Speaker), Text: r.spoken(at, row.Text), Line: at.line}
	if rec == nil {
		r.report.add(at.file, at.line, "there is no recording %s", shown(row.Recording))
		return nil, s, false
	}
	if row.Start == nil || row.Duration == nil {
		r.report.add(at.file, at.line, "start and duration are required")
		return nil, s, false
	}
	s.Start, s.End = *row.Start, *row.Start+*row.Duration
	var ok bool
	if s.Channel, ok = lhotseChannel(row.Channel); !ok {
		r.report.add(at.file, at.line, "channel is a number from 0 or a list of them, this is %s", shown(string(row.Channel)))
		return nil, s, false
	}
	return rec, s, r.span(at, s.Start, s.End)
}

// lhotseChannel returns the channel from 1; 0 is none, or several.
func lhotseChannel(raw json.RawMessage) (int, bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return 0, true
	}
	var one int
	if json.Unmarshal(raw, &one) == nil {
		return one + 1, one >= 0 && one < 256
	}
	var several []int
	if json.Unmarshal(raw, &several) != nil {
		return 0, false
	}
	if len(several) == 1 {
		return several[0] + 1, several[0] >= 0 && several[0] < 256
	}
	return 0, true
}

// spoken returns the text of a segment as it is kept, and tells of control
// characters in it.
func (r *reader) spoken(at place, s string) string {
	s = norm.NFC.String(strings.TrimSpace(s))
	if strings.ContainsFunc(s, func(c rune) bool { return unicode.IsControl(c) && c != '\n' && c != '\t' || transcript.Overrides(c) }) {
		r.report.add(at.file, at.line, "the text has a control character")
	}
	return s
}
