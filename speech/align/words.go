package align

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"vaak/lang"
	"vaak/text/segment"
)

// Word is a word of a text and when it is heard.
type Word struct {
	Text string
	// Character and Unit are where it begins in the text: in code points, and in UTF-16 code
	// units, as JavaScript counts.
	Character, Unit int
	At, Until       int  // in milliseconds since the sound began
	Estimated       bool // some of the times are, as in [Alignment]
}

// UnitEnd returns where the word ends, in UTF-16 code units of the text.
func (w Word) UnitEnd() int {
	end := w.Unit
	for _, r := range w.Text {
		end += utf16.RuneLen(r)
	}
	return end
}

// Words gathers the characters of a text, which come in order with their times, into words. A
// word is what stands between spaces. In scripts that write no spaces each character is a word.
// Punctuation alone is no word. The zero value is ready for the beginning of a text.
type Words struct {
	characters, units int // of the text so far
	end               int // milliseconds of sound so far
	current           Word
	text              strings.Builder // of current
	open              bool            // there is a current word
	sounds            bool            // it has a letter, a number or a symbol
	alone             bool            // it is one character of a script without spaces
	complete          []Word
}

// Add adds the next stretch of the text. A stretch may end inside a word.
func (w *Words) Add(a Alignment) {
	for i, c := range a.Characters {
		for _, r := range c {
			w.addRune(r, a.Starts[i], a.Estimated)
		}
	}
	w.end = a.End
}

func (w *Words) addRune(r rune, at int, estimated bool) {
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
	if !unicode.IsSpace(r) {
		if !w.open {
			w.current = Word{Character: w.characters, Unit: w.units, At: at}
			w.text.Reset()
			w.open, w.sounds, w.alone = true, false, alone
		}
		w.text.WriteRune(r)
		w.sounds = w.sounds || letter
		w.alone = w.alone || alone
		w.current.Estimated = w.current.Estimated || estimated
	}
	w.characters++
	// Two units for a character beyond U+FFFF.
	w.units += utf16.RuneLen(r)
}

// spaceless are scripts that write no spaces between words.
var spaceless = []string{"Hani", "Hira", "Kana", "Bopo", "Thai", "Laoo", "Khmr", "Mymr"}

func (w *Words) close(at int) {
	// Punctuation alone is dropped.
	if w.open && w.sounds {
		w.current.Until, w.current.Text = at, w.text.String()
		w.complete = append(w.complete, w.current)
	}
	w.open = false
}

// Finish ends the last word, where the text or a phrase of it has ended.
func (w *Words) Finish() { w.close(w.end) }

// Take returns the complete words that were not returned before. They are valid until the
// next Add.
func (w *Words) Take() []Word {
	out := w.complete
	w.complete = w.complete[:0]
	return out
}
