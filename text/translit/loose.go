package translit

// spelling is how freely the typists of some languages treat letters.
type spelling uint8

const (
	northern spelling = iota // vowel length and doubling are free
	southern                 // aspiration too
	tamil                    // voice too: one letter stands for k and g
	numSpellings
)

// groups are the spellings of the languages, in the order of codes.
var groups = [numCodes]spelling{
	tamilLanguage: tamil, telugu: southern, kannada: southern, malayalam: southern,
}

// maxLoose is more than the letters of any word that a lexicon has; longer words
// are not looked up whole.
const maxLoose = 48

func loosen(i int, word string) string { return string(appendLoose(nil, groups[i], word)) }

// appendLoose appends the loose spelling of a word in small letters a to z.
func appendLoose(to []byte, s spelling, word string) []byte {
	start := len(to)
	for i := 0; i < len(word) && len(to) < start+maxLoose; i++ {
		c, next := word[i], byte(0)
		if i+1 < len(word) {
			next = word[i+1]
		}
		letter, skip := fold(s, c, next)
		i += skip
		// The comparison is with what was written, so a run of any length becomes one
		// letter.
		if n := len(to); n > start && (to[n-1] == letter || letter == 'h' && (to[n-1] == 'c' || s == tamil && to[n-1] == 's')) {
			continue // doubled, or the second h of "chh"
		}
		to = append(to, letter)
	}
	return to
}

// fold returns what a letter counts as and how many letters after it are taken
// with it.
func fold(s spelling, c, next byte) (letter byte, skip int) {
	switch {
	// Pairs come first: each of their letters alone means something else.
	case c == 'e' && next == 'e':
		return 'i', 1
	case c == 'o' && (next == 'o' || next == 'u'):
		return 'u', 1
	case c == 'p' && next == 'h':
		c, skip = 'f', 1
	case c == 'c' && next == 'h':
		c, skip = 'c', 1
	case s != northern && next == 'h' && aspirable(c):
		skip = 1
	}
	switch c {
	case 'w':
		c = 'v'
	case 'q':
		c = 'k'
	case 'z':
		// In the south "zh" is typed for the retroflex l (ழ, ഴ), which others type as "l".
		if skip == 0 && next == 'h' && s != northern {
			return 'l', 1
		}
		c = 'j'
	case 'h':
		if s == northern {
			return 'h', 0
		}
	}
	if s == tamil {
		c = unvoiced(c)
	}
	return c, skip
}

func aspirable(c byte) bool {
	switch c {
	case 'k', 'g', 'j', 't', 'd', 'b', 's':
		return true
	}
	return false
}

// unvoiced returns the letter that stands for all sounds of one Tamil letter.
func unvoiced(c byte) byte {
	switch c {
	case 'g':
		return 'k'
	case 'd':
		return 't'
	case 'b':
		return 'p'
	case 'j', 'c':
		return 's'
	}
	return c
}
