package translit

import "strings"

// urduConsonants are the Urdu letters of the consonants of Devanagari, by place.
var urduConsonants = [...]string{
	cK: "ک", cKH: "کھ", cG: "گ", cGH: "گھ", cNG: "ن", cC: "چ", cCH: "چھ", cJ: "ج", cJH: "جھ", cNY: "ن",
	cTT: "ٹ", 0x20: "ٹھ", cDD: "ڈ", cDDH: "ڈھ", cNN: "ن", cT: "ت", cTH: "تھ", cD: "د", cDH: "دھ", cN: "ن", cN2: "ن",
	cP: "پ", cPH: "پھ", cB: "ب", cBH: "بھ", cM: "م", cY: "ی", cR: "ر", cRR: "ر", cL: "ل", cLL: "ل", cZH: "ل",
	cV: "و", cSH: "ش", cSS: "ش", cS: "س", cH: "ہ",
}

// urduLetters writes a word of Devanagari in the letters of Urdu. Devanagari tells long
// vowels, which Urdu writes, from short ones, which it does not.
func urduLetters(word string) string {
	sounds, ok := readNative(hindi, word)
	if !ok {
		return word
	}
	var b strings.Builder
	for k, s := range sounds {
		first, last := k == 0, k == len(sounds)-1
		switch s.kind {
		case consonant:
			switch {
			case s.nukta && s.place == cJ:
				b.WriteString("ز")
			case s.nukta && s.place == cPH:
				b.WriteString("ف")
			case s.nukta && s.place == cK:
				b.WriteString("ق")
			case s.nukta && s.place == cKH:
				b.WriteString("خ")
			case s.nukta && s.place == cG:
				b.WriteString("غ")
			case s.nukta && s.place == cDD:
				b.WriteString("ڑ")
			case s.nukta && s.place == cDDH:
				b.WriteString("ڑھ")
			case heardAt(sounds, k-1).kind == consonant && heardAt(sounds, k-1).place == s.place:
				// A doubled letter is written once.
			default:
				b.WriteString(urduConsonants[s.place])
			}
		case sign:
			if last {
				b.WriteString("ں")
			} else {
				b.WriteString("ن")
			}
		case vowel:
			b.WriteString(urduVowel(s, first, last, k > 0 && sounds[k-1].kind == vowel))
		}
	}
	if b.Len() == 0 {
		return word
	}
	return b.String()
}

func urduVowel(s heard, first, last, after bool) string {
	if s.silent {
		return ""
	}
	var letter string
	switch s.place {
	case vAA:
		if first {
			return "آ"
		}
		return "ا"
	case vII:
		letter = "ی"
	case vE, vEE, vAI, 0x0D:
		if letter = "ی"; last {
			letter = "ے"
		}
	case vUU, vO, vOO, vAU, 0x11:
		letter = "و"
	}
	switch {
	case first:
		return "ا" + letter
	case after && letter != "":
		return "ئ" + letter
	}
	return letter
}

// typedUrdu returns how an Urdu word may be typed, without the short vowels.
func typedUrdu(word string) string {
	var b strings.Builder
	for i, r := range word {
		switch r {
		case 'ا', 'آ', 'أ', 'إ', 'ٱ':
			b.WriteByte('a')
		case 'ب':
			b.WriteByte('b')
		case 'پ':
			b.WriteByte('p')
		case 'ت', 'ط', 'ٹ', 'ة', 'ۃ':
			b.WriteByte('t')
		case 'ث', 'س', 'ص':
			b.WriteByte('s')
		case 'ج':
			b.WriteByte('j')
		case 'چ':
			b.WriteString("ch")
		case 'ح', 'ہ', 'ھ', 'ه', 'ۂ':
			b.WriteByte('h')
		case 'خ':
			b.WriteString("kh")
		case 'د', 'ڈ':
			b.WriteByte('d')
		case 'ذ', 'ز', 'ض', 'ظ', 'ژ':
			b.WriteByte('z')
		case 'ر', 'ڑ':
			b.WriteByte('r')
		case 'ش':
			b.WriteString("sh")
		case 'ع':
			if i == 0 {
				b.WriteByte('a')
			}
		case 'غ':
			b.WriteString("gh")
		case 'ف':
			b.WriteByte('f')
		case 'ق':
			b.WriteByte('q')
		case 'ک', 'ك':
			b.WriteByte('k')
		case 'گ':
			b.WriteByte('g')
		case 'ل':
			b.WriteByte('l')
		case 'م':
			b.WriteByte('m')
		case 'ن', 'ں':
			b.WriteByte('n')
		case 'و', 'ؤ':
			if i == 0 {
				b.WriteByte('w')
			} else {
				b.WriteByte('o')
			}
		case 'ی', 'ي', 'ئ', 'ى':
			if i == 0 {
				b.WriteByte('y')
			} else {
				b.WriteByte('i')
			}
		case 'ے', 'ۓ':
			b.WriteByte('e')
		case 'ء':
		default:
			return ""
		}
	}
	return b.String()
}
