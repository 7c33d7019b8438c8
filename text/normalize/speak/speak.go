// Package speak says numbers in the words of a language: cardinals, ordinals,
// fractions, years, digits one by one, and letters. It knows the words for signs, the
// endings that words take, and which rule set the words around a number ask for.
//
// A rule set is one of rbnf's, such as spellout-cardinal-feminine. A pattern is a text
// with fields in braces, {n}, or {n:SET} for the number by a rule set.
package speak

import (
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"vaak/lang"
	"vaak/text/normalize/cldr"
	"vaak/text/normalize/locale"
	"vaak/text/normalize/rbnf"
	"vaak/text/normalize/scan"
)

// Language describes a language in one region, as far as recognizers need it.
type Language struct {
	Code       lang.Code
	Locale     *cldr.Locale
	Lexicon    *locale.Lexicon
	MonthFirst bool // 5/12 is a day in May
	Spaced     bool // words are parted by spaces
	SouthAsian bool // the language counts in lakh and crore
	Indian     bool // ten digits may be a telephone number and six a postal code of India
}

// Speaker says numbers in words of one language. A method that returns ok as false has
// no words, and its caller leaves the form as it was written. It is safe for concurrent
// use.
type Speaker struct {
	Language
	Signs   Signs
	Endings Endings

	num                    *rbnf.Formatter              // nil when the language has no number words
	Cardinal, OrdinalSet   string                       // rule sets
	counting, year         string                       // rule sets
	hundreds               [2]string                    // patterns of years by hundreds
	Years                  bool                         // a year is read otherwise than a number
	Point                  string                       // the word for the point in a decimal
	pointNumber            bool                         // two digits behind the point are one number
	negative               string                       // the word before a number below nought, by the rules
	minus                  string                       // the same by the lexicon, which wins
	Digit                  [10]string                   // the words of the digits
	small                  [100]atomic.Pointer[string]  // cardinals that were said before
	letters                map[string]string            // names of letters
	gender                 map[string]string            // rule sets by the gender of what is counted
	fraction, special, add map[string]string            // words and patterns by the written fraction
	parts                  map[string]map[string]string // words of a fraction before a noun: by fraction and noun
	tails                  map[string]map[string]string // words of a fraction behind the noun, in the same way
	fractions              map[cldr.Category]string     // patterns of any other fraction
	mixed                  string                       // the pattern of a number with a fraction
	Oblique                map[string]string            // words of numbers and their form after ObliqueBefore
	ObliqueBefore          map[string]bool
	SpanBefore             map[string]string // other patterns of a range, by the word after it
	Span                   string            // the pattern of a range, "" for none
	spans                  map[string]string // words before a range and its pattern after them
	ordinalPattern         string
	OrdinalWords           map[string]string // by the digits with their suffix
	OrdinalDot             bool              // a full stop after a number makes an ordinal
	DateMarks              [3]string         // the marks after year, month and day where dates are numbers
}

// New returns the speaker of a language. The formatter is nil for a language without
// number words.
func New(l Language, num *rbnf.Formatter) *Speaker {
	sp := &Speaker{Language: l, num: num}
	lex := l.Lexicon
	sp.compileSets()
	sp.Signs.compile(l)
	sp.Endings.compile(lex)
	sp.letters, sp.gender = lex.ByFirst("letter"), lex.ByFirst("gender")
	sp.fraction, sp.special, sp.add = lex.ByFirst("fraction"), lex.ByFirst("fraction.special"), lex.ByFirst("fraction.add")
	sp.fractions, sp.mixed = FormsOf(lex.Forms("fraction.other")), l.Or("fraction.mixed", sp.Join("{n}", "{f}"))
	sp.parts, sp.tails = byNoun(lex.Rows("fraction.noun")), byNoun(lex.Rows("fraction.tail"))
	sp.minus = lex.Word("negative")
	sp.Span = lex.Word("range")
	if rows := lex.ByFirst("oblique"); len(rows) > 0 {
		sp.Oblique, sp.ObliqueBefore = rows, lex.Set("oblique.before")
	}
	sp.SpanBefore = lex.ByWord("range.before")
	for _, r := range lex.Rows("range.after") {
		for _, w := range r.List(0) {
			if sp.spans == nil {
				sp.spans = map[string]string{}
			}
			sp.spans[w] = r.Value(1)
		}
	}
	sp.ordinalPattern, sp.OrdinalDot = lex.Word("ordinal.pattern"), lex.Word("ordinal.dot") == "yes"
	sp.OrdinalWords = lex.ByFirst("ordinal.word")
	sp.compileMarks()
	return sp
}

// byNoun returns the words of fractions by the fraction and what stands with it.
func byNoun(rows []locale.Row) map[string]map[string]string {
	m := map[string]map[string]string{}
	for _, r := range rows {
		if m[r[0]] == nil {
			m[r[0]] = map[string]string{}
		}
		for _, w := range r.List(1) {
			m[r[0]][w] = r.Value(2)
		}
	}
	return m
}

// Or returns the word of a key of the lexicon, or other where the lexicon has none.
func (l Language) Or(key, other string) string {
	if w := l.Lexicon.Word(key); w != "" {
		return w
	}
	return other
}

