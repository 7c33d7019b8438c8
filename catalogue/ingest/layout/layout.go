// Package layout reads what a folder says its recordings are. A dataset may come with the
// manifest of another tool (Kaldi, NeMo, AudioFolder, Lhotse), with our own file of facts
// (recordings.csv or recordings.jsonl), with both, or with audio files alone.
//
// A new layout is a file of this package with a function that reads its manifest into a
// [Set], and an entry in the table of layouts.
package layout

import (
	"encoding/json"
	"io"
	"slices"

	"vaak/catalogue/ingest/report"
	"vaak/catalogue/ingest/tree"
)

// layout is the manifest of another tool.
type layout struct {
	tool string
	file string // the manifest that says what the recordings are
	read func(s *Set, file string)
}

// layouts is the table of all layouts by the file that gives one away. A folder has at most
// one of them.
func layouts() []layout {
	return []layout{
		{"Kaldi", "wav.scp", readKaldi},
		{"NeMo", "manifest.jsonl", readNeMo},
		{"NeMo", "manifest.json", readNeMo},
		{"AudioFolder", "metadata.csv", readAudioFolder},
		{"AudioFolder", "metadata.jsonl", readAudioFolder},
		{"AudioFolder", "audio/metadata.csv", readAudioFolder},
		{"AudioFolder", "audio/metadata.jsonl", readAudioFolder},
		{"Lhotse", "recordings.jsonl.gz", readLhotse},
		{"Lhotse", recordingsFile, readLhotse}, // if its rows are not facts: see isLhotse
	}
}

// read finds the manifest of another tool and the file of facts, and reads them.
func (s *Set) read() {
	present := s.present()
	for _, other := range present[min(1, len(present)):] {
		s.Report.Add(other.file, 0, "is a manifest (%s) beside %s (%s); a folder has one", other.tool, present[0].file, present[0].tool)
	}
	if len(present) > 1 {
		return // reading one of them would report the faults of a manifest that may not be meant
	}
	facts := s.factsFile(present)
	switch {
	// The manifest comes before the facts, which add to its recordings.
	case len(present) == 1:
		present[0].read(s, present[0].file)
		s.unlisted(present[0].file)
	case facts == "":
		s.fromAudio()
	}
	if facts != "" {
		readFacts(s, facts, len(present) == 0)
	}
}

// present returns the layouts whose manifest the folder has.
func (s *Set) present() []layout {
	var all []layout
	for _, l := range layouts() {
		if s.Has(l.file) && (l.file != recordingsFile || s.isLhotse(l.file)) {
			all = append(all, l)
		}
	}
	isLhotse := func(l layout) bool { return l.tool == "Lhotse" }
	if !slices.ContainsFunc(all, isLhotse) && (s.Has(supervisions) || s.Has(supervisions+".gz")) {
		s.Report.Add("", 0, "there are supervisions without recordings: a manifest of Lhotse has recordings.jsonl, too")
	}
	return all
}

// isLhotse reports whether the first row of recordings.jsonl has sources, as those of Lhotse
// do. Facts have the same file name and no sources.
func (s *Set) isLhotse(p string) bool {
	m, err := s.OpenMetadata(p, s.limits.ManifestBytes)
	if err != nil {
		return false // reported when it is read as facts
	}
	defer m.Close()
	var first map[string]json.RawMessage
	if json.NewDecoder(io.LimitReader(m, tree.MaxLine)).Decode(&first) != nil {
		return false
	}
	_, ok := first["sources"]
	return ok
}

// factsFile returns the file of facts, or "".
func (s *Set) factsFile(present []layout) string {
	table := s.Has("recordings.csv")
	rows := s.Has(recordingsFile) && !(len(present) == 1 && present[0].file == recordingsFile)
	switch {
	case table && rows:
		s.Report.Add(recordingsFile, 0, "stands beside recordings.csv; facts are in one file")
		return "recordings.csv"
	case table:
		return "recordings.csv"
	case rows:
		return recordingsFile
	}
	return ""
}

// fromAudio adds a recording for each audio file of a folder without a manifest.
func (s *Set) fromAudio() {
	for _, p := range s.audio {
		id := defaultID(p)
		if why := badID(id); why != "" {
			s.Report.Add(p, 0, "gives the id %s, which cannot be used: %s; name it in recordings.csv", report.Quote(id), why)
			continue
		}
		s.recording(Place{File: p}, id, p)
	}
}
