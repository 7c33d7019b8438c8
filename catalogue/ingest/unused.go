package ingest

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// maxUnused is how many unused files are named.
const maxUnused = 50

// Unused are the files of a folder that nothing was read from. Hidden files and what
// desktops leave behind are none of the folder's.
type Unused struct {
	Count int          `json:"count"`
	Files []UnusedFile `json:"files"` // up to 50: those with a hint first, then by path
}

// UnusedFile is one of them.
type UnusedFile struct {
	Path string `json:"path"`           // in the folder; what a terminal would act on is taken out
	Hint string `json:"hint,omitempty"` // what to do if it was meant to be read; "" is nothing that we know
}

// unused lists what was not opened, when all is read.
func (r *reader) unused() Unused {
	u := Unused{Files: []UnusedFile{}}
	for p := range r.files {
		if !r.opened[p] {
			u.Files = append(u.Files, UnusedFile{Path: printable(p), Hint: hint(p)})
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

// commonVoice are the tables of Mozilla Common Voice that have sentences.
var commonVoice = map[string]bool{
	"validated.tsv": true, "train.tsv": true, "dev.tsv": true, "test.tsv": true, "other.tsv": true, "invalidated.tsv": true,
}

// transcriptExtensions are those that say by themselves that a file is a transcript.
var transcriptExtensions = map[string]bool{
	".textgrid": true, ".rttm": true, ".ctm": true, ".stm": true, ".seglst": true, ".vtt": true, ".srt": true,
}

// hint says what to do with a file that looks as if it was meant to be read.
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
