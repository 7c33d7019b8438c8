package chunk

// words finds where words end in a text that it receives character by character. The zero
// value is at the start of a word.
//
// Spaces end words, except those that hold the groups of a number together. In scripts
// without spaces the rules are approximate, because only a dictionary could tell: a Chinese
// word is two characters; a Japanese one is Han characters and the kana after them; one of
// Thai, Lao, Khmer or Burmese is a few syllables, as far as their ends show. Latin letters
// and digits among these are words of their own. Links, e-mail addresses, hashtags and
// numbers are not cut.
type words struct {
	last         rune  // the character before
	base         class // of the last character that is not extend, glue or space
	run          int   // letters of scripts without spaces, in this word
	kana         int   // how many hiragana end the run
	vowelSign    bool  // the last letter follows a vowel sign, so it may end a syllable
	binds        bool  // nothing may be cut after the last character
	begun        bool  // something other than spaces was read
	spoken       bool  // something that is read aloud was read
	spaced       bool  // the last character is a space
	glued        bool  // the last character is glue
	lineEnd      bool  // a line end is among the spaces
	afterLineEnd bool  // a line end stands before the word
	digit        bool  // a digit stands before the mark at the end
	latin        bool  // an ASCII letter was read
	link         bool  // a slash follows an ASCII letter, so this may be a link
	tag          bool  // the word is a hashtag so far
}

// complete reports whether a word was read and a space has ended it.
func (w *words) complete() bool { return w.spoken && w.spaced }

// observe adds the next character and reports whether a word ends before it, or a group of
// marks between spaces.
func (w *words) observe(r rune) bool {
	k := classOf(r)
	ends := w.ends(r, k)
	if ends {
		*w = words{afterLineEnd: w.lineEnd}
	}
	w.feed(r, k)
	return ends
}

// ends reports whether a word ends before character r of class k.
func (w *words) ends(r rune, k class) bool {
	switch {
	case k == extend || k == space || k == glue || !w.begun:
		return false
	case w.spaced:
		return true
	case w.glued:
		return w.base >= letter && k >= letter // a no-break space between two words, not in a number
	// A word needs something that is read, and may not be cut inside a syllable or a hashtag.
	case !w.spoken || w.binds || w.tag && k >= digit:
		return false
	case w.base == mark && endsWord(w.last): // but "3,5" with a wide comma is one number
		return k >= open && !(k == digit && w.digit)
	case k.dense():
		return w.endsDense(r, k)
	case k == open:
		return w.base.dense()
	}
	// A letter or digit after a dense script begins a word.
	return k >= digit && w.base.dense() && w.run >= 2 && !w.link
}

// endsDense reports whether a word ends before a letter of a script without spaces.
func (w *words) endsDense(r rune, k class) bool {
	switch w.base {
	case digit, open:
		return false
	case symbol:
		return true
	case mark:
		return !w.link && isClosing(w.last)
	case letter:
		return k != hiragana && !(k == southeast && w.link)
	}
	if k == southeast && w.base == southeast {
		return w.endsSoutheast(r)
	}
	switch k {
	case han:
		return w.run >= 2 || w.base == katakana
	case hiragana:
		return w.kana >= maxKana
	// A change of script ends a word of two letters or more.
	case katakana:
		return w.base != katakana && w.run >= 2 || w.run >= 2*maxKana
	}
	return true
}

// maxKana is how many hiragana a word has at most. Katakana words, which are foreign, have
// twice as many.
const maxKana = 8

// endsSoutheast reports whether a word ends before a letter of Thai, Lao, Khmer or Burmese.
// From two letters on it ends where a syllable surely ends, from four where one probably
// does, and from eight anywhere.
func (w *words) endsSoutheast(r rune) bool {
	switch {
	case w.link:
		return false
	case opensSyllable(r) || closesSyllable(w.last):
		return w.run >= 2
	}
	return w.run >= 4 && w.vowelSign && !isExtend(w.last) && !glides(r) || w.run >= 8
}

// glides reports whether a letter may be the end of a vowel.
func glides(r rune) bool {
	switch r {
	case 'ย', 'ว', 'อ', 'ຍ', 'ວ', 'ອ':
		return true
	}
	return false
}

// isClosing reports whether a mark ends a word before a letter of a script without spaces.
func isClosing(r rune) bool {
	switch r {
	case ',', ';', ':', '!', '?', ')', ']', '}', '"', '\'', '”', '’':
		return true
	}
	return false
}

// feed adds a character.
func (w *words) feed(r rune, k class) {
	after := w.last
	w.last = r
	w.binds = binds(r) || w.binds && k == extend
	switch k {
	case extend:
		w.spaced, w.glued, w.begun = false, false, true
		return
	case space:
		w.spaced, w.glued = true, false
		w.lineEnd = w.lineEnd || '\n' <= r && r <= '\r' || r == '\u2028' || r == '\u2029'
		return
	case glue:
		w.glued = !w.spaced
		return
	}
	w.spaced, w.glued, w.begun = false, false, true
	w.spoken = w.spoken || k.spoken()
	w.countDense(k, after)
	if k == mark {
		w.digit = w.base == digit
		w.tag = r == '#' && w.base == mark || w.tag && r == '_'
		w.link = w.link || r == '/' && w.latin
	} else if k < digit {
		w.tag = false
	}
	w.latin = w.latin || k == letter && r < 0x80
	w.base = k
}

// countDense counts a character that follows character after.
func (w *words) countDense(k class, after rune) {
	if !k.dense() {
		return
	}
	w.run++
	w.vowelSign = k == southeast && isExtend(after)
	if k != hiragana {
		w.kana = -1
	}
	w.kana++
}
