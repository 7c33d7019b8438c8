// Package quantity reads numbers and what they count: amounts of money, measures,
// percentages, ranges, rates, durations, and numbers that stand alone.
package quantity

import (
	"strings"

	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
	"vaak/text/normalize/sport"
)

// Recognizer reads quantities of one language. It is safe for concurrent use.
type Recognizer struct {
	say     *speak.Speaker
	agree   *speak.Agreement
	amounts *amounts
	numbers *numbers
	scales  *scales
	money   *money
	units   *units
	plain   *plain

	// Rates reads units that stand without a number.
	Rates *Rates
}

// New returns the recognizer of a speaker's language, and adds the words with which
// quantities begin to starts.
func New(say *speak.Speaker, agree *speak.Agreement, results *sport.Results, starts *scan.Starts) *Recognizer {
	lex := say.Lexicon
	am, nu := &amounts{say}, &numbers{say: say, naming: lex.Set("abbr.number")}
	mo := &money{say: say, amounts: am, numbers: nu}
	mo.compile(starts)
	un := &units{say: say, amounts: am, numbers: nu}
	un.compile()
	sc := &scales{say: say, amounts: am, money: mo}
	sc.compile()
	nu.isMoney = mo.is
	nu.counts = func(in *scan.View, i int) bool {
		if in.IsPercent(i) || mo.is(in, i) {
			return true
		}
		_, n := un.at(in, i)
		return n > 0 && in.Closes(i+n) && !attached(in.Text(i), n)
	}
	return &Recognizer{
		say: say, agree: agree, amounts: am, numbers: nu, scales: sc, money: mo, units: un, Rates: newRates(say, mo, un),
		plain: &plain{
			say: say, agree: agree, amounts: am, results: results,
			yearSpan: lex.Word("range.year"), dayParts: lex.Set("time.point"), hours: lex.Set("hours.word"),
		},
	}
}

// amount is one number or a range, with what it counts.
type amount struct {
	a, b    scan.Number // b is used only in a range
	ranged  bool
	shifted bool   // a letter that multiplies was taken into a
	span    string // the pattern of the range that the word before it asks for
	falls   bool   // a is larger than b, so the spaced hyphen between them may be a minus
	lead    rune   // a sign before it that is no minus, such as + or ±
	scale   string // the word for a power of ten after it: million, lakh
	of      string // the gender of the scale
	ending  string // the case ending of the scale, which the currency takes
	joined  string // an ending written to the scale that belongs to all of the words
	money   string // ISO code
	percent bool
	unit    *unit
	// genitive means that the word before asks for that case.
	genitive bool
	end      int // the token after it
	counted  int // the token after the numbers; 0 when a currency stands before them
}

// Quantity reads a number or a range, with or without a currency, a unit or a percent
// sign.
func (qr *Recognizer) Quantity(in *scan.View, i int) scan.Outcome {
	q, ok := qr.quantity(in, i)
	if !ok {
		return scan.Outcome{}
	}
	if w, n := qr.plain.withTail(in, q); n > 0 {
		return scan.Said(w, n-i)
	}
	w, ok := qr.sayQuantity(in, q)
	if !ok && q.counted > 0 {
		// The language has no name for the unit or currency: read the number alone and
		// leave the sign as it is written.
		q.end, q.money, q.percent, q.unit = q.counted, "", false, nil
		w, ok = qr.sayQuantity(in, q)
	}
	if !ok || w == "" {
		return scan.Outcome{}
	}
	if q.money != "" {
		w = qr.money.unnamed(in, w, q)
	}
	if q.unit != nil && q.unit.key == "duration-hour" {
		w, q.end = qr.units.minutes(in, w, q.end)
	}
	if q.unit != nil && q.unit.key == "length-foot" {
		w, q.end = qr.units.inchesAfter(in, w, q.end)
	}
	if q.unit != nil || q.money != "" || q.scale != "" || q.percent || q.shifted {
		w, q.end = qr.Rates.perWhat(in, w, q.end)
		w, q.end = qr.wholeRange(in, w, q)
	}
	if q.unit == nil && q.money == "" && q.scale == "" && !q.percent && in.Is(q.end, '/') {
		w, q.end = qr.Rates.perTime(in, w, q.end)
	}
	if q.unit == nil && q.money == "" && q.scale == "" && !q.percent && !q.ranged {
		w, q.end = qr.units.hyphened(in, w, q.end)
	}
	if strings.HasSuffix(w, "-") && q.a.Below != "" && in.Kind(q.end) == scan.Space {
		q.end++ // the fraction is one word with its noun: une demi-tasse
	}
	// The full stop of "5 kg." is part of the unit's sign and would be lost with it.
	if (q.unit != nil || q.money != "") && qr.stopsSentence(in, q.end-1) {
		w += "."
	}
	return scan.Said(w, q.end-i)
}

