package translit

import "strings"

// evidence is what one word shows about the language of its sentence.
type evidence struct {
	rank  rank
	shape shape
	short bool              // of one or two letters
	again bool              // the word before is the same
	sure  int8              // a language plus one, 0 for none
	known [numCodes]float32 // weight of the word in each lexicon, 0 where it is not
	looks [numCodes]float32 // how Indian its letters are, from -2.5 to 2.5
	any   uint64            // a bit for each lexicon that has it
	// listed has a bit for each language that has it among its frequent words, and in no
	// lexicon.
	listed uint16
	// elsewhere is how much its letters are like those of languages from elsewhere.
	elsewhere [elsewhere]float32
	other     float32 // the greatest of elsewhere, or 0
	grammar   bool    // an English word of grammar
	holds     uint64  // a bit for each language of which it is a word of grammar
	strong    bool    // one of the short words that Hindi has between all others
	number    bool    // it has no letters
	urdu      int     // how much it is a word or spelling of Urdu rather than Hindi
}

// Weights of a word by its number of letters: short ones are found in too many
// languages. Set by the development set, as are all numbers of this file.
var lengthWeight = [...]float32{0, 0.5, 2, 3, 4}

const (
	looseShare = 0.7 // of a word whose loose spelling is known
	titleShare = 0.5 // for a word with a capital inside a sentence, which may be a name
	maxLooks   = 2.5
	looksShare = 0.5 // of the nats by which one model likes a word better
)

// weigh fills in what lists and lexicons say of the word. First says that it opens the
// sentence, where a capital says nothing.
func (e *evidence) weigh(word string, first bool) {
	var buf [maxPlain]byte
	letters, s := plain(buf[:0], word)
	e.shape = s
	if s == strange || isAccented(word) {
		e.shape, e.number = strange, len(letters) == 0
		return
	}
	w := string(letters)
	e.short = len(w) < 3
	// A name without a capital is no name: "manas" and "asha" are words of Indian
	// languages.
	if e.rank = rankOf(w); e.rank == name && s == lower {
		e.rank = unknown
	}
	if w == "mere" {
		e.rank = common // as a word of English it is rarer than the list says
	}
	n := notes()[w]
	if e.rank == unknown && n.loan {
		e.rank = name
	}
	e.grammar = e.rank > name && n.english
	e.sure = n.sure
	words := known()
	exact := words.in(asTyped, letters)
	var loose [numSpellings]uint64
	// Languages share three spellings, so each is looked up once and not once a language.
	for k := range loose {
		var buf [maxLoose]byte
		// A long word whose loose spelling is short has one letter many times, and is no word.
		if key := appendLoose(buf[:0], spelling(k), w); 2*len(key) >= min(len(w), maxLoose) {
			loose[k] = words.in(spelling(k), key)
		}
	}
	for i := range numSpoken {
		bit := uint64(1) << i
		if i == hindi {
			bit |= 1 << urdu
		}
		switch {
		case exact&bit != 0:
			e.known[i] = typedWeight(len(letters))
		// The loose spelling of an English word is no evidence: "call" is not "kal".
		case loose[groups[i]]&bit != 0 && e.rank <= name:
			e.known[i] = looseWeight(len(letters))
		default:
			continue
		}
		e.any |= 1 << i
		if s == title && !first {
			e.known[i] *= titleShare
		}
	}
	e.urdu = int(n.urdu)
	if s == lower || s == title && first || s == upper {
		e.holds = uint64(n.holds)
		e.any |= e.holds
		e.strong = n.strong && s == lower
	}
}

// isAccented reports whether a word has an accent that no scheme for Indian languages has:
// those write a macron for a long vowel, and dots, a tilde or an acute for consonants.
func isAccented(word string) bool {
	for _, r := range word {
		if r >= 0xC0 && !strings.ContainsRune("āīūēōĀĪŪĒŌṛṝḷṅñṭḍṇśṣḥṃṁḻṟṉẏŚṢṬḌṆÑ’", r) {
			return true
		}
	}
	return false
}

// list fills in whether a word that no lexicon has is a frequent word of a language.
func (e *evidence) list(word string) {
	if e.shape != lower || e.rank != unknown || e.any != 0 {
		return
	}
	var buf [maxPlain]byte
	letters, _ := plain(buf[:0], word)
	if len(letters) < maxLoose {
		e.listed = listedIn(string(letters))
	}
}

