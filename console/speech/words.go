package speech

import (
	"slices"
	"unicode"
	"unicode/utf16"

	"vaak/lang"
	"vaak/speech/align"
	"vaak/text/segment"
)

// word is a word of a text and when it is heard.
type word struct {
	From, To  int // in UTF-16 code units of the text, as JavaScript counts
	At, Until int // in milliseconds since the sound began
}

// wordTimes gathers the characters of a text, which come in order with their times, into
// words. A word is what stands between spaces. In scripts that write no spaces each
// character is a word. Punctuation alone is no word.
type wordTimes struct {
	position int  // UTF-16 code units of the text so far
	end      int  // milliseconds of sound so far
	current  word // not complete yet
	open     bool // there is a current word
	sounds   bool // it has a letter, a number or a symbol
	alone    bool // it is one character of a script without spaces
	complete []word
}

// add adds the next stretch of the text. A stretch may end inside a word.
func (w *wordTimes) add(a align.Alignment) {
	for i, c := range a.Characters {
		for _, r := range c {
			w.addRune(r, a.Starts[i])
		}
	}
	w.end = a.End
}

func (w *wordTimes) addRune(r rune, at int) {
	letter := unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSymbol(r)
	alone := letter && slices.Contains(spaceless, lang.ScriptOf(r))
	switch {
	case unicode.IsSpace(r):
		// The order matters: a mark extends the word before it even in a script without spaces.
		w.close(at)
	case w.open && segment.Extends(r): // a mark on the character before, or joined to it
	case w.open && letter && (alone || w.alone):
		w.close(at)
	}
	// JavaScript counts UTF-16 code units, two for a character beyond U+FFFF.
	size := utf16.RuneLen(r)
	if !unicode.IsSpace(r) {
		if !w.open {
			w.current, w.open, w.sounds, w.alone = word{From: w.position, At: at}, true, false, alone
		}
		w.current.To = w.position + size
		w.sounds = w.sounds || letter
		w.alone = w.alone || alone
	}
	w.position += size
}

// spaceless are scripts that write no spaces between words.
var spaceless = []string{"Hani", "Hira", "Kana", "Bopo", "Thai", "Laoo", "Khmr", "Mymr"}

func (w *wordTimes) close(at int) {
	// Punctuation alone is dropped.
	if w.open && w.sounds {
		w.current.Until = at
		w.complete = append(w.complete, w.current)
	}
	w.open = false
}

// finish ends the last word of the text.
func (w *wordTimes) finish() { w.close(w.end) }

// take returns the complete words that were not returned before. They are valid until the
// next add.
func (w *wordTimes) take() []word {
	out := w.complete
	w.complete = w.complete[:0]
	return out
}