// compileSets chooses the rule sets, derives the words for the digits, the point and
// minus from them, and finds out whether years are said differently from numbers.
func (sp *Speaker) compileSets() {
	if sp.num == nil {
		return
	}
	sp.Cardinal = sp.FirstSet(sp.Lexicon.Word("cardinal"), "spellout-cardinal", "spellout-cardinal-masculine")
	if sp.Cardinal == "" {
		for _, set := range sp.num.Sets() {
			if strings.HasPrefix(set, "spellout-cardinal") {
				sp.Cardinal = set
				break
			}
		}
	}
	sp.counting = sp.FirstSet(sp.Lexicon.Word("counting"), sp.Cardinal)
	sp.OrdinalSet = sp.FirstSet(sp.Lexicon.Word("ordinal"), "spellout-ordinal", "spellout-ordinal-masculine")
	sp.year = sp.FirstSet(sp.Lexicon.Word("year"), "spellout-numbering-year", sp.Cardinal)
	for d := range sp.Digit {
		w, _ := sp.num.Format(sp.Cardinal, string(rune('0'+d)))
		sp.Digit[d] = strings.TrimSpace(w)
	}
	if w := sp.Lexicon.Word("digit.zero"); w != "" {
		sp.Digit[0] = w
	}
	// One year tells whether the two sets differ: its hundreds and its tens are both read
	// otherwise where years are.
	a, _ := sp.num.Format(sp.year, "1984")
	b, _ := sp.num.Format(sp.Cardinal, "1984")
	if rows := sp.Lexicon.Rows("year.hundreds"); len(rows) > 0 {
		sp.hundreds = [2]string{rows[0].Value(0), rows[0].Value(1)}
	}
	sp.Years = (a != b || sp.hundreds[0] != "") && !dated(sp.Code)
	// The word for minus is what the rules put before 1 to say -1.
	one, _ := sp.num.Format(sp.Cardinal, "1")
	below, _ := sp.num.Format(sp.Cardinal, "-1")
	if w, ok := strings.CutSuffix(below, one); ok && one != "" {
		sp.negative = strings.TrimSpace(w)
	}
	sp.Point = sp.Lexicon.Word("point")
	if sp.Point == "" {
		sp.Point = sp.derivePoint()
	}
	sp.pointNumber = sp.Lexicon.Word("point.number") == "yes"
}

// dated reports whether the rule set for years of a language is right only within a
// date, where the year is an ordinal or a row of digits.
func dated(code lang.Code) bool {
	switch code {
	case "ru", "pl", "lt", "uz", "zh", "yue", "ja":
		return true
	}
	return false
}

// FirstSet returns the first of the rule sets that the language has, "" for none.
func (sp *Speaker) FirstSet(sets ...string) string {
	for _, s := range sets {
		if s != "" && sp.num != nil && sp.num.Has(s) {
			return s
		}
	}
	return ""
}

// derivePoint finds the word for the decimal point: what the rules put between 2 and 3 4
// to say 2.34. It returns "" when the rules do not say the digits one by one.
func (sp *Speaker) derivePoint() string {
	w, ok := sp.num.Format(sp.Cardinal, "2.34")
	if !ok {
		return ""
	}
	w, ok = strings.CutPrefix(w, sp.Digit[2])
	if !ok {
		return ""
	}
	w, ok = strings.CutSuffix(w, sp.Join(sp.Digit[3], sp.Digit[4]))
	if !ok {
		return ""
	}
	return strings.TrimSpace(w)
}

// Join joins words with spaces where the language has them, and leaves out empty words.
func (sp *Speaker) Join(words ...string) string {
	if len(words) == 2 && (words[0] == "" || words[1] == "") {
		return words[0] + words[1]
	}
	var b strings.Builder
	for _, w := range words {
		if w == "" {
			continue
		}
		// Latin letters need a space also in a language that has none.
		if b.Len() > 0 && (sp.Spaced || scan.IsLetter(scan.FirstRune(w)) && scan.FirstRune(w) < 0x2E80) {
			b.WriteByte(' ')
		}
		b.WriteString(w)
	}
	return b.String()
}

// Letters says a word letter by letter, with spaces between the letters or their names.
func (sp *Speaker) Letters(w string) string {
	var b strings.Builder
	for i, r := range w {
		c := w[i : i+utf8.RuneLen(r)]
		if i > 0 && !scan.IsMark(r) {
			b.WriteByte(' ')
		}
		if name := sp.letters[c]; name != "" {
			c = name
		}
		b.WriteString(c)
	}
	return b.String()
}

// FormsOf converts the plural forms of a lexicon to those by category.
func FormsOf(f locale.Forms) map[cldr.Category]string {
	if f == nil {
		return nil
	}
	m := make(map[cldr.Category]string, len(f))
	for c := cldr.Zero; c <= cldr.Other; c++ {
		if s, ok := f[c.String()]; ok {
			m[c] = s
		}
	}
	return m
}

// Pick returns the plural form of a category, or the one of Other when there is none.
func Pick(forms map[cldr.Category]string, c cldr.Category) string {
	if s, ok := forms[c]; ok {
		return s
	}
	return forms[cldr.Other]
}

// Forms parses plural forms as the lexicon writes them.
func Forms(value string) map[cldr.Category]string { return FormsOf(locale.ParseForms(value)) }

// FieldSet removes the rule set from the field {n:SET} of a form. It returns the form
// with {n}, and the set, "" when the form names none.
func FieldSet(form string) (plain, set string) {
	before, rest, found := strings.Cut(form, "{n:")
	if !found {
		return form, ""
	}
	set, after, _ := strings.Cut(rest, "}")
	return before + "{n}" + after, set
}

// SetFor returns the rule set for a number that counts something of a gender.
func (sp *Speaker) SetFor(gender string) string {
	if gender == "" {
		return sp.counting
	}
	if set := sp.FirstSet(sp.gender[gender], "spellout-cardinal-"+gender); set != "" {
		return set
	}
	return sp.counting
}
