package normalize

import (
	"slices"
	"strings"

	"vaak/lang"
	"vaak/text/normalize/cldr"
)

// names are the words for signs; "" where the language has none.
type names struct {
	minus, plus, plusMinus, times, divided, equals, notEqual, less, greater string
	lessEqual, greaterEqual, approximately, root, power, infinity           string
	squared, cubed                                                          string // patterns with {n}
	at, dot, slash, backslash, hyphen, underscore, hash, and, star          string
	colon, tilde                                                            string
	number, version, versionPoint, phonePlus                                string
	by                                                                      string // x between dimensions
}

// patterns are how forms of more than one part are put together.
type patterns struct {
	per                                     string // {u} {n}
	span, yearSpan, ratio, score            string // {a} {b}
	counterSpan                             string // {a} {b}
	hyphened                                string // between the numbers of an address
	dayAfter                                string // a date with its day of the week in brackets
	clock24, hour24                         string // for hours from 13 on and 0
	date, dayMonth, monthYear, weekday      string
	monthFirst, monthFirstDay, yearFirst    string
	clock, hour, second, twelve, twelveHour string
	am, pm, oh                              string
	money, moneyAnd                         string
	fraction                                map[cldr.Category]string
	mixed                                   string
	ordinal                                 string
	ordinalDot, ordinalHyphen, yearNamed    bool
	percent                                 map[cldr.Category]string
	rating                                  string // {a} {b}
}

// compile makes the normalizer of a variant.
func compile(v variant) *Normalizer {
	n := &Normalizer{code: v.code, loc: v.loc, num: v.num, lex: v.lex, spaced: true}
	switch v.code {
	case "zh", "yue", "ja":
		n.spaced = false
	}
	switch v.code {
	case "bn", "as", "or", "mr", "ne", "gu", "ta", "te", "kn", "ml", "si", "kok", "sa", "mni":
		n.clings = true
	}
	n.monthFirst = v.code == "en" && v.region == "US"
	n.southAsian = southAsian(v.code)
	n.phones = n.southAsian || v.region == "IN"
	n.compileSets()
	n.compileNames()
	n.compilePatterns()
	n.compileTables()
	if n.names.times != "" {
		n.tables.start("x")
	}
	return n
}

// southAsian says that a language is of the region where numbers are lakh and
// crore.
func southAsian(code lang.Code) bool {
	switch code {
	case "hi", "bn", "ta", "te", "mr", "gu", "kn", "ml", "pa", "or", "as", "ur", "ne", "sd", "kok", "sa", "mai", "doi",
		"brx", "ks", "mni", "sat", "bho":
		return true
	}
	return false
}

// compileSets chooses the rule sets and the words of the digits.
func (n *Normalizer) compileSets() {
	if n.num == nil {
		return
	}
	n.cardinal = n.firstSet(n.lex.Word("cardinal"), "spellout-cardinal", "spellout-cardinal-masculine")
	if n.cardinal == "" {
		for _, set := range n.num.Sets() {
			if strings.HasPrefix(set, "spellout-cardinal") {
				n.cardinal = set
				break
			}
		}
	}
	n.counting = n.firstSet(n.lex.Word("counting"), n.cardinal)
	n.ordinal = n.firstSet(n.lex.Word("ordinal"), "spellout-ordinal", "spellout-ordinal-masculine")
	n.year = n.firstSet(n.lex.Word("year"), "spellout-numbering-year", n.cardinal)
	for d := range n.digit {
		w, _ := n.num.Format(n.cardinal, string(rune('0'+d)))
		n.digit[d] = strings.TrimSpace(w)
	}
	if w := n.lex.Word("digit.zero"); w != "" {
		n.digit[0] = w
	}
	a, _ := n.num.Format(n.year, "1984")
	b, _ := n.num.Format(n.cardinal, "1984")
	if rows := n.lex.Rows("year.hundreds"); len(rows) > 0 {
		n.hundreds = [2]string{rows[0].Value(0), rows[0].Value(1)}
	}
	n.years = (a != b || n.hundreds[0] != "") && !dated(n.code)
	one, _ := n.num.Format(n.cardinal, "1")
	below, _ := n.num.Format(n.cardinal, "-1")
	if w, ok := strings.CutSuffix(below, one); ok && one != "" {
		n.negative = strings.TrimSpace(w)
	}
	n.point = n.lex.Word("point")
	if n.point == "" {
		n.point = n.derivePoint()
	}
}

// dated says of a language whose way to read a year is right in a date only,
// where it is an ordinal or a row of digits.
func dated(code lang.Code) bool {
	switch code {
	case "ru", "pl", "lt", "uz", "zh", "yue", "ja":
		return true
	}
	return false
}

