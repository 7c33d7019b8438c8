package lang_test

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"vaak/lang"
)

var update = flag.Bool("update", false, "rewrite the figures of docs/detection.md")

// figuresFile is the document that the figures are part of, between two marks.
const (
	figuresFile  = "../docs/detection.md"
	figuresBegin = "<!-- figures: written by go test ./lang -update -->\n"
	figuresEnd   = "<!-- end of figures -->\n"
)

// figures writes the figures in whole percent, so that small changes of a text
// or of the table of grams leave the document as it is.
func figures(means []float64, found []accuracy) string {
	var b strings.Builder
	b.WriteString("\n| words in a piece | told right, average of the languages |\n|--:|--:|\n")
	for k, l := range least {
		fmt.Fprintf(&b, "| %d | %.0f %% |\n", l.words, 100*means[k])
	}
	fmt.Fprintf(&b, "\nPieces that are taken for another language, where these are %d %% or more of a language's pieces:\n\n"+
		"| language |", confusable)
	for _, l := range least {
		fmt.Fprintf(&b, " %d words |", l.words)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(least)) + "\n")
	for _, a := range found {
		if !slices.ContainsFunc(a.wrong, func(m map[lang.Code]int) bool { return len(m) > 0 }) {
			continue
		}
		row, _ := lang.Lookup(a.code)
		fmt.Fprintf(&b, "| %s (`%s`) |", row.Name, a.code)
		for _, wrong := range a.wrong {
			fmt.Fprintf(&b, " %s |", taken(wrong))
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	return b.String()
}

// taken lists what pieces are taken for, the most frequent first.
func taken(wrong map[lang.Code]int) string {
	if len(wrong) == 0 {
		return "·"
	}
	codes := slices.SortedFunc(maps.Keys(wrong), func(a, b lang.Code) int {
		return cmp.Or(wrong[b]-wrong[a], cmp.Compare(a, b))
	})
	list := make([]string, len(codes))
	for i, c := range codes {
		list[i] = fmt.Sprintf("`%s` %d %%", c, wrong[c])
	}
	return strings.Join(list, ", ")
}

// checkFigures compares the figures with those of the document, and writes them
// there with -update.
func checkFigures(t *testing.T, want string) {
	t.Helper()
	b, err := os.ReadFile(figuresFile)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(b), figuresBegin)
	got, after, closed := strings.Cut(rest, figuresEnd)
	if !ok || !closed {
		t.Fatalf("%s lacks the marks of the figures", figuresFile)
	}
	if *update && got != want {
		if err := os.WriteFile(figuresFile, []byte(before+figuresBegin+want+figuresEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != want {
		t.Errorf("the figures of %s are not those of the test texts; run go test ./lang -update", figuresFile)
	}
}
