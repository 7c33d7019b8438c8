package layout

import (
	"math"
	"path"
	"strings"

	"vaak/catalogue/ingest/report"
	"vaak/catalogue/ingest/tree"
	"vaak/catalogue/transcript"
)

// cut is a row of a cut manifest of Lhotse: a part of a recording, with what is said in it.
type cut struct {
	ID           string              `json:"id"`
	Type         string              `json:"type"`
	Start        float64             `json:"start"`    // seconds from the start of the recording
	Duration     float64             `json:"duration"` // seconds
	Recording    *lhotseRecording    `json:"recording"`
	Supervisions []lhotseSupervision `json:"supervisions"`
}

// isCuts reports whether a file has cuts of Lhotse: its name says cuts, as in
// cuts.000000.jsonl.gz, and its first row is one.
func isCuts(t *tree.Tree, p string) bool {
	if !rows(p) || !strings.Contains(path.Base(p), "cuts") {
		return false
	}
	head, err := t.Head(p, headSize) // a row may be longer
	return err == nil && (strings.Contains(string(head), `"MonoCut"`) || strings.Contains(string(head), `"MultiCut"`))
}

// heardOnce is what tells apart the supervisions of a recording: windows that overlap repeat them.
type heardOnce struct {
	rec        *Recording
	id         string
	start, end int64 // in milliseconds: subtracting the start of a window leaves rounding
}

// readCuts reads cut manifests and the shards of Lhotse (Shar). The cuts of one recording are its
// segments. In shards, whose audio lies in tar archives beside the manifest, each cut is a file of
// its own.
func readCuts(s *Set, manifests []string) {
	l := newLhotse(s)
	heard := map[heardOnce]bool{}
	all := map[*Recording][]transcript.Segment{}
	places := map[*Recording]Place{}
	for _, p := range manifests {
		l.split = splitOfPath(p)
		tree.JSONLines(s.Tree, p, func(line int, row cut) {
			at := Place{p, line}
			rec, from := l.cut(at, row)
			if rec == nil {
				return
			}
			if _, known := places[rec]; !known {
				places[rec] = at
			}
			l.recordings[row.Recording.ID] = rec
			for _, sup := range row.Supervisions {
				sup.Recording = row.Recording.ID
				row.place(&sup, from)
				_, one, ok := l.supervision(at, sup)
				key := heardOnce{rec, sup.ID, int64(math.Round(1000 * one.Start)), int64(math.Round(1000 * one.End))}
				if !ok || sup.ID != "" && heard[key] {
					continue
				}
				heard[key] = true
				all[rec] = append(all[rec], one)
			}
		})
	}
	for rec, segments := range all {
		rec.Speakers, rec.ByChannel = speakersOf(segments)
		s.Give(rec, places[rec], "lhotse", false, false, inOrder(segments))
	}
}

// place changes the times of a supervision from those of the cut to those of the audio file, in
// which the cut begins at a second. A supervision that began before the file loses what was before;
// and so after the end of a cut that is a file of its own. In other files it keeps what lies outside
// of the cut: the audio is there, and its text is of all of it.
func (c cut) place(sup *lhotseSupervision, from float64) {
	if sup.Start == nil || sup.Duration == nil {
		return
	}
	start, end := *sup.Start+from, *sup.Start+*sup.Duration+from
	if c.shar() && c.Duration > 0 {
		end = min(end, c.Duration)
	}
	start = max(start, 0)
	length := end - start
	sup.Start, sup.Duration = &start, &length
}

// shar reports whether the audio of the cut lies in a shard.
func (c cut) shar() bool { return c.Recording.Sources[0].Type == "shar" }

// cut returns the recording of a cut, and the second of the recording that the cut begins at; or
// it adds the problem and returns nil.
func (l *lhotse) cut(at Place, row cut) (*Recording, float64) {
	switch {
	case row.Type != "MonoCut" && row.Type != "MultiCut":
		l.Report.Add(at.File, at.Line, "is a cut of the type %s; MonoCut and MultiCut are read", report.Quote(row.Type))
		return nil, 0
	case row.Recording == nil || len(row.Recording.Sources) != 1:
		l.Report.Add(at.File, at.Line, "has no recording with one source")
		return nil, 0
	case row.Start < 0 || row.Start > maxSeconds:
		l.Report.Add(at.File, at.Line, "the time %v is outside 0 to %d seconds", row.Start, maxSeconds)
		return nil, 0
	}
	if row.shar() {
		return l.shar(at, row), 0
	}
	source := row.Recording.Sources[0].Source
	if rec := l.recordings[row.Recording.ID]; rec != nil {
		if first := l.sources[row.Recording.ID]; first != source {
			l.Report.Add(at.File, at.Line, "gives the recording %s the source %s; before it was %s", report.Quote(row.Recording.ID), report.Quote(source), report.Quote(first))
			return nil, 0
		}
		l.splitAgain(rec, at, l.split)
		return rec, row.Start
	}
	rec := l.recordingOf(at, *row.Recording)
	l.sources[row.Recording.ID] = source
	return rec, row.Start
}

// shar returns the recording of a cut in a shard: the file with the name of the cut in the archive
// beside the manifest.
func (l *lhotse) shar(at Place, row cut) *Recording {
	if why := badPath(row.ID); why != "" {
		l.Report.Add(at.File, at.Line, "the id of the cut %s", why)
		return nil
	}
	file := l.sound(path.Dir(at.File), row.ID)
	if file == "" {
		l.Report.Add(at.File, at.Line, "there is no audio of the cut %s: shards have it in recording.*.tar beside this file", report.Quote(row.ID))
		return nil
	}
	rec := l.recording(at, row.ID, file)
	if rec != nil {
		rec.Split, rec.guessed = l.split, true
	}
	return rec
}
