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
// letter by letter: it is short, is no roman numeral, cannot be pronounced when it has
// more than three letters, and does not stand among other words in capitals.
func (ar *Recognizer) spelled(in *scan.View, w string, i int) bool {
	n := utf8.RuneCountInString(w)
	if n < 2 || n > 5 || strings.Trim(w, "IVX") == "" && ordinal.Value(w) > 0 || ar.shout[w] {
		return false
	}
	// Without a vowel nobody can say it as a word.
	if !strings.ContainsAny(w, "AEIOUY") && w[0] < utf8.RuneSelf {
		return true
	}
	return (n <= 3 || !pronounceable(w)) && !ar.shouted(in, i)
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
	return listed || !strings.ContainsAny(w, "AEIOUY") && w[0] < utf8.RuneSelf
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

// pronounceable reports whether Latin letters alternate as in a word, such as NASA: no
// two consonants in a row and at most two vowels.
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
