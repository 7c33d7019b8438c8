package folder

import (
	"cmp"
	"path"
	"slices"
	"strings"

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
func unused(t *tree.Tree) Unused {
	u := Unused{Files: []UnusedFile{}}
	for p := range t.Files() {
		if !t.Opened(p) {
			u.Files = append(u.Files, UnusedFile{Path: report.Printable(p), Hint: hint(p)})
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

// commonVoice are the names of the tables of Mozilla Common Voice.
var commonVoice = map[string]bool{
	"validated.tsv": true, "train.tsv": true, "dev.tsv": true, "test.tsv": true, "other.tsv": true, "invalidated.tsv": true,
}

// transcriptExtensions are the extensions that only transcripts have.
var transcriptExtensions = map[string]bool{
	".textgrid": true, ".rttm": true, ".ctm": true, ".stm": true, ".seglst": true, ".vtt": true, ".srt": true,
}

// hint returns what to do with a file that looks as if it was meant to be read, or "".
func hint(p string) string {
	switch name, ext := path.Base(p), strings.ToLower(path.Ext(p)); {
	case commonVoice[name]:
		return "tables of Common Voice are not read; for its transcripts write metadata.csv with the columns file_name (audio/ and the path of the clip) and text (its sentence)"
	case transcriptExtensions[ext]:
		return "transcripts are read from transcripts/; move it there"
	case archives[ext]:
		return "archives are not unpacked"
	}
	return ""
}