// look fills in what the letters of the word say.
func (e *evidence) look(word string) {
	// The letters of a word that is only English are never asked for.
	if e.rank > name && e.any == 0 {
		return
	}
	var buf [maxPlain]byte
	letters, s := plain(buf[:0], word)
	if s == strange {
		return
	}
	costs := modelsOf().Costs(letters)
	for i := range numSpoken {
		// The cost is minus the log probability, so the difference is positive where the
		// model of the language likes the word better than that of English.
		nats := float32(costs[englishLane]-costs[i]) / step
		e.looks[i] = max(-maxLooks, min(maxLooks, nats*looksShare))
	}
	for k := range e.elsewhere {
		nats := float32(costs[englishLane]-costs[englishLane+1+k]) / step
		e.elsewhere[k] = max(-maxLooks, min(maxLooks, nats*looksShare))
		e.other = max(e.other, e.elsewhere[k])
	}
}

// elsewhere is the number of languages that are neither Indian nor English and have a model.
const elsewhere = 19

// typedWeight returns the weight of a word of so many letters that a lexicon has
// as it was typed.
func typedWeight(letters int) float32 {
	return lengthWeight[min(letters, len(lengthWeight)-1)]
}

// looseWeight returns the weight of one whose loose spelling a lexicon has.
func looseWeight(letters int) float32 {
	w := typedWeight(letters) * looseShare
	if letters < 4 {
		w *= looseShare
	}
	return w
}

// ambiguous reports whether the word is both English and in a language's lexicon.
func (e *evidence) ambiguous(i int) bool { return e.rank != unknown && e.known[i] > 0 }

// clear returns the weight of the word in a lexicon if it is not English too.
func (e *evidence) clear(i int) float32 {
	if e.shape == strange || e.rank != unknown && e.sure != int8(i)+1 {
		return 0
	}
	return e.known[i]
}

// speaks returns how strongly the word is evidence that its sentence is of a language. That
// is its clear weight, more for a sure word, and a little for a word that is in no lexicon
// but has letters like the language.
func (e *evidence) speaks(i int) float32 {
	switch w := e.clear(i); {
	case e.again:
		return 0 // "ha ha ha"
	case e.sure == int8(i)+1:
		return max(w, sureWeight)
	case w == 0 && e.listed&(1<<i) != 0:
		return listedWeight
	case w == 0 && e.rank == unknown && e.shape == lower && e.looks[i] > 1:
		return looksWeight * e.looks[i]
	default:
		return w
	}
}

// isOf reports whether a word is of a language: a lexicon or the list of frequent words has
// it, or its letters are clearly like those of the language and not of others.
func (e *evidence) isOf(i int) bool {
	return e.known[i] > 0 || e.listed&(1<<uint(i)) != 0 || e.looks[i] > likelyLooks && e.looks[i] > e.other
}

// likelyLooks is how much the letters of a word must be like a language to be of it.
const likelyLooks = 1

// solid reports whether the word alone is evidence for a language: it is long enough, not
// repeated, and in the lexicon of the language only.
func (e *evidence) solid(i int) bool { return !e.short && !e.again && e.clear(i) > 0 }

// english reports whether the word is English and nothing else.
func (e *evidence) english(i int) bool {
	return e.shape == strange || e.rank > name && e.known[i] == 0
}

const (
	sureWeight   = 6   // of a word of the list in sure.go
	listedWeight = 1.5 // of a frequent word that no lexicon has
	looksWeight  = 0.5 // of the looks of a word that is in no lexicon
)

// score returns how much better the word is as one of a language than as
// English. Share is how Indian its sentence is, from 0 to 1, and near the same of the words
// around it; asked says that the request names the language as romanised.
func (e *evidence) score(i int, share, near float32, asked bool) float32 {
	var s float32
	switch {
	case e.shape == strange:
		return -6
	case e.clear(i) > 0:
		if s = e.clear(i); share > half {
			s++ // a short word between English ones, as in "laptop ka screen"
		}
	case e.ambiguous(i):
		// A word of both goes with the words around it: the sign changes where 45 % of them
		// are Indian. The rank moves that a little.
		s = 10*(near-0.45) + [...]float32{name: 0.5, common: 0.2, frequent: -0.2, basic: -0.5}[e.rank]
	case e.rank == name:
		return -0.2
	case e.rank != unknown:
		return [...]float32{common: -3.5, frequent: -4.5, basic: -5}[e.rank]
	default:
		s = e.looks[i] - 0.5
		if e.listed&(1<<i) != 0 {
			s = max(s, 0) + 1.5
		}
	}
	if e.shape == upper {
		s = min(s, 0) - 3 // an acronym, unless the whole sentence shouts
	}
	if asked {
		s++
	}
	return s
}
