package catalogue

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"vaak/catalogue/spelling"
)

// minPart is how many letters a term has at least whose typing errors are also looked for in the
// beginnings of words.
const minPart = 6

// nearSearch goes through the words of a vocabulary in their order and finds those that a mistyped one may
// mean. It compares as [spelling.Edits] does, a letter of the word at a time, and takes what two words
// in a row have in common only once. Where the beginning of a word has too many typing errors, it passes
// over all words that begin so. Of a million words that differ in two letters it looks at some
// thousand beginnings, which takes 1 ms; comparing the 65,536 nearest by their letters took 10 ms.
type nearSearch struct {
	*vocabulary
	typed []rune // up to spelling.MaxLetters
	most  uint8  // tolerated edits
	part  bool   // words may go on after the typed one ends

	rows  [spelling.MaxLetters + 5]nearRow // of the letters of the word so far; 0 is that of none
	depth int                              // how many letters there are
	found []nearWord                       // the best maxNear
}

// nearRow is a row of the matrix of edit distances: element i is how many edits lead from the first
// i typed letters to the letters of the word so far.
type nearRow struct {
	edits  [spelling.MaxLetters + 2]uint8
	least  uint8 // of edits
	best   uint8 // how many edits lead from all typed letters to the word so far, or to a beginning of it with part
	letter rune
	end    int // of the letter in the word, in bytes
}

// newNearSearch returns a search for what letters of at least minMistyped may mean.
func newNearSearch(v *vocabulary, letters []rune) nearSearch {
	return nearSearch{vocabulary: v, typed: letters, most: uint8(spelling.Tolerated(len(letters))), part: len(letters) >= minPart}
}

// all finds the words.
func (s *nearSearch) all() {
	for i := range s.rows[0].edits {
		s.rows[0].edits[i] = min(uint8(i), s.most+1)
	}
	s.rows[0].best = s.most + 1
	var letters []rune
	for rank := 0; rank < len(s.ends); {
		word := s.word(rank)
		for s.depth > 0 && s.rows[s.depth].end > int(s.common[rank]) {
			s.depth--
		}
		at, settled := s.rows[s.depth].end, false
		for at < len(word) && !settled {
			r, size := utf8.DecodeRuneInString(word[at:])
			if '0' <= r && r <= '9' || at == 0 && spelling.Unspaced(r) {
				// Typing errors are looked for in neither numbers nor runs.
				rank = s.after(rank, at+size)
				break
			}
			letters = spelling.AppendLetters(letters[:0], word[at:at+size])
			at += size
			for _, l := range letters {
				if settled = s.push(l, at); settled {
					break
				}
			}
		}
		last := &s.rows[s.depth]
		switch {
		case settled:
			from := rank
			rank = s.after(rank, last.end)
			for ; last.best <= s.most && from < rank; from++ {
				s.add(from, last.best)
			}
		case at == len(word):
			edits := last.edits[len(s.typed)]
			if s.part {
				edits = last.best
			}
			if s.depth >= minMistyped {
				s.add(rank, edits)
			}
			rank++
		}
	}
}

// push adds a letter to the word so far. It reports whether all words that go on from here have as
// many typing errors as this beginning, or too many.
func (s *nearSearch) push(letter rune, end int) (settled bool) {
	s.depth++
	d, m, most := s.depth, len(s.typed), int(s.most)
	now, last := &s.rows[d], &s.rows[d-1]
	now.letter, now.end, now.least = letter, end, s.most+1
	// Only letters at most that far apart can be the same ones.
	from, to := max(1, d-most), min(m, d+most)
	if d <= most {
		now.edits[0], now.least = uint8(d), uint8(d)
	} else if from <= m {
		now.edits[from-1] = s.most + 1
	}
	for i := from; i <= to; i++ {
		e := last.edits[i-1]
		if s.typed[i-1] != letter {
			e = min(e, last.edits[i], now.edits[i-1]) + 1
			if i > 1 && d > 1 && s.typed[i-1] == last.letter && s.typed[i-2] == letter {
				e = min(e, s.rows[d-2].edits[i-2]+1)
			}
			e = min(e, s.most+1)
		}
		now.edits[i] = e
		now.least = min(now.least, e)
	}
	if to >= from && to < len(now.edits)-1 {
		now.edits[to+1] = s.most + 1
	}
	whole := s.most + 1
	if from <= m && to == m {
		whole = now.edits[m]
	} else {
		now.edits[m] = whole
	}
	now.best = s.most + 1
	if s.part {
		now.best = min(last.best, whole)
	}
	// A swap of two letters skips a ros.
	return min(now.least, last.least+1) >= now.best
}

// add takes a word in if it is among the best so far: the nearest first, then the most frequent.
func (s *nearSearch) add(rank int, edits uint8) {
	if edits > s.most {
		return
	}
	n := nearWord{rank, int(edits), s.frequency(rank)}
	at, _ := slices.BinarySearchFunc(s.found, n, func(a, b nearWord) int {
		return cmp.Or(cmp.Compare(a.edits, b.edits), cmp.Compare(b.frequency, a.frequency), cmp.Compare(a.rank, b.rank))
	})
	if at == maxNear || hasDigit(s.word(rank)) {
		return
	}
	s.found = slices.Insert(s.found, at, n)
	s.found = s.found[:min(len(s.found), maxNear)]
}
