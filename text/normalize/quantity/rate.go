package quantity

import (
	"strings"

	"vaak/text/normalize/cldr"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// Rates reads what an amount is for, and units that stand without a number. It is safe
// for concurrent use.
type Rates struct {
	say     *speak.Speaker
	money   *money
	units   *units
	measure string               // the pattern of an amount for a measure: €2/100 g
	phrases scan.Phrases[string] // what is written after a price, and its pattern: /month, p.a.
}

// newRates reads the phrases after a price.
func newRates(say *speak.Speaker, money *money, units *units) *Rates {
	ra := &Rates{say: say, money: money, units: units, measure: say.Lexicon.Word("per.measure")}
	for w, p := range say.Lexicon.Pairs("per.phrase") {
		ra.phrases.Add(w, p)
	}
	return ra
}

// Alone reads a unit that stands without a number and has a sign in it: the speed in km/h,
// the price per m², ₹/kg. It also reads the slash and what follows it behind a word that a
// number counts: 2 tablets/day.
func (ra *Rates) Alone(in *scan.View, i int) scan.Outcome {
	if in.Is(i, '/') {
		return ra.slash(in, i)
	}
	if !in.Opens(i) || in.Kind(in.Back(i-1)) == scan.Digits {
		return scan.Outcome{}
	}
	if code, n := ra.money.signs.Match(in, i); n > 0 && in.Is(i+n, '/') {
		if c := ra.money.currencies[code]; c != nil {
			form := cldr.Other
			if ra.several() == 1 {
				form = cldr.One
			}
			return ra.alonePer(in, i, i+n, speak.Pick(c.major, form))
		}
	}
	u, n := ra.units.signs.Match(in, i)
	if n == 0 || in.Kind(i) != scan.Word {
		return scan.Outcome{}
	}
	if n == 1 {
		// A single letter before a slash is more often something else.
		if w, ok := ra.units.name(u.key, ra.several(), false); ok && in.Token(i).End-in.Token(i).Start > 1 {
			return ra.alonePer(in, i, i+1, w)
		}
		return scan.Outcome{}
	}
	written := in.Span(i, i+n)
	if !strings.ContainsAny(written, "/²³") || !in.Closes(i+n) {
		return scan.Outcome{}
	}
	// Speeds are many, and a price is per one square metre.
	count := 1
	if strings.Contains(written, "/") {
		count = ra.several()
	} else if ra.say.Code == "en" && !single[in.Text(in.Back(i-1))] {
		count = 2
	}
	w, ok := ra.units.name(u.key, count, false)
	if !ok || w == "" {
		return scan.Outcome{}
	}
	// Where the number stands between the words of the unit, two spaces are left of it.
	return scan.Said(strings.ReplaceAll(w, "  ", " "), n)
}

// alonePer returns the words for a unit or currency and the unit after the slash at j.
func (ra *Rates) alonePer(in *scan.View, i, j int, w string) scan.Outcome {
	if !in.Is(j, '/') || in.Kind(j+1) != scan.Word {
		return scan.Outcome{}
	}
	w, end := ra.perUnit(in, w, j)
	if end == j {
		return scan.Outcome{}
	}
	return scan.Said(w, end-i)
}

// several returns a number whose plural form is that of units in general. Where two has
// a form of its own, the singular is the better one.
func (ra *Rates) several() int {
	switch ra.say.Code {
	case "ar", "he", "sl", "mt", "ga", "ru", "uk", "be", "pl", "cs", "sk", "hr", "sr", "bg", "mk", "lt", "lv", "ro", "cy":
		return 1
	}
	return 2
}

// single are the English words before one unit.
var single = scan.SetOf("per a an each every one")

// slash reads a slash and what follows it after a number and what it counts, as in 2
// tablets/day.
func (ra *Rates) slash(in *scan.View, i int) scan.Outcome {
	if in.Kind(i-1) != scan.Word || !ra.counted(in, i) {
		return scan.Outcome{}
	}
	p, n := ra.phrases.Match(in, i)
	if n == 0 && ra.say.SouthAsian && in.Kind(i+1) == scan.Word && in.Rune(i+1) >= 0x600 {
		// Any word of a script of South Asia: 50 रुपये/किलो.
		p, n = strings.Replace(speak.Fill1(ra.say.Locale.Per, "{1}", in.Text(i+1)), "{0}", "{n}", 1), 2
	}
	w, ok := strings.CutPrefix(p, "{n} ")
	if n == 0 || !ok || !in.Closes(i+n) {
		return scan.Outcome{}
	}
	return scan.Said(" "+w, n)
}

// counted reports whether the word before the slash at i is counted, or describes what a sum
// of money is: 2 tablets/day, 2.800 € brutto/Mon.
func (ra *Rates) counted(in *scan.View, i int) bool {
	b := in.Back(i - 2)
	if in.Kind(b) == scan.Digits {
		return true
	}
	return b < i-2 && ra.money.is(in, b)
}

// perWhat reads what an amount is for, such as the month: ₹50/kg, $5/mo, 3% p.a. It
// returns the words and the token after them.
func (ra *Rates) perWhat(in *scan.View, w string, end int) (string, int) {
	// A phrase that begins with a sign touches the amount; another one has a space before it.
	j := end
	if in.Kind(j) == scan.Space {
		j = in.Skip(end)
	}
	if in.Kind(j) == scan.Sign && (j == end || in.Is(j, '/') && in.Kind(j+1) == scan.Word) || in.Kind(j) == scan.Word && j > end {
		if p, n := ra.phrases.Match(in, j); n > 0 && in.Closes(j+n) {
			return speak.Fill1(p, "{n}", w), j + n
		}
	}
	return ra.perUnit(in, w, end)
}

// perTime reads a span of time after a slash behind a plain number: pulse 90/min.
func (ra *Rates) perTime(in *scan.View, w string, end int) (string, int) {
	if in.Kind(end+1) != scan.Word || scan.RuneLen(in.Text(end+1)) < 2 {
		return w, end
	}
	u, n := ra.units.at(in, end+1)
	if n == 0 && in.Rune(end+1) >= 0x590 {
		return ra.perWhat(in, w, end) // अधिकतम 4/दिन
	}
	if n == 0 || !in.Closes(end+1+n) || !strings.HasPrefix(u.key, "duration-") {
		return w, end
	}
	// The phrases of the lexicon are those of prices and second to the words of CLDR.
	if p := ra.say.Locale.Units[u.key].Per; p == "" || strings.ContainsAny(p, "/.") {
		return ra.perWhat(in, w, end)
	}
	return ra.perUnit(in, w, end)
}

// perUnit reads the unit after a slash, ₹50/kg, and returns the words and the token
// after it.
func (ra *Rates) perUnit(in *scan.View, w string, end int) (string, int) {
	if !in.Is(end, '/') {
		return w, end
	}
	if in.Kind(end+1) == scan.Digits {
		return ra.perMeasure(in, w, end)
	}
	u, n := ra.units.at(in, end+1)
	if n == 0 {
		return ra.perWord(in, w, end)
	}
	if !in.Closes(end + 1 + n) {
		return w, end
	}
	p := ra.say.Locale.Units[u.key].Per
	if p == "" || strings.ContainsAny(p, "/.") { // CLDR has only a sign or an abbreviation
		one, _ := cldr.NewOperands("1")
		form, _ := speak.FieldSet(speak.Pick(u.forms, ra.say.Locale.Plural(one)))
		name := strings.TrimSpace(speak.Fill1(form, "{n}", ""))
		if ra.units.per != "" {
			return ra.say.Endings.Fill2(ra.units.per, "{u}", name, "{n}", w), end + 1 + n
		}
		p = speak.Fill1(ra.say.Locale.Per, "{1}", name)
	}
	if !strings.Contains(p, "{0}") || strings.Contains(p, "/") {
		return w, end
	}
	return speak.Fill1(p, "{0}", w), end + 1 + n
}

// perMeasure reads a number with a unit after the slash at end: 0,20 €/100 g, 12 g/100 ml.
func (ra *Rates) perMeasure(in *scan.View, w string, end int) (string, int) {
	x, ok := ra.units.numbers.at(in, end+1)
	j := in.Skip(x.End)
	u, n := ra.units.at(in, j)
	if !ok || n == 0 || u.counter || strings.HasPrefix(u.key, "angle-") || strings.HasPrefix(u.key, "temperature-") || !in.Closes(j+n) || in.Is(j+n, '/') {
		return w, end
	}
	to, ok := ra.units.count(amount{a: x, unit: u, end: j + n})
	if x.Decimal() == "1" {
		to, ok = ra.units.name(u.key, 1, false) // 3 €/1 l
	}
	p := ra.say.Locale.Per
	switch {
	case !ok:
		return w, end
	case ra.measure != "":
		return speak.Fill2(ra.measure, "{u}", to, "{n}", w), j + n
	case ra.units.per != "":
		return ra.say.Endings.Fill2(ra.units.per, "{u}", to, "{n}", w), j + n
	case !strings.Contains(p, "{0}") || strings.Contains(p, "/"):
		return w, end
	}
	return speak.Fill2(p, "{0}", w, "{1}", to), j + n
}

// perWord reads a word after a slash that is no unit: ₹30/किलो, ₹80/दर्जन, €10/person.
func (ra *Rates) perWord(in *scan.View, w string, end int) (string, int) {
	p := ra.say.Locale.Per
	if in.Kind(end+1) != scan.Word {
		return w, end
	}
	switch ra.say.Code {
	case "it": // CLDR's al has the article of its units
		p = "{0} a {1}"
	case "pl", "hu", "tr": // they inflect the word
		return w, end
	}
	if ra.units.per != "" || !strings.Contains(p, "{0}") || strings.Contains(p, "/") {
		return w, end
	}
	// A word of another script than the language's, or a short one, may be anything.
	if r := in.Rune(end + 1); r < 0x600 && (ra.say.SouthAsian || in.Token(end+1).Upper || scan.RuneLen(in.Text(end+1)) < 3) || in.Token(end+1).Dense {
		return w, end
	}
	if !in.Closes(end+2) || in.Is(end+2, '/') {
		return w, end
	}
	return speak.Fill2(p, "{0}", w, "{1}", in.Text(end+1)), end + 2
}
