package respell

import "vaak/lang"

// FindOpen returns the matches of a text to which more may be added, and how many of its
// bytes are settled. The matches are those of [Dictionaries.Find] for the text as it is.
// Those within the settled bytes stay the same whatever follows. All of the text is
// settled unless a term, or the word at the end of a match, may continue; then the text
// is settled up to the start of that term.
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
