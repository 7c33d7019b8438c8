// Package spelling brings words of every script into the form in which they are searched, cuts
// texts into words, and counts the typing errors between two words.
//
// What people leave out or confuse when they type is folded away: case and width, accents of
// Latin, Greek and Cyrillic letters, the nukta of Indian scripts, vowel points and letter forms
// of Arabic and Hebrew, the size and kind of kana, digits of other scripts. The same is done to
// what is searched, so that both meet.
package spelling

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"vaak/lang"
)

// Fold returns s in the form that is searched. Text that is not UTF-8 is repaired first. It
// depends on the text alone, and Fold(Fold(s)) is Fold(s).
func Fold(s string) string {
	if plain, ok := foldASCII(s); ok {
		return plain
	}
	// Folding may make new letters that fold further, as the parts of a ligature do.
	once := fold(strings.ToValidUTF8(s, "\uFFFD"))
	for range maxFolds {
		again := fold(once)
		if again == once {
			break
		}
		once = again
	}
	return once
}

// maxFolds bounds how often a text is folded; two are enough for all that is known.
const maxFolds = 3

func foldASCII(s string) (string, bool) {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return "", false
		}
	}
	return strings.ReplaceAll(strings.ToLower(s), "'", ""), true
}

func fold(s string) string {
	// Compatibility forms such as the full-width and the presentation forms go first, because
	// they have no case of their own.
	letters := []rune(norm.NFD.String(cases.Fold().String(norm.NFKC.String(s))))
	out := make([]rune, 0, len(letters)+8)
	for _, r := range letters {
		if dropped(r) {
			continue
		}
		if long := digraphs[r]; long != "" {
			out = append(out, []rune(long)...)
			continue
		}
		out = append(out, plainOf(r))
	}
	return norm.NFC.String(string(nasals(out)))
}

// digraphs are letters that people without them type as two. In Malayalam these are a consonant with
// a virama, which were once the only form.
var digraphs = map[rune]string{
	'æ': "ae", 'œ': "oe", 'þ': "th",
	0x0D7A: "\u0D23\u0D4D", 0x0D7B: "\u0D28\u0D4D", 0x0D7C: "\u0D30\u0D4D", 0x0D7D: "\u0D32\u0D4D", 0x0D7E: "\u0D33\u0D4D", 0x0D7F: "\u0D15\u0D4D",
}

// dropped reports whether a letter or mark says nothing that people would type reliably.
func dropped(r rune) bool {
	switch {
	case r < 0x80:
		return r == '\''
	case 0x0300 <= r && r <= 0x036F: // accents
	case 0x0591 <= r && r <= 0x05C7 && unicode.Is(unicode.Mn, r): // points of Hebrew
	case 0x064B <= r && r <= 0x065F, r == 0x0670, r == 0x0640, 0x06D6 <= r && r <= 0x06ED && unicode.Is(unicode.Mn, r): // points of Arabic, tatweel
	case r == 0x093C, r == 0x09BC, r == 0x0A3C, r == 0x0ABC, r == 0x0B3C, r == 0x0CBC: // nukta
	case r == 0x00AD, r == 0x061C, 0x200B <= r && r <= 0x200F, 0xFE00 <= r && r <= 0xFE0F, r == 0xFEFF: // invisible: joiners, directions
	case r == 0x2018, r == 0x2019, r == 0x02BB, r == 0x02BC, r == 0x00B4: // apostrophes
	default:
		return false
	}
	return true
}

// plainOf returns the letter for which others are often typed.
func plainOf(r rune) rune {
	switch {
	case r < 0x80:
		return r
	case 0x30A1 <= r && r <= 0x30F6: // katakana as hiragana
		r -= 0x60
	}
	if p, ok := plain[r]; ok {
		return p
	}
	if unicode.Is(unicode.Nd, r) {
		// The digits of a script are ten in a row.
		for d := rune(0); d < 10; d++ {
			if !unicode.Is(unicode.Nd, r-d-1) {
				return '0' + d
			}
		}
	}
	return r
}

// plain has letters that have no accents to drop.
var plain = map[rune]rune{
	'ı': 'i', 'ł': 'l', 'ø': 'o', 'đ': 'd', 'ð': 'd', 'ħ': 'h', 'ŋ': 'n', 'ŧ': 't',
	// Arabic: alef, yeh, kaf and heh in the forms of Persian, Urdu and others.
	'ٱ': 'ا', 'ى': 'ي', 'ی': 'ي', 'ے': 'ي', 'ک': 'ك', 'ڪ': 'ك', 'ة': 'ه', 'ہ': 'ه', 'ھ': 'ه', 'ە': 'ه', 'ۃ': 'ه',
	// Hebrew: letters that end a word.
	'ך': 'כ', 'ם': 'מ', 'ן': 'נ', 'ף': 'פ', 'ץ': 'צ',
	// The nasal sign of Indian scripts in its other form.
	0x0901: 0x0902, 0x0981: 0x0982, 0x0A01: 0x0A02, 0x0A70: 0x0A02, 0x0A81: 0x0A82, 0x0B01: 0x0B02, 0x0C01: 0x0C02, 0x0C81: 0x0C82,
	// Kana that are written small.
	'ぁ': 'あ', 'ぃ': 'い', 'ぅ': 'う', 'ぇ': 'え', 'ぉ': 'お', 'っ': 'つ', 'ゃ': 'や', 'ゅ': 'ゆ', 'ょ': 'よ', 'ゎ': 'わ',
}

