package chunk

// words finds where words end in a text that it takes character by character.
// The zero value is at the start of a word.
//
// Spaces end words, but not those that hold the parts of a number together.
// Where none are written, a Chinese word is two characters, a Japanese one kana
// after Chinese characters, and one of Thai, Lao, Khmer or Burmese some syllables
// as far as their ends are seen. Latin letters and digits among them are words of
// their own; links, e-mail addresses, hashtags and numbers stay whole.
type words struct {
	last   rune  // the character before
	base   class // of the last character that is no extend, glue or space
	run    int   // letters of scripts without spaces
	kana   int   // the last of them, which are hiragana
	final  bool  // the last of them follows a vowel's sign, so it may end a syllable
	bound  bool  // nothing may be cut behind the last character
	begun  bool  // something but spaces was read
	spoken bool  // something that is read aloud was
	spaced bool  // the last character is a space
	glued  bool  // or one that may hold
	line   bool  // there is a line end among the spaces
	fresh  bool  // there was one before the first character
	digit  bool  // a digit stands before the mark at the end
	latin  bool  // an ASCII letter was read
	link   bool  // then a slash
	tag    bool  // a hashtag goes on
}

// complete says that a word was read and that it is over.
func (w *words) complete() bool { return w.spoken && w.spaced }

// before takes the next character and says whether a word ends before it, or
// what stands between spaces like one.
func (w *words) before(r rune) bool {
	k := classOf(r)
	ends := w.ends(r, k)
	if ends {
		*w = words{fresh: w.line}
	}
	w.take(r, k)
	return ends
}

// ends says whether a word ends before a character of a class.
func (w *words) ends(r rune, k class) bool {
	switch {
	case k == extend || k == space || k == glue || !w.begun:
		return false
	case w.spaced:
		return true
	case w.glued:
		return w.base >= letter && k >= letter
	case !w.spoken || w.bound || w.tag && k >= digit:
		return false
	case w.base == mark && parts(w.last):
		return k >= open && !(k == digit && w.digit)
	case k.dense():
		return w.endsDense(r, k)
	case k == open:
		return w.base.dense()
	}
	return k >= digit && w.base.dense() && w.run >= 2 && !w.link
}

// endsDense says whether a word ends before a letter of a script without spaces.
func (w *words) endsDense(r rune, k class) bool {
	switch w.base {
	case digit, open:
		return false
	case symbol:
		return true
	case mark:
		return !w.link && closes(w.last)
	case letter:
		return k != hiragana && !(k == southern && w.link)
	}
	if k == southern && w.base == southern {
		return w.endsSouthern(r)
	}
	switch k {
	case han:
		return w.run >= 2 || w.base == katakana
	case hiragana:
		return w.kana >= maxKana
	case katakana:
		return w.base != katakana && w.run >= 2 || w.run >= 2*maxKana
	}
	return true
}

// maxKana is how many kana a word has at most; twice as many if it is foreign.
const maxKana = 8

// endsSouthern says whether a word ends before a letter of Thai or its
// neighbours: where a syllable does for sure, after a few letters where it does
// in all likelihood, after many anywhere.
func (w *words) endsSouthern(r rune) bool {
	switch {
	case w.link:
		return false
	case opensSyllable(r) || closesSyllable(w.last):
		return w.run >= 2
	}
	return w.run >= 4 && w.final && !isExtend(w.last) && !glides(r) || w.run >= 8
}

// glides says that a letter may be the end of a vowel.
func glides(r rune) bool {
	switch r {
	case 'ย', 'ว', 'อ', 'ຍ', 'ວ', 'ອ':
		return true
	}
	return false
}

// closes says that a mark closes what stands before it, where no letters with
// spaces between words follow.
func closes(r rune) bool {
	switch r {
	case ',', ';', ':', '!', '?', ')', ']', '}', '"', '\'', '”', '’':
		return true
	}
	return false
}

// take takes a character.
func (w *words) take(r rune, k class) {
	after := w.last
	w.last = r
	w.bound = binds(r) || w.bound && k == extend
	switch k {
	case extend:
		w.spaced, w.glued, w.begun = false, false, true
		return
	case space:
		w.spaced, w.glued = true, false
		w.line = w.line || '\n' <= r && r <= '\r' || r == '\u2028' || r == '\u2029'
		return
	case glue:
		w.glued = !w.spaced
		return
	}
	w.spaced, w.glued, w.begun = false, false, true
	w.spoken = w.spoken || k.spoken()
	w.count(k, after)
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

// count counts a character of a class that follows another.
func (w *words) count(k class, after rune) {
	if !k.dense() {
		return
	}
	w.run++
	w.final = k == southern && isExtend(after)
	if k != hiragana {
		w.kana = -1
	}
	w.kana++
}