// quantity parses an amount from token i on.
func (qr *Recognizer) quantity(in *scan.View, i int) (q amount, ok bool) {
	q.genitive = qr.agree.Genitive(in, i)
	j := i
	minus := false
	if in.Kind(j) == scan.Sign {
		minus, q.lead = qr.lead(in, j)
		if minus || q.lead != 0 {
			j++
		}
		// A letter before the sign stands for a number, x > 5, unless the language says the sign
		// behind the number there, too.
		if compares(in, j) && (!variable(in, in.Back(j-1)) || qr.postposed(in.Rune(j))) {
			q.lead, j = in.Rune(j), j+2
			q.genitive = qr.agree.Genitive(in, j)
		}
	}
	if code, n := qr.money.signs.Match(in, j); n > 0 && prefixed(in, j, n) && !begins(in, j, n) && !(in.Is(j-1, '/') && in.Token(j-2).Upper && in.Token(j).Upper) { // EUR/USD 1.08 is a rate
		q.money, j = code, in.Skip(j+n)
		if in.Is(j, '-') || in.Is(j, '−') {
			minus = true
			j++
		}
	}
	if in.IsPercent(j) && in.Opens(j) && in.Kind(j+1) == scan.Digits {
		q.percent = true
		j++
	}
	if q.a, ok = qr.numbers.at(in, j); !ok {
		return q, false
	}
	q.a.Minus, q.end = minus, q.a.End
	// "डॉलर 86.4 रु.": the word before belongs to the sentence when another currency follows.
	if q.money != "" && in.Kind(i) == scan.Word {
		if code, n := qr.money.signs.Match(in, in.Skip(q.end)); n > 0 && code != q.money && in.Closes(in.Skip(q.end)+n) && in.Kind(q.end) != scan.Sign {
			return q, false
		}
	}
	// The order is that of the text: the other end of a range, the scale, and what is
	// counted.
	qr.rangeEnd(in, &q)
	qr.scales.after(in, &q)
	if q.money == "" {
		q.counted = q.end
	}
	qr.suffix(in, &q)
	return q, true
}

// begins reports whether the n tokens at j that may be the code of a currency begin the number
// of something else, with a hyphen: PKR-88213.
func begins(in *scan.View, j, n int) bool {
	return n == 1 && in.Kind(j) == scan.Word && in.Is(j+1, '-') && in.Kind(j+2) == scan.Digits && scan.RuneLen(in.Text(j+2)) > 4
}

// compares reports whether a sign such as < stands between spaces at j, with no number on its
// left: children < 5 years.
func compares(in *scan.View, j int) bool {
	switch in.Rune(j) {
	case '<', '>', '≤', '≥':
		k := in.Kind(in.Back(j - 1))
		return (in.Kind(j-1) == scan.Space || in.Kind(j-1) == 0) && in.Kind(j+1) == scan.Space && in.Kind(j+2) == scan.Digits && k != scan.Digits && !in.IsOperator(in.Back(j-1))
	}
	return false
}

// postposed reports whether a sign is said behind its number.
func (qr *Recognizer) postposed(r rune) bool {
	w := qr.say.Signs.Lead(r)
	return strings.HasPrefix(w, "{n} ") || strings.HasPrefix(w, "{n}") && strings.HasSuffix(w, qr.say.Signs.Math(r))
}

// variable reports whether the word at i is one Latin letter.
func variable(in *scan.View, i int) bool {
	return in.Kind(i) == scan.Word && in.Rune(i) < 0x250 && scan.RuneLen(in.Text(i)) == 1
}

// lead returns the sign before a number: a minus, or another one.
func (qr *Recognizer) lead(in *scan.View, j int) (minus bool, other rune) {
	r := in.Rune(j)
	if in.Kind(j-1) == scan.Word && in.Token(j-1).Dense && in.Kind(j-2) == scan.Digits {
		return false, 0 // the hyphen of a range: 3万-5万
	}
	if !in.Opens(j) || in.Is(j-1, ')') || in.Is(j-1, '-') || in.Is(j-1, '.') || in.Kind(j+1) != scan.Digits && in.Kind(j+1) != scan.Sign && !(in.Kind(j-1) == scan.Space && qr.money.is(in, j+1)) {
		return false, 0
	}
	switch r {
	case '-', '−', '–', '－':
		// A hyphen is a minus only directly before a number or currency. An en dash
		// never is, because it marks items of a list and pauses.
		return r != '–' && (in.Kind(j+1) == scan.Digits || qr.money.is(in, j+1) || LeadingPoint(in, j+1)), 0
	case '+', '±', '~', '≈', '<', '>', '≤', '≥', '√':
		return false, r
	}
	return false, 0
}

