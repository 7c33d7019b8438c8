package segment

import (
	"strings"
	"unicode/utf8"

	"vaak/lang"
	"vaak/text/translit"
)

// resolve gives the atoms of a sentence their languages.
func (c *cutter) resolve() {
	for i := range c.atoms {
		a := &c.atoms[i]
		if a.script != "" {
			a.code = c.codeOf(a.script)
		}
	}
	// The order matters. Words are labelled first, since the language of the sentence is
	// counted from their labels; numbers follow the sentence, and Roman numbers their
	// neighbours.
	c.romanised()
	switched := c.clauses()
	c.matrix = c.majority(c.matrix)
	code := c.matrix
	if c.given {
		code = c.request.Code
	}
	links := false
	for i := range c.atoms {
		a := &c.atoms[i]
		if a.script != "" {
			links = links || (a.kind == link || a.numbered) && a.code != code
			continue
		}
		switch {
		case c.given:
			a.code = c.request.Code
		case switched:
			a.code = c.neighbour(i)
		default:
			a.code = c.matrix
		}
	}
	if links {
		c.surround(code)
	}
	c.romans()
}

// surround marks the links and codes whose signs are read in a language: it is written in another
// script than their letters, in the sentence or by the request.
func (c *cutter) surround(code lang.Code) {
	l, ok := lang.Lookup(code)
	written := c.given && ok
	for i := range c.atoms {
		a := &c.atoms[i]
		written = written || ok && a.kind == word && a.code == code && !a.romanised
	}
	if !written {
		return
	}
	// Chinese and Koreans say the numbers of all Latin words in their language: 5G.
	native := code == "zh" || code == "yue" || code == "ko"
	for i := range c.atoms {
		a := &c.atoms[i]
		if (a.kind == link || a.numbered && native) && a.code != code && !l.Writes(a.script) && !(c.given && c.request.Writes(a.script)) {
			a.around = code
		}
	}
}

// neighbour returns the language of the word before an atom, else of the word after it.
func (c *cutter) neighbour(i int) lang.Code {
	for k := i - 1; k >= 0; k-- {
		if c.atoms[k].kind == word {
			return c.atoms[k].code
		}
	}
	for k := i + 1; k < len(c.atoms); k++ {
		if c.atoms[k].kind == word {
			return c.atoms[k].code
		}
	}
	return c.matrix
}

// romanised gives Indian words in Latin letters their languages.
func (c *cutter) romanised() {
	if !c.mayRomanise() {
		return
	}
	c.words, c.latin = c.words[:0], c.latin[:0]
	native := false
	for i, a := range c.atoms {
		switch {
		case a.kind == word && a.script == "Latn":
			c.words = append(c.words, a.In(c.text))
			c.latin = append(c.latin, i)
		case a.kind == word:
			native = true
		}
	}
	if len(c.words) == 0 {
		return
	}
	// A detected language is no wish of the caller. It helps only where it is Indian, and
	// then no more than a request without a script.
	hint := c.request
	if !c.given {
		if hint.Script = ""; !isIndian(hint.Code) {
			hint = lang.Tag{}
		}
	}
	// Latin words among words of the script of India are mostly names and English words, so
	// more is asked of them than a request explains.
	if native && hint.Script == "" {
		hint = lang.Tag{}
	}
	codes := c.label(c.words, hint)
	for i, code := range codes {
		if code != "" && !c.prior.Offers(code) {
			codes[i] = ""
		}
	}
	if !c.believes(codes) {
		return
	}
	for i, code := range codes {
		a := &c.atoms[c.latin[i]]
		if code == "" {
			// Beside Indian words in Latin letters the other Latin words are English,
			// whatever the whole text is.
			a.code = c.english()
			continue
		}
		a.code, a.romanised = code, true
	}
}

// believes reports whether the labels of Latin words are accepted: some words must be
// labelled and, if the request is for no language of India and the Latin letters of the whole
// text are not English, words with more than half of the letters.
func (c *cutter) believes(codes []lang.Code) bool {
	labelled, all := 0, 0
	for i, code := range codes {
		all += len(c.words[i])
		if code != "" {
			labelled += len(c.words[i])
		}
	}
	if labelled == 0 {
		return false
	}
	return c.given && isIndian(c.request.Code) || c.codeOf("Latn") == "en" || 2*labelled > all
}

// mayRomanise reports whether Indian words in Latin letters are searched: the request names
// an Indian language, English, or no language.
func (g *Segmenter) mayRomanise() bool {
	return !g.foreign && (!g.given || g.request.Code == "en" || isIndian(g.request.Code))
}

// isForeign reports whether the text was detected as one of another language in Latin letters,
// and is not an Indian one in Latin letters. Its sentences need not be searched for Indian
// words.
func (g *Segmenter) isForeign() bool {
	return !g.given && g.request.Code != "en" && g.request.Script == "" && g.request.Writes("Latn") && !isRomanised(g.whole)
}