// Offsets in the blocks of Indian scripts, which are laid out alike (The Unicode Standard,
// chapter 12).
const (
	firstStop   = 0x15
	anusvara    = 0x02
	virama      = 0x4D
	ofOneOrgan  = 5 // stops that are spoken at one place, the nasal last
	indianBlock = 0x80
)

// nasalAt are the offsets of the nasals of the five places.
var nasalAt = []rune{0x19, 0x1E, 0x23, 0x28, 0x2E}

// nasals writes a nasal before a stop of its own place as the nasal sign, which is the other
// usual spelling: हिन्दी and हिंदी. It works in place.
func nasals(letters []rune) []rune {
	out := letters[:0]
	for i := 0; i < len(letters); i++ {
		r := letters[i]
		if i+2 < len(letters) && inIndianBlock(r) {
			block := r &^ (indianBlock - 1)
			organ := organOf(r)
			if organ >= 0 && slices.Contains(nasalAt, r-block) && letters[i+1] == block+virama && organOf(letters[i+2]) == organ && letters[i+2] != r {
				out = append(out, block+anusvara)
				i++ // the virama
				continue
			}
		}
		out = append(out, r)
	}
	return out
}

// inIndianBlock reports whether a letter is of Devanagari, Bengali, Gurmukhi, Gujarati, Odia,
// Telugu, Kannada or Malayalam.
func inIndianBlock(r rune) bool {
	return 0x0900 <= r && r < 0x0B80 || 0x0C00 <= r && r < 0x0D80
}

// organOf returns at which of five places a stop or nasal of an Indian script is spoken, -1 for
// another letter. The row of the dentals has a gap after it, so the labials are counted anew.
func organOf(r rune) int {
	at := int(r&(indianBlock-1)) - firstStop
	switch {
	case at < 0 || !inIndianBlock(r):
		return -1
	case at < 4*ofOneOrgan:
		return at / ofOneOrgan
	case at > 4*ofOneOrgan && at <= 5*ofOneOrgan: // after the gap
		return 4
	}
	return -1
}

// article is the article of Arabic, which is written together with its word.
const article = "\u0627\u0644"

// WithoutArticle returns a folded word without the Arabic article, and false if it has none. Words of
// which less than three letters would be left have none.
func WithoutArticle(word string) (string, bool) {
	bare, ok := strings.CutPrefix(word, article)
	return bare, ok && utf8.RuneCountInString(bare) >= 3
}

// Word is a word of a text, folded.
type Word struct {
	Text string
	// Run says that it is a stretch of a script that does not separate words by spaces, such
	// as Thai: people search for parts of it. See [Grams].
	Run bool
}

// Words returns the words of s in their order: letters, marks and digits in a row, cut where a
// script without spaces begins and ends.
func Words(s string) []Word {
	var out []Word
	folded := Fold(s)
	begin, run := -1, false
	end := func(at int) {
		if begin >= 0 {
			out = append(out, Word{folded[begin:at], run})
		}
		begin = -1
	}
	for i, r := range folded {
		switch {
		case r < utf8.RuneSelf:
			if r < '0' || r > '9' && r < 'a' || r > 'z' {
				end(i)
				continue
			}
		case unicode.IsMark(r):
			if begin < 0 {
				begin, run = i, false
			}
			continue // it belongs to the letter before it
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end(i)
			continue
		}
		if of := Unspaced(r); begin >= 0 && of != run {
			end(i)
			begin, run = i, of
		} else if begin < 0 {
			begin, run = i, of
		}
	}
	end(len(folded))
	return out
}

// unspaced are scripts that do not separate words by spaces.
var unspaced = map[string]bool{
	"Hani": true, "Hans": true, "Hant": true, "Hira": true, "Kana": true, "Jpan": true,
	"Thai": true, "Laoo": true, "Khmr": true, "Mymr": true, "Tibt": true,
}

// prolonged is the mark of a long vowel in kana.
const prolonged = 'ー'

// Unspaced reports whether a letter is of a script that does not separate words by spaces.
func Unspaced(r rune) bool {
	return r >= 0x0E00 && (r == prolonged || unspaced[lang.ScriptOf(r)])
}

// Lengths of grams, in code points. A Chinese character says as much as several letters.
const (
	shortGram = 2
	longGram  = 4
)

// GramLength returns how many code points a gram of a run has.
func GramLength(run string) int {
	r, _ := utf8.DecodeRuneInString(run)
	if r >= 0x3000 {
		return shortGram
	}
	return longGram
}

// Grams calls yield with the piece of [GramLength] that begins at each letter of a run. At the
// end of the run pieces are shorter; whole leaves these out. A run that contains another has
// all whole grams of it.
func Grams(run string, whole bool, yield func(string)) {
	n := GramLength(run)
	for i, r := range run {
		// A mark belongs to the letter before it, so nobody looks for what begins with one.
		if unicode.IsMark(r) {
			continue
		}
		end, length := i, 0
		for end < len(run) && length < n {
			_, size := utf8.DecodeRuneInString(run[end:])
			end += size
			length++
		}
		if length == n || !whole {
			yield(run[i:end])
		}
	}
}