// suffix takes what stands after the numbers into an amount: a currency, a percent sign
// or a unit.
func (qr *Recognizer) suffix(in *scan.View, q *amount) {
	j := in.Skip(q.end)
	if q.money != "" {
		qr.money.moneyTail(in, q)
		qr.money.codeAfter(in, q)
		return
	}
	if q.percent {
		return
	}
	if u, n := qr.units.at(in, j); n > 1 && in.Kind(j) == scan.Sign && in.Closes(j+n) {
		q.unit, q.end = u, j+n // a sign with an ending, as in Finnish %:n
		return
	}
	if in.IsPercent(j) {
		q.percent, q.end = true, j+1
		return
	}
	// A copy, since the dash of "500,– kr" belongs to the amount only if a currency
	// follows.
	tail := *q
	if qr.money.roundTail(in, &tail); tail.end > q.end {
		j = in.Skip(tail.end)
	}
	// The longer one wins: 2 р. в день is how often, 2 р. is money.
	_, longer := qr.units.signs.Match(in, j)
	if code, n := qr.money.signs.Match(in, j); n > 0 && n >= longer && (in.Closes(j+n) || in.Token(j+n-1).Kind == scan.Sign) && !nextPrice(in, j, n) {
		q.money, q.end = code, j+n
		qr.money.moneyTail(in, q)
		return
	}
	if tail.end > q.end {
		if in.Closes(tail.end) && in.Kind(tail.end-2) == scan.Sign && (in.Kind(tail.end) != scan.Sign || scan.IsWide(in.Text(tail.end)) || strings.ContainsRune(".!,;:)/", in.Rune(tail.end))) {
			// A round price whose currency is not written: 99,-
			q.end = tail.end
			if qr.money.currencies[qr.money.round] != nil {
				q.money = qr.money.round
			}
		}
		return
	}
	u, n := qr.units.at(in, j)
	if n > 0 && u.counter && in.Token(j).Dense && (qr.units.countsNot[in.Text(q.a.Start-1)] || q.ranged && qr.plain.yearMark(in, j) && len(q.a.Whole) == 4) {
		return // an ordinal as in 第2个, or years
	}
	if n == 0 || !in.Closes(j+n) && !in.Token(j+n-1).Dense || j != q.end && qr.units.apart(in, j, n) && !qr.tenths(in, q, u, j) || qr.units.numbers.numbered(in, j, n, u.key) {
		return
	}
	if n == 1 && in.Kind(j) == scan.Word && in.Is(j+1, '\'') && in.Kind(j+2) == scan.Word && !qr.say.Endings.Marked(in, j+1) {
		return
	}
	if n == 1 && j > q.end && scan.RuneLen(in.Text(j)) == 1 && (in.Is(j+1, '.') && in.Kind(j+2) == scan.Word || qr.units.beforeOrdinal(in, j+1) || in.Token(j).Upper && qr.named(in, q.a.Start)) {
		return // the beginning of an abbreviation, or a letter of an address: 4 m.b.t., 45 W 3rd Ave., Rte. 42 W
	}
	if n == 1 && in.Text(j) == "in" && j > q.end && in.Kind(j+1) == scan.Space && !measured(in, j+2) {
		return // a preposition: 1 in 3 children
	}
	q.unit, q.end = u, j+n
}

// tenths reports whether a decimal before a symbol at j that is mostly another word is one of
// seconds: 19,19 с.
func (qr *Recognizer) tenths(in *scan.View, q *amount, u *unit, j int) bool {
	return q.a.Frac != "" && u.key == "duration-second" && in.Kind(in.Skip(j+1)) != scan.Word
}

// named reports whether an abbreviation that stands before numbers is before the one at i.
func (qr *Recognizer) named(in *scan.View, i int) bool {
	b := in.Back(i - 1)
	if in.Is(b, '.') {
		return qr.numbers.naming[in.Text(b-1)+"."]
	}
	return qr.numbers.naming[in.Text(b)]
}

// measured reports whether the word at j follows inches: 5 in wide.
func measured(in *scan.View, j int) bool {
	switch in.Text(j) {
	case "wide", "tall", "long", "high", "deep", "thick", "x", "by", "of", "and", "or", "to", "diameter":
		return true
	}
	k := in.Kind(j)
	return k != scan.Word && k != scan.Digits
}

// Counted reports whether a unit, a currency or a scale stands at j.
func (qr *Recognizer) Counted(in *scan.View, j int) bool {
	if _, n := qr.units.at(in, j); n > 0 && in.Closes(j+n) && !(in.Kind(j-1) == scan.Space && qr.units.apart(in, j, n)) {
		return true
	}
	if _, n := qr.money.signs.Match(in, j); n > 0 && in.Closes(j+n) {
		return true
	}
	_, n := qr.scales.at(in, j, false)
	return n > 0
}

