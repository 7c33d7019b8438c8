package segment_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"vaak/lang"
	"vaak/lang/langtest"
	"vaak/text/segment"
)

var languageMark = regexp.MustCompile(`\[([a-z]{2})\]`)

// readMarked splits a line into its text and the language of each byte.
func readMarked(line string) (text string, codes []lang.Code) {
	var b strings.Builder
	at, code := 0, lang.Code("")
	for _, m := range languageMark.FindAllStringSubmatchIndex(line, -1) {
		b.WriteString(line[at:m[0]])
		for len(codes) < b.Len() {
			codes = append(codes, code)
		}
		at, code = m[1], lang.Code(line[m[2]:m[3]])
	}
	b.WriteString(line[at:])
	for len(codes) < b.Len() {
		codes = append(codes, code)
	}
	return b.String(), codes
}

// latinScore counts words and lines.
type latinScore struct{ words, right, lines, whole, pure, split int }

// measureLatin reads testdata/latin.tsv, which people wrote who had not seen this package: a
// mark stands before each stretch of a language. Odd lines, mended, were looked at; even ones,
// unseen, were not.
func measureLatin(t *testing.T, rest int, hinted bool) (s latinScore) {
	t.Helper()
	data, err := os.ReadFile("testdata/latin.tsv")
	if err != nil {
		t.Fatal(err)
	}
	n := -1
	for line := range strings.Lines(string(data)) {
		if n++; n%2 != rest {
			continue
		}
		text, codes := readMarked(strings.TrimRight(line, "\n"))
		var hint lang.Tag
		if hinted {
			hint.Code = codes[0]
		}
		got := make([]lang.Code, len(text))
		for _, r := range segment.Runs(text, hint) {
			for i := r.Start; i < r.End; i++ {
				got[i] = r.Code
			}
		}
		s.lines++
		right, pure := true, true
		inWord := false
		for i, r := range text {
			letter := unicode.IsLetter(r)
			if letter && !inWord {
				s.words++
				if got[i] == codes[i] {
					s.right++
				} else {
					right = false
				}
			}
			pure = pure && codes[i] == codes[0]
			inWord = letter || inWord && (r == '\'' || r == '’')
		}
		if right {
			s.whole++
		} else if rest == 0 {
			t.Logf("%v %s: %s", hint, line, spans(text, got))
		}
		if pure {
			s.pure++
			if !right {
				s.split++
			}
		}
	}
	return s
}

// spans writes a text with marks before its stretches.
func spans(text string, codes []lang.Code) string {
	var b strings.Builder
	for i, r := range text {
		if i == 0 || codes[i] != codes[i-1] && r < 0x80 {
			b.WriteString("[" + string(codes[i]) + "]")
		}
		b.WriteRune(r)
	}
	return b.String()
}

func TestLatinClauses(t *testing.T) {
	t.Parallel()
	for rest, half := range []string{"mended", "unseen"} {
		for _, hinted := range []bool{false, true} {
			s := measureLatin(t, rest, hinted)
			t.Logf("%s, hinted %v: %d of %d words, %d of %d lines, %d of %d pure lines split", half, hinted, s.right, s.words, s.whole, s.lines, s.split, s.pure)
			if 100*s.right < 93*s.words || s.split > 1 {
				t.Errorf("%s, hinted %v: want 93 %% of the words, and one pure line split at most", half, hinted)
			}
		}
	}
}

// TestPureLatin holds that texts of one language stay whole.
func TestPureLatin(t *testing.T) {
	t.Parallel()
	all, split := 0, 0
	for line := range langtest.Lines(t, "../../lang/testdata/pieces.tsv.gz") {
		code, text, _ := strings.Cut(line, "\t")
		if l, _ := lang.Lookup(lang.Code(code)); !l.Writes("Latn") {
			continue
		}
		sentences := strings.FieldsFunc(text, func(r rune) bool { return r == '.' || r == ';' })
		for _, s := range sentences {
			if len(strings.Fields(s)) < 2 {
				continue
			}
			for _, hint := range []lang.Tag{{}, {Code: lang.Code(code)}} {
				all++
				if runs := segment.Runs(s, hint); len(runs) > 1 {
					split++
					t.Logf("%s %v: %d runs: %s", code, hint, len(runs), s)
				}
			}
		}
	}
	t.Logf("%d of %d sentences split", split, all)
	if 200*split > all {
		t.Errorf("%d of %d sentences of one language are split, want 0.5 %% at most", split, all)
	}
}
