package segment

import (
	"unicode"
	"unicode/utf8"
)

// End is what ends at a place of a text.
type End uint8

// What may end at a place; a greater value includes the smaller ones.
const (
	NoEnd End = iota
	ClauseEnd
	SentenceEnd
)

// Finder finds where sentences and clauses end in a text that it gets character by
// character; see [Sentences]. The zero Finder is at the start of a text. It allocates only
// for calls of Abbreviation.
type Finder struct {
	// Abbreviation says whether a word with its full stops is an abbreviation behind which
	// the next character alone does not tell that the sentence ended; nil knows only the
	// usual ones. What tells it when more of the text is known is [vaak/text/stop.Judge].
	Abbreviation func(word string) bool

	state  state
	mark   mark
	last   rune // the character before
	lines  int  // line ends since the last character that is no space
	opened int  // guillemets open
	quoted bool // an odd number of plain quotation marks in the sentence
	leads  bool // the sentence begins with a quotation mark
	closed bool // a quotation mark closes behind the mark
	greek  bool // the last letter was Greek
	token  token
}

// state is how much of an end was read.
type state uint8

const (
	outside state = iota // nothing but spaces of a sentence
	inside
	marked // a mark, maybe with closing brackets and quotation marks
	parted // and spaces
)

// mark is the kind of a mark that may end something.
type mark uint8

const (
	abbreviated mark = iota // a full stop that ends no more than a word
	comma                   // or the like, which a space follows
	wideComma               // one that needs no space
	ellipsis
	counting // a full stop after a word that is an abbreviation only before a number
	stop     // a full stop
	exclaim  // ! or ?
	firm     // a mark of a script where no space need follow
)

// Marked reports whether a mark that ends a sentence was just read, maybe with what
// closes after it.
func (f *Finder) Marked() bool { return f.state == marked && f.mark >= counting }

// Before takes the next character and says what ends before it.
func (f *Finder) Before(r rune) End {
	// Fast path: a letter inside a sentence changes nothing but the token. It is nearly
	// every character of a text.
	if f.state == inside && f.lines < 2 && (isLetterFast(r) || r < utf8.RuneSelf && isLatin(byte(r))) {
		f.token.add(r, f.last)
		f.lines, f.greek, f.last = 0, false, r
		return NoEnd
	}
	end := NoEnd
	switch {
	case unicode.IsSpace(r):
		f.space(r)
	case f.joins(r) && f.state != marked:
		f.state = inside // a mark on a space: nothing ends inside a character
	// An empty line ends a sentence with or without a mark, as after a heading.
	case f.state >= inside && f.lines >= 2:
		end = SentenceEnd
	case f.state == marked:
		end = f.tight(r)
	case f.state == parted:
		end = f.loose(r)
	}
	if end == SentenceEnd {
		// A quotation in guillemets may go on over several sentences, so opened is kept.
		// The plain quotation mark opens and closes alike: one that is forgotten would turn
		// all that follow around, so quoted begins anew.
		*f = Finder{Abbreviation: f.Abbreviation, opened: f.opened}
	}
	// In the states marked and parted the character belongs to the end of a sentence and
	// not to a word of it.
	if f.state <= inside {
		f.take(r)
	}
	f.quote(r)
	f.last = r
	return end
}

