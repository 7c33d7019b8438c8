package form

// This file has the scripts that no voice of the library reads.

// santaliConsonants gives the Devanagari letter of an Ol Chiki consonant.
var santaliConsonants = map[rune]rune{
	'ᱛ': 'त', 'ᱜ': 'ग', 'ᱝ': 'ङ', 'ᱞ': 'ल', 'ᱠ': 'क', 'ᱡ': 'ज', 'ᱢ': 'म', 'ᱣ': 'व', 'ᱥ': 'स',
	'ᱦ': 'ह', 'ᱧ': 'ञ', 'ᱨ': 'र', 'ᱪ': 'च', 'ᱫ': 'द', 'ᱬ': 'ण', 'ᱭ': 'य', 'ᱯ': 'प', 'ᱰ': 'ड',
	'ᱱ': 'न', 'ᱲ': '\u095c', 'ᱴ': 'ट', 'ᱵ': 'ब', 'ᱶ': 'व',
}

// aspirates gives the aspirated letter of a Devanagari consonant.
var aspirates = map[rune]rune{
	'क': 'ख', 'ग': 'घ', 'च': 'छ', 'ज': 'झ', 'ट': 'ठ', 'ड': 'ढ', 'त': 'थ', 'द': 'ध', 'प': 'फ', 'ब': 'भ',
	'\u095c': '\u095d',
}

// santaliVowels gives the letter and the sign of an Ol Chiki vowel.
var santaliVowels = map[rune][2]rune{
	'ᱚ': {'ऑ', '\u0949'}, 'ᱟ': {'आ', '\u093e'}, 'ᱤ': {'इ', '\u093f'},
	'ᱩ': {'उ', '\u0941'}, 'ᱮ': {'ए', '\u0947'}, 'ᱳ': {'ओ', '\u094b'},
}

// santaliMarks are nasal signs, modifiers of vowels and stops that Hindi does
// not tell apart, and punctuation.
var santaliMarks = map[rune]rune{
	'ᱸ': '\u0901', 'ᱺ': '\u0901',
	'ᱹ': Silent, 'ᱻ': Silent, 'ᱼ': Silent, 'ᱽ': Silent,
	'᱾': '।', '᱿': '॥',
}

// santali writes Ol Chiki in Devanagari. Ol Chiki writes every vowel and no
// virama, so a consonant before a consonant keeps its inherent vowel in the
// new form; the Hindi voice leaves out most of those.
func santali(text []rune) {
	open := false // a consonant waits for its vowel
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
			text[i] = Silent
			continue
		}
		if m, ok := santaliMarks[r]; ok {
			text[i] = m
			continue
		}
		open = false
	}
}

// meeteiLetters gives the Bengali letter of a Meetei Mayek one. Finals have the
// plain letter: the Bengali voice leaves out most inherent vowels there.
var meeteiLetters = map[rune]rune{
	'ꯀ': 'ক', 'ꯁ': 'স', 'ꯂ': 'ল', 'ꯃ': 'ম', 'ꯄ': 'প', 'ꯅ': 'ন', 'ꯆ': 'চ', 'ꯇ': 'ত', 'ꯈ': 'খ',
	'ꯉ': 'ঙ', 'ꯊ': 'থ', 'ꯋ': beWa, 'ꯌ': '\u09df', 'ꯍ': 'হ', 'ꯎ': 'উ', 'ꯏ': 'ই', 'ꯐ': 'ফ', 'ꯑ': 'অ',
	'ꯒ': 'গ', 'ꯓ': 'ঝ', 'ꯔ': 'র', 'ꯕ': 'ব', 'ꯖ': 'জ', 'ꯗ': 'দ', 'ꯘ': 'ঘ', 'ꯙ': 'ধ', 'ꯚ': 'ভ',
	'ꯛ': 'ক', 'ꯜ': 'ল', 'ꯝ': 'ম', 'ꯞ': 'প', 'ꯟ': 'ন', 'ꯠ': 'ৎ', 'ꯡ': '\u0982', 'ꯢ': 'ই',
	'\uabe3': '\u09cb', '\uabe4': '\u09bf', '\uabe5': '\u09be', '\uabe6': '\u09c7',
	'\uabe7': '\u09cc', '\uabe8': '\u09c1', '\uabe9': '\u09c8', '\uabea': '\u0982',
	'\uabeb': '।', '\uabec': Silent, '\uabed': '\u09cd',
}

// manipuri writes Meetei Mayek in Bengali, then as bengali does.
func manipuri(text []rune) {
	replace(text, meeteiLetters)
	for i := 1; i < len(text); i++ {
		if v, ok := bengaliVowels[text[i]]; ok && text[i-1] == 'অ' {
			text[i-1], text[i] = v, Silent // ATIYA carries vowel signs, Bengali A does not
		}
	}
	bengali(text)
}

// Points of Hebrew that are moved or dropped.
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

// hebrew writes points that are read by name with ones that are read: holam as
// qamats qatan, VAV with holam or dagesh as the vowel it stands for, SHIN with
// sin dot as SAMEKH. Cantillation and the other points are left out.
func hebrew(text []rune) {
	for i, r := range text {
		switch {
		case r == heHolam || r == heHolamVav:
			vowelOfVav(text, i, heQamatsQ)
		case r == heDagesh:
			if i > 1 && text[i-1] == 'ו' && !startsWord(text, i-1) {
				vowelOfVav(text, i, heQubuts)
			} else {
				text[i] = Silent
			}
		case r == heSinDot:
			text[i] = Silent
			for j := i - 1; j >= 0; j-- { // points of lower class stand between
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
			text[i] = Silent
		}
	}
}

// vowelOfVav puts a vowel point in the place of a VAV before place i that only
// carries it, else at place i.
func vowelOfVav(text []rune, i int, vowel rune) {
	if i > 1 && text[i-1] == 'ו' {
		text[i-1], text[i] = vowel, Silent
		return
	}
	text[i] = vowel
}
