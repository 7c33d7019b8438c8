package ingest

import (
	"strconv"
	"strings"
	"testing"

	"vaak/catalogue/ingest/folder"
	"vaak/catalogue/ingest/layout"
)

// matched reads a folder without faults, and returns its recordings by path and its remarks.
func matched(t *testing.T, files string) (map[string]layout.Recording, []string) {
	t.Helper()
	whole, err := folder.Read(t.Context(), folderOf(t, "-- card.yaml --\n"+goodCard+files), folder.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]layout.Recording{}
	for _, rec := range whole.Recordings {
		all[rec.Path] = rec
	}
	return all, whole.Told.Remarks
}

// remarked reports whether there is one remark and it contains some words.
func remarked(remarks []string, words string) bool {
	return len(remarks) == 1 && strings.Contains(remarks[0], words)
}

// TestNeMoRowsTwice reads manifests in which rows are repeated: each counts once, and a file whose
// only row has no offset has no times.
func TestNeMoRowsTwice(t *testing.T) {
	t.Parallel()
	all, remarks := matched(t, `
-- wav/a.wav --
WAV mono
-- wav/b.wav --
WAV mono
-- manifest.json --
{"audio_filepath": "wav/a.wav", "duration": 0.5, "text": "hi"}
{"audio_filepath": "wav/b.wav", "offset": 0.5, "duration": 0.3, "text": "two"}
{"audio_filepath": "wav/b.wav", "offset": 0, "duration": 0.3, "text": "one"}
{"audio_filepath": "wav/a.wav", "duration": 0.5, "text": "hi "}
{"audio_filepath": "wav/b.wav", "offset": 0.5, "duration": 0.3, "text": "two"}
`)
	a, b := all["wav/a.wav"], all["wav/b.wav"]
	if !a.Untimed || len(a.Transcript) != 1 || a.Transcript[0].Text != "hi" {
		t.Errorf("a has %+v, untimed %v; want one text without times", a.Transcript, a.Untimed)
	}
	if b.Untimed || len(b.Transcript) != 2 || b.Transcript[0].Text != "one" {
		t.Errorf("b has %+v, untimed %v; want two segments", b.Transcript, b.Untimed)
	}
	if !remarked(remarks, "2 rows of manifest.json say what an earlier row says") {
		t.Errorf("the remarks are %q", remarks)
	}
}

// TestPathsOfAnotherMachine takes a folder for one of another name where that is safe, and says so.
func TestPathsOfAnotherMachine(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/corpus/clips/1.wav": `paths under "/corpus/" were taken for "./"`,
		"/corpus/wav/1.wav":   `paths under "/corpus/wav/" were taken for "./clips/"`,
		"/home/dev/wav/1.wav": `paths under "/home/dev/wav/" were taken for "./clips/"`,
		"/1.wav":              `paths under "/" were taken for "./clips/"`,
		"C:/1.wav":            `paths under "C:/" were taken for "./clips/"`,
	} {
		all, remarks := matched(t, "-- clips/1.wav --\nWAV mono\n-- wav.scp --\na "+path+"\n")
		if !remarked(remarks, want) || all["clips/1.wav"].ID != "a" {
			t.Errorf("%s: the remarks are %q, want %s", path, remarks, want)
		}
	}
	// Two names of one split.
	all, remarks := matched(t, "-- dev/1.wav --\nWAV mono\n-- dev_manifest.json --\n"+`{"audio_filepath": "/x/validation/1.wav", "duration": 0.5, "text": "hi"}`)
	if !remarked(remarks, `"/x/validation/" were taken for "./dev/"`) || all["dev/1.wav"].Split != "validation" {
		t.Errorf("the remarks are %q", remarks)
	}
	// Manifests of one machine have one remark, and those of many have not one each.
	all, remarks = matched(t, "-- a/1.wav --\nWAV mono\n-- a/2.wav --\nWAV mono\n-- x/wav.scp --\na /c/a/1.wav\n-- y/wav.scp --\nb /c/a/2.wav\n")
	if len(all) != 2 || !remarked(remarks, `"/c/"`) {
		t.Errorf("%d recordings with the remarks %q, want one", len(all), remarks)
	}
	many := ""
	for i := range 25 {
		n := strconv.Itoa(i)
		many += "-- a/" + n + ".wav --\nWAV mono\n-- m" + n + "/wav.scp --\nr" + n + " /c" + n + "/a/" + n + ".wav\n"
	}
	all, remarks = matched(t, many)
	if len(all) != 25 || len(remarks) != 21 || !strings.Contains(remarks[20], "further folders") {
		t.Errorf("%d recordings with %d remarks, the last %q", len(all), len(remarks), remarks[len(remarks)-1])
	}
}

