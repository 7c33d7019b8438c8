package ingest

import (
	"encoding/json"
	"io"
	"strings"
)

// layout is a manifest of another tool.
type layout struct {
	tool string
	file string // that says what the recordings are
	read func(*reader, string)
}

// manifests finds the manifest of another tool and the file of facts, and reads
// them; without any, the recordings are the audio files.
func (r *reader) manifests() {
	layouts := r.layouts()
	for _, other := range layouts[min(1, len(layouts)):] {
		r.report.add(other.file, 0, "is a manifest (%s) beside %s (%s); a folder has one", other.tool, layouts[0].file, layouts[0].tool)
	}
	if len(layouts) > 1 {
		return // whichever is meant, the other would be told to be wrong
	}
	facts := r.factsFile(layouts)
	switch {
	case len(layouts) == 1:
		layouts[0].read(r, layouts[0].file)
		r.unlisted(layouts[0].file)
	case facts == "":
		r.found()
	}
	if facts != "" {
		r.readFacts(facts, len(layouts) == 0)
	}
}

// layouts returns the manifests that are there.
func (r *reader) layouts() []layout {
	var all []layout
	for _, l := range []layout{
		{"Kaldi", "wav.scp", (*reader).kaldi},
		{"NeMo", "manifest.jsonl", (*reader).nemo},
		{"NeMo", "manifest.json", (*reader).nemo},
		{"AudioFolder", "metadata.csv", (*reader).audioFolder},
		{"AudioFolder", "metadata.jsonl", (*reader).audioFolder},
		{"AudioFolder", "audio/metadata.csv", (*reader).audioFolder},
		{"AudioFolder", "audio/metadata.jsonl", (*reader).audioFolder},
		{"Lhotse", "recordings.jsonl.gz", (*reader).lhotse},
	} {
		if r.has(l.file) {
			all = append(all, l)
		}
	}
	switch {
	case r.has("recordings.jsonl") && r.isLhotse("recordings.jsonl"):
		all = append(all, layout{"Lhotse", "recordings.jsonl", (*reader).lhotse})
	case !r.has("recordings.jsonl.gz") && (r.has(supervisions) || r.has(supervisions+".gz")):
		r.report.add("", 0, "there are supervisions without recordings: a manifest of Lhotse has recordings.jsonl, too")
	}
	return all
}

// isLhotse says whether the first row of recordings.jsonl has sources, as
// recordings of Lhotse do and facts do not.
func (r *reader) isLhotse(p string) bool {
	m, err := r.openMeta(p, r.limits.ManifestBytes)
	if err != nil {
		return false // told when it is read as facts
	}
	defer m.Close()
	var first map[string]json.RawMessage
	if json.NewDecoder(io.LimitReader(m, maxLine)).Decode(&first) != nil {
		return false
	}
	_, ok := first["sources"]
	return ok
}

// factsFile returns the file of facts; "" is none.
func (r *reader) factsFile(layouts []layout) string {
	table := r.has("recordings.csv")
	rows := r.has("recordings.jsonl") && !(len(layouts) == 1 && layouts[0].file == "recordings.jsonl")
	switch {
	case table && rows:
		r.report.add("recordings.jsonl", 0, "stands beside recordings.csv; facts are in one file")
		return "recordings.csv"
	case table:
		return "recordings.csv"
	case rows:
		return "recordings.jsonl"
	}
	return ""
}

// splitName returns the usual name of a split, or what is wrong with it.
func splitName(s string) (name, why string) {
	switch low := strings.ToLower(strings.TrimSpace(s)); low {
	case "":
		return "", ""
	case "train", "training":
		return "train", ""
	case "validation", "valid", "val", "dev", "development":
		return "validation", ""
	case "test", "testing", "eval", "evaluation":
		return "test", ""
	default:
		if len(low) > 40 || badID(low) != "" {
			return "", "is train, validation, test or another word of up to 40 letters and digits"
		}
		return low, ""
	}
}
