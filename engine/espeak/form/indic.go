package form

// The nukta of Bengali, and letters of its block that need rules of their own.
const (
	beNukta = '\u09bc'
	beWa    = 'ৱ' // U+09F1
	beO     = 'ও'
	asRa    = 'ৰ' // U+09F0
)

// bengali composes the nukta letters, which NFC decomposes. If YA and nukta are separate, the
// library drops the vowel after them.
func bengali(text []rune) {
	composeNukta(text, bengaliNukta)
	replace(text, toBengali)
	spellWa(text)
}

var (
	bengaliNukta = map[rune]rune{'য': '\u09df', 'ড': '\u09dc', 'ঢ': '\u09dd'}
	toBengali    = map[rune]rune{beNukta: silent, asRa: 'র'}
)

// assamese composes like bengali. The Assamese voice reads RRA and RHA by name, so they become its
// RA.
func assamese(text []rune) {
	composeNukta(text, assameseNukta)
	replace(text, toAssamese)
}

var (
	assameseNukta = map[rune]rune{'য': '\u09df', 'ড': asRa, 'ঢ': asRa}
	toAssamese    = map[rune]rune{beNukta: silent, '\u09dc': asRa, '\u09dd': asRa, 'র': asRa}
)

// composeNukta replaces a letter and nukta by the composed letter and silent.
func composeNukta(text []rune, composed map[rune]rune) {
	for i := 1; i < len(text); i++ {
		if text[i] != beNukta {
			continue
		}
		if to, ok := composed[text[i-1]]; ok {
			text[i-1], text[i] = to, silent
		}
	}
}

// bengaliVowels maps vowel signs to vowel letters.
var bengaliVowels = map[rune]rune{
	'া': 'আ', 'ি': 'ই', 'ী': 'ঈ', 'ু': 'উ', 'ূ': 'ঊ', 'ে': 'এ', 'ৈ': 'ঐ', 'ো': 'ও', 'ৌ': 'ঔ',
}

// spellWa replaces the WA of Assamese and Manipuri, which the Bengali voice does not know, by
// O, and the vowel sign after it by a vowel letter.
func spellWa(text []rune) {
	for i, r := range text {
		if r != beWa {
			continue
		}
		text[i] = beO
		if i+1 < len(text) {
			// A vowel sign cannot follow a vowel letter.
			if v, ok := bengaliVowels[text[i+1]]; ok {
				text[i+1] = v
			}
		}
	}
}

// odia replaces WA, which the voice reads by name, by VA.
func odia(text []rune) { replace(text, toOdia) }

var toOdia = map[rune]rune{'ୱ': 'ଵ'}

// chillus replaces the old spelling of a chillu letter (consonant, virama, joiner) by the letter.
func chillus(text []rune) {
	const virama, joiner = '\u0d4d', '\u200d'
	for i := 2; i < len(text); i++ {
		if text[i] != joiner || text[i-1] != virama {
			continue
		}
		if to, ok := chilluOf[text[i-2]]; ok {
			text[i-2], text[i-1], text[i] = to, silent, silent
		}
	}
}

var chilluOf = map[rune]rune{'ണ': 'ൺ', 'ന': 'ൻ', 'ര': 'ർ', 'റ': 'ർ', 'ല': 'ൽ', 'ള': 'ൾ', 'ക': 'ൿ'}

// kannadaShift is the distance from a Devanagari letter to the same letter in the Kannada block.
// Unicode lays out both blocks alike, after ISCII.
const kannadaShift = 0x0c80 - 0x0900

// sanskritExceptions are Devanagari letters without a counterpart in the Kannada block, or with one
// that the voice does not know.
var sanskritExceptions = map[rune]rune{
	'\u0900': 'ಂ', 'ँ': 'ಂ', // inverted and plain candrabindu
	'\u0904': 'ಎ', 'ऍ': 'ಎ', 'ॲ': 'ಎ', 'ऑ': 'ಒ',
	'\u0945': 'ೆ', '\u0949': 'ೊ', // candra E and O signs
	'\u0929': 'ನ', '\u0931': 'ರ', '\u0934': 'ಳ',
	'ऌ': 'ಲ', 'ॡ': 'ಲ', '\u0962': 'ಲ', '\u0963': 'ಲ', // vocalic L
	'\u093c': silent, 'ऽ': silent, // nukta, avagraha
	'\u0951': silent, '\u0952': silent, '\u0953': silent, '\u0954': silent, // accents
	'\u0958': 'ಕ', '\u0959': 'ಖ', '\u095a': 'ಗ', '\u095b': 'ಜ', '\u095c': 'ಡ', '\u095d': 'ಢ', '\u095e': 'ಫ', '\u095f': 'ಯ',
	'।': '।', '॥': '॥', 'ॐ': 'ॐ', '॰': '.',
}

// sanskrit rewrites Devanagari in Kannada letters. The Hindi voice drops the short a of
// Sanskrit; the Kannada voice keeps it.
func sanskrit(text []rune) {
	for i, r := range text {
		switch to, ok := sanskritExceptions[r]; {
		case ok:
			text[i] = to
		case 0x0900 <= r && r <= 0x0963:
			text[i] = r + kannadaShift
		case 0x1cd0 <= r && r <= 0x1cff, 0xa8e0 <= r && r <= 0xa8f1: // Vedic signs
			text[i] = silent
		}
	}
}