// joins reports whether a character is one with the character before it, which may be a
// space. Nothing joins a line end or another control (UAX #29, GB4).
func (f *Finder) joins(r rune) bool {
	return Extends(r) && f.last != 0 && (!unicode.In(f.last, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || Extends(f.last))
}

// space takes a space.
func (f *Finder) space(r rune) {
	if r == '\r' || r == '\n' && f.last != '\r' || r == '\v' || r == '\f' || r == '\u0085' || r == '\u2028' || r == '\u2029' {
		f.lines++
	}
	f.greek = false
	if f.state == marked {
		f.state, f.closed = parted, opensQuote(f.last)
		f.token.end()
	}
}

// opensQuote reports whether a rune opens or closes a quotation in some language.
func opensQuote(r rune) bool {
	switch r {
	case '"', '“', '”', '„', '«', '»', '‘', '’', '\'':
		return true
	}
	return false
}

// tight says what ends before a character that follows a mark directly.
func (f *Finder) tight(r rune) End {
	switch {
	// Several marks are one end: "?!", "...". The semicolon is the question mark of Greek.
	case isTerminal(r), r == ';' && f.greek && (isTerminal(f.last) || f.last == ';'):
		f.again(r)
		return NoEnd
	case f.closes(r), unicode.In(r, unicode.M, unicode.Cf):
		f.greek = false
		return NoEnd
	}
	f.state = inside
	switch {
	// Chinese and Japanese put no space between sentences, and use the ASCII ! and ? as
	// well.
	case f.mark == firm, f.mark == exclaim && isDense(r):
		return SentenceEnd
	case f.mark == wideComma:
		return ClauseEnd
	}
	return NoEnd
}

// again takes a mark after another.
func (f *Finder) again(r rune) {
	switch kind := kindOf(r); {
	case kind == stop && f.last == '.':
		f.mark = ellipsis
	// The strongest mark decides, but a full stop after an ellipsis leaves it one.
	case kind > f.mark && !(f.mark == ellipsis && kind == stop):
		f.mark = kind
	}
}

// closes reports whether a character after a mark still belongs to the sentence. Marks
// that open in one language and close in another open after a mark of Chinese.
func (f *Finder) closes(r rune) bool {
	if f.mark == firm && r >= utf8.RuneSelf && unicode.Is(unicode.Pi, r) {
		return false
	}
	return isCloser(r)
}

// loose says what ends before a character that follows a mark and spaces.
func (f *Finder) loose(r rune) End {
	switch {
	// At the start of a line a bracket or quotation mark opens something new.
	case f.lines > 0:
	case r == '»' && f.opened > 0, r == '"' && f.quoted, r == '”', r < utf8.RuneSelf && r != '"' && r != '\'' && isCloser(r):
		return NoEnd
	}
	f.state = inside
	switch f.mark {
	case firm:
		return SentenceEnd
	case comma, wideComma:
		return ClauseEnd
	case abbreviated:
		return NoEnd
	case ellipsis:
		// An ellipsis in the middle of a line is a pause.
		if f.lines > 0 && f.starts(r) {
			return SentenceEnd
		}
		return ClauseEnd
	case counting:
		// "No. 5", "Fig. 3": the word counts what follows. Before anything else its full
		// stop may end the sentence.
		if unicode.IsDigit(r) {
			return NoEnd
		}
	}
	// A quotation with which a sentence begins has its verb behind it. Capitals tell the one
	// from the other elsewhere: "कौन है?" पूछा.
	if f.mark == exclaim && f.leads && f.closed && f.lines == 0 && isCaseless(r) {
		return NoEnd
	}
	if f.starts(r) {
		return SentenceEnd
	}
	return NoEnd
}

// isCaseless reports whether a rune is a letter of a script with spaces and no capitals.
func isCaseless(r rune) bool { return 0x590 <= r && r < 0x10A0 && unicode.IsLetter(r) }

// starts reports whether a character may begin a sentence.
func (f *Finder) starts(r rune) bool {
	switch r {
	case '¿', '¡', '\'', '"', '#', '@', '*', '&', '§', '•', '¶':
		return true
	case '-', '–', '—':
		return f.lines > 0
	}
	if r < utf8.RuneSelf {
		// Small letters and marks that go on a sentence do not begin one. Capitals, digits
		// and opening brackets do.
		return !(',' <= r && r <= '/' || r == ':' || r == ';' || r == '!' || r == '?' || 'a' <= r && r <= 'z')
	}
	return !isLower(r) && !unicode.In(r, unicode.Po, unicode.Pd, unicode.Pe, unicode.M)
}

// isLower reports whether a letter is a small one of a script with capitals; those of
// Georgian begin sentences.
func isLower(r rune) bool {
	return unicode.IsLower(r) && !(0x10D0 <= r && r <= 0x10FF)
}

// take takes a character inside a sentence.
func (f *Finder) take(r rune) {
	switch {
	case isWord(r):
		f.token.add(r, f.last)
		// The blocks Greek and Coptic, and Greek Extended.
		f.greek = 0x370 <= r && r <= 0x3FF || 0x1F00 <= r && r <= 0x1FFF
		f.lines, f.state = 0, inside
		return
	case unicode.IsSpace(r):
		f.token.end()
		return
	}
	f.leads = f.leads || f.state == outside && opensQuote(r)
	f.lines = 0
	f.state = inside
	kind, greek := kindOf(r), f.greek
	f.greek = greek && (r == ';' || isTerminal(r))
	switch {
	// The token is judged before the stop is added to it. It goes on after the stop, as
	// "e.g" does.
	case r == '.' || r == '۔' || r == '．':
		f.state, f.mark = marked, f.token.stop(f.Abbreviation)
		f.token.add(r, f.last)
		return
	case isTerminal(r):
		f.state, f.mark = marked, kind
	case r == ';' && greek:
		f.state, f.mark = marked, exclaim
	// A dash parts clauses between spaces only; without them it joins words.
	case kind == wideComma, kind == comma && (!unicode.Is(unicode.Pd, r) || unicode.IsSpace(f.last)):
		f.state, f.mark = marked, kind
	}
	f.token.end()
}

// quote counts the marks of quotation.
func (f *Finder) quote(r rune) {
	switch r {
	case '"':
		f.quoted = !f.quoted
	case '«':
		f.opened++
	case '»':
		f.opened = max(0, f.opened-1)
	}
}
