package lang

import (
	_ "embed"
	"slices"

	"vaak/lang/internal/gram"
)

//go:generate go run ./generate

// gramsBin holds for each script with several languages how much each gram
// speaks for each of them. It is read where it lies, without decoding. It begins
// with the number of groups. A group has the ISO 15924 code of its script (4
// bytes), the number of its languages, their codes each behind its length, the
// number of bits of its buckets, and the places of its index and of its rows
// (little endian, 4 bytes). The index has for each bucket of hashes where its rows
// begin, and where the last ends. A row has 16 bits of the gram's hash, a length,
// and that many bytes, each with the number of languages passed over in the high
// half and the level of the next one in the low half; level 0 is no level. A
// level is 0.75 nats of logarithmic frequency above that of a gram unheard of.
//
//go:embed grams.bin
var gramsBin string

// maxLanguages bounds the languages of one script.
const maxLanguages = 40

// grams is the part of the table for one script.
type grams struct {
	codes []Code
	start [maxLanguages]int32 // what each language has before any word
	edges bool                // whether words have edges
	shift uint                // of a hash, to its bucket
	index string
	rows  string
}

// tables has the part of each script; those that one language writes have none.
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
			g.start[len(g.codes)] = favoured[code]
			g.codes = append(g.codes, code)
			at += 1 + n
		}
		g.shift = 32 - uint(b[at])
		g.index, g.rows = b[little(b, at+1):], b[little(b, at+5):]
		at += 9
		t[s] = g
	}
	return t
}

// little reads a number of four bytes.
func little(b string, at int) uint32 {
	_ = b[at+3]
	return uint32(b[at]) | uint32(b[at+1])<<8 | uint32(b[at+2])<<16 | uint32(b[at+3])<<24
}

// scriptNamed returns the number of a script by its ISO 15924 code.
func scriptNamed(iso string) script {
	for s := range scriptNames {
		if scriptNames[s].iso == iso {
			return script(s)
		}
	}
	return unknown
}

// add adds the levels of a gram to the scores of the languages.
func (g *grams) add(hash uint32, scores *[maxLanguages]int32) {
	bucket := int(hash >> g.shift)
	at, end := int(little(g.index, 4*bucket)), int(little(g.index, 4*bucket+4))
	rows := g.rows[at:end]
	low, high := byte(hash), byte(hash>>8)
	for len(rows) > 3 {
		n := int(rows[2])
		if rows[0] != low || rows[1] != high {
			rows = rows[3+n:]
			continue
		}
		i := 0
		for _, b := range []byte(rows[3 : 3+n]) {
			i += int(b >> 4)
			scores[i] += int32(b & 15)
			i++
		}
		return
	}
}

// maxLetters bounds the letters of a script that are scored. More do not
// change the decision, and work on long texts stays small.
const maxLetters = 600

// wordLimit is the most by which one word puts a language before the others,
// in levels: a name does not outweigh the words around it.
const wordLimit = 20

// score adds up what the words of a script in a text say for each language,
// and counts the words.
func (g *grams) score(text string, s script) (scores [maxLanguages]int32, words int) {
	var (
		w    gram.Word
		seen int
	)
	scores = g.start
	for _, r := range text {
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

// word adds what a word says to the scores, and empties it.
func (g *grams) word(w *gram.Word, scores *[maxLanguages]int32) {
	var (
		buf  [gram.MaxHashes]uint32
		here [maxLanguages]int32
	)
	for _, h := range buf[:w.Hashes(g.edges, &buf)] {
		g.add(h, &here)
	}
	w.Reset()
	floor := slices.Max(here[:]) - wordLimit
	for i, n := range here {
		scores[i] += max(n, floor)
	}
}

// nativeDigit says whether a rune is a digit of an Indian script or of Arabic,
// which tells nothing of the language.
func nativeDigit(r rune) bool {
	switch {
	case r < 0x0660 || r > 0x0DFF:
		return false
	case r < 0x0900:
		return r <= 0x0669 || 0x06F0 <= r && r <= 0x06F9
	}
	low := r & 0x7F
	return 0x66 <= low && low <= 0x6F
}
