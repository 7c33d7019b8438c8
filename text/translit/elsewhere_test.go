package translit

import (
	"slices"
	"strings"
	"testing"

	"vaak/lang"
	"vaak/lang/langtest"
)

// TestElsewhere has texts of the other languages in Latin letters, by three, six and twelve
// words.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	total, told, labelled := 0, 0, 0
	for line := range langtest.Lines(t, "../../lang/testdata/pieces.tsv.gz") {
		code, text, _ := strings.Cut(line, "\t")
		if l, _ := lang.Lookup(lang.Code(code)); !l.Writes("Latn") {
			continue
		}
		all, wrong, words := 0, 0, 0
		for _, n := range []int{3, 6, 12} {
			for piece := range slices.Chunk(strings.Fields(text), n) {
				all++
				got, _ := Detect(strings.Join(piece, " "))
				if got != "" {
					wrong++
				}
				labels := Label(piece, lang.Tag{})
				if slices.ContainsFunc(labels, func(c lang.Code) bool { return c != "" }) {
					words++
				}
			}
		}
		if wrong+words > 0 {
			t.Logf("%s: %d of %d pieces are told Indian, %d have Indian words", code, wrong, all, words)
		}
		total, told, labelled = total+all, told+wrong, labelled+words
	}
	t.Logf("%d pieces, %.2f %% told Indian, %.2f %% with Indian words", total, percent(told, total), percent(labelled, total))
	if percent(told, total) > 1 || percent(labelled, total) > 2 {
		t.Error("want 1 % and 2 % at most")
	}
}
