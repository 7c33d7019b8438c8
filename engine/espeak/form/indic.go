package form

// nukta and virama of the Bengali block, and the letters of it that stand
// alone or turn into others.
const (
	beNukta = '\u09bc'
	beWa    = 'ৱ' // U+09F1
	beO     = 'ও'
	asRa    = 'ৰ' // U+09F0
)

// bengali composes the nukta letters, which NFC leaves decomposed: with YA and
// nukta apart the vowel after it is lost.
func bengali(text []rune) {
	composeNukta(text, bengaliNukta)
	replace(text, toBengali)
	spellWa(text)
}

var (
	bengaliNukta = map[rune]rune{'য': '\u09df', 'ড': '\u09dc', 'ঢ': '\u09dd'}
	toBengali    = map[rune]rune{beNukta: Silent, asRa: 'র'}
)

// assamese composes as bengali does; RRA and RHA are read by name by the
// Assamese voice and become its RA.
func assamese(text []rune) {
	composeNukta(text, assameseNukta)
	replace(text, toAssamese)
}

var (
	assameseNukta = map[rune]rune{'য': '\u09df', 'ড': asRa, 'ঢ': asRa}
	toAssamese    = map[rune]rune{beNukta: Silent, '\u09dc': asRa, '\u09dd': asRa, 'র': asRa}
)

// composeNukta writes a letter and nukta as a composed letter and Silent.
func composeNukta(text []rune, composed map[rune]rune) {
	for i := 1; i < len(text); i++ {
		if text[i] != beNukta {
			continue
		}
		if to, ok := composed[text[i-1]]; ok {
			text[i-1], text[i] = to, Silent
		}
	}
}

// bengaliVowels gives the letter of a vowel sign.
var bengaliVowels = map[rune]rune{
	'া': 'আ', 'ি': 'ই', 'ী': 'ঈ', 'ু': 'উ', 'ূ': 'ঊ', 'ে': 'এ', 'ৈ': 'ঐ', 'ো': 'ও', 'ৌ': 'ঔ',
}

// spellWa writes the WA of Assamese and Manipuri, which the Bengali voice does
// not have, as O, and the sign after it as a vowel letter.
func spellWa(text []rune) {
	for i, r := range text {
		if r != beWa {
			continue
		}
		text[i] = beO
		if i+1 < len(text) {
			if v, ok := bengaliVowels[text[i+1]]; ok {
				text[i+1] = v
			}
		}
	}
}

// odia writes WA, which is read by name, as VA.
func odia(text []rune) { replace(text, toOdia) }

var toOdia = map[rune]rune{'ୱ': 'ଵ'}

// chillus writes the old spelling of a chillu (consonant, virama, joiner) as
// the chillu letter.
func chillus(text []rune) {
	const virama, joiner = '\u0d4d', '\u200d'
	for i := 2; i < len(text); i++ {
		if text[i] != joiner || text[i-1] != virama {
			continue
		}
		if to, ok := chilluOf[text[i-2]]; ok {
			text[i-2], text[i-1], text[i] = to, Silent, Silent
		}
	}
}

var chilluOf = map[rune]rune{'ണ': 'ൺ', 'ന': 'ൻ', 'ര': 'ർ', 'റ': 'ർ', 'ല': 'ൽ', 'ള': 'ൾ', 'ക': 'ൿ'}

// kannadaShift is the way from a Devanagari letter to the same one in the
// Kannada block.
const kannadaShift = 0x0c80 - 0x0900

// sanskritExceptions are the letters of the Devanagari block whose place in the
// Kannada block is empty or not known to the voice.
var sanskritExceptions = map[rune]rune{
	'\u0900': 'ಂ', 'ँ': 'ಂ', // inverted and plain candrabindu
	'\u0904': 'ಎ', 'ऍ': 'ಎ', 'ॲ': 'ಎ', 'ऑ': 'ಒ',
	'\u0945': 'ೆ', '\u0949': 'ೊ', // candra E and O signs
	'\u0929': 'ನ', '\u0931': 'ರ', '\u0934': 'ಳ',
	'ऌ': 'ಲ', 'ॡ': 'ಲ', '\u0962': 'ಲ', '\u0963': 'ಲ', // vocalic L
	'\u093c': Silent, 'ऽ': Silent, // nukta, avagraha
	'\u0951': Silent, '\u0952': Silent, '\u0953': Silent, '\u0954': Silent, // accents
	'\u0958': 'ಕ', '\u0959': 'ಖ', '\u095a': 'ಗ', '\u095b': 'ಜ', '\u095c': 'ಡ', '\u095d': 'ಢ', '\u095e': 'ಫ', '\u095f': 'ಯ',
	'।': '।', '॥': '॥', 'ॐ': 'ॐ', '॰': '.',
}

// sanskrit moves Devanagari to Kannada, letter by letter. The Hindi voice drops
// the short a that Sanskrit keeps; the Kannada voice keeps it.
func sanskrit(text []rune) {
	for i, r := range text {
		switch to, ok := sanskritExceptions[r]; {
		case ok:
			text[i] = to
		case 0x0900 <= r && r <= 0x0963:
			text[i] = r + kannadaShift
		case 0x1cd0 <= r && r <= 0x1cff, 0xa8e0 <= r && r <= 0xa8f1: // Vedic signs
			text[i] = Silent
		}
	}
}
