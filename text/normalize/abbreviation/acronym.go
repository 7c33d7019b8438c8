package abbreviation

import (
	"strings"
	"unicode/utf8"

	"vaak/text/normalize/ordinal"
	"vaak/text/normalize/scan"
)

// Acronym reads a word in capitals letter by letter, or as the lexicon says.
func (ar *Recognizer) Acronym(in *scan.View, i int) scan.Outcome {
	if !in.Opens(i) || !in.Closes(i+1) {
		return scan.Outcome{}
	}
	w := in.Text(i)
	v, listed := ar.acronyms[w]
	switch {
	case listed && v == "":
		return scan.Outcome{}
	case listed && v != "-":
		return scan.Said(v, 1)
	}
	plural := false
	if !listed && IsPlural(w) {
		w, plural = w[:len(w)-1], true
		v, listed = ar.acronyms[w]
		if listed && v != "-" {
			return scan.Outcome{}
		}
	} else if !in.Token(i).Upper {
		return scan.Outcome{}
	}
	if !listed && !ar.spelled(in, w, i) {
		return scan.Outcome{}
	}
	spoken := ar.say.Letters(w)
	if plural {
		spoken += "'s"
	}
	return scan.Said(spoken, 1)
}

// Spelled returns how a word in two to five capitals is read where no other words show what it
// is, as in a hashtag; "" where it is no acronym.
func (ar *Recognizer) Spelled(w string) string {
	v, listed := ar.acronyms[w]
	if listed && v != "-" {
		return v
	}
	if len(w) < 2 || len(w) > 5 || ar.shout[w] {
		return ""
	}
	for i := range len(w) {
		if w[i] < 'A' || w[i] > 'Z' {
			return ""
		}
	}
	if !listed && sounds(w, ar.slavic).possible {
		return ""
	}
	return ar.say.Letters(w)
}

// IsPlural reports whether a word is two to five capitals and then an s: APIs.
func IsPlural(w string) bool {
	if len(w) < 3 || len(w) > 6 || w[len(w)-1] != 's' {
		return false
	}
	for i := range len(w) - 1 {
		if w[i] < 'A' || w[i] > 'Z' {
			return false
		}
	}
	return true
}

// spelled reports whether a word in capitals that the lexicon does not list is said
// letter by letter. A word with a vowel that people could say is emphasis, and no acronym:
// one of four letters or five that could be a word by its sounds, and a shorter one that
// the lexicon knows or that has an accent. Roman numerals and long words are never spelled,
// and neither is a possible word among other words in capitals.
func (ar *Recognizer) spelled(in *scan.View, w string, i int) bool {
	n := utf8.RuneCountInString(w)
	if n < 2 || n > 5 || strings.Trim(w, "IVX") == "" && ordinal.Value(w) > 0 || ar.shout[w] && !ar.partOfName(in, i) {
		return false
	}
	s := sounds(w, ar.slavic)
	// Without a vowel nobody can say it as a word.
	if !s.vowel && (w[0] < utf8.RuneSelf || s.known) {
		return true
	}
	if ar.partOfName(in, i) {
		return true
	}
	if s.tone && n > 2 || s.possible && (n > 3 || s.accent && n == 3) {
		return false
	}
	return s.known && !s.possible && ar.plainly || !ar.shouted(in, i)
}

// partOfName reports whether an ordinary word in capitals is none where it stands: beside
// an ampersand, as in AT&T, and as a state of the USA before its postal code.
func (ar *Recognizer) partOfName(in *scan.View, i int) bool {
	if in.Is(i+1, '&') && in.Kind(i+2) == scan.Word && in.Token(i+2).Upper || in.Is(i-1, '&') {
		return in.Token(i).End-in.Token(i).Start < 4
	}
	return ar.say.Code == "en" && in.Token(i).End-in.Token(i).Start == 2 && in.Kind(i+1) == scan.Space && in.Kind(i+2) == scan.Digits &&
		len(in.Text(i+2)) == 5 && in.Is(in.Back(i-1), ',')
}

// shouted reports whether a word stands in a text that is written in capitals throughout.
// This is so when most words around it are in capitals and are not just several acronyms in
// a row.
func (ar *Recognizer) shouted(in *scan.View, i int) bool {
	capitals, others, words, acronyms := 0, 0, 0, 0
	for _, step := range [...]int{-1, 1} {
		for n, j := 0, i+step; n < 6 && j >= 0 && j < in.Len(); n, j = n+1, j+step {
			in.Step()
			t := in.Token(j)
			switch {
			case t.Kind != scan.Word || t.Upper && utf8.RuneCountInString(in.Text(j)) == 1:
			case !t.Upper:
				others++
			case ar.acronymic(in.Text(j)):
				capitals, acronyms = capitals+1, acronyms+1
			case ar.shout[in.Text(j)] || wordlike(in.Text(j)):
				capitals, words = capitals+1, words+1
			default:
				capitals++
			}
		}
	}
	return capitals > others && (words > 0 || capitals > 1 && acronyms == 0)
}

// acronymic reports whether a word in capitals is certainly an acronym: the lexicon
// lists it, or it has no vowel.
func (ar *Recognizer) acronymic(w string) bool {
	_, listed := ar.acronyms[w]
	s := sounds(w, ar.slavic)
	return listed || !s.vowel && (w[0] < utf8.RuneSelf || s.known)
}

// wordlike reports whether a word in capitals is probably an ordinary word and no acronym:
// it has four letters or more, or a vowel after a consonant, as in NOW and GO.
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
