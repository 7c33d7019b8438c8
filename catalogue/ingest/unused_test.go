package ingest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/catalogue/ingest/folder"
)

// mostUnused is how many unused files are listed.
const mostUnused = 50

const (
	commonVoice   = "tables of Common Voice are read where clips/ lies beside them, and not in a folder with audio/"
	compressedTar = "is a compressed tar, in which no file can be found without reading all before it; run gzip -d on it, and the .tar is read as it is"
)

// TestUnusedFilesAreNamed checks that each file of a folder that nothing was read from
// is named, and no other.
func TestUnusedFilesAreNamed(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, twoCalls+`
-- validated.tsv --
client_id	path	sentence
-- README.md --
Hello.
-- notes/a.TextGrid --
x
-- notes/name --
x
-- all.tar.gz --
x
-- .hidden --
x
-- transcripts/a.srt --
1
00:00:00,000 --> 00:00:00,500
hello
-- recordings.csv --
id,path
a,audio/a.wav
b,audio/sub/b.wav
`)
	whole, err := folder.Read(t.Context(), dir, folder.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := folder.Unused{Count: 5, Files: []folder.UnusedFile{
		{Path: "all.tar.gz", Hint: compressedTar}, {Path: "notes/a.TextGrid", Hint: "transcripts are read from transcripts/; move it there"}, {Path: "validated.tsv", Hint: commonVoice},
		{Path: "README.md", Hint: ""}, {Path: "notes/name", Hint: ""},
	}}
	if diff := cmp.Diff(want, whole.Unused); diff != "" {
		t.Errorf("unused files (-want +got):\n%s", diff)
	}
	for _, f := range want.Files[:3] {
		if f.Hint == "" {
			t.Errorf("%s has no hint", f.Path)
		}
	}
	var told []folder.Unused
	_, err = Ingest(t.Context(), dir, Config{Catalogue: &shelf{}, Unused: func(u folder.Unused) { told = append(told, u) }})
	if err != nil || len(told) != 1 || told[0].Count != 5 {
		t.Errorf("Ingest = %v and told %+v, want it once", err, told)
	}
	survey, err := Look(t.Context(), dir, Config{})
	if err != nil || survey.Unused.Count != 5 {
		t.Errorf("Look = %v with %d unused files, want 5", err, survey.Unused.Count)
	}
}

// TestUnusedFilesAreBounded checks that many of them are counted, and the telling ones
// named.
func TestUnusedFilesAreBounded(t *testing.T) {
	t.Parallel()
	var files strings.Builder
	for i := range 3 * mostUnused {
		fmt.Fprintf(&files, "-- docs/%03d --\nx\n", i)
	}
	whole, err := folder.Read(t.Context(), folderOf(t, twoCalls+files.String()+"-- validated.tsv --\nx\n"), folder.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if u := whole.Unused; u.Count != 3*mostUnused+1 || len(u.Files) != mostUnused || u.Files[0].Path != "validated.tsv" || u.Files[mostUnused-1].Path != "docs/048" {
		t.Errorf("unused = %d, %d named, want %d and %d; from %+v", u.Count, len(u.Files), 3*mostUnused+1, mostUnused, u.Files[0])
	}
}

// TestEveryLayoutUsesItsFiles checks that what a layout reads is not said to be
// unused.
func TestEveryLayoutUsesItsFiles(t *testing.T) {
	t.Parallel()
	for _, tt := range goodFolders() {
		dir := folderOf(t, tt.files)
		for _, name := range tt.packed {
			pack(t, dir, name)
		}
		whole, err := folder.Read(t.Context(), dir, folder.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		var got, want []string
		for _, f := range whole.Unused.Files {
			got = append(got, f.Path)
		}
		switch tt.name {
		case "audio and transcripts":
			want = []string{"README.md"}
		case "Kaldi":
			want = []string{"spk2utt"} // utt2spk says the same
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q are not used, want %q", tt.name, got, want)
		}
	}
}
