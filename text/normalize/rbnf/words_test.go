package rbnf

import (
	"strings"
	"testing"

	"vaak/lang"
	"vaak/text/normalize/cldr"
)

// TestAllParse makes the formatter of every language, which must have cardinals.
func TestAllParse(t *testing.T) {
	t.Parallel()
	for _, l := range lang.All() {
		rules := correct(l.Code, cldr.Of(l.Code).Rules)
		if text, err := words.ReadFile("words/" + string(l.Code) + ".txt"); err == nil {
			rules = string(text)
		}
		if rules == "" {
			continue
		}
		f, err := Parse(rules, cldr.Of(l.Code))
		if err != nil {
			t.Errorf("Parse(%s) = %v", l.Code, err)
			continue
		}
		if mainCardinal(f) == "" {
			t.Errorf("%s has no cardinals: %q", l.Code, f.Sets())
		}
	}
	files, err := words.ReadDir("words")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		code := lang.Code(strings.TrimSuffix(file.Name(), ".txt"))
		if _, ok := lang.Lookup(code); !ok {
			t.Errorf("words/%s is of no supported language", file.Name())
		}
	}
}

// TestCorrections checks that each one still meets the mistake that it is for: a
// new CLDR may have mended it.
func TestCorrections(t *testing.T) {
	t.Parallel()
	rules := map[string]string{}
	for line := range strings.Lines(corrections) {
		code, _, ok := strings.Cut(line, "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		if rules[code] == "" {
			rules[code] = spell(cldr.Of(lang.Code(code)).Rules)
		}
		wrong, right := correction(line)
		mended := strings.ReplaceAll(rules[code], wrong, right)
		if mended == rules[code] {
			t.Errorf("%s: CLDR no longer has %q", code, wrong)
		}
		rules[code] = mended
	}
}
