// Package normalize reads written forms in the words of a language: numbers,
// dates, times, money, measures, telephone numbers, addresses of the internet,
// abbreviations and the like.
//
// The package scan cuts a text into tokens once. At each token that may begin a
// form, a reader tries the recognizers of the token's kind in a fixed order. Each
// looks ahead a bounded number of tokens at a read-only view and returns an outcome;
// the first that knows the form says how it is spoken. Each class of forms has a
// package: quantity, date, clock, ordinal, telephone, electronic, code,
// abbreviation and symbol. The package speak has what they share to say numbers:
// rule sets of rbnf, names of cldr, and words of the lexicon in locale.
//
// What a language has no words for stays as it is written: nothing is read in another
// language.
package normalize

import (
	"sync"
	"unicode/utf8"

	"vaak/lang"
	"vaak/text"
	"vaak/text/normalize/abbreviation"
	"vaak/text/normalize/clock"
	"vaak/text/normalize/code"
	"vaak/text/normalize/date"
	"vaak/text/normalize/electronic"
	"vaak/text/normalize/ordinal"
	"vaak/text/normalize/pair"
	"vaak/text/normalize/plate"
	"vaak/text/normalize/postcode"
	"vaak/text/normalize/quantity"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/size"
	"vaak/text/normalize/speak"
	"vaak/text/normalize/sport"
	"vaak/text/normalize/symbol"
	"vaak/text/normalize/telephone"
	"vaak/text/stop"
)

// Bounds of the output, in code points: expansion for each one of the input, and
// slack for short texts. A form whose words would pass them stays as it is written,
// so no text can be made to fill the memory.
const (
	expansion = 20
	slack     = 500
)

// Run reads a run of text of one language, which must be in NFC. The region of the
// request counts when the request is for that language; English in a request of a South
// Asian language is read as in India. Run returns the text in words and the map back to
// s; a text with no written form comes back unchanged. The output has at most 20 times
// as many code points as s, plus 500. Run does not fail: bytes that are not UTF-8 stay
// as they are.
func Run(s string, code lang.Code, request lang.Tag) (string, text.Map) {
	return For(tagIn(code, request)).Text(s)
}

// tagIn returns the language of a run with the region that the request implies for it.
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
	say        *speak.Speaker
	clings     bool // endings are written directly after numbers
	endings    scan.Endings
	starts     scan.Starts
	stops      *stop.Usage
	quantities *quantity.Recognizer
	durations  *quantity.Durations
	sports     *sport.Recognizer
	pairs      *pair.Recognizer
	ordinals   *ordinal.Recognizer
	dates      *date.Recognizer
	years      *date.Years
	times      *clock.Recognizer
	phones     *telephone.Recognizer
	codes      *code.Recognizer
	plates     *plate.Recognizer
	postcodes  *postcode.Recognizer

	abbreviations *abbreviation.Recognizer
	expected      *expecter

	// The recognizers of each kind of token, in the order in which they are tried.
	atDigits, atWord, atSign []scan.Recognizer
	// atDigitsApart are the recognizers of atDigits whose forms may end with the
	// first digits. They are tried where space follows, which spares the others.
	atDigitsApart []scan.Recognizer
}

// compile makes the normalizer of a variant.
func compile(v variant) *Normalizer {
	say := speak.New(speak.Language{
		Code: v.code, Locale: v.loc, Lexicon: v.lex,
		MonthFirst: v.code == "en" && v.region == "US",
		Spaced:     v.code != "zh" && v.code != "yue" && v.code != "ja",
		SouthAsian: southAsian(v.code),
		Indian:     southAsian(v.code) || v.region == "IN",
	}, v.num)
	n := &Normalizer{say: say, clings: clings(v.code), endings: scan.Endings{Plain: v.lex.Set("ending"), Inflecting: say.Endings.Inflecting()}}
	n.stops = compileStops(v.lex, v.loc)
	agree := speak.NewAgreement(say)
	results := sport.NewResults(say)
	n.quantities = quantity.New(say, agree, results, &n.starts)
	n.durations = quantity.NewDurations(say, n.quantities)
	n.sports = sport.New(say, results, n.quantities)
	n.pairs = pair.New(say, n.quantities, results)
	n.ordinals = ordinal.New(say, agree, n.quantities, &n.starts)
	n.times = clock.New(say, agree, n.quantities, n.durations)
	n.dates = date.New(say, agree, n.quantities, n.ordinals, n.times, &n.starts)
	n.years = date.NewYears(say, n.quantities, &n.starts)
	n.abbreviations = abbreviation.New(say, n.ordinals, &n.starts)
	n.phones = telephone.New(say, n.quantities, n.abbreviations)
	n.plates, n.postcodes = plate.New(say, n.quantities), postcode.New(say, n.quantities)
	n.codes = code.New(say, n.quantities, n.abbreviations, n.plates, n.postcodes)
	n.expected = newExpecter(n)
	for _, mask := range []string{"xx", "xxx", "xxxx", "xxxxx", "xxxxxx"} {
		n.starts.Add(mask) // xxxx 1234
	}
	n.order(electronic.New(say), symbol.New(say, n.quantities, n.abbreviations.Spelled, &n.starts), size.New(say, n.quantities), size.NewFolds(say, n.quantities))
	return n
}

