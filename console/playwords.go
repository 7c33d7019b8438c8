package console

import (
	"slices"
	"unicode"
	"unicode/utf16"

	"vaak/lang"
	"vaak/speech/align"
	"vaak/text/segment"
)

// heard is a word of a text and when it is heard.
type heard struct {
	From, To  int // in UTF-16 code units of the text, as JavaScript counts
	At, Until int // in milliseconds since the sound began
}

// wordLine gathers the characters of a text, which come in order with their times, into
// words. A word is what stands between spaces; scripts that write none between words
// light up sign by sign. Signs alone are no word.
type wordLine struct {
	at      int   // UTF-16 code units that came
	end     int   // milliseconds
	word    heard // that is not complete
	open    bool  // there is one
	sounds  bool  // it has a letter, a number or a symbol
	alone   bool  // it is one sign of a script without spaces
	waiting []heard
}

// add takes the next stretch of the text.
func (w *wordLine) add(a align.Alignment) {
	for i, c := range a.Characters {
		for _, r := range c {
			w.take(r, a.Starts[i])
		}
	}
	w.end = a.End
}

func (w *wordLine) take(r rune, at int) {
	letter := unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSymbol(r)
	alone := letter && slices.Contains(spaceless, lang.ScriptOf(r))
	switch {
	case unicode.IsSpace(r):
		w.close(at)
	case w.open && segment.Extends(r):
	case w.open && letter && (alone || w.alone):
		w.close(at)
	}
	size := utf16.RuneLen(r)
	if !unicode.IsSpace(r) {
		if !w.open {
			w.word, w.open, w.sounds, w.alone = heard{From: w.at, At: at}, true, false, alone
		}
		w.word.To = w.at + size
		w.sounds = w.sounds || letter
		w.alone = w.alone || alone
	}
	w.at += size
}

// spaceless are scripts that write no spaces between words.
var spaceless = []string{"Hani", "Hira", "Kana", "Bopo", "Thai", "Laoo", "Khmr", "Mymr"}

func (w *wordLine) close(at int) {
	if w.open && w.sounds {
		w.word.Until = at
		w.waiting = append(w.waiting, w.word)
	}
	w.open = false
}

// finish ends the last word of the text.
func (w *wordLine) finish() { w.close(w.end) }

// taken returns the words that are complete and were not returned before. They are good
// until the next stretch is added.
func (w *wordLine) taken() []heard {
	out := w.waiting
	w.waiting = w.waiting[:0]
	return out
}
