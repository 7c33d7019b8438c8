package lang

import "unicode/utf8"

// Detect tells the language of a text from its letters. The script with the
// most letters decides, of which three Latin ones count as two; inside a script
// that several languages write, letters that only one of them has, and then how
// often the letters and words of the text are in each language. Where that leaves
// languages equal, the one that comes first in product order is meant, and short
// texts in Latin letters are English unless they clearly are not. Text without
// letters, or with letters of no supported language, is taken as English.
//
// Vowel signs and the digits of one script count as its letters. Detect does not
// allocate; beyond 600 letters of a script it only counts them.
func Detect(text string) Code {
	var t tally
	t.take(text)
	v := t.decide(t.majority(), text)
	return v.best()
}

// DetectIn tells the language of the letters of one script in a text, given by
// ISO 15924 code; "" when the text has none of them or no supported language
// writes the script. Kana is Japanese; Han is looked at together with it.
func DetectIn(text, iso string) Code {
	s := scriptNamed(iso)
	if s <= inherited {
		return ""
	}
	var t tally
	t.take(text)
	switch {
	case s == hiragana || s == katakana:
		if t.kana == 0 {
			return ""
		}
		return "ja"
	case t.letters[group(s)] == 0 || writers[s] == "":
		return ""
	}
	v := t.decide(group(s), text)
	return v.best()
}

// tally counts the letters of a text by script, and the marker letters by the
// language they speak for.
type tally struct {
	letters [numScripts]int32
	marks   [numMarkers]int32
	kana    int32
	// accented counts the Latin letters beyond ASCII.
	accented int32
	first    [numScripts]int32 // where the script was met first, plus one
	before   rune              // the letter before, for the markers that need it
}

// group joins the scripts that one language mixes within a word.
func group(s script) script {
	switch s {
	case hiragana, katakana, bopomofo:
		return han
	}
	return s
}

func (t *tally) take(text string) {
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if l := c | 0x20; 'a' <= l && l <= 'z' {
				t.letters[latin]++
				if t.first[latin] == 0 {
					t.first[latin] = int32(i + 1)
				}
			}
			t.before = 0
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		s := scriptOf(r)
		if s > inherited {
			switch s {
			case hiragana, katakana:
				t.kana++
			case latin:
				t.accented++
			}
			s = group(s)
			t.letters[s]++
			if t.first[s] == 0 {
				t.first[s] = int32(i + 1)
			}
			if m := t.marker(s, r); m != noMarker {
				t.marks[m]++
			}
		}
		t.before = r
		i += size
	}
}

// majority returns the script with the most letters among those that a
// supported language writes, the earliest in the text of several; unknown when
// there are none. Three letters of Latin count as two: names, brands and borrowed
// words are written in it everywhere, and spelled longer.
func (t *tally) majority() script {
	best, most := unknown, int32(0)
	for s := latin; int(s) < len(scriptNames); s++ {
		n := 3 * t.letters[s]
		if s == latin {
			n = 2 * t.letters[s]
		}
		if n == 0 || writers[s] == "" {
			continue
		}
		if best == unknown || n > most || n == most && t.first[s] < t.first[best] {
			best, most = s, n
		}
	}
	return best
}

// fallback is the language of a text that tells nothing.
const fallback Code = "en"

// writers names the language that a script means where nothing else decides.
var writers = buildWriters(map[script]Code{
	latin: "en", devanagari: "hi", bengali: "bn", arabic: "ar", cyrillic: "ru", han: "zh",
})

// buildWriters adds to the decided ones the first language of the table for
// every other script.
func buildWriters(decided map[script]Code) (w [numScripts]Code) {
	for s := latin; int(s) < len(scriptNames); s++ {
		if c, ok := decided[group(s)]; ok {
			w[s] = c
			continue
		}
		for _, l := range table.rows {
			if l.Writes(scriptNames[s].iso) {
				w[s] = l.Code
				break
			}
		}
	}
	return w
}
