// Package layout reads what a folder says its recordings are. A dataset may come in the layout of
// another tool or corpus (Kaldi, NeMo, AudioFolder, Lhotse, Common Voice, LibriSpeech and others),
// with our own file of facts (recordings.csv or recordings.jsonl), with both, or with audio files
// alone.
//
// A new layout is a file of this package with a function that reads its manifests into a [Set],
// and an entry in the table of layouts. What follows (transcripts beside audio, measuring,
// building) is the same for all.
package layout

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"vaak/catalogue/ingest/report"
	"vaak/catalogue/ingest/tree"
)

// layout is how a tool or a corpus lays out a dataset.
type layout struct {
	tool string
	// own are the names of the manifest in a folder with audio/, as docs/datasets.md has them.
	own []string
	// is reports whether a file of any other folder is a manifest of the tool. It decides by the
	// name, and by the first bytes where the name is not enough.
	is func(t *tree.Tree, p string) bool
	// read reads the manifests, sorted by path.
	read func(s *Set, manifests []string)
}

// layouts is the table of all layouts.
func layouts() []layout {
	return []layout{
		{"Kaldi", []string{"wav.scp"}, func(_ *tree.Tree, p string) bool { return path.Base(p) == "wav.scp" }, readKaldi},
		{"NeMo", []string{"manifest.jsonl", "manifest.json"}, isNeMo, readNeMo},
		{"AudioFolder", []string{"metadata.csv", "metadata.jsonl", "audio/metadata.csv", "audio/metadata.jsonl"}, isAudioFolder, readAudioFolder},
		{lhotseTool, []string{"recordings.jsonl.gz", recordingsFile}, isLhotse, readLhotse},
		{lhotseCuts, nil, isCuts, readCuts},
		{"Common Voice", nil, isCommonVoice, readCommonVoice},
		{"LibriSpeech", nil, func(_ *tree.Tree, p string) bool { return strings.HasSuffix(p, ".trans.txt") }, readLibriSpeech},
		{"MLS", nil, isMLS, readMLS},
		{"Parquet", nil, isParquet, readParquet},
	}
}

// Found is the layout that a folder is in.
type Found struct {
	// Own says that the folder is as docs/datasets.md describes it: audio in audio/, and every
	// file in its place. Other folders have audio anywhere, and transcripts beside it.
	Own       bool
	Tool      string   // whose layout it is; "" is none but the names of audio files
	Manifests []string // of Tool, sorted

	read   func(s *Set, manifests []string)
	others []Found // of other tools, which are one too many
}

// Recognise returns the layout that a folder is in. Nothing is reported yet.
func Recognise(t *tree.Tree) Found {
	var own, other []Found
	for _, l := range layouts() {
		var here []string
		for _, name := range l.own {
			if t.Has(name) && (name != recordingsFile || isLhotse(t, name)) {
				here = append(here, name)
			}
		}
		for _, name := range here { // each is one too many beside another
			own = append(own, Found{Own: true, Tool: l.tool, Manifests: []string{name}, read: l.read})
		}
	}
	if !slices.ContainsFunc(t.Under("audio"), isAudio) || len(own)+len(factsFiles(t)) == 0 && len(t.Under("transcripts")) == 0 {
		other = recogniseAnywhere(t)
	}
	switch {
	case len(other) > 0:
		other[0].others = other[1:]
		return other[0]
	case !slices.ContainsFunc(t.Under("audio"), isAudio) && slices.ContainsFunc(t.Sorted(), isAudio):
		return Found{}
	case len(own) > 0:
		own[0].others = own[1:]
		return own[0]
	}
	return Found{Own: true}
}

// recogniseAnywhere looks for manifests in all folders.
func recogniseAnywhere(t *tree.Tree) []Found {
	var all []Found
	files := t.Sorted()
	for _, l := range layouts() {
		f := Found{Tool: l.tool, read: l.read}
		for _, p := range files {
			if l.is(t, p) {
				f.Manifests = append(f.Manifests, p)
			}
		}
		// Cuts repeat what recordings and supervisions say.
		if len(f.Manifests) > 0 && !(l.tool == lhotseCuts && slices.ContainsFunc(all, func(f Found) bool { return f.Tool == lhotseTool })) {
			all = append(all, f)
		}
	}
	reportUnreadable(t, all)
	return all
}

// CalledLike returns the tool whose manifests are called like a file, or "". Whether the file is one
// depends on how it begins.
func CalledLike(p string) string {
	base := strings.ToLower(strings.TrimSuffix(path.Base(p), ".gz"))
	ext := path.Ext(base)
	switch stem := strings.TrimSuffix(base, ext); {
	case base == "wav.scp":
		return "Kaldi"
	case stem == "metadata" && (ext == ".csv" || ext == ".jsonl" || ext == ".parquet"):
		return "AudioFolder"
	case ext == ".jsonl" && strings.Contains(stem, "recordings"):
		return lhotseTool
	case ext == ".jsonl" && strings.Contains(stem, "cuts"):
		return lhotseCuts
	case (ext == ".json" || ext == ".jsonl") && (strings.Contains(stem, "manifest") || usualSplit(stem) != ""):
		return "NeMo"
	case ext == ".tsv" && (stem == "validated" || stem == "train" || stem == "dev" || stem == "test"):
		return "Common Voice"
	case strings.HasSuffix(base, ".trans.txt"):
		return "LibriSpeech"
	case base == "transcripts.txt":
		return "MLS"
	}
	return ""
}

