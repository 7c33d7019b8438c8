package lang

import (
	"math"

	_ "embed"
	"slices"
	"unicode"
	"unicode/utf8"

	"vaak/lang/internal/gram"
)

//go:generate go run ./generate

// gramsBin tells, for each script that several languages write, how much each gram and each
// common word indicates each language. It is used in place, without decoding.
//
// It begins with the number of groups. A group has the ISO 15924 code of its script (4 bytes);
// the number of its languages; their codes, each after its length; then a head for its grams
// and one for its words: the number of bits in a bucket number, and the offsets of the index
// and the rows (4 bytes each, little endian). The index has the offset of the rows of each
// bucket of hashes, and the end of the last. A row has 16 bits of the hash, a length, and that
// many bytes; the highest bit of the length marks a scarce word. Each of the bytes has in its high half the number of languages to skip, and in its low
// half the level of the next language; level 0 means none. A level is 0.75 nats of log frequency
// above that of an unseen gram or word. Words without levels are names.
//
//go:embed grams.bin
var gramsBin string

// maxLanguages is the largest number of languages in one script.
const maxLanguages = 40

// grams is the part of the table for one script.
type grams struct {
	codes   []Code
	start   [maxLanguages]int32 // the score with which each language begins
	short   [maxLanguages]int32 // added to start if the text is one word
	alone   [maxLanguages]int32 // the same, for smaller languages only
	missing [maxLanguages]int32 // level of a known word that the language does not have
	edges   bool                // words have edges; false for Han
	uneven  bool                // most languages have no wide list
	limit   int32               // how far an unlisted word can put a language ahead
	grams   index
	words   index
}

// index finds the rows of hashes.
type index struct {
	shift uint // shifts a hash to its bucket number
	heads string
	rows  string
}

// tables has the part of each script, or nil for scripts that only one language writes.
var tables = readGrams(gramsBin)

func readGrams(b string) (t [numScripts]*grams) {
	at := 1
	for range b[0] {
		s := scriptNamed(b[at : at+4])
		g := &grams{edges: s != han, limit: wordLimit}
		if s == han {
			g.limit = hanLimit
		}
		count := int(b[at+4])
		at += 5
		for range count {
			n := int(b[at])
			g.missing[len(g.codes)] = wordLevels[b[at+1+n]]
			g.codes = append(g.codes, Code(b[at+1:at+1+n]))
			at += 2 + n
		}
		complete := 0
		for _, m := range g.missing[:count] {
			if m == 0 {
				complete++
			}
		}
		g.uneven = 2*complete < count
		g.startAt(s)
		for _, x := range []*index{&g.grams, &g.words} {
			x.shift = 32 - uint(b[at])
			x.heads, x.rows = b[littleEndian(b, at+1):], b[littleEndian(b, at+5):]
			at += 9
		}
		t[s] = g
	}
	return t
}

// startAt sets the scores with which the languages of a script begin.
func (g *grams) startAt(s script) {
	iso, most := scriptNames[s].iso, 0.0
	for _, c := range g.codes {
		most = max(most, writersOf(c, iso))
	}
	for i, c := range g.codes {
		// Levels by which the language is less likely than the one that most people write.
		behind := math.Log(writersOf(c, iso)/most) / levelNats
		g.start[i] = int32(math.Round(priorShare*behind)) + bonuses[c]
		g.short[i] = int32((1 - priorShare) * behind)
		g.alone[i] = int32(math.Round(aloneShare*min(0, math.Log(writersOf(c, iso)/manyWriters)/levelNats))) + seldom[c]
	}
}

const (
	// levelNats are the nats of one level; see gramsBin.
	levelNats = 0.75
	// priorShare is how much of the logarithm of writers counts in a text of several words.
	// These are often of a kind, such as a letter or news, of which smaller languages have their
	// share. All of it counts for a word alone.
	priorShare = 0.4
	// manyWriters is the number of writers in millions below which a language is less likely for a
	// word alone, by this share of the logarithm: its words are counted from few texts, and
	// whoever writes it seldom sends one word.
	manyWriters = 30
	aloneShare  = 1.3
)

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

