package lang_test

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"vaak/lang"
)

// least is what detection must reach on the average of the languages, by the
// number of words in a piece.
var least = []struct {
	words int
	macro float64
}{{3, 0.88}, {6, 0.95}, {12, 0.97}}

// TestAccuracy detects pieces of the texts in testdata and prints the accuracy
// of each language and the pairs that are taken for each other.
func TestAccuracy(t *testing.T) {
	t.Parallel()
	texts := readPieces(t)
	rates := map[lang.Code][]float64{}
	var confused [][3]string // rate, piece length, "mai as hi"
	for k, l := range least {
		sum := 0.0
		for _, row := range lang.All() {
			right, wrong := detectPieces(row.Code, texts[row.Code], l.words)
			all := right
			for _, n := range wrong {
				all += n
			}
			if all == 0 {
				t.Fatalf("%s: no test text", row.Code)
			}
			rate := float64(right) / float64(all)
			rates[row.Code] = append(rates[row.Code], rate)
			sum += rate
			for got, n := range wrong {
				if r := float64(n) / float64(all); r >= 0.03 {
					confused = append(confused, [3]string{fmt.Sprintf("%.1f", 100*r), fmt.Sprint(l.words), fmt.Sprintf("%s as %s", row.Code, got)})
				}
			}
		}
		macro := sum / float64(len(rates))
		t.Logf("pieces of %d words: %.2f %%", l.words, 100*macro)
		if macro < least[k].macro {
			t.Errorf("pieces of %d words: %.2f %% right, want %.0f %%", l.words, 100*macro, 100*l.macro)
		}
	}
	t.Log(table(rates, confused))
}

// table writes the figures in Markdown.
func table(rates map[lang.Code][]float64, confused [][3]string) string {
	var b strings.Builder
	b.WriteString("\n| language | 3 words | 6 words | 12 words |\n|---|---|---|---|\n")
	for _, l := range lang.All() {
		r := rates[l.Code]
		fmt.Fprintf(&b, "| %s | %.1f | %.1f | %.1f |\n", l.Code, 100*r[0], 100*r[1], 100*r[2])
	}
	slices.SortStableFunc(confused, func(a, c [3]string) int { return strings.Compare(a[2], c[2]) })
	b.WriteString("\n| taken | words | % |\n|---|---|---|\n")
	for _, c := range confused {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c[2], c[1], c[0])
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
	f, err := os.Open("testdata/pieces.tsv.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() // read only
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[lang.Code]string{}
	s := bufio.NewScanner(z)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		code, text, _ := strings.Cut(s.Text(), "\t")
		texts[lang.Code(code)] = text
	}
	if s.Err() != nil || len(texts) != 80 {
		t.Fatalf("%d texts, %v", len(slices.Collect(maps.Keys(texts))), s.Err())
	}
	return texts
}
