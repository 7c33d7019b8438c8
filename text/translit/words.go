package translit

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"embed"
	"io"
	"slices"
	"strings"
	"sync"
)

// wordFiles hold words of each language in its own script, a word a line, the frequent ones
// first. generate/README.md tells where they come from.
//
//go:embed words/*.txt.gz
var wordFiles embed.FS

// list finds words of a language by how they are typed, where no lexicon has the spelling.
// Words are found by their skeleton: the letters that all ways to type a word share. Of the
// words with one skeleton the one is taken that is most like what was typed.
type list struct {
	i       int
	native  string   // all words, one after another
	typed   string   // how each is usually typed
	ends    [][2]int // where the parts of each word end in native and typed
	entries []entry  // in order of skeleton
	follow  *follow  // which letters follow each other
}

// entry leads from a skeleton to a word.
type entry struct {
	skeleton uint32 // its hash
	word     uint32 // the rank of the word by frequency
}

// listOf returns the words of a language, which are read on first use.
func listOf(i int) *list { return listLoaders()[i]() }

var listLoaders = sync.OnceValue(func() *[numCodes]func() *list {
	var all [numCodes]func() *list
	for i := range all {
		all[i] = sync.OnceValue(func() *list { return readList(i) })
	}
	return &all
})

func readList(i int) *list {
	file, err := wordFiles.ReadFile("words/" + string(codes[i]) + ".txt.gz")
	if err != nil {
		panic(err) // embedded
	}
	zip, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		panic(err) // embedded
	}
	all, err := io.ReadAll(zip)
	if err != nil {
		panic(err) // embedded
	}
	var native, typed strings.Builder
	l := &list{i: i}
	counts := newFollowCounts()
	add := func(word, form string) {
		if form == "" {
			return
		}
		var buf [maxLoose]byte
		skeleton := hash(appendSkeleton(buf[:0], i, form))
		l.entries = append(l.entries, entry{skeleton, uint32(len(l.ends))})
		native.WriteString(word)
		typed.WriteString(form)
		l.ends = append(l.ends, [2]int{native.Len(), typed.Len()})
	}
	for word := range strings.Lines(string(all)) {
		word = strings.TrimSuffix(word, "\n")
		if i == urdu {
			add(word, typedUrdu(word))
			continue
		}
		if sounds, ok := readNative(i, word); ok {
			add(word, spellTyped(i, sounds, 0))
			counts.take(i, sounds)
		}
	}
	l.follow = counts.costs()
	l.native, l.typed = native.String(), typed.String()
	slices.SortFunc(l.entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.skeleton, b.skeleton), cmp.Compare(a.word, b.word))
	})
	return l
}

// word returns a word and how it is usually typed.
func (l *list) word(k uint32) (native, typed string) {
	var from [2]int
	if k > 0 {
		from = l.ends[k-1]
	}
	to := l.ends[k]
	return l.native[from[0]:to[0]], l.typed[from[1]:to[1]]
}

// Costs of the search, in tenths of a letter. Set by the development set.
const (
	mostCost     = 11 // a word of the list may be this unlike what was typed
	rareCost     = 1  // for every factor of four in rank
	lexiconBonus = 5  // the word of a lexicon whose loose spelling fits is preferred
	mostTried    = 24 // words with one skeleton
)

// find returns the word of the list that is most like a word in small letters, if one is
// like enough. Native is a word of the lexicon that fits loosely, "" for none; it is
// preferred to words that are hardly more like.
func (l *list) find(word, native string) (string, bool) {
	var buf [maxLoose]byte
	skeleton := hash(appendSkeleton(buf[:0], l.i, word))
	at, _ := slices.BinarySearchFunc(l.entries, skeleton, func(e entry, s uint32) int {
		switch {
		case e.skeleton < s:
			return -1
		case e.skeleton > s:
			return 1
		}
		return 0
	})
	best, least := "", mostCost+1
	if native != "" {
		least = 2 * mostCost
		if l.i != urdu {
			if sounds, ok := readNative(l.i, native); ok {
				least = unlike(l.i, word, spellTyped(l.i, sounds, 0)) - lexiconBonus
			}
		} else {
			least = unlike(l.i, word, typedUrdu(native)) - lexiconBonus
		}
	}
	for n := 0; at < len(l.entries) && l.entries[at].skeleton == skeleton && n < mostTried; n++ {
		k := l.entries[at].word
		written, typed := l.word(k)
		cost := unlike(l.i, word, typed)
		for r := k >> 2; r > 0; r >>= 2 {
			cost += rareCost
		}
		if cost < least {
			best, least = written, cost
		}
		at++
	}
	return best, best != ""
}

