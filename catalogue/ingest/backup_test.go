package ingest

import (
	"slices"
	"strings"
	"testing"

	"vaak/catalogue/ingest/folder"
)

// TestBackups reads a folder in our own layout beside copies that somebody keeps in archives: they are
// not looked into, and named among the unused files.
func TestBackups(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, twoCalls)
	archived("raw.zip", map[string]string{"audio/a.wav": "another", "raw/b.wav": "WAV mono", "card.yaml": "an older one"})(t, dir)
	put(t, dir, "export/all.parquet", []byte("PAR1 and nothing of it"))
	archived("audio/more.tar", map[string]string{"c.wav": "WAV mono"})(t, dir)
	whole, err := folder.Read(t.Context(), dir, folder.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if len(whole.Recordings) != 3 || !slices.ContainsFunc(whole.Unused.Files, func(f folder.UnusedFile) bool {
		return f.Path == "raw.zip" && strings.Contains(f.Hint, "read in audio/ and transcripts/")
	}) || whole.Unused.Count != 2 {
		t.Errorf("%d recordings, unused %+v", len(whole.Recordings), whole.Unused)
	}
}

// TestGuessedSplits takes off splits that follow from the names of folders, where one recording lies in
// no such folder, and says so.
func TestGuessedSplits(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, "-- card.yaml --\n"+goodCard+"-- train/a.wav --\nWAV mono\n-- b.wav --\nWAV mono\n-- metadata.csv --\nfile_name\ntrain/a.wav\nb.wav\n-- old/manifest.json --\n{}\n")
	var told []string
	if _, err := Ingest(t.Context(), dir, Config{Catalogue: &shelf{}, Remarks: func(r []string) { told = r }}); err != nil {
		t.Fatal(err)
	}
	if len(told) != 1 || !strings.Contains(told[0], "1 of 2 recordings lie in no folder of a split") {
		t.Errorf("the remarks are %q", told)
	}
	v, err := Look(t.Context(), dir, Config{})
	if err != nil || len(v.Remarks) != 1 {
		t.Errorf("Look = %v with the remarks %q", err, v.Remarks)
	}
}

// TestCommonVoiceOfTwoLanguages keeps the splits of one language beside another that has none.
func TestCommonVoiceOfTwoLanguages(t *testing.T) {
	t.Parallel()
	const head = "client_id\tpath\tsentence\tlocale\n"
	dir := folderOf(t, "-- card.yaml --\n"+goodCard+"-- de/clips/a.wav --\nWAV mono\n-- hi/clips/b.wav --\nWAV mono\n"+
		"-- de/validated.tsv --\n"+head+"x\ta.wav\twir\tde\n-- hi/train.tsv --\n"+head+"y\tb.wav\tहम\thi\n")
	whole, err := folder.Read(t.Context(), dir, folder.Limits{})
	if err != nil || whole.Recordings[0].Split != "validated" || whole.Recordings[1].Split != "train" {
		t.Errorf("Read = %v, want a in validated and b in train", err)
	}
}

// TestCalledLikeManifest names a file that is called like a manifest and is none.
func TestCalledLikeManifest(t *testing.T) {
	t.Parallel()
	dir := folderOf(t, "-- card.yaml --\n"+goodCard+"-- clips/a.wav --\nWAV mono\n-- manifest.json --\n[{\"path\": \"clips/a.wav\"}]\n")
	whole, err := folder.Read(t.Context(), dir, folder.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := folder.UnusedFile{Path: "manifest.json", Hint: "is called like a manifest of NeMo and does not begin like one"}
	if whole.Unused.Count != 1 || whole.Unused.Files[0] != want {
		t.Errorf("unused are %+v, want %+v", whole.Unused, want)
	}
}
