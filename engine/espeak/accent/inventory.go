package accent

import (
	_ "embed"
	"fmt"
	"strconv"
	"sync"

	"vaak/lang"
)

// phonemes.tsv lists the phonemes that occur in running text of each language.
//
//go:embed phonemes.tsv
var phonemesTSV string

// Phoneme is a phoneme of a language.
type Phoneme struct {
	Mnemonic string  // the library's name of it, with bars between if there are several
	IPA      string  // its sound
	Share    float64 // of the phonemes in running text, in percent
	segments []segment
}

// inventory holds the phonemes of a language, and how it distinguishes its stops.
type inventory struct {
	phonemes       []Phoneme // the most frequent first
	dentalStops    bool      // it has retroflex stops, so what the library writes as t and d is dental
	aspirationOnly bool      // stops differ by aspiration only, so the plain ones sound voiced to others
}

// adapt changes segments, as the library writes them, into what they are in the language.
func (v inventory) adapt(all []segment) {
	if v.dentalStops {
		asDental(all)
	}
	if v.aspirationOnly {
		asVoiced(all)
	}
}

var inventories = sync.OnceValue(func() map[lang.Code]inventory { return readPhonemes(phonemesTSV) })

// Inventory returns the phonemes of a language, the most frequent first. The caller must not
// change the slice.
func Inventory(code lang.Code) []Phoneme { return inventories()[code].phonemes }

// readPhonemes reads the table. It panics on a bad line, because the table is part of the program.
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
		// A phoneme with an unknown sound is left out: nothing can be compared with it.
		if p.segments, ok = parse(respelled(lang.Code(c[0]), p.IPA)); ok {
			v := m[lang.Code(c[0])]
			v.phonemes = append(v.phonemes, p)
			m[lang.Code(c[0])] = v
		}
	}
	// Which stops a language distinguishes shows only when all its phonemes are there, so the
	// sounds are adapted in a second pass.
	for code, v := range m {
		v.dentalStops, v.aspirationOnly = hasRetroflexStops(v.phonemes), stopsByAspiration(v.phonemes)
		for _, p := range v.phonemes {
			v.adapt(p.segments)
		}
		m[code] = v
	}
	return m
}

// hasRetroflexStops reports whether a language distinguishes dental and retroflex stops.
func hasRetroflexStops(all []Phoneme) bool {
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

// stopsByAspiration reports whether a language distinguishes stops by aspiration only, as Chinese
// does.
func stopsByAspiration(all []Phoneme) bool {
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

// asVoiced makes plain stops and affricates voiced.
func asVoiced(all []segment) {
	for i := range all {
		if s := &all[i]; !s.vowel && (s.manner == stop || s.manner == affricate) && !s.aspirated {
			s.voiced = true
		}
	}
}

// VowelShare returns the share of vowels among the phonemes in running text, 0 to 1, or 0 for an
// unknown language. It is low where the orthography leaves vowels out, because the library reads
// what is written.
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
