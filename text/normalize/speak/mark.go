package speak

import (
	"slices"
	"strings"

	"vaak/text/normalize/scan"
)

// markedEnding is an ending that is written after a number with a mark, and the mark is
// not spoken: Turkish 5'te, Kazakh 5-тен. When endings is nil, any word in small letters
// is an ending. The letters of drop are removed from the end of the number: Georgian
// 5-ში.
type markedEnding struct {
	mark    rune
	endings []string
	drop    string
}

// WithoutMark returns the words of a number that ends before token i as they are spoken
// before an ending after a mark, and whether such an ending follows.
func (en *Endings) WithoutMark(in *scan.View, i int, spoken string) (string, bool) {
	if len(en.marked) == 0 || in.Kind(i) != scan.Sign || in.Kind(i-1) != scan.Digits && !in.Is(i-1, '%') {
		return spoken, false
	}
	e := en.markedAt(in, i)
	if e == nil || !scan.IsLetter(scan.LastRune(spoken)) {
		return spoken, false
	}
	return strings.TrimSuffix(spoken, e.drop), true
}

// Marked reports whether a mark and an ending stand at token i.
func (en *Endings) Marked(in *scan.View, i int) bool { return en.markedAt(in, i) != nil }

// markedAt returns the entry for the mark and the ending at token i, nil for none.
func (en *Endings) markedAt(in *scan.View, i int) *markedEnding {
	// A word in capitals or with digits behind it is a code, such as 5-A4, and no ending.
	if in.Kind(i) != scan.Sign || in.Kind(i+1) != scan.Word || in.Token(i+1).Upper || in.Kind(i+2) == scan.Digits {
		return nil
	}
	for k := range en.marked {
		e := &en.marked[k]
		if in.Is(i, e.mark) && (e.endings == nil || slices.Contains(e.endings, in.Text(i+1))) {
			return e
		}
	}
	return nil
}