// appendSkeleton appends the letters of a word that all ways to type it share: consonants
// without aspiration, and the vowels other than a in three classes.
func appendSkeleton(to []byte, i int, word string) []byte {
	var buf [maxLoose]byte
	loose := appendLoose(buf[:0], groups[i], word)
	start := len(to)
	put := func(c byte) {
		if n := len(to); n == start || to[n-1] != c {
			to = append(to, c)
		}
	}
	for k := 0; k < len(loose); k++ {
		c, next := loose[k], byte(0)
		if k+1 < len(loose) {
			next = loose[k+1]
		}
		switch {
		case c == 'a' && next == 'i', c == 'a' && next == 'e', c == 'e' && next == 'i', c == 'a' && next == 'y' && k+2 == len(loose),
			c == 'e' && next == 'y':
			k++
			if i != urdu {
				put('e')
			}
		case c == 'a' && next == 'u', c == 'o' && next == 'u', c == 'a' && next == 'o':
			k++
			if i != urdu {
				put('o')
			}
		case c == 'a':
		case isVowel(c):
			switch {
			case i == urdu:
			case (i == bengali || i == assamese) && c == 'o':
			case (i == malayalam || i == tamilLanguage) && c == 'u' && k+1 == len(loose):
			case c == 'u':
				put('o')
			case c == 'i' && (k+1 == len(loose) || i == tamilLanguage || i == malayalam || i == telugu || i == kannada):
				put('e')
			default:
				put(c)
			}
		case c == 'h' && k > 0 && !isVowel(loose[k-1]), i == urdu && (c == 'h' || c == 'y' || c == 'v'):
		case c == 'y' && k > 0 && isVowel(loose[k-1]) && next != 0 && isVowel(next):
		case (c == 'n' || c == 'm') && k > 0 && (next == 0 || !isVowel(next)) && isVowel(loose[k-1]):
			// A nasal before a consonant or at the end is typed n or m, or left out.
		case i == assamese && (c == 'h' || c == 'c' || c == 'x'):
			put('s')
		case i == assamese && c == 'v', i == bengali && c == 'v', i == odia && c == 'v':
			put('b')
		case c == 'x':
			put('k')
			put('s')
		case c == 'z':
			put('j')
		case c == 'f':
			put('p')
		default:
			put(c)
		}
	}
	return to
}

func isVowel(c byte) bool {
	switch c {
	case 'a', 'e', 'i', 'o', 'u':
		return true
	}
	return false
}

// unlike returns how unlike two spellings of a word are, in tenths of a letter: the cost of
// the cheapest way to turn one into the other. Letters that typists add, leave out and
// mix up cost little.
func unlike(i int, a, b string) int {
	if len(a) >= maxLoose || len(b) >= maxLoose {
		return 10 * maxLoose
	}
	var row [maxLoose + 1]int
	for j := range len(b) {
		row[j+1] = row[j] + gapCost(b, j)
	}
	for k := range len(a) {
		diagonal := row[0]
		row[0] += gapCost(a, k)
		for j := range len(b) {
			cost := diagonal
			if a[k] != b[j] {
				cost += swapCost(a[k], b[j])
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+gapCost(b, j), diagonal+gapCost(a, k))
		}
	}
	return row[len(b)]
}

// gapCost returns the cost of a letter that one spelling has and the other has not.
func gapCost(s string, k int) int {
	doubled := k > 0 && s[k-1] == s[k]
	switch c := s[k]; {
	case k == 0:
		return 12
	case c == 'a' && doubled:
		return 1
	case c == 'a' && k+1 == len(s):
		return 6 // the sex of a word
	case c == 'a':
		return 4
	case c == 'h' && k > 0 && !isVowel(s[k-1]):
		return 4
	case doubled:
		return 3
	case c == 'n' || c == 'm' || c == 'y':
		return 5
	case isVowel(c):
		return 6
	}
	return 10
}

// swapCost returns the cost of one letter in the place of another.
func swapCost(a, b byte) int {
	if a > b {
		a, b = b, a
	}
	switch string([]byte{a, b}) {
	case "vw", "jz", "kq", "fp", "ck":
		return 2
	case "ei", "ou", "iy", "ey":
		return 4
	case "mn", "dr", "bv", "hs", "sx", "hx", "cs":
		return 5
	case "ao", "ae", "gk", "dt", "bp":
		return 6
	}
	if isVowel(a) && isVowel(b) {
		return 8
	}
	return 12
}
