package accent

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed segments.tsv
var segmentsTSV string

// segment is a sound, described by its articulation.
type segment struct {
	vowel bool

	// Of a consonant.
	place                                               place
	manner                                              manner
	voiced                                              bool
	sibilant, lateral, rhotic, dark                     bool
	aspirated, palatalized, labialized, ejective, velar bool

	// Of a vowel. Heights are from 0, close, to 6, open; back is from 0, front, to 4.
	height, back          float64
	rounded               bool
	nonsyllabic, offglide bool
	after                 float64 // if it is an offglide: the height of the vowel before it

	// Of both.
	nasal, long bool
	syllabic    bool
}

// midHeight is the height of e and o.
const midHeight = 2

type place uint8

// The places of articulation, from the lips inwards. Comparisons rely on the order.
const (
	bilabial place = iota
	labiodental
	labiovelar
	dental
	alveolar
	retroflex
	postalveolar
	alveolopalatal
	palatal
	velar
	uvular
	pharyngeal
	glottal
)

var places = map[string]place{
	"bilabial": bilabial, "labiodental": labiodental, "labiovelar": labiovelar, "dental": dental, "alveolar": alveolar,
	"retroflex": retroflex, "postalveolar": postalveolar, "alveolopalatal": alveolopalatal, "palatal": palatal,
	"velar": velar, "uvular": uvular, "pharyngeal": pharyngeal, "glottal": glottal,
}

type manner uint8

const (
	stop manner = iota
	affricate
	fricative
	approximant
	rhotic
	tap
	trill
	nasal
)

var manners = map[string]manner{
	"stop": stop, "affricate": affricate, "fricative": fricative, "approximant": approximant,
	"rhotic": rhotic, "tap": tap, "trill": trill, "nasal": nasal,
}

var symbols = sync.OnceValue(func() map[string]segment { return readSegments(segmentsTSV) })

// readSegments reads the table. It panics on a bad line, because the table is part of the program.
func readSegments(tsv string) map[string]segment {
	m := map[string]segment{}
	for c := range rows(tsv) {
		s, ok := consonant(c)
		if len(c) == 5 && c[1] == "v" {
			s, ok = vowel(c)
		}
		if !ok {
			panic(fmt.Sprintf("segments.tsv: %q", c))
		}
		m[c[0]] = s
	}
	return m
}

func consonant(c []string) (s segment, ok bool) {
	if len(c) < 5 || c[1] != "c" {
		return s, false
	}
	var known bool
	s.place, ok = places[c[2]]
	s.manner, known = manners[c[3]]
	s.voiced = c[4] == "voiced"
	ok = ok && known && (s.voiced || c[4] == "voiceless")
	for _, more := range c[5:] {
		switch more {
		case "sibilant":
			s.sibilant = true
		case "lateral":
			s.lateral = true
		case "rhotic":
			s.rhotic = true
		case "dark":
			s.dark = true
		case "rounded":
			s.rounded = true
		case "implosive":
			s.ejective = true // like an ejective, it uses no breath from the lungs
		default:
			ok = false
		}
	}
	s.nasal = s.manner == nasal
	s.rhotic = s.rhotic || s.manner == rhotic || s.manner == tap || s.manner == trill
	return s, ok
}

func vowel(c []string) (segment, bool) {
	height, err := strconv.ParseFloat(c[2], 64)
	back, err2 := strconv.ParseFloat(c[3], 64)
	return segment{vowel: true, height: height, back: back, rounded: c[4] == "yes"},
		err == nil && err2 == nil && (c[4] == "yes" || c[4] == "no")
}