// reportUnreadable reports files that are called like manifests and cannot be read, in whatever tool
// they may be: without them a folder would be brought in without its texts.
func reportUnreadable(t *tree.Tree, found []Found) {
	taken := map[string]bool{}
	for _, f := range found {
		for _, p := range f.Manifests {
			taken[p] = true
		}
	}
	for _, p := range t.Sorted() {
		if taken[p] || CalledLike(p) == "" || path.Ext(p) == ".parquet" { // which is reported where it is unfolded
			continue
		}
		head, err := t.Head(p, 512)
		switch {
		case err != nil:
			t.Report.Add(p, 0, "cannot be read: %s", report.Reason(err))
		case tree.OtherEncoding(head) != "":
			t.Report.Add(p, 0, "%s", tree.OtherEncoding(head))
		case strings.HasPrefix(string(head), "version https://git-lfs."):
			t.Report.Add(p, 0, "is a pointer of Git LFS and not the file; git lfs pull fetches it")
		}
	}
}

// factsFiles returns the files of facts that a folder has.
func factsFiles(t *tree.Tree) []string {
	var all []string
	for _, name := range []string{"recordings.csv", recordingsFile} {
		if t.Has(name) && (name != recordingsFile || !isLhotse(t, name)) {
			all = append(all, name)
		}
	}
	return all
}

// isAudio reports whether a file is audio by its name.
func isAudio(p string) bool { return AudioExtensions[strings.ToLower(path.Ext(p))] }

// headSize is how many bytes of a file are looked at to recognise it.
const headSize = 64 << 10

// firstRow returns the keys of the first JSON object of a file, or nil if it begins with none.
func firstRow(t *tree.Tree, p string) map[string]json.RawMessage {
	head, err := t.Head(p, headSize)
	if err != nil {
		return nil // see reportUnreadable
	}
	first, _, _ := strings.Cut(strings.TrimLeft(strings.TrimPrefix(string(head), "\uFEFF"), " \t\r\n"), "\n")
	var row map[string]json.RawMessage
	if json.Unmarshal([]byte(first), &row) != nil {
		return nil
	}
	return row
}

// firstLine returns the first line of a file, without its line end; "" if it cannot be read.
func firstLine(t *tree.Tree, p string) string {
	head, err := t.Head(p, headSize)
	if err != nil {
		return "" // see reportUnreadable
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(string(head), "\uFEFF"), "\n")
	return strings.TrimSuffix(first, "\r")
}

// rows reports whether a file is JSON lines by its name, packed or not.
func rows(p string) bool { return strings.HasSuffix(strings.TrimSuffix(p, ".gz"), ".jsonl") }

// read reads the manifests of the layout and the file of facts.
func (s *Set) read() {
	for _, other := range s.Found.others {
		s.Report.Add(other.Manifests[0], 0, "is a manifest (%s) beside %s (%s); a folder has one", other.Tool, s.Found.Manifests[0], s.Found.Tool)
	}
	if len(s.Found.others) > 0 {
		return // reading one of them would report the faults of a manifest that may not be meant
	}
	s.checkSupervisions()
	all := factsFiles(s.Tree)
	facts := ""
	if len(all) > 0 {
		facts = all[0]
	}
	if len(all) > 1 {
		s.Report.Add(all[1], 0, "stands beside recordings.csv; facts are in one file")
	}
	switch {
	// The manifests come before the facts, which add to their recordings.
	case s.Found.Tool != "":
		s.Found.read(s, s.Found.Manifests)
		// A folder of others may have more audio than it uses, such as clips that nobody has
		// validated. What is left out is named among the unused files.
		if s.Found.Own {
			s.unlisted(s.Found.Manifests[0])
		}
	case facts == "":
		s.fromAudio()
	}
	if facts != "" {
		readFacts(s, facts, s.Found.Tool == "")
	}
}

// checkSupervisions reports the half of a manifest of Lhotse that says nothing alone.
func (s *Set) checkSupervisions() {
	if s.Found.Tool != lhotseTool && (s.Has(supervisions) || s.Has(supervisions+".gz")) {
		s.Report.Add("", 0, "there are supervisions without recordings: a manifest of Lhotse has recordings.jsonl, too")
	}
}

// fromAudio adds a recording for each audio file of a folder without a manifest.
func (s *Set) fromAudio() {
	for _, p := range s.audio {
		id := s.defaultID(p)
		if why := badID(id); why != "" {
			s.Report.Add(p, 0, "gives the id %s, which cannot be used: %s; name it in recordings.csv", report.Quote(id), why)
			continue
		}
		s.recording(Place{File: p}, id, p)
	}
}
