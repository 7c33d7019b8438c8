package lang

import (
	_ "embed"
	"slices"

	"vaak/lang/internal/gram"
)

//go:generate go run ./generate

// gramsBin tells, for each script that several languages write, how much each gram indicates
// each language. It is used in place, without decoding.
//
// It begins with the number of groups. A group has the ISO 15924 code of its script (4 bytes);
// the number of its languages; their codes, each after its length; the number of bits in a
// bucket number; and the offsets of its index and its rows (4 bytes each, little endian). The
// index has the offset of the rows of each bucket of hashes, and the end of the last. A row has
// 16 bits of the gram's hash, a length, and that many bytes. Each of these has in its high half
// the number of languages to skip, and in its low half the level of the next language; level 0
// means none. A level is 0.75 nats of log frequency above that of an unseen gram.
//
//go:embed grams.bin
var gramsBin string

// maxLanguages is the largest number of languages in one script.
const maxLanguages = 40

// grams is the part of the table for one script.
type grams struct {
	codes []Code
	start [maxLanguages]int32 // the score with which each language begins
	edges bool                // words have edges; false for Han
	shift uint                // shifts a hash to its bucket number
	index string
	rows  string
}

// tables has the part of each script, or nil for scripts that only one language writes.
var tables = readGrams(gramsBin)

func readGrams(b string) (t [numScripts]*grams) {
	at := 1
	for range b[0] {
		s := scriptNamed(b[at : at+4])
		g := &grams{edges: s != han}
		count := int(b[at+4])
		at += 5
		for range count {
			n := int(b[at])
			code := Code(b[at+1 : at+1+n])
			g.start[len(g.codes)] = bonuses[code]
			g.codes = append(g.codes, code)
			at += 1 + n
		}
		g.shift = 32 - uint(b[at])
		g.index, g.rows = b[littleEndian(b, at+1):], b[littleEndian(b, at+5):]
		at += 9
		t[s] = g
	}
	return t
}

// littleEndian reads a 4-byte number.
func littleEndian(b string, at int) uint32 {
	_ = b[at+3]
	return uint32(b[at]) | uint32(b[at+1])<<8 | uint32(b[at+2])<<16 | uint32(b[at+3])<<24
}

// scriptNamed returns the script with an ISO 15924 code.
func scriptNamed(iso string) script {
	for s := range scriptNames {
		if scriptNames[s].iso == iso {
			return script(s)
		}
	}
	return unknown
}

// add adds the levels of the gram with a hash to the scores.
func (g *grams) add(hash uint32, scores *[maxLanguages]int32) {
	bucket := int(hash >> g.shift)
	at, end := int(littleEndian(g.index, 4*bucket)), int(littleEndian(g.index, 4*bucket+4))
	rows := g.rows[at:end]
	// The bucket number is known from the index, so 16 more bits identify the gram.
	low, high := byte(hash), byte(hash>>8)
	for len(rows) > 3 { // a row has a head of three bytes and at least one level
		n := int(rows[2])
		if rows[0] != low || rows[1] != high {
			rows = rows[3+n:]
			continue
		}
		i := 0
		for _, b := range []byte(rows[3 : 3+n]) {
			i += int(b >> 4) // languages to skip
			// Level 0 stands for a skip of more languages than four bits can say, and adds
			// nothing.
			scores[i] += int32(b & 15)
			i++
		}
		return
	}
}

// maxLetters limits the letters that are scored. More letters do not change the decision, and
// the work on long texts stays small.
const maxLetters = 600

// wordLimit is how far one word can put a language ahead of others, in levels: a name must not
// outweigh the words around it.
const wordLimit = 20

// score adds up what the words of a script in a text indicate for each language, and counts the
// words.
func (g *grams) score(text string, s script) (scores [maxLanguages]int32, words int) {
	var (
		w    gram.Word
		seen int
	)
	scores = g.start
	for _, r := range text {
		// A mark that takes the script of its letter continues a word, but begins none. Every
		// other character ends the word, letters of other scripts as well.
		switch here := group(scriptOf(r)); {
		case (here == s || here == inherited && w.Len() > 0) && !nativeDigit(r):
			w.Add(r)
		case w.Len() > 0:
			seen += w.Len()
			words++
			g.word(&w, &scores)
			if seen >= maxLetters {
				return scores, words
			}
		}
	}
	if w.Len() > 0 {
		words++
		g.word(&w, &scores)
	}
	return scores, words
}

// word adds the scores of a word and resets it.
func (g *grams) word(w *gram.Word, scores *[maxLanguages]int32) {
	var (
		buf  [gram.MaxHashes]uint32
		here [maxLanguages]int32
	)
	for _, h := range buf[:w.Hashes(g.edges, &buf)] {
		g.add(h, &here)
	}
	w.Reset()
	// Raise all scores to within wordLimit of the best, so that no word decides alone.
	floor := slices.Max(here[:]) - wordLimit
	for i, n := range here {
		scores[i] += max(n, floor)
	}
}

// nativeDigit reports whether a rune is a digit of an Indian script or of Arabic. Digits
// indicate no language.
func nativeDigit(r rune) bool {
	switch {
	case r < 0x0660 || r > 0x0DFF:
		return false
	case r < 0x0900:
		return r <= 0x0669 || 0x06F0 <= r && r <= 0x06F9
	}
	// From 0900 on, each Indian script has a block of 128 code points with its digits at 66
	// to 6F, as in the layout of ISCII.
	low := r & 0x7F
	return 0x66 <= low && low <= 0x6F
}
