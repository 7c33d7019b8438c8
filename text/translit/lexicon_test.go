package translit

import (
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// inScript reports whether a rune is of the script of a language.
func inScript(i int, r rune) bool {
	if i == urdu {
		return r >= 0x600 && r < 0x700
	}
	return r >= bases[i] && r < bases[i]+0x80
}

func TestLexiconFiles(t *testing.T) {
	t.Parallel()
	for i, code := range codes {
		file, err := lexiconFiles.ReadFile("lexicon/" + string(code) + ".tsv")
		if err != nil {
			t.Fatal(err)
		}
		words := map[string]bool{}
		for line := range strings.Lines(string(file)) {
			c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			native := c[0]
			if len(c) == 1 {
				c = append(c, strings.Join(Typed(code, native), " "))
			}
			if len(c) == 2 {
				if words[native] {
					t.Errorf("%s: %q is there twice", code, native)
				}
				words[native] = true
			}
			if !norm.NFC.IsNormalString(native) {
				t.Errorf("%s: %q is not in NFC", code, native)
			}
			if bad := strings.IndexFunc(native, func(r rune) bool { return !inScript(i, r) }); native == "" || bad >= 0 {
				t.Errorf("%s: %q has a letter of another script at %d", code, native, bad)
			}
			if len(strings.Fields(c[1])) == 0 {
				t.Errorf("%s: %q is typed in no way", code, native)
			}
			for typed := range strings.FieldsSeq(c[1]) {
				if strings.Trim(typed, "abcdefghijklmnopqrstuvwxyz") != "" || len(typed) >= maxLoose {
					t.Errorf("%s: %q is typed %q", code, native, typed)
				}
			}
		}
		if n := len(words); n < 500 || n > 1400 {
			t.Errorf("%s has %d words, want 500 to 1400", code, n)
		}
	}
}

// TestFirstWordKeepsSpelling holds that where two words are typed alike, the one
// that comes first in the file is found.
func TestFirstWordKeepsSpelling(t *testing.T) {
	t.Parallel()
	for i, code := range codes {
		file, _ := lexiconFiles.ReadFile("lexicon/" + string(code) + ".tsv")
		first := map[string]string{}
		for line := range strings.Lines(string(file)) {
			c := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if len(c) != 2 {
				continue
			}
			for typed := range strings.FieldsSeq(c[1]) {
				if first[typed] == "" {
					first[typed] = c[0]
				}
			}
		}
		for typed, want := range first {
			if got, loosely, ok := lexiconOf(i).find(i, typed); got != want || loosely || !ok {
				t.Errorf("%s: find(%q) = %q, %t, %t, want %q exactly", code, typed, got, loosely, ok, want)
			}
		}
	}
}

func TestSureWordsAreInTheirLexicon(t *testing.T) {
	t.Parallel()
	for word, i := range sure() {
		if _, _, ok := lexiconOf(i).find(i, word); !ok {
			t.Errorf("%q is sure and not in the lexicon of %s", word, codes[i])
		}
		if r := rankOf(word); r > name {
			t.Errorf("%q is sure and English of rank %d", word, r)
		}
	}
}

func TestLoose(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ i int }{{hindi}, {telugu}, {tamilLanguage}} {
		for _, pair := range [][2]string{
			{"nahee", "nahi"}, {"zaroor", "jarur"}, {"achchha", "acha"}, {"wapas", "vaapas"}, {"phir", "fir"},
		} {
			if a, b := loosen(tt.i, pair[0]), loosen(tt.i, pair[1]); a != b {
				t.Errorf("%s: loosen(%q) = %q, loosen(%q) = %q, want the same", codes[tt.i], pair[0], a, pair[1], b)
			}
		}
	}
	for _, tt := range []struct {
		i    int
		a, b string
		same bool
	}{
		{hindi, "bhat", "bat", false},
		{telugu, "bhat", "bat", true},
		{telugu, "gada", "kada", false},
		{tamilLanguage, "gada", "kata", true},
		{tamilLanguage, "mazhai", "malai", true},
	} {
		if a, b := loosen(tt.i, tt.a), loosen(tt.i, tt.b); (a == b) != tt.same {
			t.Errorf("%s: loosen(%q) = %q, loosen(%q) = %q, want the same: %t", codes[tt.i], tt.a, a, tt.b, b, tt.same)
		}
	}
}
