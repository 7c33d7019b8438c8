package ingest

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"vaak/catalogue"
	"vaak/catalogue/ingest/card"
)

const docs = "../../docs/"

// exampleFolder is the folder that docs/datasets.md shows, with audio to it.
func exampleFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(docs+"examples/dataset")); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "audio/call-0001.wav", wavOf(2, dualFrames))
	put(t, dir, "audio/call-0002.wav", wavOf(2, dualFrames))
	return dir
}

// TestExampleOfTheDocs brings the example of docs/datasets.md in. Its card has
// every key, so nothing that people declare is a gap.
func TestExampleOfTheDocs(t *testing.T) {
	t.Parallel()
	s, err := ingested(t, exampleFolder(t))
	if err != nil {
		t.Fatal(err)
	}
	d := s.drafts[0].Dataset
	if d.Slug != "hi-in-call-centre-banking" || *d.Channels != catalogue.Dual || !d.Transcribed || !d.HasSample || *d.Speakers != 4 {
		t.Errorf("the record is %s, %s, transcribed %v, sample %v, %d speakers", d.Slug, *d.Channels, d.Transcribed, d.HasSample, *d.Speakers)
	}
	if got := *d.EnglishShare; got < 0.08 || got > 0.3 {
		t.Errorf("englishShare = %v, want that of a few words", got)
	}
	gaps := strings.Join(catalogue.Gaps(&d), " ")
	if want := "datePublished"; gaps != want { // until it is published
		t.Errorf("gaps = %q, want %q", gaps, want)
	}
}

// TestDocsNameEveryKey checks that docs/datasets.md names each key of a card with
// its path, and that the example has each key.
func TestDocsNameEveryKey(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(docs + "datasets.md")
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(docs + "examples/dataset/card.yaml")
	if err != nil {
		t.Fatal(err)
	}
	_, lines, faults := card.Parse(src, false)
	if faults != nil {
		t.Fatal(faults)
	}
	for _, key := range cardKeys(reflect.TypeFor[card.Card](), "") {
		if !strings.Contains(string(page), "| `"+key+"` |") {
			t.Errorf("docs/datasets.md has no row of %s", key)
		}
		if lines[key] == 0 {
			t.Errorf("the example has no %s", key)
		}
	}
}

// cardKeys are the paths of all keys that hold a value.
func cardKeys(t reflect.Type, path string) (keys []string) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return []string{path}
	}
	for i := range t.NumField() {
		sub := strings.TrimPrefix(path+"."+t.Field(i).Tag.Get("yaml"), ".")
		keys = append(keys, cardKeys(t.Field(i).Type, sub)...)
	}
	return keys
}
