package lang

import "unicode/utf8"

// Detect returns the language of a text, judged by its letters and words and by how many people
// write each language. The script with the most letters decides; three Latin letters count as
// two. Within a script that several languages write, letters that only one of them has decide,
// and then the frequencies of words and, for words that are not common ones, of letter groups.
// Names are no evidence. If languages are equal, the first in product order is taken. Text
// without letters of a supported language is taken for English, as are names in Latin letters.
//
// Vowel signs and the digits of a script count as its letters. Detect does not allocate. Beyond 600
// letters of a script it only counts them. [Prior] detects with what is known besides the text.
func Detect(text string) Code { return Prior{}.Detect(text) }

// DetectIn returns the language of the letters of one script in a text; iso is the script's ISO
// 15924 code. The result is "" if the text has no such letters or no supported language writes
// the script. Kana means Japanese; Han and kana are examined together.
func DetectIn(text, iso string) Code { return Prior{}.DetectIn(text, iso) }

// tally counts the letters of a text by script, and marker letters by the language that they
// indicate.
type tally struct {
	letters [numScripts]int32
	marks   [numMarkers]int32
	kana    int32
	// accented counts Latin letters outside ASCII.
	accented int32
	first    [numScripts]int32 // position of the first letter of each script, plus one; 0 if there is none
	previous rune              // the letter before, which some markers need
}

// group returns the script under which a script is counted: Japanese and Chinese mix several in
// a word.
func group(s script) script {
	switch s {
	case hiragana, katakana, bopomofo:
		return han
	}
	return s
}

func (t *tally) count(text string) {
	for i := 0; i < len(text); {
		c := text[i]
		// ASCII is most of a Latin text, and needs no table. OR with 0x20 makes a letter lower
		// case.
		if c < utf8.RuneSelf {
			if l := c | 0x20; 'a' <= l && l <= 'z' {
				t.letters[latin]++
				if t.first[latin] == 0 {
					t.first[latin] = int32(i + 1)
				}
			}
			t.previous = 0 // no marker depends on an ASCII letter before it
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		s := scriptOf(r)
		if s > inherited { // a letter of some script; the numbers below it are of no script
			switch s {
			case hiragana, katakana:
				t.kana++
			case latin:
				t.accented++
			}
			s = group(s) // after kana was counted, which group makes han
			t.letters[s]++
			if t.first[s] == 0 {
				t.first[s] = int32(i + 1)
			}
			if m := t.marker(s, r); m != noMarker {
				t.marks[m]++
			}
		}
		t.previous = r
		i += size
	}
}

// majority returns the script with the most letters, among those that an offered language
// writes; of equal ones the first in the text. The result is unknown if there are no such
// letters. Three Latin letters count as two, because names, brands and loanwords are written in
// Latin everywhere, and words are longer in it.
func (t *tally) majority(p *Prior) script {
	best, most := unknown, int32(0)
	for s := latin; int(s) < len(scriptNames); s++ {
		n := 3 * t.letters[s] // in whole numbers, to compare three Latin letters with two others
		if s == latin {
			n = 2 * t.letters[s]
		}
		if n == 0 || defaultLanguage[s] == "" || p.limited && p.expected(s) == "" {
			continue
		}
		if best == unknown || n > most || n == most && t.first[s] < t.first[best] {
			best, most = s, n
		}
	}
	return best
}

// fallback is the language of a text that gives no indication.
const fallback Code = "en"

// defaultLanguage is, for each script, the language that it means if nothing else decides.
var defaultLanguage = buildWriters(map[script]Code{
	latin: "en", devanagari: "hi", bengali: "bn", arabic: "ar", cyrillic: "ru", han: "zh",
})

// buildWriters returns the decided languages, and for every other script the first language in
// the table that writes it.
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
