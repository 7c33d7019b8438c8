package abbreviation

import (
	"strings"
	"unicode/utf8"

	"vaak/text/normalize/ordinal"
	"vaak/text/normalize/scan"
)

// Acronym reads words in capitals letter by letter.
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

// IsPlural says that a word is two to five capitals and then an s: APIs.
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

// spelled says that a word in capitals, which the lexicon does not list, is
// spelled: it is short, no roman numeral, cannot be said as a word when it has
// more than three letters, and stands among words that are not in capitals.
func (ar *Recognizer) spelled(in *scan.View, w string, i int) bool {
	n := utf8.RuneCountInString(w)
	if n < 2 || n > 5 || strings.Trim(w, "IVX") == "" && ordinal.Value(w) > 0 || ar.shout[w] {
		return false
	}
	if !strings.ContainsAny(w, "AEIOUY") && w[0] < utf8.RuneSelf {
		return true
	}
	return (n <= 3 || !pronounceable(w)) && !ar.shouted(in, i)
}

// shouted says that most words around are in capitals, too, and are no row of
// acronyms: one looks like a word, or there are several and none is an acronym
// for certain.
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

// acronymic says that a word in capitals is an acronym for certain: it is
// listed, or has no vowel.
func (ar *Recognizer) acronymic(w string) bool {
	_, listed := ar.acronyms[w]
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
