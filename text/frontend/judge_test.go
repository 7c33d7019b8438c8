package frontend_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"vaak/lang"
	"vaak/text/frontend"
)

// showUnseen prints the misses of the half that is kept for judging. Who mends rules by
// looking at them spends them: the half then says nothing about text that nobody looked at.
var showUnseen = flag.Bool("unseen", false, "print the lines of the unseen half that are misread")

// The shares of lines without a wrong word that each half must reach.
const (
	leastMended = 0.99
	leastUnseen = 0.83
)

// TestJudge reads lines of the kind that people write: messages of banks, addresses, scores,
// recipes, tickets. testdata/judge was written by people who had not seen what this program
// makes of it, nor how. README.md there says how its lines are judged.
func TestJudge(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/judge/*.tsv")
	if err != nil || len(files) == 0 {
		t.Fatalf("no lines to judge by: %v", err)
	}
	var all [2]score
	for _, name := range files {
		code := lang.Code(strings.TrimSuffix(filepath.Base(name), ".tsv"))
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var here [2]score
		for i, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
			half := i % 2 // the odd lines are mended by, the even ones are not looked at
			want, err := parseJudged(line)
			if err != nil {
				t.Fatalf("%s:%d: %v", name, i+1, err)
			}
			here[half].lines++
			got := readAloud(t, want.text, lang.Tag{Code: code})
			if want.reading.MatchString(bare(got)) {
				here[half].right++
				continue
			}
			if half == 0 && testing.Verbose() || half == 1 && *showUnseen {
				t.Logf("%s:%d: %s: %s\n    read %s\n    want %s", name, i+1, want.category, want.text, got, want.spelled)
			}
		}
		t.Logf("%-4s %s", code, here)
		for half := range all {
			all[half].lines += here[half].lines
			all[half].right += here[half].right
		}
	}
	t.Logf("all  %s", all)
	for half, least := range [...]float64{leastMended, leastUnseen} {
		if share := float64(all[half].right) / float64(all[half].lines); share < least {
			t.Errorf("half %d: %.3f of the lines are read without a wrong word, want %.3f or more", half+1, share, least)
		}
	}
}

// score counts the lines of a half.
type score struct{ lines, right int }

func (s score) String() string { return fmt.Sprintf("%3d of %3d", s.right, s.lines) }

// judged is a line with its readings.
type judged struct {
	category, text, spelled string
	reading                 *regexp.Regexp // of the letters of a reading
}

func parseJudged(line string) (judged, error) {
	f := strings.Split(line, "\t")
	if len(f) != 3 {
		return judged{}, fmt.Errorf("%d columns, want category, text, reading", len(f))
	}
	// Readings are compared by their letters: how words are written apart, and which
	// commas stand between them, is not what a listener hears.
	var expression strings.Builder
	depth := 0
	for _, part := range regexp.MustCompile(`[{|}]|[^{|}]+`).FindAllString(f[2], -1) {
		switch part {
		case "{":
			depth++
			expression.WriteString("(?:")
		case "}":
			depth--
			expression.WriteString(")")
		case "|":
			expression.WriteString("|")
		default:
			expression.WriteString(regexp.QuoteMeta(bare(part)))
		}
		if depth < 0 {
			break
		}
	}
	if depth != 0 {
		return judged{}, fmt.Errorf("braces do not pair in %q", f[2])
	}
	re, err := regexp.Compile("^(?:" + expression.String() + ")$")
	return judged{f[0], f[1], f[2], re}, err
}

// readAloud returns the words that an engine reads.
func readAloud(t *testing.T, text string, hint lang.Tag) string {
	t.Helper()
	p, err := frontend.New().Prepare(text, hint)
	if err != nil {
		t.Fatalf("Prepare(%q): %v", text, err)
	}
	var b strings.Builder
	for r := range p.Runs() {
		b.WriteString(r.Text)
	}
	return b.String()
}

// silent are characters that change how letters join and not what is read.
var silent = []rune{'\u200B', '\u200C', '\u200D', 'ʼ', 'ـ'}

// arabicVowels are the signs that Arabic is written without, and now and then with.
var arabicVowels = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x064B, Hi: 0x0652, Stride: 1}}}

// bare returns the letters, marks, digits and those signs of a text that nobody may leave
// unread, in lower case.
func bare(s string) string {
	var b strings.Builder
	for _, r := range norm.NFC.String(strings.ToLower(norm.NFC.String(s))) {
		switch {
		case slices.Contains(silent, r), unicode.In(r, arabicVowels):
		case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsNumber(r), unicode.Is(unicode.Sc, r), strings.ContainsRune("%@#/_~=+<>^|°²³&*", r):
			b.WriteRune(r)
		}
	}
	return b.String()
}