// stopsSentence reports whether the full stop at i, which belongs to a unit or currency,
// also ends the sentence: a word with a capital follows. German nouns have capitals, so
// there it never does.
func (qr *Recognizer) stopsSentence(in *scan.View, i int) bool {
	return in.Is(i, '.') && qr.say.Code != "de" && in.Kind(i+1) == scan.Space && in.Capitalized(i+2)
}

// Number returns the written number at i, without a sign.
func (qr *Recognizer) Number(in *scan.View, i int) (scan.Number, bool) { return qr.numbers.at(in, i) }

// IsCurrency reports whether a currency stands at i.
func (qr *Recognizer) IsCurrency(in *scan.View, i int) bool { return qr.money.is(in, i) }

// Unit returns how many tokens the unit at i takes, 0 when there is none.
func (qr *Recognizer) Unit(in *scan.View, i int) int {
	_, n := qr.units.at(in, i)
	return n
}

// IsUnit returns how many tokens the unit of a CLDR key takes at i, 0 when it does not stand
// there.
func (qr *Recognizer) IsUnit(in *scan.View, i int, key string) int {
	if u, n := qr.units.at(in, i); n > 0 && u.key == key && in.Closes(i+n) && !(in.Kind(i-1) == scan.Space && qr.units.apart(in, i, n)) {
		return n
	}
	return 0
}

// CountsOther reports whether a unit of something else than the sides of things stands at i,
// or a currency: 3 x 500 ml is three times that much, 2 x 1 tabl. two times one.
func (qr *Recognizer) CountsOther(in *scan.View, i int) bool {
	if u, n := qr.units.at(in, i); n > 0 && in.Closes(i+n) {
		return !u.counter && !strings.HasPrefix(u.key, "length-") && !strings.HasPrefix(u.key, "area-") && !strings.HasPrefix(u.key, "graphics-")
	}
	return qr.money.is(in, i)
}

// IsScale reports whether a word for a power of ten stands at i.
func (qr *Recognizer) IsScale(in *scan.View, i int) bool {
	_, n := qr.scales.words.Match(in, i)
	return n > 0
}

// UnitName returns the name of the unit of a CLDR key in the plural form for n, without
// the number.
func (qr *Recognizer) UnitName(key string, n int, genitive bool) (string, bool) {
	return qr.units.name(key, n, genitive)
}

// Counts says a whole number of the unit of a CLDR key.
func (qr *Recognizer) Counts(n int, key string) (string, bool) {
	return qr.units.counts(n, key)
}

// Measure says a number without a fraction with the unit of a CLDR key.
func (qr *Recognizer) Measure(x scan.Number, key string) (string, bool) {
	return qr.units.measure(x, key)
}

// KnowsUnit reports whether the language has a name for the unit of a CLDR key, with "/s"
// for that unit in a second.
func (qr *Recognizer) KnowsUnit(key string) bool {
	if base, rate := strings.CutSuffix(key, "/s"); rate && qr.units.byKey(key) == nil {
		return qr.units.perSecond(base) != nil
	}
	return qr.units.byKey(key) != nil
}

// KnowsCurrency reports whether the language has a name for the currency of an ISO 4217
// code.
func (qr *Recognizer) KnowsCurrency(code string) bool { return qr.money.currencies[code] != nil }

// Form returns the form that the unit at i takes after a number, with the field {n}, and
// how many tokens the unit takes; 0 when none stands there whose CLDR key has the prefix.
func (qr *Recognizer) Form(in *scan.View, i int, prefix string, x scan.Number) (form string, n int) {
	u, n := qr.units.at(in, i)
	if n == 0 || !strings.HasPrefix(u.key, prefix) || !in.Closes(i+n) {
		return "", 0
	}
	form, _ = speak.FieldSet(speak.Pick(u.forms, qr.amounts.category(amount{a: x})))
	return form, n
}

// Decimal returns the number of the digits at i with those after its decimal sign. It joins
// no groups and takes no fraction: of 3/5, it is 3.
func (qr *Recognizer) Decimal(in *scan.View, i int) scan.Number {
	x := scan.Number{Whole: scan.Arabic(in.Text(i)), Start: i, End: i + 1}
	qr.numbers.fraction(in, &x)
	return x
}

// Thousands reports whether a space and three noughts stand at i, as after the first
// digits of a large number.
func Thousands(in *scan.View, i int) bool {
	return in.Skip(i) > i && in.Kind(i+1) == scan.Digits && in.Text(i+1) == "000" && in.Closes(i+2)
}
