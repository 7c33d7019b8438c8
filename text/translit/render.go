package translit

import (
	"strings"
	"sync"
)

// glyph is a letter by its place in its script's block: the blocks of the
// Indian scripts are alike, so one place is one sound in all of them.
type glyph struct {
	place uint8
	kind  kind
	nukta bool // has a dot below
	open  bool // a consonant with a silent vowel after it, not joined to the next
}

type kind uint8

const (
	vowel kind = iota
	consonant
	sign
)

// Places in a block.
const (
	vA, vAA, vI, vII, vU, vUU = 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A
	vE, vEE, vAI, vO, vOO     = 0x0E, 0x0F, 0x10, 0x12, 0x13
	vAU                       = 0x14

	cK, cKH, cG, cGH, cNG     = 0x15, 0x16, 0x17, 0x18, 0x19
	cC, cCH, cJ, cJH, cNY     = 0x1A, 0x1B, 0x1C, 0x1D, 0x1E
	cTT, cDD, cDDH, cNN       = 0x1F, 0x21, 0x22, 0x23
	cT, cTH, cD, cDH, cN, cN2 = 0x24, 0x25, 0x26, 0x27, 0x28, 0x29
	cP, cPH, cB, cBH, cM      = 0x2A, 0x2B, 0x2C, 0x2D, 0x2E
	cY, cR, cRR, cL, cLL, cZH = 0x2F, 0x30, 0x31, 0x32, 0x33, 0x34
	cV, cSH, cSS, cS, cH      = 0x35, 0x36, 0x37, 0x38, 0x39

	anusvara  = 0x02
	nuktaSign = 0x3C
	toSign    = 0x38 // from a vowel to its sign after a consonant
	virama    = 0x4D
	tippi     = 0x70 // nasal after short vowels in Gurmukhi
	addak     = 0x71 // doubles the next consonant in Gurmukhi
)

// bases are where the blocks start, in the order of codes.
var bases = [numCodes]rune{0x900, 0x980, 0xB80, 0xC00, 0x900, 0xA80, 0xC80, 0xD00, 0xA00, 0xB00, 0x980, 0x600}

// plainConsonants are the places of the sounds that all languages share.
var plainConsonants = sync.OnceValue(func() map[string]uint8 {
	return map[string]uint8{
		"k": cK, "kh": cKH, "g": cG, "gh": cGH, "ch": cC, "chh": cCH, "j": cJ, "jh": cJH,
		"t": cT, "th": cTH, "d": cD, "dh": cDH, "n": cN, "p": cP, "ph": cPH, "b": cB, "bh": cBH,
		"m": cM, "y": cY, "r": cR, "l": cL, "v": cV, "sh": cSH, "s": cS, "h": cH,
		"z": cJ, "zh": cJH, "f": cPH,
	}
})

// render writes glyphs in the script of a language.
func render(i int, glyphs []glyph, size int) string {
	var out strings.Builder
	out.Grow(size)
	base := bases[i]
	for k, g := range glyphs {
		next, more := glyph{}, k+1 < len(glyphs)
		if more {
			next = glyphs[k+1]
		}
		switch g.kind {
		case vowel:
			switch {
			// A vowel is a letter of its own at the start and after a vowel. After a
			// consonant it is a sign, and the short a is nothing at all: every consonant
			// has it.
			case k == 0 || glyphs[k-1].kind != consonant:
				out.WriteRune(base + rune(g.place))
			case g.place != vA:
				out.WriteRune(base + rune(g.place) + toSign)
			}
		case sign:
			out.WriteRune(base + rune(signPlace(i, glyphs[:k])))
		case consonant:
			if i == punjabi && more && next.kind == consonant && doubled(g, next) {
				out.WriteRune(base + addak)
				continue
			}
			out.WriteRune(base + rune(g.place))
			if g.nukta {
				out.WriteRune(base + nuktaSign)
			}
			if joins(i, g, next, more) {
				out.WriteRune(base + virama)
			}
		}
	}
	switch i {
	case malayalam:
		return chillus(out.String())
	case assamese:
		return assameseLetters().Replace(out.String())
	}
	return out.String()
}

// doubled reports whether two consonants are one long one.
func doubled(a, b glyph) bool {
	if a.place == b.place {
		return true
	}
	// The block has the stops in rows of five, so the aspirate follows its plain letter.
	// Columns 0 and 2 are plain.
	row := (a.place - cK) % 5 // k kh g gh ng
	return b.place == a.place+1 && (row == 0 || row == 2) && a.place < cN
}

// joins reports whether a consonant has no vowel after it and shows it.
func joins(i int, g, next glyph, more bool) bool {
	southernScript := i == tamilLanguage || i == telugu || i == kannada || i == malayalam
	switch {
	case g.open:
		return false
	// In the north the vowel after the last consonant is silent and not marked. The south
	// writes the virama.
	case !more:
		return southernScript
	case next.kind == sign:
		return false
	case next.kind == vowel:
		return false
	case i == punjabi:
		return next.place == cR || next.place == cH || next.place == cV
	}
	return true
}

// signPlace returns the place of a nasal after some glyphs.
func signPlace(i int, before []glyph) uint8 {
	if i != punjabi || len(before) == 0 {
		return anusvara
	}
	switch last := before[len(before)-1]; {
	case last.kind == consonant, last.place == vA, last.place == vI:
		return tippi
	case (last.place == vU || last.place == vUU) && len(before) > 1 && before[len(before)-2].kind == consonant:
		return tippi
	}
	return anusvara
}

// assameseLetters replaces the letters of Bengali that Assamese writes in another way, and
// the place of a letter that Bengali does not have.
var assameseLetters = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("র", "ৰ", string(rune(0x980+cV)), "ৱ")
})

// chillus replaces Malayalam consonants that end a syllable by the letters that
// are written for them.
func chillus(s string) string {
	return chilluReplacer().Replace(s)
}

var chilluReplacer = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(
		"ന്ന", "ന്ന", "ന്ത", "ന്ത", "ന്ദ", "ന്ദ", "ന്മ", "ന്മ", "ന്റ", "ന്റ", "ന്യ", "ന്യ", "ന്ധ", "ന്ധ", "ന്", "ൻ",
		"ല്ല", "ല്ല", "ല്യ", "ല്യ", "ല്", "ൽ", "ള്ള", "ള്ള", "ള്", "ൾ",
		"ണ്ട", "ണ്ട", "ണ്ണ", "ണ്ണ", "ണ്", "ൺ", "ര്യ", "ര്യ", "ര്", "ർ",
	)
})
