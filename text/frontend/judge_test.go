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

// showUnseen prints the misses of the part that is kept for judging. Who mends rules by
// looking at them spends them: they then say nothing about text that nobody looked at.
var showUnseen = flag.Bool("unseen", false, "print the unseen lines that are misread")

// TestJudge reads lines of the kind that people write: messages of banks, addresses, scores,
// recipes, tickets. testdata/judge was written by people who had not seen what this program
// makes of it, nor how. README.md there says how its lines are judged.
func TestJudge(t *testing.T) {
	t.Parallel()
	for _, part := range []struct {
		name  string
		least float64 // share of the lines that is read without a wrong word
	}{{"mended", 0.998}, {"unseen", 0.92}} {
		files, err := filepath.Glob(filepath.Join("testdata/judge", part.name, "*.tsv"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no lines to judge by: %v", err)
		}
		var all score
		for _, name := range files {
			here := judge(t, name, part.name == "mended" && testing.Verbose() || part.name == "unseen" && *showUnseen)
			t.Logf("%s %-4s %s", part.name, strings.TrimSuffix(filepath.Base(name), ".tsv"), here)
			all.lines += here.lines
			all.right += here.right
		}
		t.Logf("%s all  %s", part.name, all)
		if share := float64(all.right) / float64(all.lines); share < part.least {
			t.Errorf("%s: %.3f of the lines are read without a wrong word, want %.3f or more", part.name, share, part.least)
		}
	}
}

// judge reads the lines of a file, and logs those that are misread if they are to be shown.
func judge(t *testing.T, name string, show bool) (here score) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		want, err := parseJudged(line)
		if err != nil {
			t.Fatalf("%s:%d: %v", name, i+1, err)
		}
		here.lines++
		got := readAloud(t, want.text, lang.Tag{Code: lang.Code(strings.TrimSuffix(filepath.Base(name), ".tsv"))})
		if want.reading.MatchString(bare(got)) {
			here.right++
		} else if show {
			t.Logf("%s:%d: %s: %s\n    read %s\n    want %s", name, i+1, want.category, want.text, got, want.spelled)
		}
	}
	return here
}

// score counts lines.
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
