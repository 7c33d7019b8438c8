package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"vaak/engine/espeak"
	"vaak/lang"
	"vaak/voice"
)

func TestCorpusServesEveryVoice(t *testing.T) {
	t.Parallel()
	c, err := readCorpus("../../lang/testdata/pieces.tsv.gz", perSet)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range lang.All() {
		s := c[l.Code]
		if len(s.a) != perSet || len(s.b) != perSet {
			t.Errorf("%s has %d and %d sentences, want %d", l.Code, len(s.a), len(s.b), perSet)
		}
		for _, one := range s.a {
			if slices.Contains(s.b, one) {
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

func TestDescribe(t *testing.T) {
	t.Parallel()
	v := voice.ForLanguage("sr")[0]
	line := string(v.ID) + "\tlow-pitched\tx\tA medium-pitched " + string(v.Gender) + " voice.\n"
	roster := "# a low-pitched comment\n" + line
	for hz, want := range map[int]string{80: "low", 400: "high"} {
		got := describe(roster, map[voice.ID]espeak.Timbre{v.ID: {Hz: hz}})
		if wanted := strings.Replace(roster, "medium", want, 1); got != wanted {
			t.Errorf("at %d Hz: %q, want %q", hz, got, wanted)
		}
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"--nothing", "x", "--language xx", "--language eo", "--write --language hi timbres", "--write", "--write timbres accents"} {
		if o, err := parseOptions(strings.Fields(bad), new(bytes.Buffer)); err == nil {
			t.Errorf("%q is taken as %+v", bad, o)
		}
	}
	o, err := parseOptions([]string{"--language", "hi", "--choose"}, new(bytes.Buffer))
	if err != nil || o.language != "hi" || !o.choose || o.write {
		t.Errorf("options %+v, %v", o, err)
	}
	if o, err := parseOptions([]string{"--write", "accents"}, new(bytes.Buffer)); err != nil || !o.write || !slices.Equal(o.parts, []string{"accents"}) {
		t.Errorf("options %+v, %v", o, err)
	}
	var help bytes.Buffer
	if err := run(context.Background(), []string{"--help"}, new(bytes.Buffer), &help); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("--help: %v", err)
	}
	for _, want := range []string{"-worker", "-texts", "-language", "-choose", "-write", "status 1", "timbres", "phonemes", "accents"} {
		if !strings.Contains(help.String(), want) {
			t.Errorf("--help lacks %q:\n%s", want, help.String())
		}
	}
}

func TestForEach(t *testing.T) {
	t.Parallel()
	bad := errors.New("bad")
	done := make([]bool, 100)
	if err := forEach(t.Context(), len(done), func(_ context.Context, i int) error { done[i] = true; return nil }); err != nil || slices.Contains(done, false) {
		t.Errorf("forEach: %v, %v", err, done)
	}
	if err := forEach(t.Context(), 100, func(_ context.Context, i int) error {
		if i == 3 {
			return bad
		}
		return nil
	}); !errors.Is(err, bad) {
		t.Errorf("forEach = %v, want %v", err, bad)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := forEach(ctx, 5, func(context.Context, int) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("forEach of an ended context = %v", err)
	}
}
