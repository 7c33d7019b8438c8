package inspect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/catalogue/ingest/card"
	"vaak/catalogue/ingest/folder"
	"vaak/catalogue/ingest/ingesttest"
)

func look(t *testing.T, dir string) Inspection {
	t.Helper()
	v, err := Look(t.Context(), dir, folder.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestLook checks what is told of one folder, and that nothing of it changes: it cannot be
// written to.
func TestLook(t *testing.T) {
	t.Parallel()
	dir := ingesttest.Named(t, "common-voice").Make(t)
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) }) // else it cannot be removed
	v := look(t, dir)
	two := 2
	want := Inspection{
		Folder: filepath.Base(dir), Layout: "Common Voice",
		Manifests:  []string{"hi/dev.tsv", "hi/test.tsv", "hi/train.tsv", "hi/validated.tsv"},
		AudioFiles: 5, AudioBytes: v.AudioBytes, Recordings: 4, Formats: map[string]int{"mp3": 4},
		Splits:      map[string]int{"train": 1, "validation": 1, "test": 1, "validated": 1},
		Transcripts: Transcripts{Recordings: 4, Formats: map[string]int{"commonvoice": 4}},
		Speakers:    &two, Genders: map[string]int{"female": 1, "male": 1},
		Languages: []Language{{"hi", "Hindi", 4, "manifest"}},
		ToIngest:  []string{"title", "description", "language.tag"}, ToPublish: []string{"licence.name", "provenance.creator.name"},
		Remarks: []string{
			"hi/other.tsv: its clips are left out, since Common Voice has not validated them",
			"hi/invalidated.tsv: its clips are left out, since Common Voice has not validated them",
		},
		Unused: folder.Unused{Count: 3, Files: []folder.UnusedFile{
			{Path: "hi/clips/common_voice_hi_5.mp3", Hint: "is not in the manifests of Common Voice"},
			{Path: "hi/invalidated.tsv"}, {Path: "hi/other.tsv"},
		}},
	}
	if len(v.Faults) > 0 {
		t.Errorf("faults: %v", v.Faults)
	}
	v.firstID, v.Faults, v.Problems = "", nil, nil
	if diff := cmp.Diff(want, v, cmp.AllowUnexported(Inspection{})); diff != "" {
		t.Errorf("Look (-want +got):\n%s", diff)
	}
	if v.AudioBytes < 10_000 {
		t.Errorf("%d bytes of audio, want those of five clips", v.AudioBytes)
	}
}

// TestDraft checks that a card tells what the folder and the answers tell, and asks for the rest.
func TestDraft(t *testing.T) {
	t.Parallel()
	v := look(t, ingesttest.Named(t, "audiofolder-csv").Make(t))
	text, open, err := v.Draft(Answers{})
	if err != nil {
		t.Fatal(err)
	}
	c, _, faults := card.Parse(text, false)
	if faults != nil || c.Title != "Market Hindi" || c.Language.Tag != "hi" || c.Licence != nil || *c.Participants.Count != 2 {
		t.Errorf("the card is %+v with the faults %v", c, faults)
	}
	if len(open) != 2 || !strings.HasPrefix(open[0], "licence.name: ") || !strings.Contains(open[0], "cc-by-4.0") || !strings.HasPrefix(open[1], "provenance.creator.name: ") {
		t.Errorf("the questions are %q", open)
	}
	// Every question can be answered by removing the # before its keys.
	var answered strings.Builder
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "#"); ok && !strings.HasPrefix(rest, " ") || ok && strings.HasPrefix(rest, "  ") {
			line = rest
		}
		if rest, ok := strings.CutPrefix(line, "  #"); ok && !strings.HasPrefix(rest, " ") {
			line = "  " + rest
		}
		answered.WriteString(line)
	}
	if _, _, faults := card.Parse([]byte(answered.String()), false); faults != nil {
		t.Errorf("with every question answered the card has the faults %v:\n%s", faults, &answered)
	}
	// Two folders of one language do not get the same address.
	for folder, want := range map[string]string{v.Folder: "hi-in-" + v.Folder, "Market Calls, 2": "hi-in-market-calls-2", "बाज़ार": ""} {
		v.Folder = folder
		text, _, err := v.Draft(Answers{Language: "hi"})
		if err != nil {
			t.Fatal(err)
		}
		if c, _, faults := card.Parse(text, false); faults != nil || c.Slug != want {
			t.Errorf("in the folder %q the slug is %q with the faults %v, want %q", folder, c.Slug, faults, want)
		}
	}
	for name, a := range map[string]Answers{
		"no language":  {Language: "Klingonish"},
		"long licence": {Licence: strings.Repeat("x", 300)},
		"no address":   {Contact: "nobody"},
	} {
		if _, _, err := v.Draft(a); err == nil {
			t.Errorf("%s: Draft = nil, want a fault", name)
		}
	}
	v = look(t, ingesttest.Named(t, "lhotse-shards").Make(t))
	v.Languages = nil
	if _, open, err := v.Draft(Answers{}); err != nil || len(open) != 3 || !strings.HasPrefix(open[0], "language.tag: ") {
		t.Errorf("without a language: %q, %v; want a question for it", open, err)
	}
	if _, _, err := v.Draft(Answers{Contact: "nobody"}); err == nil {
		t.Error("without a language, a contact without an address is taken")
	}
}

// TestReadme checks which heads of README.md are read.
func TestReadme(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Readme{
		"":                      {},
		"# Title\nlicense: mit": {},
		"---\nlicense: mit\n":   {}, // the head does not end
		"---\r\nlicense: mit\r\nlanguage: [hi, 'en']\r\npretty_name: \"A, b\"\r\n---\r\n":                                                     {Title: "A, b", Licence: "mit", Languages: []string{"hi", "en"}},
		"---\nlanguage:\n  - hi\n- bn\nsize_categories:\n- 1K<n<10K\nconfigs:\n- config_name: x\n  data_files: y\nlicense:\n- cc0-1.0\n---\n": {Licence: "cc0-1.0", Languages: []string{"hi", "bn"}},
		"---\nlicense: \x1b[31mred\n---\n": {},
	} {
		if diff := cmp.Diff(want, parseReadme(text)); diff != "" {
			t.Errorf("parseReadme(%q) (-want +got):\n%s", text, diff)
		}
	}
}

// FuzzReadme checks that whatever a README says, the card that it gives parses.
func FuzzReadme(f *testing.F) {
	f.Add("---\nlicense: mit\nlanguage: [hi, 'en']\npretty_name: \"A, b\"\n---\n", "data")
	f.Add("---\nlanguage:\n- hi_IN\n---\n", "a\"b: #c\\")
	f.Fuzz(func(t *testing.T, text, name string) {
		r := parseReadme(text)
		told := map[string]int{}
		for _, l := range r.Languages {
			told[l] = 1
		}
		v := Inspection{Folder: name, Recordings: 1, Readme: r, Languages: resolved(told, "readme")}
		made, _, err := v.Draft(Answers{})
		if err != nil {
			t.Errorf("Draft = %v for %q in %q:\n%s", err, text, name, made)
		}
	})
}
