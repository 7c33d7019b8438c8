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

// AfterUnit joins the ending after a mark to the words of a form of n tokens at i that ends
// with the symbol of a unit or a currency: 5 km'lik, 100 TL'ye. The ending is written for
// the symbol, so its vowels are changed to fit the words. It returns the words and how
// many tokens they stand for.
func (en *Endings) AfterUnit(in *scan.View, i int, spoken string, n int) (string, int) {
	if !en.harmony || n < 2 || in.Kind(i) != scan.Digits && !in.Is(i, '-') || in.Kind(i+n) != scan.Sign || in.Kind(i+n-1) == scan.Digits || in.Is(i+n-1, '%') {
		return spoken, n
	}
	if en.markedAt(in, i+n) == nil || !scan.IsLetter(scan.LastRune(spoken)) {
		return spoken, n
	}
	return spoken + harmonize(spoken, in.Text(i+n+1)), n + 2
}

// harmonize returns a Turkish ending with the vowels that it has after a word.
func harmonize(word, ending string) string {
	last := 'a'
	for _, r := range word {
		if strings.ContainsRune("aeıioöuü", r) {
			last = r
		}
	}
	var b strings.Builder
	for _, r := range ending {
		front, round := strings.ContainsRune("eiöü", last), strings.ContainsRune("oöuü", last)
		switch {
		case (r == 'a' || r == 'e') && front:
			r = 'e'
		case r == 'a' || r == 'e':
			r = 'a'
		case strings.ContainsRune("ıiuü", r) && front && round:
			r = 'ü'
		case strings.ContainsRune("ıiuü", r) && front:
			r = 'i'
		case strings.ContainsRune("ıiuü", r) && round:
			r = 'u'
		case strings.ContainsRune("ıiuü", r):
			r = 'ı'
		}
		if strings.ContainsRune("aeıioöuü", r) {
			last = r
		}
		b.WriteRune(r)
	}
	return b.String()
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
