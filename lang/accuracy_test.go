package lang_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vaak/lang"
	"vaak/lang/langtest"
)

// least is what detection must reach on the average of the languages, by the
// number of words in a piece.
var least = []struct {
	words int
	macro float64
}{{3, 0.88}, {6, 0.95}, {12, 0.97}}

// accuracy is what the pieces of one language were detected as, by the number of
// words in a piece in the order of least.
type accuracy struct {
	code  lang.Code
	right []float64           // shares of one
	wrong []map[lang.Code]int // in percent, from confusable on
}

// confusable is the percentage of a language's pieces from which on a language
// that they are taken for is listed.
const confusable = 3

// TestAccuracy detects pieces of the texts in testdata, prints the accuracy of
// each language and compares the figures of docs/detection.md with what it
// found.
func TestAccuracy(t *testing.T) {
	t.Parallel()
	found := measure(t)
	means := make([]float64, len(least))
	for _, a := range found {
		for k, r := range a.right {
			means[k] += r / float64(len(found))
		}
	}
	for k, l := range least {
		t.Logf("pieces of %d words: %.2f %%", l.words, 100*means[k])
		if means[k] < l.macro {
			t.Errorf("pieces of %d words: %.2f %% right, want %.0f %%", l.words, 100*means[k], 100*l.macro)
		}
	}
	t.Log(table(found))
	checkFigures(t, figures(means, found))
}

// measure detects the pieces of every language.
func measure(t *testing.T) []accuracy {
	t.Helper()
	texts := readPieces(t)
	var found []accuracy
	for _, row := range lang.All() {
		a := accuracy{code: row.Code}
		for _, l := range least {
			right, wrong := detectPieces(row.Code, texts[row.Code], l.words)
			all := right
			for _, n := range wrong {
				all += n
			}
			if all == 0 {
				t.Fatalf("%s: no test text", row.Code)
			}
			for got, n := range wrong {
				if 100*n < confusable*all {
					delete(wrong, got)
					continue
				}
				wrong[got] = (100*n + all/2) / all
			}
			a.right, a.wrong = append(a.right, float64(right)/float64(all)), append(a.wrong, wrong)
		}
		found = append(found, a)
	}
	return found
}

// table writes the accuracy of each language.
func table(found []accuracy) string {
	var b strings.Builder
	b.WriteString("\n| language | 3 words | 6 words | 12 words |\n|---|---|---|---|\n")
	for _, a := range found {
		fmt.Fprintf(&b, "| %s | %.1f | %.1f | %.1f |\n", a.code, 100*a.right[0], 100*a.right[1], 100*a.right[2])
	}
	return b.String()
}

// detectPieces counts the pieces of a text that are detected right, and the
// languages that the others are taken for.
func detectPieces(code lang.Code, text string, words int) (right int, wrong map[lang.Code]int) {
	wrong = map[lang.Code]int{}
	units, sep := strings.Fields(text), " "
	if code == "ja" || code == "zh" || code == "yue" {
		units, sep = strings.Split(text, ""), "" // a character for a word
	}
	for piece := range slices.Chunk(units, words) {
		if len(piece) < words {
			break
		}
		if got := lang.Detect(strings.Join(piece, sep)); got == code {
			right++
		} else {
			wrong[got]++
		}
	}
	return right, wrong
}

func readPieces(t *testing.T) map[lang.Code]string {
	t.Helper()
	texts := map[lang.Code]string{}
	for line := range langtest.Lines(t, "testdata/pieces.tsv.gz") {
		code, text, _ := strings.Cut(line, "\t")
		texts[lang.Code(code)] = text
	}
	if len(texts) != len(lang.All()) {
		t.Fatalf("%d texts", len(texts))
	}
	return texts
}
