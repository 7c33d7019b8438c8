package folder

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"vaak/catalogue/ingest/layout"
	"vaak/catalogue/ingest/report"
	"vaak/catalogue/ingest/tree"
)

// maxUnused is how many unused files are listed.
const maxUnused = 50

// Unused lists the files of a folder that nothing was read from. Hidden files and files that
// desktop systems create are not counted.
type Unused struct {
	Count int          `json:"count"`
	Files []UnusedFile `json:"files"` // up to 50: those with a hint first, then by path
}

// UnusedFile is a file that nothing was read from.
type UnusedFile struct {
	Path string `json:"path"`           // in the folder; control characters are replaced
	Hint string `json:"hint,omitempty"` // what to do if it was meant to be read; "" if we do not know
}

// unused lists the files that were not opened; everything must have been read.
func unused(t *tree.Tree, found layout.Found) Unused {
	u := Unused{Files: []UnusedFile{}}
	for p := range t.Files() {
		if !t.Opened(p) {
			u.Files = append(u.Files, UnusedFile{Path: report.Printable(p), Hint: hint(p, found)})
		}
	}
	slices.SortFunc(u.Files, func(a, b UnusedFile) int {
		switch {
		case a.Hint != "" && b.Hint == "":
			return -1
		case a.Hint == "" && b.Hint != "":
			return 1
		}
		return cmp.Compare(a.Path, b.Path)
	})
	u.Count = len(u.Files)
	u.Files = u.Files[:min(u.Count, maxUnused)]
	return u
}

// transcriptExtensions are the extensions that only transcripts have.
var transcriptExtensions = map[string]bool{
	".textgrid": true, ".rttm": true, ".ctm": true, ".stm": true, ".seglst": true, ".vtt": true, ".srt": true, ".eaf": true,
}

// hint returns what to do with a file that looks as if it was meant to be read, or "".
func hint(p string, found layout.Found) string {
	switch name, ext := path.Base(p), strings.ToLower(path.Ext(p)); {
	case found.Own && ext == ".tsv" && (name == "validated.tsv" || name == "train.tsv"):
		return "tables of Common Voice are read where clips/ lies beside them, and not in a folder with audio/"
	case found.Own && foldable[ext]:
		return "archives are read in audio/ and transcripts/; this one is not looked into"
	case found.Tool == "" && layout.CalledLike(p) != "":
		return "is called like a manifest of " + layout.CalledLike(p) + " and does not begin like one"
	case layout.AudioExtensions[ext] && found.Tool != "":
		return "is not in the manifests of " + found.Tool
	case transcriptExtensions[ext] && found.Own:
		return "transcripts are read from transcripts/; move it there"
	case transcriptExtensions[ext]:
		return "no recording is called like it, or it is not clear which"
	case archives[ext] && !strings.HasSuffix(p, ".jsonl.gz"):
		return unread(p)
	}
	return ""
}
