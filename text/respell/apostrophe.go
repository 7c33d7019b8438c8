package respell

import (
	"unicode"

	"vaak/lang"
)

// letterly lists the languages in which an apostrophe between two letters of a script
// is a letter or sign of the word, by that script.
var letterly = map[lang.Code]*unicode.RangeTable{
	"uk":  unicode.Cyrillic,
	"be":  unicode.Cyrillic,
	"uz":  unicode.Latin, // also in o‘ and g‘
	"brx": unicode.Devanagari,
	"doi": unicode.Devanagari,
	"mai": unicode.Devanagari,
}

// joined reports whether the sign in cell i keeps the letters on both sides in one word.
// An apostrophe separates words, so that possessives, elisions and suffixes of names do
// not hide the word beside them. It does not in the English "n't", between Hebrew
// letters, where it is a letter of the language, and in the "ng'" of Swahili.
func (w *words) joined(i int) certainty {
	sign := w.list[i].base
	if !apostrophe(sign) && !gershayim(sign) {
		return no
	}
	h := i - 1
	for h >= 0 && w.list[h].base == 0 {
		h--
	}
	if h < 0 || !wordly(w.list[h].base) {
		return no
	}
	j := w.after(i)
	if j == w.len() {
		return w.beyond(no)
	}
	a, b := w.list[h].base, w.list[j].base
	if unicode.Is(unicode.Hebrew, a) {
		return asCertain(unicode.Is(unicode.Hebrew, b))
	}
	if gershayim(sign) {
		return no
	}
	if script, ok := letterly[w.request]; ok && unicode.Is(script, a) && unicode.Is(script, b) {
		return yes
	}
	if w.request == "sw" && (a == 'g' || a == 'G') && h > 0 && w.list[h-1].base|0x20 == 'n' {
		return asCertain(unicode.Is(unicode.Latin, b))
	}
	if (a == 'n' || a == 'N') && (b == 't' || b == 'T') {
		return w.contraction(j)
	}
	return no
}

// contraction says whether the t of "n't" in cell j is the last letter.
func (w *words) contraction(j int) certainty {
	k := w.after(j)
	if k == w.len() {
		return w.beyond(yes)
	}
	next := w.list[k].base
	if unicode.IsDigit(next) && k == w.len()-1 {
		return w.beyond(no)
	}
	return asCertain(!wordly(next) || !unicode.IsDigit(next) && !sameScript('t', next))
}

func asCertain(b bool) certainty {
	if b {
		return yes
	}
	return no
}

// apostrophe reports whether a sign of a cell may be one; typographic ones are as in
// ASCII.
func apostrophe(r rune) bool {
	return r == '\'' || r == '`'
}

// gershayim reports whether a sign may be the one before the last letter of a Hebrew
// acronym.
func gershayim(r rune) bool { return r == '"' || r == '”' }
