package layout

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"vaak/catalogue/ingest/report"
	"vaak/catalogue/ingest/tree"
	"vaak/catalogue/transcript"
	"vaak/internal/fault"
)

// The layouts of Lhotse.
const (
	lhotseTool = "Lhotse"
	lhotseCuts = "Lhotse cuts"
)

// Names of the manifests of Lhotse. The first is also that of our file of facts.
const (
	recordingsFile = "recordings.jsonl"
	supervisions   = "supervisions.jsonl" // what is said
)

// lhotseRecording is a row of recordings.jsonl. Its sample rates and lengths are not read:
// they are measured.
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
	Gender    string          `json:"gender"`
	Language  string          `json:"language"`
}

// lhotse reads the manifests of Lhotse. A source must be one file of the folder: addresses
// and commands are refused.
type lhotse struct {
	*Set
	recordings map[string]*Recording // by their ids in the manifest
	sources    map[string]string     // of cuts, by the ids of their recordings
	split      string                // that the files are called like; "" is none
}

func newLhotse(s *Set) *lhotse {
	return &lhotse{Set: s, recordings: map[string]*Recording{}, sources: map[string]string{}}
}

// isLhotse reports whether a file has recordings of Lhotse: its name says recordings, as in
// librispeech_recordings_dev-clean.jsonl.gz, and its first row has sources. Facts have the same
// name and no sources.
func isLhotse(t *tree.Tree, p string) bool {
	if !rows(p) || !strings.Contains(path.Base(p), "recordings") {
		return false
	}
	_, ok := firstRow(t, p)["sources"]
	return ok
}

// readLhotse reads files of recordings, each with the supervisions beside it.
func readLhotse(s *Set, manifests []string) {
	for _, p := range manifests {
		l := newLhotse(s)
		if !s.Found.Own {
			l.split = splitOfPath(p)
		}
		l.read(p)
	}
}

// read reads recordings.jsonl, then supervisions.jsonl if there is one. Both may be compressed.
func (l *lhotse) read(p string) {
	tree.JSONLines(l.Tree, p, func(line int, row lhotseRecording) {
		if rec := l.recordingOf(Place{p, line}, row); rec != nil {
			l.recordings[row.ID] = rec
		}
	})
	name := strings.TrimSuffix(path.Base(p), ".gz")
	file := path.Join(path.Dir(p), strings.Replace(name, "recordings", "supervisions", 1))
	switch plain, packed := l.Has(file), l.Has(file+".gz"); {
	case plain && packed:
		l.Report.Add(file+".gz", 0, "stands beside %s; a manifest has one", file)
		return
	case packed:
		file += ".gz"
	case !plain:
		return // recordings without transcripts
	}
	l.readSupervisions(file)
}

// readSupervisions reads what is said, and gives it to the recordings.
func (l *lhotse) readSupervisions(file string) {
	all := map[*Recording][]transcript.Segment{}
	ids := map[string]int{} // lines
	tree.JSONLines(l.Tree, file, func(line int, row lhotseSupervision) {
		at := Place{file, line}
		if first := ids[row.ID]; row.ID != "" && first > 0 {
			l.Report.Add(file, line, "the id %s is there twice, first in line %d", report.Quote(row.ID), first)
			return
		}
		ids[row.ID] = line
		if rec, s, ok := l.supervision(at, row); ok {
			all[rec] = append(all[rec], s)
		}
	})
	for rec, segments := range all {
		rec.Speakers, rec.ByChannel = speakersOf(segments)
		l.Give(rec, Place{File: file}, "lhotse", false, false, inOrder(segments))
	}
}

// recordingOf adds the recording of a row, or adds the problem and returns nil.
func (l *lhotse) recordingOf(at Place, row lhotseRecording) *Recording {
	switch {
	case len(row.Sources) != 1:
		l.Report.Add(at.File, at.Line, "has %d sources; a recording is one file, with all its channels", len(row.Sources))
		return nil
	case row.Sources[0].Type == "command":
		l.Report.Add(at.File, at.Line, "the source is a command; commands are not run: write its output to a file")
		return nil
	case row.Sources[0].Type != "file":
		l.Report.Add(at.File, at.Line, "the source is of the type %s; allowed is file, of this folder", report.Quote(row.Sources[0].Type))
		return nil
	// Lhotse may select channels of a file; only whole files can be measured.
	case slices.ContainsFunc(row.Channels, func(id int) bool { return id < 0 || id >= len(row.Channels) }):
		l.Report.Add(at.File, at.Line, "channel_ids are %s; allowed are those of a whole file, from 0 on", fault.Listed(row.Channels))
		return nil
	case len(row.Transforms) > 0:
		l.Report.Add(at.File, at.Line, "has transforms, which are not applied: write their output to a file")
		return nil
	}
	file, ok := l.find(at, row.Sources[0].Source)
	if !ok {
		return nil
	}
	rec := l.recording(at, row.ID, file)
	if rec != nil {
		rec.Split, rec.guessed = l.split, true
	}
	return rec
}

// supervision returns the recording and the segment of a row; false is a problem that it has
// added.
func (l *lhotse) supervision(at Place, row lhotseSupervision) (*Recording, transcript.Segment, bool) {
	rec := l.recordings[row.Recording]
	s := transcript.Segment{Speaker: l.name(at, "the speaker", row.Speaker), Text: l.spoken(at, row.Text), Line: at.Line}
	if rec == nil {
		l.Report.Add(at.File, at.Line, "there is no recording %s", report.Quote(row.Recording))
		return nil, s, false
	}
	if row.Start == nil || row.Duration == nil {
		l.Report.Add(at.File, at.Line, "start and duration are required")
		return nil, s, false
	}
	s.Start, s.End = *row.Start, *row.Start+*row.Duration
	l.Told.language(row.Language)
	if s.Speaker != "" {
		l.Told.gender(s.Speaker, row.Gender)
	}
	var ok bool
	if s.Channel, ok = lhotseChannel(row.Channel); !ok {
		l.Report.Add(at.File, at.Line, "channel is a number from 0 or a list of them, this is %s", report.Quote(string(row.Channel)))
		return nil, s, false
	}
	return rec, s, l.span(at, s.Start, s.End)
}

// lhotseChannel returns a channel, counted from 1, or 0 for none or several; Lhotse counts from
// 0. It returns false for anything else.
func lhotseChannel(raw json.RawMessage) (int, bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return 0, true
	}
	var one int
	if json.Unmarshal(raw, &one) == nil {
		// 256 channels are the most that a transcript may name.
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
