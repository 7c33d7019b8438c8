package respell

import (
	"slices"
	"strings"
	"testing"

	"vaak/lang"
)

// checkProspects checks that texts are read alike when it is told first where keys begin,
// which is done of long texts only.
func checkProspects(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, ds Dictionaries, s string, request lang.Tag) {
	t.Helper()
	if f := newSearch(s, ds, request, false); f != nil {
		f.patience = 0
		if got, want := f.closed(ds), ds.Find(s, request); !slices.Equal(got, want) {
			t.Fatalf("Find(%q) with prospects = %v, without %v", s, got, want)
		}
	}
	if f := newSearch(s, ds, request, true); f != nil {
		f.patience = 0
		matches, settled := f.settle(ds)
		if ms, n := ds.FindOpen(s, request); !slices.Equal(matches, ms) || settled != n {
			t.Fatalf("FindOpen(%q) with prospects = %v, %d, without %v, %d", s, matches, settled, ms, n)
		}
	}
}

func TestProspects(t *testing.T) {
	t.Parallel()
	ds := Dictionaries{Compile(list(rule("abcd", "x", inWord), rule("BCE", "y", inWord, exact), rule("c d", "z"), rule("ĳk", "w", inWord)))}
	for _, tt := range []struct {
		text string
		may  string // one for each cell: whether a key may begin there
	}{
		{"abcabc", "------"},
		{"aabcd.", "-++++-"},
		{"aBCEd", "-+++-"},
		{"bce BCD", "-------"},
		{"c  d", "+++"},
		{"aaijk ĳk ĳ", "--+++-++--"},
	} {
		f := newSearch(tt.text, ds, lang.Tag{Code: "en"}, false)
		v, hope := ds[0].view(lang.Tag{Code: "en"}), prospects{}
		got := ""
		for i := range f.len() {
			if hope.hopeless(f, v, i) {
				got += "-"
			} else {
				got += "+"
			}
		}
		if got != tt.may {
			t.Errorf("prospects of %q are %s, want %s", tt.text, got, tt.may)
		}
	}
}

// deadEnds are rules that begin alike over and over and come to nothing: of both casings,
// in words and of whole words.
func deadEnds() []Rule {
	var rules []Rule
	for n := range MaxTerm {
		for _, last := range []string{"b", "c"} {
			inside, words := strings.Repeat("a", n)+last, strings.Repeat("a ", n/2)+last
			rules = append(rules, rule(inside, "x", inWord), rule(inside, "x", inWord, exact), rule(words, "x"), rule(words, "x", exact))
		}
	}
	return rules[:MaxRules]
}

// TestDeadEnds counts how far texts are led through rules that come to nothing.
func TestDeadEnds(t *testing.T) {
	t.Parallel()
	ds := Dictionaries{Compile(deadEnds())}
	for _, s := range []string{strings.Repeat("a", 5000), strings.Repeat("a ", 2500), strings.Repeat("aaaad", 1000)} {
		for _, open := range []bool{false, true} {
			f := newSearch(s, ds, lang.Tag{}, open)
			f.settle(ds)
			if f.steps > 10*len(s) {
				t.Errorf("%.6q: %d steps for %d characters", s, f.steps, len(s))
			}
		}
		checkProspects(t, ds, s+"b a b"+s, lang.Tag{})
	}
}
