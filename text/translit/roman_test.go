package translit

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"vaak/lang"
)

// The files of testdata/roman were written by people who had not seen this package: a text
// as it is typed, a tab, and the same with each Indian word in its own script. Odd lines,
// mended, were looked at while the package was made; even ones, unseen, were not.

// romanScore counts lines and words of a file.
type romanScore struct{ lines, told, words, labelled, labelledHinted, native, exact, loose int }

// halves are the parts of the set; unseen lines are only measured.
var halves = []struct {
	name string
	rest int
}{{"mended", 0}, {"unseen", 1}}

func measureRoman(t *testing.T, code lang.Code, rest int, log func(format string, args ...any)) (s romanScore) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "roman", string(code)+".tsv"))
	if err != nil {
		t.Fatal(err)
	}
	n := -1
	for line := range strings.Lines(string(data)) {
		n++
		if n%2 != rest {
			continue
		}
		text, native, _ := strings.Cut(strings.TrimSpace(line), "\t")
		s.lines++
		if got, _ := Detect(text); got == code {
			s.told++
		} else {
			log("%s: told %q: %s", code, got, text)
		}
		typed, written := strings.Fields(text), strings.Fields(native)
		if len(typed) != len(written) {
			continue
		}
		for k := range typed {
			typed[k] = strings.Trim(typed[k], ".,!?;:\"()")
			written[k] = strings.Trim(written[k], ".,!?;:\"()۔؟،।")
		}
		labels := Label(typed, lang.Tag{})
		hinted := Label(typed, lang.Tag{Code: code})
		for k, w := range typed {
			if !strings.ContainsFunc(w, unicode.IsLetter) {
				continue
			}
			want := code
			if strings.ContainsFunc(written[k], func(r rune) bool { return unicode.Is(unicode.Latin, r) }) {
				want = ""
			}
			s.words++
			if labels[k] == want {
				s.labelled++
			}
			if hinted[k] == want {
				s.labelledHinted++
			} else {
				log("%s: label %q is %q in %s", code, w, hinted[k], text)
			}
			if want == "" {
				continue
			}
			s.native++
			got := Write(code, w)
			if got == written[k] {
				s.exact++
			}
			if alike(code, got, written[k]) {
				s.loose++
			} else {
				log("%s: write %s = %s, want %s", code, w, got, written[k])
			}
		}
	}
	return s
}

// alike reports whether two words of a script sound nearly alike: they differ in vowel
// length, doubling, nasals, or letters of one sound at most.
func alike(code lang.Code, a, b string) bool {
	key := func(s string) string {
		i := index(code)
		s = strings.NewReplacer("'", "", "’", "", "\u200c", "", "\u200d", "").Replace(s)
		form := typedUrdu(s)
		if i != urdu {
			sounds, ok := readNative(i, s)
			if !ok {
				return s
			}
			form = spellTyped(i, sounds, 0)
		}
		out := loosen(i, form)
		return strings.NewReplacer("ai", "e", "au", "o", "n", "", "m", "").Replace(strings.TrimRight(out, "u"))
	}
	return a == b || key(a) == key(b)
}

func TestRoman(t *testing.T) {
	t.Parallel()
	for _, code := range codes {
		floor := romanFloors[code]
		for h, half := range halves {
			log := t.Logf
			if h > 0 {
				log = func(string, ...any) {} // unseen
			}
			s := measureRoman(t, code, half.rest, log)
			got := [...]float64{percent(s.told, s.lines), percent(s.labelled, s.words), percent(s.labelledHinted, s.words), percent(s.exact, s.native), percent(s.loose, s.native)}
			t.Logf("%s %s: told %.0f %% of %d lines, labelled %.1f %% of %d words, with a hint %.1f %%, written exactly %.1f %% and loosely %.1f %% of %d", code, half.name,
				got[0], s.lines, got[1], s.words, got[2], got[3], got[4], s.native)
			for k, least := range floor {
				if got[k] < least {
					t.Errorf("%s %s: %.1f, want at least %.0f each", code, half.name, got, floor)
					break
				}
			}
		}
	}
}

// romanFloors are per cent of lines told, of words labelled without and with a hint, and of
// words written exactly and loosely, in each half.
var romanFloors = map[lang.Code][5]float64{
	"hi": {93, 94, 96, 82, 88}, "bn": {92, 89, 91, 84, 89}, "ta": {92, 93, 94, 69, 88}, "te": {82, 89, 93, 79, 94},
	"mr": {84, 83, 89, 75, 93}, "gu": {86, 87, 92, 78, 89}, "kn": {90, 90, 91, 72, 88}, "ml": {82, 86, 91, 74, 94},
	"pa": {78, 77, 87, 77, 86}, "or": {84, 86, 92, 84, 89}, "as": {92, 91, 91, 70, 75}, "ur": {28, 30, 94, 87, 89},
}

func TestRomanEnglish(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/roman/english.txt")
	if err != nil {
		t.Fatal(err)
	}
	for h, half := range halves {
		for _, hint := range []lang.Tag{{}, {Code: "hi"}, {Code: "ta"}, {Code: "en"}} {
			n, lines, kept := -1, 0, 0
			for line := range strings.Lines(string(data)) {
				if n++; n%2 != half.rest {
					continue
				}
				lines++
				words := strings.FieldsFunc(line, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(".,!?;:\"()", r) })
				code, _ := Detect(line)
				labels := Label(words, hint)
				if code == "" && !slices.ContainsFunc(labels, func(c lang.Code) bool { return c != "" }) {
					kept++
				} else if h == 0 {
					t.Logf("%v %q: %q %q", hint, line, code, labels)
				}
			}
			t.Logf("%s, %v: %d of %d English lines stay", half.name, hint, kept, lines)
			if percent(kept, lines) < 96 {
				t.Errorf("%s, %v: %d of %d English lines stay, want 96 %%", half.name, hint, kept, lines)
			}
		}
	}
}