// spellings replaces what the library writes by the symbols of the IPA.
var spellings = strings.NewReplacer(
	"g", "ɡ", "ε", "ɛ", "A", "ɑ", "E", "ɛ", "I", "ɪ", "O", "ɔ", "U", "ʊ", "S", "ʃ", "Z", "ʒ", "N", "ŋ", "R", "ʀ", "?", "ʔ",
	"ɚ", "əɹ", "ɝ", "ɜɹ", "ä", "a", "ph", "pʰ", "th", "tʰ", "kh", "kʰ", "tɕh", "tɕʰ", "ts.h", "ʈʂʰ", "ts.", "ʈʂ", "tsh", "tsʰ", ":", "ː",
	"r.", "ɽ", "s.", "ʂ", "i.", "ɨ", "a.", "ɒ", "u.", "ɯ", "\u0361", "", "ʰχ", "h", // visarga
	"ã", "a\u0303", "ẽ", "e\u0303", "ĩ", "i\u0303", "õ", "o\u0303", "ũ", "u\u0303", "ñ", "n\u0303",
	primary, "", secondary, "",
)

// prenasalized are the nasals that the library writes as marks of the following stop, where they
// stand alone as a phoneme.
var prenasalized = map[string]string{"ᵐ": "m", "ⁿ": "n", "ᵑ": "ŋ"}

// parse returns the sounds of a phoneme in IPA without stress. ok is false if the phoneme contains
// something that is not a known sound, such as a tone or a mark of the library's own.
func parse(ipa string) ([]segment, bool) {
	table := symbols()
	var all []segment
	rest := spellings.Replace(ipa)
	if n, alone := prenasalized[rest]; alone {
		rest = n
	}
	for rest != "" {
		n := 0
		for _, size := range []int{2, 1} { // two characters first: affricates
			if n = prefix(rest, size); n > 0 {
				if _, ok := table[rest[:n]]; ok {
					break
				}
				n = 0
			}
		}
		if n > 0 {
			all = append(all, table[rest[:n]])
			rest = rest[n:]
			continue
		}
		r, size := utf8.DecodeRuneInString(rest)
		if !modify(all, r) {
			return nil, false
		}
		rest = rest[size:]
	}
	return merge(all), len(all) > 0
}

// prefix returns the length in bytes of the first runes code points of s, or 0 if s has fewer.
func prefix(s string, runes int) (n int) {
	for range runes {
		_, size := utf8.DecodeRuneInString(s[n:])
		if size == 0 {
			return 0
		}
		n += size
	}
	return n
}

// modify applies a diacritic to the last sound. It returns false if it does not know it.
func modify(all []segment, r rune) bool {
	if len(all) == 0 {
		return r == 'ⁿ' || r == 'ᵑ' || r == 'ᵐ' // prenasalization of a stop is ignored
	}
	s := &all[len(all)-1]
	switch r {
	case 'ː', 'ˑ':
		s.long = true
	case 'ʰ', 'ʱ':
		s.aspirated = true
	case 'ʲ':
		s.palatalized = true
	case 'ʷ', 'ᵝ':
		s.labialized = true
	case 'ʼ':
		s.ejective = true
	case 'ˤ', 'ˠ':
		s.velar = true
	case '\u0303': // tilde
		s.nasal = true
	case '\u032f': // inverted breve below
		s.nonsyllabic = true
	case '\u0329': // vertical line below
		s.syllabic = true
	case '\u032a': // bridge below
		if s.place == alveolar {
			s.place = dental
		}
	case '\u031e', '\u031d', '\u033a', '\u033b', '\u0325', '\u030a', '`', '^', '-', '+', '[', '#', '"', '\'', '~': // distinctions too fine to matter here
	default:
		return false
	}
	return true
}

// merge joins two equal sounds into one long sound, and marks the second half of a diphthong.
func merge(all []segment) []segment {
	out := all[:0]
	for _, s := range all {
		if n := len(out); n > 0 {
			before := out[n-1]
			// Length does not tell two sounds apart here: aa after a is one long a.
			if before.long = s.long; before == s {
				out[n-1].long = true
				continue
			}
			// A diphthong closes: its second half is higher than its first, and at least as high
			// as e and o.
			if s.vowel && before.vowel && s.height <= 2 && before.height > s.height {
				s.offglide, s.after = true, before.height
			}
		}
		out = append(out, s)
	}
	return out
}