// order lists the recognizers. An earlier one wins, so the narrow forms stand before
// the wide ones: a date before a fraction, a fraction before a number.
func (n *Normalizer) order(address *electronic.Recognizer, sign *symbol.Recognizer, sizes *size.Recognizer, folds *size.Folds) {
	n.atDigits = []scan.Recognizer{
		address.Address, n.phones.Vanity, n.expected.read, n.codes.Identifier, n.pairs.Parts, n.dates.Marked, n.abbreviations.Figures,
		n.pairs.Verse, n.pairs.Double, n.sports.Minute, sizes.Position, sizes.MarkedSides, sizes.Feet, n.pairs.Rating, n.pairs.Pressure, n.quantities.Split, n.sports.Cricket, n.pairs.Odds,
		n.pairs.Season, n.sports.Crossed, folds.Fold, sizes.Sides, n.postcodes.Code, n.dates.Timestamp, n.dates.Numeric,
		n.phones.Telephone, n.durations.Spaced, n.times.Time, n.durations.Duration, address.IP, n.dates.Named, n.years.Span, n.ordinals.Ordinal, n.years.Decade,
		n.years.Era, n.pairs.House, n.pairs.Ratio, n.codes.Hyphenated, n.codes.Code, n.codes.Long, n.quantities.Quantity, n.codes.Left,
	}
	n.atDigitsApart = []scan.Recognizer{
		n.expected.read, n.pairs.Spaced, n.codes.Identifier, n.abbreviations.Figures, n.sports.Crossed, folds.Fold, n.postcodes.Code, n.phones.Telephone, n.durations.Spaced,
		n.times.Time, n.durations.Duration, n.dates.Marked, n.dates.Named, n.ordinals.Ordinal, n.years.Era, n.codes.Long, n.quantities.Quantity,
		n.codes.Left,
	}
	n.atWord = []scan.Recognizer{
		address.Address, n.expected.read, n.codes.Identifier, sign.Times, n.quantities.Rates.Alone, n.postcodes.Lettered, n.dates.Weekday, n.dates.Named,
		n.ordinals.Prefixed, n.expected.prefix, n.expected.score, n.expected.note, n.times.Zone, n.times.Before, n.years.Letter, n.years.Part,
		n.abbreviations.Abbreviation, n.years.EraBefore, n.quantities.Quantity, n.codes.Dashed, address.Version, n.abbreviations.Initials,
		n.abbreviations.Acronym, n.codes.Code, sign.Ordinal,
	}
	n.atSign = []scan.Recognizer{
		n.expected.score, n.expected.note, n.codes.Masked, n.phones.Telephone, n.postcodes.Dashed, address.Path, n.quantities.Quantity,
		n.ordinals.Sign, n.quantities.Rates.Alone, sign.Tag, n.dates.Bracketed, n.sports.NotOut, n.years.Decade, n.years.Short, n.times.Offset, sign.Sign, sign.Left,
	}
}

// southAsian reports whether a language counts in lakh and crore.
func southAsian(code lang.Code) bool {
	switch code {
	case "hi", "bn", "ta", "te", "mr", "gu", "kn", "ml", "pa", "or", "as", "ur", "ne", "sd", "kok", "sa", "mai", "doi",
		"brx", "ks", "mni", "sat", "bho":
		return true
	}
	return false
}

// clings reports whether a language writes endings directly after numbers, so that no
// space may be put between the words of the number and the ending.
func clings(code lang.Code) bool {
	switch code {
	case "bn", "as", "or", "mr", "ne", "gu", "ta", "te", "kn", "ml", "si", "kok", "sa", "mni":
		return true
	}
	return false
}

// buffers holds the token and output buffers of earlier texts, so that a text of usual
// length allocates neither.
var buffers = sync.Pool{New: func() any { return new(buffer) }}

type buffer struct {
	tokens []scan.Token
	out    []byte
}

// mostTokens is the capacity up to which a token buffer is kept for another text, about
// 1 MB.
const mostTokens = 1 << 15

// Text reads a text; see [Run].
func (n *Normalizer) Text(s string) (string, text.Map) {
	out, back, _ := n.text(s, 0, Around{}, n.stops)
	return out, back
}

// text reads a text whose first number the run before may have announced, and counts the
// steps that it took. host is the usage of the language around it.
func (n *Normalizer) text(s string, before scan.NoteKind, around Around, host *stop.Usage) (string, text.Map, int) {
	b := buffers.Get().(*buffer)
	defer func() {
		if cap(b.tokens) < mostTokens {
			buffers.Put(b)
		}
	}()
	b.tokens = scan.Scan(s, b.tokens[:0])
	rd := reader{
		Normalizer: n, View: scan.NewView(s, b.tokens, &n.endings), s: s, tokens: b.tokens,
		out: b.out[:0], left: (expansion-1)*utf8.RuneCountInString(s) + slack,
		around: around, host: host,
	}
	if around.Before != "" {
		rd.Follows(around.Before)
	}
	if before != 0 {
		rd.Context = n.carry(&rd.View, before)
	}
	rd.walk()
	b.out = rd.out
	if rd.done == 0 { // nothing was replaced
		return s, text.Identity(len(s)), rd.Steps()
	}
	return string(rd.out), rd.back.Map(), rd.Steps()
}

// Abbreviation reports whether a word with its full stop is an abbreviation of a language
// behind which the next character alone does not tell that the sentence ended.
func Abbreviation(code lang.Code, word string) bool {
	return For(lang.Tag{Code: code}).stops.Unsure(word)
}
