// Package segment cuts a text into runs where its language changes, and finds the ends of
// sentences and clauses.
package segment

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"vaak/lang"
	"vaak/text"
	"vaak/text/translit"
)

// Run is a stretch of a text that is read in one language.
type Run struct {
	text.Span           // where it is in the text
	Code      lang.Code // the language in which it is read
	// Script is "Latn" where a language of India is written in Latin letters,
	// else empty.
	Script string
	// Around is the language of the sentence around a link whose letters are of another
	// one, in which its signs and numbers are read; else empty.
	Around lang.Code
	// Joined means that the run continues the word before it without a space, so no
	// pause may stand between them.
	Joined bool
}

// Runs cuts a text into runs, which together are the whole text. The zero
// request means the language that [lang.Detect] tells.
//
// Letters of a script that the language of the request writes stay in that
// language. Letters of another script are read in the language that they have
// in the whole text ([lang.DetectIn]), so one script is one language throughout;
// if no supported language writes it, they stay in the language of the request.
// Latin letters in a text of another script are English unless there are many
// and they tell another language. Latin words that are Indian ones
// ([translit.Label]) are runs with a Script, where the request is Indian, English
// or absent; the other Latin words of a request such as "hi-Latn" are English.
//
// Roman numbers beside words of another script are of those words' language.
//
// Digits are read, with the currency, sign, percent, unit and time of day beside
// them, in the language of the request, and without a request in the language
// that the sentence is in: the one with most letters, but not English for
// English words without English grammar among words of another script. Digits
// that a word of another script goes on without a space ("7টায়") are of that
// word, and Latin letters and digits in one ("5G") are a Latin word. Digits of
// one script count as its letters. Links, e-mail addresses, handles and hashtags
// are whole, in the language of their letters; the signs and digits in them are read in
// the language that digits beside them have.
//
// Punctuation, spaces and symbols between two runs go with the left one up to
// the first space, which they include, and with the right one from there;
// brackets go with what they enclose. Grapheme clusters stay whole. A text
// without letters is one run.
func Runs(s string, request lang.Tag) []Run {
	segmenter := New(s, request)
	return segmenter.Runs(s)
}

// Segmenter cuts the parts of one text, so that a script is read in one language in all of
// them. It is a value: a copy may be used concurrently with the original.
type Segmenter struct {
	whole   string
	request lang.Tag
	given   bool // the language was requested, not detected
	prior   lang.Prior
	codes   []scriptCode // the scripts met so far; a handful
	label   func(words []string, hint lang.Tag) []lang.Code
	foreign bool // no Indian words are searched among the Latin ones
}

// scriptCode remembers how a script is read in this text.
type scriptCode struct {
	script string
	code   lang.Code
}

// New returns a Segmenter for the parts of a text, whose letters tell the
// languages; see [Runs] for the request.
func New(whole string, request lang.Tag) Segmenter { return Expecting(whole, request, lang.Prior{}) }

// Expecting is New with what is known of the languages besides the letters. Languages that are
// not offered occur in no run, unless they are requested.
func Expecting(whole string, request lang.Tag, prior lang.Prior) Segmenter {
	g := Segmenter{whole: whole, request: request, given: request.Code != "", prior: prior, label: translit.Label}
	if !g.given {
		g.request.Code = prior.Detect(whole)
	}
	g.foreign = g.isForeign()
	return g
}

// Told returns a Segmenter without a request, for the parts of a text whose language was
// detected before.
func Told(whole string, told lang.Tag, prior lang.Prior) Segmenter {
	g := Segmenter{whole: whole, request: told, prior: prior, label: translit.Label}
	g.foreign = g.isForeign()
	return g
}

// Of returns a Segmenter with the same language for the parts of another text.
func (g Segmenter) Of(whole string) Segmenter {
	g.whole, g.codes = whole, nil
	return g
}

// Request returns the requested language, or the detected one.
func (g *Segmenter) Request() lang.Tag { return g.request }

// Runs cuts a part of the text as the function [Runs] does a whole one.
func (g *Segmenter) Runs(part string) []Run {
	if part == "" {
		return nil
	}
	c := g.cutter(part)
	c.run()
	return c.runs
}

// cutter walks a text once, sentence by sentence.
type cutter struct {
	*Segmenter
	scanner
	text   string
	matrix lang.Code // of the sentence before
	runs   []Run
	gap    int   // where the last atom ended
	atGap  int32 // brackets open there
	free   bool  // the last run has only digits, which go with any Script
	words  []string
	latin  []int // the atoms of words
	tally  tally

	clauseWords []latinWord
	states      []int // places in clausal
}

func (g *Segmenter) cutter(part string) *cutter {
	return &cutter{Segmenter: g, text: part, matrix: g.request.Code, scanner: scanner{clusters: graphemes.FromString(part)}}
}

func (c *cutter) run() {
	for sentence := range Sentences(c.text, nil) {
		// A guess of eight bytes an atom, so that the slice seldom grows more than once.
		c.atoms = slices.Grow(c.atoms, (sentence.Len()+7)/8)
		c.read(sentence.End)
		c.resolve()
		for i := range c.atoms {
			c.place(&c.atoms[i])
		}
		c.atoms = c.atoms[:0]
	}
	if len(c.runs) == 0 {
		c.open(0, c.request.Code)
	}
}

func (c *cutter) open(at int, code lang.Code) {
	c.runs = append(c.runs, Run{Span: text.Span{Start: at, End: len(c.text)}, Code: code})
}

// place adds an atom to the last run, or opens one where the language changes.
func (c *cutter) place(a *atom) {
	script := ""
	if a.romanised {
		script = "Latn"
	}
	bare := a.kind == number && !a.lettered
	var last *Run
	if len(c.runs) == 0 {
		c.open(0, a.code)
		c.free = true
		c.runs[0].Around = a.around
	}
	last = &c.runs[len(c.runs)-1]
	switch {
	// Bare digits are read alike in both scripts of a language, so they open no run.
	case last.Code == a.code && last.Around == a.around && (bare || c.free || last.Script == script):
		if c.free && !bare {
			last.Script, c.free = script, false
		}
	default:
		c.work += a.Start - c.gap
		// The gap is divided only now, when it is known that the language changes behind
		// it.
		last.End = c.gap + split(c.text[c.gap:a.Start], int(c.atGap))
		joined := c.joined(a.Start)
		c.open(last.End, a.code)
		last = &c.runs[len(c.runs)-1]
		last.Script, last.Around, last.Joined, c.free = script, a.around, joined, bare
	}
	c.gap, c.atGap = a.End, a.depth
}

// joined reports whether the atom at a place goes on with the one before, of which
// either may begin or end with a space that a mark or sign took into its cluster.
func (c *cutter) joined(at int) bool {
	before, _ := utf8.DecodeLastRuneInString(c.text[:c.gap])
	return joins(c.text[c.gap:at]) && !unicode.IsSpace(before) && !isSpace(c.text[at:])
}

// codeOf returns the language in which letters of a script are read here.
func (g *Segmenter) codeOf(script string) lang.Code {
	for _, k := range g.codes {
		if k.script == script {
			return k.code
		}
	}
	code := g.find(script)
	g.codes = append(slices.Clip(g.codes), scriptCode{script, code}) // Clip makes append copy, because copies of the Segmenter share the slice
	return code
}
