package respell

import "vaak/lang"

// FindOpen returns the matches of a text that may go on: those of [Dictionaries.Find],
// which hold if it does not, and how much of it is settled. Matches that begin in the
// first so many bytes are the same whatever follows, and end there too. It is the length
// of the text, or less where a term may have begun that goes on, or where the word may
// that a match ends with; then it is the start of that term.
//
// Pass words with the space behind them: of a text that ends with a word, the word is
// not settled.
func (ds Dictionaries) FindOpen(s string, request lang.Tag) (matches []Match, settled int) {
	f := newSearch(s, ds, request, true)
	if f == nil {
		return nil, len(s)
	}
	return f.settle(ds)
}

// settle returns the matches of dictionaries in a text that may go on, and how much of it
// is settled.
func (f *search) settle(ds Dictionaries) (matches []Match, settled int) {
	stops := make([]int, len(ds)) // where each dictionary is not certain
	for i, d := range ds {
		f.apply(d, 0)
		stops[i] = f.horizon
	}
	settled = f.byteAt(f.horizon)
	f.open, f.horizon = false, f.len()
	for i, d := range ds {
		f.apply(d, stops[i])
	}
	return f.matches(), settled
}
