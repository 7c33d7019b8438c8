package accent

import (
	_ "embed"
	"fmt"
	"strconv"
	"sync"

	"vaak/lang"
)

// phonemes.tsv has the phonemes that occur in running text of each language.
//
//go:embed phonemes.tsv
var phonemesTSV string

// Phoneme is one that a language has of its own.
type Phoneme struct {
	Mnemonic string  // the library's, with bars where it is several
	IPA      string  // how it sounds
	Share    float64 // of the phonemes of running text, in percent
	segments []segment
}

// inventory is the phonemes of a language, and what tells its stops apart.
type inventory struct {
	phonemes []Phoneme // the most frequent first
	dental   bool      // dental from retroflex ones: what it writes t and d are dental then
	breath   bool      // breath alone: its plain ones are heard as voiced ones
}

// adapt makes segments as the library writes them what they are in the language.
func (v inventory) adapt(all []segment) {
	if v.dental {
		asDental(all)
	}
	if v.breath {
		asVoiced(all)
	}
}

var inventories = sync.OnceValue(func() map[lang.Code]inventory { return readPhonemes(phonemesTSV) })

// Inventory returns the phonemes that a language has of its own, the most frequent
// first, in a slice that is not to be changed.
func Inventory(code lang.Code) []Phoneme { return inventories()[code].phonemes }

// readPhonemes reads the table; a fault in it is a fault of the program.
func readPhonemes(tsv string) map[lang.Code]inventory {
	m := map[lang.Code]inventory{}
	for c := range rows(tsv) {
		if len(c) != 4 {
			panic(fmt.Sprintf("phonemes.tsv: %q", c))
		}
		share, err := strconv.ParseFloat(c[3], 64)
		if err != nil {
			panic(fmt.Sprintf("phonemes.tsv: %q: %v", c, err))
		}
		p := Phoneme{Mnemonic: c[1], IPA: c[2], Share: share}
		var ok bool
		if p.segments, ok = parse(respelled(lang.Code(c[0]), p.IPA)); ok {
			v := m[lang.Code(c[0])]
			v.phonemes = append(v.phonemes, p)
			m[lang.Code(c[0])] = v
		}
	}
	for code, v := range m {
		v.dental, v.breath = dentals(v.phonemes), breath(v.phonemes)
		for _, p := range v.phonemes {
			v.adapt(p.segments)
		}
		m[code] = v
	}
	return m
}

// dentals says whether a language tells dental and retroflex stops apart: what it
// writes t and d are its dental ones then.
func dentals(all []Phoneme) bool {
	for _, p := range all {
		for _, s := range p.segments {
			if s.place == retroflex && s.manner == stop && !s.vowel {
				return true
			}
		}
	}
	return false
}

func asDental(all []segment) {
	for i := range all {
		if s := &all[i]; !s.vowel && s.place == alveolar && s.manner == stop {
			s.place = dental
		}
	}
}

// breath says whether a language tells stops apart by breath alone, as Chinese does:
// its plain ones are heard as the voiced ones of other languages.
func breath(all []Phoneme) bool {
	aspirated := false
	for _, p := range all {
		for _, s := range p.segments {
			if !s.vowel && s.manner == stop {
				if s.voiced && !s.ejective {
					return false
				}
				aspirated = aspirated || s.aspirated
			}
		}
	}
	return aspirated
}

// asVoiced makes the plain stops and affricates voiced ones.
func asVoiced(all []segment) {
	for i := range all {
		if s := &all[i]; !s.vowel && (s.manner == stop || s.manner == affricate) && !s.aspirated {
			s.voiced = true
		}
	}
}

// VowelShare returns how many of the phonemes of running text in a language are
// vowels, from 0 to 1: 0 for a code without phonemes. It is low where the
// orthography leaves vowels out, since the library reads what is written.
func VowelShare(code lang.Code) float64 {
	vowels, all := 0.0, 0.0
	for _, p := range Inventory(code) {
		all += p.Share
		for _, s := range p.segments {
			if s.vowel {
				vowels += p.Share
				break
			}
		}
	}
	if all == 0 {
		return 0
	}
	return vowels / all
}