// isIndian reports whether a language is of South Asia and has a script of its own.
func isIndian(code lang.Code) bool {
	l, ok := lang.Lookup(code)
	if !ok || code == "en" {
		return false
	}
	return strings.HasSuffix(l.BCP47, "-IN") || code == "ne" || code == "si"
}

// majority returns the language that a sentence is in: the one with most
// letters, the first of equals. English words without English grammar among
// words of another script are borrowed, and do not count. Links count where
// nothing else does, and before is the language of a sentence without letters.
func (c *cutter) majority(before lang.Code) lang.Code {
	t := &c.tally
	*t = tally{shares: t.shares[:0]}
	for i := range c.atoms {
		if c.atoms[i].kind == word {
			t.add(c.text, &c.atoms[i])
		}
	}
	if len(t.shares) == 0 {
		for i := range c.atoms {
			if c.atoms[i].kind == link {
				t.add(c.text, &c.atoms[i])
			}
		}
	}
	if len(t.shares) == 0 {
		return before
	}
	// "मैंने laptop charger order किया": most letters are English, and the grammar is
	// Hindi. English counts only with words of grammar, one for every two others at least.
	best := t.most("")
	if best.code == "en" && best.script == "Latn" && 2*t.grammar < t.others {
		best = t.most("en")
	}
	return best.code
}

// tally counts the letters of a sentence.
type tally struct {
	shares  []share // a handful
	grammar int     // English words of grammar
	others  int     // words that are not English
}

type share struct {
	code    lang.Code
	script  string
	letters int32
}

func (t *tally) add(s string, a *atom) {
	if a.code != "en" {
		t.others++
	} else if isGrammar(a.In(s)) {
		t.grammar++
	}
	for i := range t.shares {
		if t.shares[i].code == a.code {
			t.shares[i].letters += a.letters
			return
		}
	}
	t.shares = append(t.shares, share{a.code, a.script, a.letters})
}

// most returns the greatest share but that of one language.
func (t *tally) most(but lang.Code) (best share) {
	for _, s := range t.shares {
		if s.code != but && s.letters > best.letters {
			best = s
		}
	}
	return best
}

// isGrammar reports whether a word is one of those that hold English sentences
// together.
func isGrammar(s string) bool {
	if len(s) > 6 {
		return false
	}
	var low [6]byte
	for i := range len(s) {
		// Sets the bit by which small ASCII letters differ. The apostrophe (0x27) has it
		// already.
		low[i] = s[i] | 0x20
	}
	switch string(low[:len(s)]) {
	case "the", "a", "an", "is", "are", "was", "were", "be", "been", "am", "has", "have", "had", "do", "does", "did",
		"will", "would", "can", "could", "should", "may", "must", "i", "you", "he", "she", "it", "we", "they",
		"my", "your", "his", "her", "its", "our", "their", "me", "him", "us", "them", "this", "that", "these", "those",
		"of", "to", "in", "on", "at", "for", "from", "with", "by", "about", "near", "into", "and", "or", "but", "if",
		"as", "than", "then", "so", "not", "who", "what", "which", "when", "where", "how", "there", "here", "let's", "it's", "don't", "i'm":
		return true
	}
	return false
}

// find returns the language in which letters of a script are read in this text.
func (g *Segmenter) find(script string) lang.Code {
	switch {
	case script == "Latn" && isIndian(g.request.Code):
		if g.request.Script == "Latn" {
			return g.english() // what is Indian is told word by word
		}
	case g.request.Writes(script):
		return g.request.Code
	}
	code := g.prior.DetectIn(g.whole, script)
	switch {
	case code == "":
		return g.request.Code
	// The letters of Indian words may look like those of another language. Beside them other
	// Latin words are English.
	case script == "Latn" && code != "en" && isIndian(g.request.Code) && isRomanised(g.whole):
		return g.english()
	// Too few Latin letters tell no language. In a text of another script they are mostly
	// English.
	case script == "Latn" && code != "en" && !manyLatin(g.whole):
		return g.english()
	}
	return code
}

// isRomanised reports whether a text is an Indian language in Latin letters.
func isRomanised(s string) bool {
	code, _ := translit.Detect(s)
	return code != ""
}

// english returns the language of English words in a text of another: that of the text if
// English is not offered.
func (g *Segmenter) english() lang.Code {
	if !g.prior.Offers("en") {
		return g.request.Code
	}
	return "en"
}

// manyLatin reports whether a text has so many Latin letters that what language they
// are can be told: some words, and more than two thirds of all letters.
func manyLatin(s string) bool {
	latin, others := 0, 0
	for _, r := range s {
		switch {
		case r < utf8.RuneSelf && !isLatin(byte(r)):
		case lang.ScriptOf(r) == "Latn":
			latin++
		default:
			others++
		}
	}
	return latin > 2*others && latin > 40
}
