package spelling

import (
	"math/bits"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Tolerated returns how many typing errors a word of so many letters may have: none in up to
// three, because those are codes and particles, one in up to seven, two in longer ones.
func Tolerated(letters int) int {
	switch {
	case letters < 4:
		return 0
	case letters < 8:
		return 1
	}
	return 2
}

// MaxLetters is how many letters of a word are compared. What is longer is no word that anybody
// mistypes.
const MaxLetters = 32

// Letters returns what the edits of a folded word are counted in: its code points, and of Hangul
// the letters of each syllable. It is cut at MaxLetters.
func Letters(word string) []rune { return AppendLetters(nil, word) }

// AppendLetters appends the [Letters] of a word to a slice.
func AppendLetters(to []rune, word string) []rune {
	if !ascii(word) {
		word = norm.NFD.String(word)
	}
	most := len(to) + MaxLetters
	for _, r := range word {
		if len(to) == most {
			break
		}
		to = append(to, r)
	}
	return to
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Signature is which letters a word has, as one bit for each class of letters. Words that are n
// edits apart differ in at most 2n bits.
type Signature uint64

// Sign returns the signature of a word.
func Sign(letters []rune) (s Signature) {
	for _, r := range letters {
		// Neighbours in a block get different bits; blocks have up to 128 letters.
		s |= 1 << (uint32(r) % 61)
	}
	return s
}

// Far reports whether a word must be more than most edits away from the other, judging by their
// signatures and numbers of letters alone. With part, the other may go on after the word ends.
func (s Signature) Far(letters int, o Signature, others, most int, part bool) bool {
	if part {
		// Each edit brings in at most one letter that the other does not have.
		return others < letters-most || bits.OnesCount64(uint64(s&^o)) > most
	}
	return letters-others > most || others-letters > most || bits.OnesCount64(uint64(s^o)) > 2*most
}

// Edits returns how many typing errors lead from word to other: letters that are missing, too
// many, wrong, or swapped with their neighbour (Damerau 1964, each letter edited once). With
// part, other may go on after the word ends. More than most are most+1. Both have at most
// MaxLetters letters.
func Edits(word, other []rune, most int, part bool) int {
	if len(word) > MaxLetters || len(other) > MaxLetters || most > MaxLetters {
		return most + 1
	}
	if part {
		// What follows later costs more edits than are counted.
		other = other[:min(len(other), len(word)+most)]
	}
	var rows [3][MaxLetters + 2]uint8
	before, last, now := &rows[0], &rows[1], &rows[2]
	for j := range len(other) + 1 {
		last[j] = uint8(j)
	}
	more := uint8(most + 1)
	for i := 1; i <= len(word); i++ {
		// Only letters at most that far apart can be the same ones.
		from, to := max(1, i-most), min(len(other), i+most)
		if i-most > len(other) {
			return most + 1
		}
		now[from-1] = more
		if i <= most {
			now[0] = uint8(i)
		}
		least := now[from-1]
		for j := from; j <= to; j++ {
			cost := uint8(1)
			if word[i-1] == other[j-1] {
				cost = 0
			}
			d := min(last[j]+1, now[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && word[i-1] == other[j-2] && word[i-2] == other[j-1] {
				d = min(d, before[j-2]+1)
			}
			now[j] = d
			least = min(least, d)
		}
		now[to+1] = more
		// No later row has less than this one and the one before it, for a swap skips a row.
		if least > uint8(most) && minOf(last[max(0, i-1-most):min(len(other), i-1+most)+1]) > uint8(most) {
			return most + 1
		}
		before, last, now = last, now, before
	}
	if !part {
		if len(other) > len(word)+most {
			return most + 1
		}
		return min(int(last[len(other)]), most+1)
	}
	return min(int(minOf(last[max(0, len(word)-most):len(other)+1])), most+1)
}

func minOf(row []uint8) uint8 {
	least := row[0]
	for _, d := range row {
		least = min(least, d)
	}
	return least
}