// find returns the levels of a hash, and whether it is that of a scarce word.
func (x *index) find(hash uint32) (levels string, rare, ok bool) {
	bucket := int(hash >> x.shift)
	at, end := int(littleEndian(x.heads, 4*bucket)), int(littleEndian(x.heads, 4*bucket+4))
	rows := x.rows[at:end]
	// The bucket number is known from the index, so 16 more bits identify the hash.
	low, high := byte(hash), byte(hash>>8)
	for len(rows) > 2 { // a row has a head of three bytes
		n := int(rows[2] & 0x7F)
		if rows[0] == low && rows[1] == high {
			return rows[3 : 3+n], rows[2] > 0x7F, true
		}
		rows = rows[3+n:]
	}
	return "", false, false
}

// add adds levels to the scores.
func add(levels string, scores *[maxLanguages]int32) {
	i := 0
	for _, b := range []byte(levels) {
		i += int(b >> 4) // languages to skip
		// Level 0 stands for a skip of more languages than four bits can say, and adds
		// nothing.
		scores[i] += int32(b & 15)
		i++
	}
}

// wordLevels are the levels of words, which the table has in nats.
var wordLevels = [16]int32{0, 1, 3, 4, 5, 7, 8, 9, 11, 12, 13, 15, 16, 17, 19, 20}

// put sets the scores of the languages that have a word.
func put(levels string, scores *[maxLanguages]int32) {
	i := 0
	for _, b := range []byte(levels) {
		i += int(b >> 4)
		scores[i] = max(scores[i], wordLevels[b&15])
		i++
	}
}

// maxLetters limits the letters that are scored. More letters do not change the decision, and
// the work on long texts stays small.
const maxLetters = 600

const (
	// gramShare divides the levels of grams, since those of a word occur together. Characters
	// of Han do so less.
	gramShare = 2
	// wordLimit is how far a word that the table does not know can put a language ahead of
	// others, in levels: a name must not outweigh the words around it.
	wordLimit = 12
	// nameLimit is the same for one with a capital letter, which may be a name.
	nameLimit = 6
	// hanLimit is the same for a stretch of Han, which has no words.
	hanLimit = 20
)

// evidence is what the words of a text indicate.
type evidence struct {
	scores [maxLanguages]int32 // by language
	named  [maxLanguages]int32 // the part of words that may be names
	words  int                 // in all
	known  int                 // names that the table has
	said   int                 // words that are no names
	listed int                 // of these, the ones that the table has
	lower  bool                // a word begins with a small letter, or the script has none
}

