package segment

import (
	"unicode"
	"unicode/utf8"
)

// token is the word at hand with the full stops inside it, up to the last mark.
type token struct {
	buf     [32]byte
	n       int  // bytes of it
	long    bool // it is longer, and so no abbreviation
	letters int  // characters of it that are no marks
	money   bool // a currency sign stands before it
	words   int  // words of the sentence before it
	stopped bool // it is a single letter with a full stop
	initial bool // the word before was
}

// add adds a character that follows another.
func (t *token) add(r, before rune) {
	// Vowel signs and other marks are in the range of isLetterFast and not plain. They
	// count as no letter of their own.
	if r < utf8.RuneSelf && r != '.' || r >= utf8.RuneSelf && !(isLetterFast(r) && !isPlain(r)) {
		t.letters++
	}
	if t.n == 0 {
		t.money = before == '$' || before >= utf8.RuneSelf && unicode.Is(unicode.Sc, before)
	}
	size := utf8.RuneLen(r)
	if t.long || size < 0 || t.n+size > len(t.buf) {
		t.long = true
		return
	}
	t.n += utf8.EncodeRune(t.buf[t.n:], r)
}

// end ends the word.
func (t *token) end() {
	if t.n > 0 {
		// One word is remembered: "J. R. Smith" has an initial before its second one.
		t.initial, t.stopped = t.stopped, false
		t.words++
	}
	t.n, t.letters, t.long = 0, 0, false
}

// stop says what a full stop after the word is.
func (t *token) stop(abbreviation func(string) bool) mark {
	if t.n == 0 || t.long {
		return stop
	}
	w := t.buf[:t.n]
	if isDigit(w[0]) {
		if t.isItem(w) || abbreviation != nil && abbreviation(string(w)+".") {
			return abbreviated
		}
		return stop
	}
	if t.isInitial(w) {
		t.stopped = true
		return abbreviated
	}
	// A Roman number at the start counts an item of a list: "iv. Scope".
	if isDotted(w) || t.words == 0 && isRoman(w) {
		return abbreviated
	}
	if kind := usual(w); kind != stop {
		return kind
	}
	if abbreviation != nil && abbreviation(string(w)+".") {
		return abbreviated
	}
	// Below U+0530 are Latin, Greek and Cyrillic, whose short words may be abbreviations
	// that no list has.
	if r, _ := utf8.DecodeRune(w); t.letters <= shortWord && r < 0x530 {
		return counting
	}
	return stop
}

// shortWord is the length in letters of a word that may be short for another
// before a number ("str. 5").
const shortWord = 4

// isItem reports whether digits may be a day, or count an item at its start.
func (t *token) isItem(w []byte) bool {
	for _, b := range w {
		if !isDigit(b) {
			return false
		}
	}
	switch {
	// The first word of a sentence counts an item: "12. Scope". Three digits are enough for
	// that; a year ends its sentence.
	case t.words == 0 && !t.money:
		return len(w) <= 3
	// 01 to 31 may be a day, as in "am 31. Mai".
	case len(w) == 2:
		return !t.money && (w[0] < '3' || w[0] == '3' && w[1] <= '1')
	}
	return len(w) == 1 && !t.money
}

// isInitial reports whether a word is a single letter that stands for a name, as it
// does in scripts with capitals and in those of few vowels; in the scripts of India
// without a vowel sign, or at the start, or after another one.
func (t *token) isInitial(w []byte) bool {
	r, n := utf8.DecodeRune(w)
	if t.letters != 1 || !unicode.IsLetter(r) {
		return false
	}
	switch {
	// The Russian word for "I" may end a sentence. From U+2E80 on, one letter is a word.
	case r == 'я' || r >= 0x2E80:
		return false
	case 0x900 <= r && r < 0xE00:
		return n == len(w) || t.words == 0 || t.initial
	}
	return true
}

// isDotted reports whether a word is letters parted by full stops, at most two between
// each: "U.S", "e.g", "Ph.D".
func isDotted(w []byte) bool {
	dots, part := 0, 0
	for i := 0; i < len(w); {
		r, n := utf8.DecodeRune(w[i:])
		i += n
		switch {
		case r == '.' || r == '۔':
			dots++
			part = 0
		case unicode.IsLetter(r):
			if part++; part > 2 {
				return false
			}
		case !unicode.Is(unicode.M, r):
			return false
		}
	}
	return dots > 0
}

// isRoman reports whether a word is a small Roman number.
func isRoman(w []byte) bool {
	if len(w) > 4 {
		return false
	}
	for _, b := range w {
		switch b | 0x20 {
		case 'i', 'v', 'x':
		default:
			return false
		}
	}
	return true
}
