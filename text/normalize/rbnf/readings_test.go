package rbnf_test

import (
	_ "embed"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"vaak/lang"
	"vaak/text/normalize/rbnf"
)

// wordsOf are the known readings; the file's head says where each is from.
//
//go:embed testdata/readings.tsv
var wordsOf string

// ours are the languages whose words are not CLDR's, each with the script that
// its words are written in.
var ours = map[lang.Code]string{
	"bn": "Beng", "te": "Telu", "mr": "Deva", "kn": "Knda", "ml": "Mlym",
	"pa": "Guru", "or": "Orya", "as": "Beng", "ur": "Arab", "sd": "Arab",
	"kok": "Deva", "sa": "Deva", "mai": "Deva", "doi": "Deva", "brx": "Deva",
	"ks": "Arab", "mni": "Beng", "sat": "Olck", "bho": "Deva", "si": "Sinh",
	"uz": "Latn", "eu": "Latn",
}

// TestWords compares with known readings.
func TestWords(t *testing.T) {
	t.Parallel()
	seen := map[lang.Code]int{}
	for line := range strings.Lines(wordsOf) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		field := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(field) != 4 {
			t.Fatalf("line %q has %d fields, want 4", line, len(field))
		}
		code, set, number, want := lang.Code(field[0]), "spellout-"+field[1], field[2], field[3]
		seen[code]++
		f := rbnf.Of(lang.Tag{Code: code})
		if f == nil {
			t.Errorf("Of(%q) = nil", code)
			continue
		}
		if got, ok := f.Format(set, number); got != want || !ok {
			t.Errorf("%s: Format(%q, %q) = %q, %v, want %q", code, set, number, got, ok, want)
		}
	}
	for code := range ours {
		if seen[code] < 20 {
			t.Errorf("%s has %d known readings, want 20", code, seen[code])
		}
	}
}

// TestWordsAreDistinct finds a word given to two numbers.
func TestWordsAreDistinct(t *testing.T) {
	t.Parallel()
	for code := range ours {
		f := rbnf.Of(lang.Tag{Code: code})
		if f == nil {
			t.Errorf("Of(%q) = nil", code)
			continue
		}
		for _, set := range f.Sets() {
			from := map[string]int{}
			for n := range 101 {
				got, ok := f.Format(set, strconv.Itoa(n))
				if before, twice := from[got]; ok && twice {
					t.Errorf("%s: %s says %q for %d and %d", code, set, got, before, n)
				}
				if ok {
					from[got] = n
				}
			}
		}
	}
}

// TestWordsAreInTheirScript finds digits, letters of another script, text that is
// not in normal form C, and stray spaces.
func TestWordsAreInTheirScript(t *testing.T) {
	t.Parallel()
	for code, script := range ours {
		f := rbnf.Of(lang.Tag{Code: code})
		if f == nil {
			t.Errorf("Of(%q) = nil", code)
			continue
		}
		for _, set := range f.Sets() {
			for _, number := range sample() {
				got, ok := f.Format(set, number)
				if !ok {
					continue
				}
				if !norm.NFC.IsNormalString(got) {
					t.Errorf("%s: Format(%q, %q) = %q is not NFC", code, set, number, got)
				}
				if got == "" || strings.Join(strings.Fields(got), " ") != got {
					t.Errorf("%s: Format(%q, %q) = %q is empty or has stray spaces", code, set, number, got)
				}
				for _, r := range got {
					if foreign(r, script) {
						t.Errorf("%s: Format(%q, %q) = %q has %q", code, set, number, got, r)
					}
				}
			}
		}
	}
}

// foreign reports whether r may not stand in a word of the script: modifier
// letters and marks that several scripts share are common to all.
func foreign(r rune, script string) bool {
	switch {
	case r == ' ' || r == '\'' || r == 'ʻ' || unicode.Is(unicode.Inherited, r):
		return false
	case unicode.IsDigit(r):
		return true
	}
	return lang.ScriptOf(r) != script
}

// TestCardinalsReachFar checks that the cardinals of the languages whose words are
// confirmed that far say every power of ten to a million million.
func TestCardinalsReachFar(t *testing.T) {
	t.Parallel()
	end := map[lang.Code]int{"sa": 9, "si": 9, "sat": 4}
	for code := range ours {
		f := rbnf.Of(lang.Tag{Code: code})
		if f == nil {
			t.Errorf("Of(%q) = nil", code)
			continue
		}
		last, short := end[code]
		if !short {
			last = 12
		}
		for power := range 13 {
			number := "1" + strings.Repeat("0", power)
			got, ok := f.Format("spellout-cardinal", number)
			if want := power <= last; ok != want {
				t.Errorf("%s: Format(%q) = %q, %v, want ok %v", code, number, got, ok, want)
			}
		}
	}
}

// sample is every number to 1,200, numbers around each larger power of ten, a
// negative one and a fraction.
func sample() []string {
	numbers := []string{"-5", "3.14", "123456789", "987654321", "1947", "2024"}
	for n := range 1201 {
		numbers = append(numbers, strconv.Itoa(n))
	}
	for power := 1000; power <= 1_000_000_000_000; power *= 10 {
		for _, step := range []int{-1, 0, 1, 100, power, power + 1, 5*power + 121} {
			numbers = append(numbers, strconv.Itoa(power+step))
		}
	}
	return numbers
}
