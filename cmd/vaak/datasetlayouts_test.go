package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vaak/catalogue"
	"vaak/catalogue/ingest/folder"
	"vaak/catalogue/ingest/ingesttest"
)

// ranHere runs a command in this process and returns what it prints. It must succeed.
func ranHere(t *testing.T, args ...string) string {
	t.Helper()
	var out, stderr bytes.Buffer
	if status := run(context.Background(), args, nil, &out, &stderr); status != 0 {
		t.Fatalf("vaak %q = %d: %s%s", args, status, &out, &stderr)
	}
	return out.String()
}

// TestCommandDatasetLayouts takes a folder of each layout from inspect to valid Croissant metadata,
// with nothing but licence, creator and contact from a person.
func TestCommandDatasetLayouts(t *testing.T) {
	t.Parallel()
	data, slugs := t.TempDir(), map[string]bool{}
	for _, f := range ingesttest.Folders() {
		dir := f.Make(t)
		var seen struct {
			Layout     string   `json:"layout"`
			Recordings int      `json:"recordings"`
			Missing    []string `json:"missingToIngest"`
		}
		if err := json.Unmarshal([]byte(ranHere(t, "dataset", "inspect", "--json", dir)), &seen); err != nil {
			t.Fatal(err)
		}
		if seen.Layout != f.Layout || seen.Recordings != f.Recordings || len(seen.Missing) != 3 {
			t.Errorf("%s: inspect tells %+v", f.Name, seen)
		}
		if _, err := os.Stat(filepath.Join(dir, "card.yaml")); err == nil {
			t.Errorf("%s: inspect has written a card", f.Name)
		}
		ranHere(t, "dataset", "init", dir, "--licence", "CC0 1.0", "--creator", "Example Lab", "--contact", "data@example.org")
		got := ranHere(t, "dataset", "ingest", dir, "--publish", "--data-dir", data)
		slug, ok := strings.CutSuffix(got, "\tpublished\n")
		if !ok || !strings.HasSuffix(slug, "-"+catalogue.SlugOf(filepath.Base(dir))) || slugs[slug] {
			t.Fatalf("%s: ingest says %q, want a slug of its own", dir, got)
		}
		slugs[slug] = true // of one language are several
		document := filepath.Join(t.TempDir(), "croissant.json")
		shown := ranHere(t, "croissant", "show", slug, "--data-dir", data)
		patternsMatch(t, dir, shown)
		if err := os.WriteFile(document, []byte(shown), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := ranHere(t, "croissant", "validate", document); !strings.Contains(got, `"valid":true`) && !strings.Contains(got, `"valid": true`) {
			t.Errorf("%s: the metadata is %s", f.Name, got)
		}
	}
}

// patternsMatch checks that metadata has patterns for every recording and every transcript of a
// folder, for readers whose * matches a slash and for others, and none for the card.
func patternsMatch(t *testing.T, dir, metadata string) {
	t.Helper()
	var document struct {
		Distribution []struct {
			ID       string `json:"@id"`
			Includes []string
		}
	}
	// A list of one is no list.
	one := regexp.MustCompile(`"includes": ?("[^"]*")`)
	if err := json.Unmarshal(one.ReplaceAll([]byte(metadata), []byte(`"includes": [$1]`)), &document); err != nil {
		t.Fatal(err)
	}
	matches := func(set, file string) (slash, noSlash bool) {
		for _, d := range document.Distribution {
			if !strings.HasPrefix(d.ID, set) {
				continue
			}
			for _, pattern := range d.Includes {
				all := regexp.QuoteMeta(pattern)
				python := strings.NewReplacer(`\*`, `.*`).Replace(all)
				shell := strings.NewReplacer(`\*\*/`, `(.*/)?`, `\*`, `[^/]*`).Replace(all)
				slash = slash || regexp.MustCompile("^(?:"+python+")$").MatchString(file)
				noSlash = noSlash || regexp.MustCompile("^(?:"+shell+")$").MatchString(file)
			}
		}
		return slash, noSlash
	}
	whole, err := folder.Read(t.Context(), dir, folder.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range whole.Recordings {
		for set, file := range map[string]string{"licensed-audio": r.Path, "licensed-transcripts": r.TranscriptFile} {
			if slash, noSlash := matches(set, file); file != "" && (!slash || !noSlash) {
				t.Errorf("%s: the patterns of %s match %s: %v in Python, %v in a shell", filepath.Base(dir), set, file, slash, noSlash)
			}
		}
	}
	if slash, noSlash := matches("licensed", "card.yaml"); slash || noSlash {
		t.Errorf("%s: a pattern matches the card", filepath.Base(dir))
	}
}

// TestCommandDatasetInit checks that a card is never written over, and what is said of folders that
// hold nothing or have faults.
func TestCommandDatasetInit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	fails := func(want string, args ...string) {
		t.Helper()
		var out, stderr bytes.Buffer
		if status := run(context.Background(), args, nil, &out, &stderr); status == 0 || out.Len() > 0 && args[1] == "init" || !strings.Contains(stderr.String(), want) {
			t.Errorf("vaak %q = %d, %q, %q; want %q", args, status, &out, &stderr, want)
		}
	}
	fails("there is no audio", "dataset", "init", dir)
	if err := (ingesttest.Folder{Files: map[string]string{"a.wav": "speech 8000 1", "a.txt": "0\t0.5\tआज मौसम अच्छा है\n", "a.srt": "what\n"}}).Write(dir); err != nil {
		t.Fatal(err)
	}
	fails("a.srt:1: ", "dataset", "inspect", dir)
	fails("language.tag is no language", "dataset", "init", dir, "--language", "?")
	for _, name := range []string{"card.yaml", "card.json"} {
		card := filepath.Join(dir, name)
		if err := os.WriteFile(card, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		fails(name+" is there already; nothing was written", "dataset", "init", dir)
		if text, err := os.ReadFile(card); err != nil || string(text) != "mine" {
			t.Errorf("%s is %q, %v", name, text, err)
		}
		if err := os.Remove(card); err != nil {
			t.Fatal(err)
		}
	}
	target := filepath.Join(dir, "elsewhere")
	if err := os.Symlink(target, filepath.Join(dir, "card.yaml")); err != nil {
		t.Fatal(err)
	}
	fails("is there already; nothing was written", "dataset", "init", dir)
	if _, err := os.Stat(target); err == nil {
		t.Error("init wrote through a link")
	}
}

// servesLayout brings clips in that lie in a zip archive, and looks at what is served of them.
func (s *server) servesLayout(t *testing.T) {
	dir := ingesttest.Named(t, "common-voice-zip").Make(t)
	s.vaak("dataset", "init", dir, "--title", "Clips in an archive", "--licence", "CC0 1.0", "--creator", "Example Lab", "--contact", "data@example.org")
	slug, _, _ := strings.Cut(s.vaak("dataset", "ingest", dir, "--publish"), "\t")
	soon(t, slug+" is listed", func() bool { return slices.Contains(s.listed(""), slug) })
	for at, want := range map[string]string{"": "Clips in an archive", "/croissant.json": "Clips in an archive", "/recordings.csv": "hi/clips/common_voice_hi_4.mp3"} {
		if a := s.fetch(http.MethodGet, "/catalogue/datasets/"+slug+at); a.status != http.StatusOK || !strings.Contains(a.body, want) {
			t.Errorf("%s = %d without %q: %.300s", a.what, a.status, want, a.body)
		}
	}
	s.vaak("dataset", "suspend", slug)
	soon(t, slug+" is gone", func() bool { return !slices.Contains(s.listed(""), slug) })
}
