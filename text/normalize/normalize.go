// Package normalize reads written forms in the words of a language: numbers,
// dates, times, money, measures, telephone numbers, addresses of the internet,
// abbreviations and the like.
//
// A [Normalizer] scans its text once into tokens. At each token that may begin
// a form the recognizers of the token's kind are tried in a fixed order, each
// with a bounded look ahead; the first that knows the form says how it is
// spoken. Number words come from rules of the package rbnf, names of units,
// currencies and months from cldr, and the rest from the lexicon of the package
// locale. What a language has no words for stays as it is written: nothing is
// read in another language.
package normalize

import (
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"vaak/lang"
	"vaak/text"
	"vaak/text/normalize/cldr"
	"vaak/text/normalize/locale"
	"vaak/text/normalize/rbnf"
)

// Run reads a run of one language, in NFC, as the request's region has it when
// the request is for that language; English in a request of South Asia is read
// as in India. It returns the text in words and the map back to s; text with
// nothing to do comes back as it is. The output has at most 20 times as many code
// points as s, and 500. Run does not fail: bytes that are not UTF-8 stay.
func Run(s string, code lang.Code, request lang.Tag) (string, text.Map) {
	return For(tagIn(code, request)).Text(s)
}

// tagIn returns the language of a run as the request's region has it.
func tagIn(code lang.Code, request lang.Tag) lang.Tag {
	switch {
	case request.Code == code:
		return request
	case code == "en" && southAsian(request.Code):
		return lang.Tag{Code: code, Region: "IN"}
	}
	return lang.Tag{Code: code}
}

// Normalizer reads texts in one language as one region writes it. It is safe
// for concurrent use.
type Normalizer struct {
	code       lang.Code
	loc        *cldr.Locale
	num        *rbnf.Formatter // nil when the language has no number words
	lex        *locale.Lexicon
	monthFirst bool // 5/12 is a day in May
	spaced     bool // words are parted by spaces
	southAsian bool
	clings     bool // endings are written on to numbers and belong to their words
	phones     bool // ten digits that begin with 6 to 9 are a telephone number
	years      bool // a year is read otherwise than a number

	cardinal, counting, ordinal, year string    // rule sets
	hundreds                          [2]string // patterns of years by hundreds
	point                             string
	negative                          string // before a number below nought, by its rules
	digit                             [10]string
	small                             [100]atomic.Pointer[string] // cardinals that were read
	units                             sync.Map                    // keys of CLDR to the units that were asked for
	months, monthsAlone               [12]string
	names                             names
	patterns                          patterns
	tables                            tables
}

// buffers keeps the tokens and output of texts that were read.
var buffers = sync.Pool{New: func() any { return new(buffer) }}

type buffer struct {
	toks []token
	out  []byte
}

// Text reads a text; see [Run].
func (n *Normalizer) Text(s string) (string, text.Map) {
	out, back, _ := n.text(s)
	return out, back
}

// text reads a text and counts the steps that it took.
func (n *Normalizer) text(s string) (string, text.Map, int) { return n.textAfter(s, 0) }

// textAfter reads a text after one that may have said something of its first
// number.
func (n *Normalizer) textAfter(s string, before noteKind) (string, text.Map, int) {
	b := buffers.Get().(*buffer)
	defer func() {
		if cap(b.toks) < 1<<15 {
			buffers.Put(b)
		}
	}()
	b.toks = scan(s, b.toks[:0])
	c := reader{cursor: cursor{Normalizer: n, s: s, toks: b.toks}, out: b.out[:0], left: (expansion-1)*utf8.RuneCountInString(s) + slack}
	if before != 0 {
		c.context = c.carry(before)
	}
	c.walk()
	b.out = c.out
	if c.done == 0 { // nothing was replaced
		return s, text.Identity(len(s)), c.steps
	}
	return string(c.out), c.back.Map(), c.steps
}

// Abbreviation says whether a word that stands before a full stop, without the
// stop, is an abbreviation that does not end the sentence.
func Abbreviation(code lang.Code, word string) bool {
	return For(lang.Tag{Code: code}).tables.stops[word]
}
