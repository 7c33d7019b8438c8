// Package ipa defines how a text is read: its words in the International Phonetic Alphabet,
// each with its place in the text.
//
// engine/espeak makes readings. Neural voices, which take phonemes for input, speak them.
package ipa

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/text"
)

// Reading tells how a text is read.
type Reading struct {
	Text    string   // the text that is read
	Clauses []Clause // in order
	// LeftOut are the bytes of Text that cannot be read. They ascend.
	LeftOut []text.Span
}

// Clause is a part of a text that is read in one breath.
type Clause struct {
	Start, End int // bytes of the text
	Words      []Word
	// Mark is the punctuation mark that ends the clause, as the text has it. 0 means none.
	// An ellipsis that is written as several full stops is '…'.
	Mark rune
	// Break means that a paragraph ends behind the clause.
	Break bool
}

// Word is a word as it is read. Several words may have the same bytes, as when a number is
// read as three words. One word may stand for several in the text.
type Word struct {
	Start, End int // bytes of the text, without punctuation around the word
	// Phonemes are what is heard, each with its stress mark in front and its tone behind it.
	Phonemes []string
	// Tone is the tone of a syllable of Mandarin, 1 to 5, where 5 is the neutral one; 0 in other
	// languages. The library's phonemes do not distinguish the first and the fourth.
	Tone uint8
	// Joined means that the word is read as one with the word before it, as "the" in "of the".
	// Where the one ends and the other begins is then an estimate.
	Joined bool
}

// String returns the phonemes of the word without anything between them.
func (w Word) String() string { return strings.Join(w.Phonemes, "") }

// String returns the words of the clause with spaces between those that are not joined.
func (c Clause) String() string {
	var b strings.Builder
	for i, w := range c.Words {
		if i > 0 && !w.Joined {
			b.WriteByte(' ')
		}
		b.WriteString(w.String())
	}
	return b.String()
}

// Words returns how many words are read.
func (r Reading) Words() (n int) {
	for _, c := range r.Clauses {
		n += len(c.Words)
	}
	return n
}

// EndsSentence reports whether a sentence ends with the clause.
func (c Clause) EndsSentence() bool { return c.Break || IsStop(c.Mark) }

// IsStop reports whether a punctuation mark ends a sentence.
func IsStop(mark rune) bool { return mark != 0 && unicode.Is(unicode.Sentence_Terminal, mark) }

// Set sets the end of the clause and what ends it, by the text of the clause.
func (c *Clause) Set(whole string) {
	part := whole[c.Start:c.End]
	c.Mark = Mark(part)
	c.Break = strings.Count(trailing(part, unicode.IsSpace), "\n") > 1
}

// Mark returns the punctuation mark that ends a clause, or 0 if none does. Quotation marks,
// brackets and spaces may follow the mark. If several marks stand together, as in "?!", the
// first one counts.
func Mark(clause string) rune {
	clause = strings.TrimRightFunc(clause, func(r rune) bool { return !isMark(r) && !isSpoken(r) })
	run := trailing(clause, func(r rune) bool { return isMark(r) || unicode.IsSpace(r) })
	run = strings.TrimLeftFunc(run, unicode.IsSpace)
	if strings.HasPrefix(run, "..") {
		return '…'
	}
	if run == "" {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(run)
	return r
}

// trailing returns the longest end of s of which every character is wanted.
func trailing(s string, wanted func(rune) bool) string {
	return s[len(strings.TrimRightFunc(s, wanted)):]
}

// isMark reports whether a character is a mark that can end a clause.
func isMark(r rune) bool {
	return unicode.Is(unicode.Terminal_Punctuation, r) || r == '…' || r == '–' || r == '—' || r == '⸺' || r == '⸻'
}

func isSpoken(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.S) }

// Trim returns bytes start to end of a text without punctuation and spaces on either side. If
// there is nothing else, it returns them as they are.
func Trim(whole string, start, end int) (int, int) {
	s := whole[start:end]
	outside := func(r rune) bool { return unicode.IsPunct(r) || unicode.IsSpace(r) }
	inner := strings.TrimLeftFunc(s, outside)
	if inner == "" {
		return start, end
	}
	start = end - len(inner)
	return start, start + len(strings.TrimRightFunc(inner, outside))
}

// Join returns a text between what was spoken before it and what follows it, and the bytes of
// the text in the result. A space keeps the three apart.
func Join(before, middle, after string) (whole string, body text.Span) {
	if before != "" && !unicode.IsSpace(last(before)) {
		before += " "
	}
	if after != "" && !unicode.IsSpace(last(middle)) && strings.IndexFunc(after, unicode.IsSpace) != 0 {
		after = " " + after
	}
	return before + middle + after, text.Span{Start: len(before), End: len(before) + len(middle)}
}

func last(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// Clone returns a copy that shares no memory with r.
func (r Reading) Clone() Reading {
	r.Clauses, r.LeftOut = slices.Clone(r.Clauses), slices.Clone(r.LeftOut)
	for i := range r.Clauses {
		c := &r.Clauses[i]
		c.Words = slices.Clone(c.Words)
		for j := range c.Words {
			c.Words[j].Phonemes = slices.Clone(c.Words[j].Phonemes)
		}
	}
	return r
}

// Offsets returns the byte at which each code point of s begins, and the length of s.
func Offsets(s string) []int {
	at := make([]int, 0, len(s)+1)
	for i := range s {
		at = append(at, i)
	}
	return append(at, len(s))
}
