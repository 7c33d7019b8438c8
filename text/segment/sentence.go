package segment

import (
	"iter"

	"vaak/text"
)

// Sentences returns the sentences of a text, which together are the whole text;
// spaces belong to the one before them. A sentence ends after a mark that ends
// sentences in any of the supported scripts, with the brackets and quotation
// marks that close after it, and at an empty line.
//
// It rather misses an end than sees one after an abbreviation. A full stop ends
// nothing before a small letter, inside a word, after a single letter, after
// letters parted by full stops ("U.S."), after a number that may be a day
// ("3. Mai"), after the number or letters that count an item at its start, and
// after a usual abbreviation of some language or one of the caller's:
// abbreviation, which may be nil, is asked with the word and its full stops,
// such as "Dr.". An ellipsis ends a sentence only at the end of a line.
func Sentences(s string, abbreviation func(word string) bool) iter.Seq[text.Span] {
	return ends(s, abbreviation, SentenceEnd)
}

// Clauses returns the clauses of a text, which together are the whole text: its
// sentences, cut after commas, semicolons and colons of any script that a space
// follows, after full-width ones, ellipses, and dashes between spaces.
func Clauses(s string, abbreviation func(word string) bool) iter.Seq[text.Span] {
	return ends(s, abbreviation, ClauseEnd)
}

// ends returns the pieces of a text between ends of some weight.
func ends(s string, abbreviation func(word string) bool, least End) iter.Seq[text.Span] {
	return func(yield func(text.Span) bool) {
		f := Finder{Abbreviation: abbreviation}
		start := 0
		for i, r := range s {
			// The place is before r, so the mark and its spaces are in the piece that ends.
			if f.Before(r) < least {
				continue
			}
			if !yield(text.Span{Start: start, End: i}) {
				return
			}
			start = i
		}
		if start < len(s) {
			yield(text.Span{Start: start, End: len(s)})
		}
	}
}
