package rig

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"vaak/lang"
)

func TestCorpusServesEveryVoice(t *testing.T) {
	t.Parallel()
	c, err := ReadCorpus("../../../lang/testdata/pieces.tsv.gz", PerSet)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lang.All() {
		s := c[l.Code]
		if len(s.A) != PerSet || len(s.B) != PerSet {
			t.Errorf("%s has %d and %d sentences, want %d", l.Code, len(s.A), len(s.B), PerSet)
		}
		for _, one := range s.A {
			if slices.Contains(s.B, one) {
				t.Errorf("%s: %.64q is in both sets", l.Code, one)
			}
		}
	}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("word ", 100)
	got := sentences(text)
	if len(got) != 4 {
		t.Fatalf("%d sentences of 500 characters, want 4", len(got))
	}
	for _, s := range got {
		if n := utf8.RuneCountInString(s); n < spacedSentence-5 || n > spacedSentence+5 {
			t.Errorf("a sentence of %d characters: %q", n, s)
		}
	}
	dense := strings.Repeat("字", 100)
	if got := sentences(dense); len(got) != 2 || utf8.RuneCountInString(got[0]) != denseSentence {
		t.Errorf("sentences of 100 ideographs = %q", got)
	}
	if got := sentences(""); len(got) != 0 {
		t.Errorf("sentences of nothing = %q", got)
	}
}

func TestParseCorpusRefuses(t *testing.T) {
	t.Parallel()
	if texts, err := parseTexts(strings.NewReader("en no tab\n")); err == nil {
		t.Errorf("a line without a tab is taken as %v", texts)
	}
	if c, err := newCorpus(map[lang.Code]string{"en": "too short"}, 1); err == nil {
		t.Errorf("a text that is too short is taken as %v", c)
	}
}

func TestForEach(t *testing.T) {
	t.Parallel()
	bad := errors.New("bad")
	done := make([]bool, 100)
	if err := ForEach(t.Context(), len(done), func(_ context.Context, i int) error { done[i] = true; return nil }); err != nil || slices.Contains(done, false) {
		t.Errorf("forEach: %v, %v", err, done)
	}
	if err := ForEach(t.Context(), 100, func(_ context.Context, i int) error {
		if i == 3 {
			return bad
		}
		return nil
	}); !errors.Is(err, bad) {
		t.Errorf("forEach = %v, want %v", err, bad)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := ForEach(ctx, 5, func(context.Context, int) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("forEach of an ended context = %v", err)
	}
}

func TestWritePart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "voices.md")
	for _, want := range []string{"one\n", "two\n"} {
		if err := WritePart(path, "accents", want); err != nil {
			t.Fatal(err)
		}
		if b, _ := os.ReadFile(path); string(b) != "<!-- accents:begin -->\n"+want+"<!-- accents:end -->\n" {
			t.Errorf("the file has %q", b)
		}
	}
	if err := WritePart(path, "other", "text"); err == nil {
		t.Error("a part without markers is written")
	}
}
