package catalogue

import (
	"math/bits"
	"slices"
	"strings"

	"vaak/lang"
)

// A dataset matches a query if most of the words fit: somebody who asks for "Hindi customer
// support calls" means calls to Hindi call centres, whatever their titles say. Of one or two
// words all must fit, of more at least half. The name of a language must always fit, because
// datasets in other languages are not what was asked for. A query without a space, such as a
// slug, is one word, and all its parts must fit.

// allTerms is the largest number of terms of which all must fit.
const allTerms = 2

// leastTerms returns how many of n terms must fit.
func leastTerms(n int) int {
	if n <= allTerms {
		return n
	}
	return (n + 1) / 2
}

// termsOf returns the different words of a query, folded and sorted. An English plural becomes its
// singular: words are matched by prefix, so the singular finds both.
func termsOf(q string) []string {
	words := wordsOf(q)
	for i, w := range words {
		words[i] = singular(w)
	}
	return slices.Compact(slices.Sorted(slices.Values(words)))
}

// singular returns a word of four or more ASCII letters without a final "s".
func singular(word string) string {
	ascii := !strings.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' })
	if ascii && len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") {
		return word[:len(word)-1]
	}
	return word
}

// mostOf returns the datasets that fit at least least of the terms.
func (x *index) mostOf(terms []string, least int) bitset {
	// The number of terms that fit is counted for all positions at once, in binary: digits[k]
	// is the set of positions whose count has bit k. Adding a term is an addition with carry
	// on 64 positions in one step.
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
		// The carry out of the last digit is empty: no count exceeds the number of terms.
		if len(digits) < bits.Len(uint(len(terms))) {
			digits = append(digits, carry)
		}
	}
	out.and(atLeast(digits, least, len(out)))
	return out
}

// atLeast returns the positions whose count, in digits as in mostOf, is n or more. words is the
// length of the sets.
func atLeast(digits []bitset, n, words int) bitset {
	more, same := make(bitset, words), make(bitset, words)
	for w := range same {
		same[w] = ^uint64(0)
	}
	for i := len(digits) - 1; i >= 0; i-- {
		for w, d := range digits[i] {
			// Compare from the highest digit: same is where all digits so far are equal to those of n.
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

// isLanguage reports whether a term is the name of any language. Codes do not count, because many
// of them are words too.
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
