package normalize

import (
	"strings"
	"unicode/utf8"
)

// readAcronym reads words in capitals letter by letter.
func readAcronym(c *cursor, i int) outcome {
	if !c.opens(i) || !c.closes(i+1) {
		return outcome{}
	}
	w := c.text(i)
	v, listed := c.tables.acronym[w]
	switch {
	case listed && v == "":
		return outcome{}
	case listed && v != "-":
		return said(v, 1)
	}
	plural := false
	if !listed && c.upperBut(w, 's') {
		w, plural = w[:len(w)-1], true
		v, listed = c.tables.acronym[w]
		if listed && v != "-" {
			return outcome{}
		}
	} else if !c.toks[i].upper {
		return outcome{}
	}
	if !listed && !c.spelled(w, i) {
		return outcome{}
	}
	spoken := c.letters(w)
	if plural {
		spoken += "'s"
	}
	return said(spoken, 1)
}

// upperBut says that a word is capitals, two at least, and then one other
// letter: APIs.
func (c *cursor) upperBut(w string, last byte) bool {
	if len(w) < 3 || len(w) > 6 || w[len(w)-1] != last {
		return false
	}
	for i := range len(w) - 1 {
		if w[i] < 'A' || w[i] > 'Z' {
			return false
		}
	}
	return true
}

// spelled says that a word in capitals, which the lexicon does not list, is
// spelled: it is short, no roman numeral, cannot be said as a word when it has
// more than three letters, and stands among words that are not in capitals.
func (c *cursor) spelled(w string, i int) bool {
	n := utf8.RuneCountInString(w)
	if n < 2 || n > 5 || strings.Trim(w, "IVX") == "" && romanValue(w) > 0 || c.tables.shout[w] {
		return false
	}
	if !strings.ContainsAny(w, "AEIOUY") && w[0] < utf8.RuneSelf {
		return true
	}
	return (n <= 3 || !pronounceable(w)) && !c.shouted(i)
}

// shouted says that most words around are in capitals, too, and are no row of
// acronyms: one looks like a word, or there are several and none is an acronym
// for certain.
func (c *cursor) shouted(i int) bool {
	capitals, others, words, acronyms := 0, 0, 0, 0
	for _, step := range [...]int{-1, 1} {
		for n, j := 0, i+step; n < 6 && j >= 0 && j < len(c.toks); n, j = n+1, j+step {
			c.steps++
			t := &c.toks[j]
			switch {
			case t.kind != word || t.upper && utf8.RuneCountInString(t.in(c.s)) == 1:
			case !t.upper:
				others++
			case c.acronymic(t.in(c.s)):
				capitals, acronyms = capitals+1, acronyms+1
			case c.tables.shout[t.in(c.s)] || wordlike(t.in(c.s)):
				capitals, words = capitals+1, words+1
			default:
				capitals++
			}
		}
	}
	return capitals > others && (words > 0 || capitals > 1 && acronyms == 0)
}

// acronymic says that a word in capitals is an acronym for certain: it is
// listed, or has no vowel.
func (c *cursor) acronymic(w string) bool {
	_, listed := c.tables.acronym[w]
	return listed || !strings.ContainsAny(w, "AEIOUY") && w[0] < utf8.RuneSelf
}

// wordlike says that a word in capitals is hardly an acronym: it has four
// letters or more, or consonants around a vowel, as in NOW, or before it, as in
// GO.
func wordlike(w string) bool {
	vowel := func(i int) bool { return strings.IndexByte("AEIOU", w[i]) >= 0 }
	switch len(w) {
	case 2:
		return !vowel(0) && (vowel(1) || w[1] == 'Y')
	case 3:
		return !vowel(0) && vowel(1) && !vowel(2)
	}
	return true
}

// pronounceable says that Latin letters alternate like those of a word, as in
// NASA: a vowel among any three, and no more than two vowels in a row.
func pronounceable(w string) bool {
	vowels, consonants := 0, 0
	for i := range len(w) {
		if w[i] >= utf8.RuneSelf {
			return false
		}
		if strings.IndexByte("AEIOU", w[i]) >= 0 {
			vowels, consonants = vowels+1, 0
		} else {
			vowels, consonants = 0, consonants+1
		}
		if vowels > 2 || consonants > 1 {
			return false
		}
	}
	return true
}
