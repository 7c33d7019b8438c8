package form

// This file has the scripts that no voice of the library can read.

// santaliConsonants maps Ol Chiki consonants to Devanagari letters.
var santaliConsonants = map[rune]rune{
	'ᱛ': 'त', 'ᱜ': 'ग', 'ᱝ': 'ङ', 'ᱞ': 'ल', 'ᱠ': 'क', 'ᱡ': 'ज', 'ᱢ': 'म', 'ᱣ': 'व', 'ᱥ': 'स',
	'ᱦ': 'ह', 'ᱧ': 'ञ', 'ᱨ': 'र', 'ᱪ': 'च', 'ᱫ': 'द', 'ᱬ': 'ण', 'ᱭ': 'य', 'ᱯ': 'प', 'ᱰ': 'ड',
	'ᱱ': 'न', 'ᱲ': '\u095c', 'ᱴ': 'ट', 'ᱵ': 'ब', 'ᱶ': 'व',
}

// aspirates maps Devanagari consonants to their aspirated counterparts.
var aspirates = map[rune]rune{
	'क': 'ख', 'ग': 'घ', 'च': 'छ', 'ज': 'झ', 'ट': 'ठ', 'ड': 'ढ', 'त': 'थ', 'द': 'ध', 'प': 'फ', 'ब': 'भ',
	'\u095c': '\u095d',
}

// santaliVowels maps Ol Chiki vowels to Devanagari vowel letters and signs.
var santaliVowels = map[rune][2]rune{
	'ᱚ': {'ऑ', '\u0949'}, 'ᱟ': {'आ', '\u093e'}, 'ᱤ': {'इ', '\u093f'},
	'ᱩ': {'उ', '\u0941'}, 'ᱮ': {'ए', '\u0947'}, 'ᱳ': {'ओ', '\u094b'},
}

// santaliMarks maps nasal signs and punctuation, and drops modifiers of vowels and stops that Hindi
// does not distinguish.
var santaliMarks = map[rune]rune{
	'ᱸ': '\u0901', 'ᱺ': '\u0901',
	'ᱹ': silent, 'ᱻ': silent, 'ᱼ': silent, 'ᱽ': silent,
	'᱾': '।', '᱿': '॥',
}

// santali writes Ol Chiki in Devanagari. Ol Chiki writes every vowel and has no virama, so in
// Devanagari a consonant before another one has an inherent vowel; the Hindi voice drops most of
// these.
func santali(text []rune) {
	open := false // the last consonant has no vowel yet
	for i, r := range text {
		if c, ok := santaliConsonants[r]; ok {
			text[i], open = c, true
			continue
		}
		if v, ok := santaliVowels[r]; ok {
			text[i] = v[0]
			if open {
				text[i] = v[1]
			}
			open = false
			continue
		}
		if r == 'ᱷ' { // aspirates the consonant before it
			if i > 0 {
				if a, ok := aspirates[text[i-1]]; ok && open {
					text[i-1] = a
				}
			}
			text[i] = silent
			continue
		}
		if m, ok := santaliMarks[r]; ok {
			text[i] = m
			continue
		}
		open = false
	}
}

// meeteiLetters maps Meetei Mayek letters to Bengali ones. A final consonant becomes a plain
// letter: the Bengali voice drops most inherent vowels at the end of syllables.
var meeteiLetters = map[rune]rune{
	'ꯀ': 'ক', 'ꯁ': 'স', 'ꯂ': 'ল', 'ꯃ': 'ম', 'ꯄ': 'প', 'ꯅ': 'ন', 'ꯆ': 'চ', 'ꯇ': 'ত', 'ꯈ': 'খ',
	'ꯉ': 'ঙ', 'ꯊ': 'থ', 'ꯋ': beWa, 'ꯌ': '\u09df', 'ꯍ': 'হ', 'ꯎ': 'উ', 'ꯏ': 'ই', 'ꯐ': 'ফ', 'ꯑ': 'অ',
	'ꯒ': 'গ', 'ꯓ': 'ঝ', 'ꯔ': 'র', 'ꯕ': 'ব', 'ꯖ': 'জ', 'ꯗ': 'দ', 'ꯘ': 'ঘ', 'ꯙ': 'ধ', 'ꯚ': 'ভ',
	'ꯛ': 'ক', 'ꯜ': 'ল', 'ꯝ': 'ম', 'ꯞ': 'প', 'ꯟ': 'ন', 'ꯠ': 'ৎ', 'ꯡ': '\u0982', 'ꯢ': 'ই',
	'\uabe3': '\u09cb', '\uabe4': '\u09bf', '\uabe5': '\u09be', '\uabe6': '\u09c7',
	'\uabe7': '\u09cc', '\uabe8': '\u09c1', '\uabe9': '\u09c8', '\uabea': '\u0982',
	'\uabeb': '।', '\uabec': silent, '\uabed': '\u09cd',
}

// manipuri writes Meetei Mayek in Bengali letters and then applies the rules of bengali.
func manipuri(text []rune) {
	replace(text, meeteiLetters)
	for i := 1; i < len(text); i++ {
		if v, ok := bengaliVowels[text[i]]; ok && text[i-1] == 'অ' {
			text[i-1], text[i] = v, silent // ATIYA can carry vowel signs, the Bengali letter A cannot
		}
	}
	bengali(text)
}

// Points of Hebrew that are replaced or dropped.
const (
	heHolam      = '\u05b9'
	heHolamVav   = '\u05ba'
	heQubuts     = '\u05bb'
	heDagesh     = '\u05bc'
	heShinDot    = '\u05c1'
	heSinDot     = '\u05c2'
	heQamatsQ    = '\u05c7'
	heSegol      = '\u05b6'
	heHatafSegol = '\u05b1'
)

// hebrew replaces points that the voice reads by name by points that it knows: holam by qamats
// qatan, VAV with holam or dagesh by the vowel it stands for, SHIN with sin dot by SAMEKH. It
// drops cantillation marks and the other points.
func hebrew(text []rune) {
	for i, r := range text {
		switch {
		case r == heHolam || r == heHolamVav:
			vowelOfVav(text, i, heQamatsQ)
		case r == heDagesh:
			if i > 1 && text[i-1] == 'ו' && !startsWord(text, i-1) {
				vowelOfVav(text, i, heQubuts)
			} else {
				text[i] = silent
			}
		case r == heSinDot:
			text[i] = silent
			for j := i - 1; j >= 0; j-- { // other points may stand between
				if text[j] == 'ש' {
					text[j] = 'ס'
				}
				if text[j] >= 'א' && text[j] <= 'ת' {
					break
				}
			}
		case r == heHatafSegol:
			text[i] = heSegol
		case r == '\u05be': // maqaf
			text[i] = '-'
		case r == heShinDot, r == '\u05bd', r == '\u05bf', r == '\u05c4', r == '\u05c5',
			0x0591 <= r && r <= 0x05af:
			text[i] = silent
		}
	}
}

// vowelOfVav puts a vowel point in the place of the VAV before index i, which only carries the
// vowel, or at i if there is none.
func vowelOfVav(text []rune, i int, vowel rune) {
	if i > 1 && text[i-1] == 'ו' {
		text[i-1], text[i] = vowel, silent
		return
	}
	text[i] = vowel
}