// score adds up what the words of a script in a text indicate for each language.
func (g *grams) score(text string, s script, e *evidence) {
	var (
		w       gram.Word
		seen    int
		strange uint64 // the languages that are not written with a letter of the word
		capital bool   // the word begins with a capital letter
		opening first
	)
	flush := func() {
		seen += w.Len()
		e.words++
		e.lower = e.lower || !capital
		var here [maxLanguages]int32
		known := g.word(&w, &here)
		if (known == scarce || known == listed) && e.words == 1 {
			opening.alone, opening.known = g.lone(&w, here), true
		}
		if known == scarce && (capital || g.uneven) { // it may be a name, or a word of another language as well
			here, known = [maxLanguages]int32{}, unlisted
			g.looks(&w, &here)
		}
		w.Reset()
		if e.words == 1 {
			opening.strange = strange
		}
		switch {
		case known == name:
			e.known++
		case known != unlisted:
			e.said++
			e.listed++
			for i, n := range here {
				e.scores[i] += n
			}
		case !capital:
			e.said++
			lose(strange, &here)
			limit(&here, g.limit, &e.scores)
		case e.words == 1:
			opening.looks, opening.open = here, true
		default:
			limit(&here, nameLimit, &e.named)
		}
		strange = 0
	}
	for _, r := range text {
		// A mark that takes the script of its letter continues a word, but begins none. Every
		// other character ends the word, letters of other scripts as well.
		switch here := group(scriptOf(r)); {
		case (here == s || here == inherited && w.Len() > 0) && !nativeDigit(r):
			if w.Len() == 0 {
				capital = isCapital(r)
			}
			w.Add(r)
			if utf8.RuneSelf <= r && r <= lastLetter {
				strange |= foreign[r]
			}
		case w.Len() > 0:
			flush()
		}
		if seen >= maxLetters {
			break
		}
	}
	if w.Len() > 0 {
		flush()
	}
	switch {
	case e.words == 1 && opening.known:
		e.said, e.listed, e.scores = 1, 1, opening.alone
	case e.words == 1: // no other word makes up for a letter that a language does not have
		if opening.open {
			limit(&opening.looks, g.limit, &e.named)
		}
		lose(opening.strange, &e.scores)
		lose(opening.strange, &e.scores)
	case !opening.open:
	case e.lower: // an ordinary sentence begins with it
		limit(&opening.looks, g.limit, &e.scores)
	default:
		limit(&opening.looks, nameLimit, &e.named)
	}
}

// first is the first word of a text: what it indicates depends on what follows.
type first struct {
	open    bool                // it is not in the table, or may be a name, and has a capital letter
	looks   [maxLanguages]int32 // by its grams
	strange uint64              // the languages that are not written with a letter of it
	known   bool                // it is in the table
	alone   [maxLanguages]int32 // what it indicates then, if it is the whole text
}

func isCapital(r rune) bool {
	if r < 0x80 {
		return r <= 'Z'
	}
	return unicode.IsUpper(r)
}

// kind tells what the table knows of a word.
type kind uint8

const (
	unlisted kind = iota
	listed        // a word of some languages
	scarce        // the same, but a rare one, which may be a name as well
	name          // a name, which is no evidence
)

// word sets the levels of a word, and returns whether the table knows it.
func (g *grams) word(w *gram.Word, here *[maxLanguages]int32) kind {
	if g.edges {
		if levels, rare, ok := g.words.find(w.Whole()); ok {
			if levels == "" {
				return name
			}
			*here = g.missing
			put(levels, here)
			if rare {
				return scarce
			}
			return listed
		}
	}
	g.looks(w, here)
	return unlisted
}

// lone returns the levels of a word of the table that is the whole text. A language that is not known to
// have it is less likely than one that has it, even if little of its text was counted; how much
// less, the looks of the word tell.
func (g *grams) lone(w *gram.Word, here [maxLanguages]int32) [maxLanguages]int32 {
	var looks [maxLanguages]int32
	g.looks(w, &looks)
	best := 0
	for i, n := range here {
		if n-g.missing[i] > here[best]-g.missing[best] {
			best = i
		}
	}
	for i := range g.codes {
		if g.missing[i] > 0 && here[i] == g.missing[i] {
			here[i] = min(here[i], here[best]-lacking+min(lacking, max(-lacking, looks[i]-looks[best])))
		}
	}
	return here
}

// lacking is how much less likely, in levels, a word is in a language that is not known to
// have it.
const lacking = 4

// looks adds the levels of the grams of a word.
func (g *grams) looks(w *gram.Word, here *[maxLanguages]int32) {
	var buf [gram.MaxHashes]uint32
	for _, h := range buf[:w.Hashes(g.edges, &buf)] {
		if levels, _, ok := g.grams.find(h); ok {
			add(levels, here)
		}
	}
	if g.edges {
		for i := range here {
			here[i] /= gramShare
		}
	}
}

// limit adds the levels of a word to scores, after raising all to within most of the best, so
// that no word decides alone.
func limit(here *[maxLanguages]int32, most int32, scores *[maxLanguages]int32) {
	floor := slices.Max(here[:]) - most
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
