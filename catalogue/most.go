package catalogue

import (
	"math/bits"
	"slices"
	"strings"

	"vaak/lang"
)

// A dataset is found by most of the words of a query: who asks for "Hindi customer
// support calls" means those of Hindi call centres, whatever their titles say. All of
// one or two words must fit, at least half of more, and the name of a language in any
// case: other languages are not what was asked for. What has no space in it, such as a
// slug, is one word, of which all parts must fit.

// allTerms is up to how many terms all must fit.
const allTerms = 2

// leastTerms is how many of n terms must fit.
func leastTerms(n int) int {
	if n <= allTerms {
		return n
	}
	return (n + 1) / 2
}

// termsOf returns the different words of a query, folded and sorted. An English
// plural is looked for by its singular, which begins it, too.
func termsOf(q string) []string {
	words := wordsOf(q)
	for i, w := range words {
		words[i] = singular(w)
	}
	return slices.Compact(slices.Sorted(slices.Values(words)))
}

// singular returns a word of four and more ASCII letters without the "s" at its end.
func singular(word string) string {
	ascii := !strings.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' })
	if ascii && len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") {
		return word[:len(word)-1]
	}
	return word
}

// mostOf returns what at least so many of the terms fit.
func (x *index) mostOf(terms []string, least int) bitset {
	// Counts of positions in binary, a set for each digit, the lowest first: all
	// positions are counted at once, 64 in a step.
	var digits []bitset
	out := newBitset(len(x.briefs))
	out.fill(len(x.briefs))
	for _, term := range terms {
		in := x.find(term).any
		if x.isLanguage(term) {
			out.and(in)
		}
		carry := slices.Clone(in)
		for _, d := range digits {
			for w := range d {
				d[w], carry[w] = d[w]^carry[w], d[w]&carry[w]
			}
		}
		if len(digits) < bits.Len(uint(len(terms))) {
			digits = append(digits, carry)
		}
	}
	out.and(atLeast(digits, least, len(out)))
	return out
}

// atLeast returns where a count, in digits as mostOf has them, is n or more; words is
// how long the sets are.
func atLeast(digits []bitset, n, words int) bitset {
	more, same := make(bitset, words), make(bitset, words)
	for w := range same {
		same[w] = ^uint64(0)
	}
	for i := len(digits) - 1; i >= 0; i-- {
		for w, d := range digits[i] {
			if n>>i&1 == 1 {
				same[w] &= d
			} else {
				more[w] |= same[w] & d
				same[w] &^= d
			}
		}
	}
	more.or(same)
	return more
}

// isLanguage reports whether a term is the name of a language, of the list or not.
// Codes are none: they are words, too.
func (x *index) isLanguage(term string) bool {
	if len(term) <= 3 {
		return false
	}
	if slices.ContainsFunc(x.languages, func(l language) bool { return slices.Contains(l.keys, term) }) {
		return true
	}
	tag, ok := lang.Find(term)
	return ok && tag.Code != ""
}