// TestParallelTranscripts matches transcripts that lie in folders of their own. Each has its own path
// as its text, so that a recording with the text of another shows.
func TestParallelTranscripts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		audio  string            // paths
		texts  string            // paths of transcripts
		want   map[string]string // transcripts by recording
		unused string            // how the remark begins; "" is none
	}{
		{"folders of the same names", "wav/spk1/001.wav wav/spk2/001.wav", "text/spk1/001.vtt text/spk2/001.vtt",
			map[string]string{"wav/spk1/001.wav": "text/spk1/001.vtt", "wav/spk2/001.wav": "text/spk2/001.vtt"}, ""},
		{"of another speaker", "wav/spk1/001.wav wav/spk1/002.wav", "text/spk2/001.vtt", nil, "transcripts that are not used: 1, such as \"text/spk2/001.vtt\""},
		{"of another speaker, alone", "wav/spk1/001.wav", "text/spk2/001.vtt", nil, "transcripts that are not used: 1, such"},
		{"of another speaker, in one tree", "spk1/001.wav spk2/002.wav", "spk2/001.vtt", nil, "transcripts that are not used: 1, such"},
		{"of another speaker, with sessions", "wav/spk1/s1/001.wav", "text/spk2/s1/001.vtt", nil, "transcripts that are not used: 1, such"},
		{"of another split", "train/001.wav", "test/001.vtt", nil, "transcripts that are not used: 1, such"},
		{"flat", "wav/spk1/001.wav wav/spk2/002.wav", "text/001.vtt text/002.vtt",
			map[string]string{"wav/spk1/001.wav": "text/001.vtt", "wav/spk2/002.wav": "text/002.vtt"}, ""},
		{"flat, of two", "wav/spk1/001.wav wav/spk2/001.wav wav/spk2/002.wav", "text/001.vtt text/002.vtt text/003.vtt",
			map[string]string{"wav/spk2/002.wav": "text/002.vtt"}, "transcripts that are not used: 1, such as \"text/001.vtt\""},
		{"a version of the transcripts", "wav/spk1/001.wav wav/spk2/001.wav", "text/v1/spk1/001.vtt",
			map[string]string{"wav/spk1/001.wav": "text/v1/spk1/001.vtt"}, ""},
		{"folders of each speaker", "spk1/wav/001.wav spk2/wav/001.wav", "spk1/textgrid/001.vtt spk2/textgrid/001.vtt spk3/textgrid/001.vtt",
			map[string]string{"spk1/wav/001.wav": "spk1/textgrid/001.vtt", "spk2/wav/001.wav": "spk2/textgrid/001.vtt"}, "transcripts that are not used: 1, such as \"spk3/textgrid/001.vtt\""},
		{"at the top", "wav/001.wav wav/spk1/002.wav", "001.vtt 002.vtt",
			map[string]string{"wav/001.wav": "001.vtt", "wav/spk1/002.wav": "002.vtt"}, ""},
		{"audio at the top", "001.wav", "text/a/001.words.vtt", map[string]string{"001.wav": "text/a/001.words.vtt"}, ""},
	} {
		files := ""
		for p := range strings.FieldsSeq(tt.audio) {
			files += "-- " + p + " --\nWAV mono\n"
		}
		for p := range strings.FieldsSeq(tt.texts) {
			files += "-- " + p + " --\nWEBVTT\n\n00:00.000 --> 00:00.500\n" + p + "\n"
		}
		all, remarks := matched(t, files)
		for p, rec := range all {
			got := ""
			for _, s := range rec.Transcript {
				got += s.Text
			}
			if got != tt.want[p] || rec.TranscriptFile != tt.want[p] {
				t.Errorf("%s: %s has the transcript %q of %q, want %q", tt.name, p, got, rec.TranscriptFile, tt.want[p])
			}
		}
		if tt.unused == "" && len(remarks) > 0 || tt.unused != "" && !remarked(remarks, tt.unused) {
			t.Errorf("%s: the remarks are %q, want %q", tt.name, remarks, tt.unused)
		}
	}
}