// firstSet returns the first of the rule sets that exists.
func (n *Normalizer) firstSet(sets ...string) string {
	for _, s := range sets {
		if s != "" && n.num != nil && n.num.Has(s) {
			return s
		}
	}
	return ""
}

// derivePoint finds the word for the point in a decimal; "" when the rules do
// not read decimals digit by digit.
func (n *Normalizer) derivePoint() string {
	w, ok := n.num.Format(n.cardinal, "2.34")
	if !ok {
		return ""
	}
	w, ok = strings.CutPrefix(w, n.digit[2])
	if !ok {
		return ""
	}
	w, ok = strings.CutSuffix(w, n.join(n.digit[3], n.digit[4]))
	if !ok {
		return ""
	}
	return strings.TrimSpace(w)
}

// compileNames looks up the words for signs.
func (n *Normalizer) compileNames() {
	name := func(key, symbol string) string {
		if rows := n.lex.Rows(key); len(rows) > 0 {
			return rows[0].Value(0)
		}
		return n.loc.Symbols[symbol]
	}
	n.names = names{
		minus: name("minus", "−"), plus: name("plus", "+"), plusMinus: name("plus-minus", "±"), times: name("times", "×"),
		divided: name("divided", "÷"), equals: name("equals", "="), notEqual: name("not-equal", "≠"), less: name("less", "<"),
		greater: name("greater", ">"), lessEqual: name("less-equal", "≤"), greaterEqual: name("greater-equal", "≥"),
		approximately: name("approximately", "≈"), root: name("root", "√"), power: name("power", ""),
		infinity: name("infinity", "∞"), squared: after(name("squared", "")), cubed: after(name("cubed", "")),
		at: name("at", "@"), dot: name("dot", "."), slash: name("slash", "/"), backslash: name("backslash", "\\"),
		hyphen: name("hyphen", "-"), underscore: name("underscore", "_"), hash: name("hash", "#"), and: name("and", "&"),
		star: name("star", "*"), colon: name("colon", ":"), tilde: name("tilde", "~"),
		number: name("number-sign", "№"), version: n.lex.Word("version"), versionPoint: n.lex.Word("version.point"), phonePlus: n.lex.Word("phone.plus"),
	}
	if n.names.minus == "" {
		n.names.minus = n.loc.Symbols["-"]
	}
	if n.names.by = n.lex.Word("by"); n.names.by == "" {
		n.names.by = n.names.times
	}
	if n.names.phonePlus == "" {
		n.names.phonePlus = n.names.plus
	}
}

// after makes a word a pattern in which it stands after the number.
func after(w string) string {
	if w == "" || strings.Contains(w, "{n}") {
		return w
	}
	return "{n} " + w
}

// compilePatterns reads the patterns, those that are missing from CLDR.
func (n *Normalizer) compilePatterns() {
	w := n.lex.Word
	or := func(p, other string) string {
		if p == "" {
			return other
		}
		return p
	}
	p := &n.patterns
	*p = patterns{
		counterSpan: w("counter.range"), hyphened: w("address.hyphen"), dayAfter: w("date.weekday-after"), clock24: w("time.24"), hour24: w("time.24.hour"),
		per: w("per"), span: w("range"), yearSpan: w("range.year"), ratio: w("ratio"), score: or(w("score"), w("ratio")), date: or(w("date"), n.longDate()),
		dayMonth: w("date.day-month"), monthYear: w("date.month-year"), weekday: or(w("date.weekday"), "{weekday}, {date}"),
		yearFirst: w("date.year-first"), monthFirst: w("date.month-first"), monthFirstDay: w("date.month-first.day-month"),
		clock: w("time"), hour: w("time.hour"), second: w("time.second"), twelve: w("time.12"), twelveHour: w("time.12.hour"),
		am: or(w("time.am"), n.loc.AM), pm: or(w("time.pm"), n.loc.PM), oh: w("time.oh"),
		money: or(w("money.pattern"), n.join("{n}", "{c}")), moneyAnd: or(w("money.and"), n.join("{major}", "{minor}")),
		fraction: categories(n.lex.Forms("fraction.other")), mixed: or(w("fraction.mixed"), n.join("{n}", "{f}")), ordinal: w("ordinal.pattern"),
		ordinalDot: w("ordinal.dot") == "yes", ordinalHyphen: w("ordinal.hyphen") == "yes",
	}
	p.yearNamed = slices.ContainsFunc(n.lex.List("year.word"), func(w string) bool { return strings.Contains(p.date, "} "+w) })
	p.dayMonth = or(p.dayMonth, cut(p.date, "{y}"))
	p.monthYear = or(p.monthYear, cutDay(p.date))
	p.rating = w("rating")
	p.percent = categories(n.lex.Forms("percent"))
	if p.percent == nil {
		p.percent = n.unitForms(n.loc.Units["concentr-percent"].Forms)
	}
}
