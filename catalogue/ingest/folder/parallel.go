package folder

import (
	"path"
	"strings"

	"vaak/catalogue/ingest/layout"
)

// parallel finds the recordings of transcripts that lie in a folder of their own, such as
// text/spk1/001.vtt for wav/spk1/001.wav. All paths are without extension.
type parallel struct {
	endings layout.Endings
	// cousins are the recordings by the folder above theirs and their name, as in spk1 and 001 of
	// spk1/wav/001; "" is several.
	cousins map[cousin]string
	audio   map[string]bool // the folders that audio files are in, at any depth
}

type cousin struct{ folder, name string }

// cousinOf returns the key of a path in cousins.
func cousinOf(p string) cousin { return cousin{path.Dir(path.Dir(p)), path.Base(p)} }

// newParallel returns what finds recordings. stems are all audio files, used or not.
func newParallel(recordings []string, stems map[string]bool) *parallel {
	all := &parallel{endings: layout.NewEndings(recordings), cousins: map[cousin]string{}, audio: map[string]bool{}}
	for _, p := range recordings {
		key := cousinOf(p)
		if _, twice := all.cousins[key]; twice {
			p = ""
		}
		all.cousins[key] = p
	}
	for p := range stems {
		for dir := path.Dir(p); dir != "." && !all.audio[dir]; dir = path.Dir(dir) {
			all.audio[dir] = true
		}
	}
	return all
}

// of returns the recording of a transcript: the one whose path has the longest end in common with
// it. Of several it is the one in a folder beside that of the transcript, as in spk1/wav/001 for
// spk1/text/001. If there is none, doubt says that others have the same name.
func (a *parallel) of(p string) (found string, doubt bool) {
	switch ends := a.endings.Longest(p); len(ends) {
	case 0:
		return "", false
	case 1:
		found = ends[0]
	default:
		if key := cousinOf(p); key.folder != "." {
			found = a.cousins[key]
		}
	}
	if found == "" || !a.fit(p, found) {
		return "", true
	}
	return found, false
}

// fit reports whether the folders of a transcript and of a recording of the same name agree, so that
// text/spk2/001 is not taken for wav/spk1/001, whose own transcript is missing.
func (a *parallel) fit(p, recording string) bool {
	theirs, ours := strings.Split(path.Dir(p), "/"), strings.Split(path.Dir(recording), "/")
	if theirs[0] == "." || ours[0] == "." {
		return true // one of them lies at the top
	}
	same := 0 // folders of the common end
	for len(theirs) > 0 && len(ours) > 0 && theirs[len(theirs)-1] == ours[len(ours)-1] {
		theirs, ours = theirs[:len(theirs)-1], ours[:len(ours)-1]
		same++
	}
	above := 0 // folders that both are in
	for above < len(theirs) && above < len(ours) && theirs[above] == ours[above] {
		above++
	}
	root := strings.Join(theirs[:min(above+1, len(theirs))], "/")
	theirs, ours = theirs[above:], ours[above:]
	if split := layout.LastSplit(strings.Join(theirs, "/")); split != "" && split != layout.LastSplit(strings.Join(ours, "/")) {
		return false
	}
	switch {
	case len(theirs) == 0 || len(ours) == 0:
		return true
	// text/001 for wav/spk1/001: the root of the transcripts, and no speaker beside spk1.
	case len(theirs) == 1:
		return !a.audio[root]
	}
	// text/v1/spk1/001 for wav/spk1/001.
	return same > 0 && len(ours) == 1
}
