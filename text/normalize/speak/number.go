package speak

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"vaak/lang"
	"vaak/text/normalize/cldr"
	"vaak/text/normalize/rbnf"
	"vaak/text/normalize/scan"
)

// Most is the largest number of digits that are said as one number. Longer ones are said
// digit by digit.
const Most = 15

// Number says a number by a rule set. ok is false when the language has no words for it.
func (sp *Speaker) Number(x scan.Number, set string) (string, bool) {
	if x.Below != "" {
		return sp.Mixed(x, set)
	}
	// A number with leading zeros is a code: 007. 0.5 is not, and neither is 0 alone.
	if len(x.Whole) > Most || len(x.Whole) > 1 && x.Whole[0] == '0' && (x.Frac == "" || x.Whole[1] == '0') {
		return sp.serial(x)
	}
	if x.Frac == "" {
		return sp.words(x, set, x.Decimal())
	}
	if sp.Point == "" {
		return sp.words(x, set, x.Decimal())
	}
	// Before the point the number takes the form used for counting: eins Komma fünf.
	w, ok := sp.words(x, sp.Cardinal, strings.TrimSuffix(x.Decimal(), "."+x.Frac))
	if !ok {
		return "", false
	}
	// rbnf says -0 as 0, so the word for minus is put before it here.
	if x.Minus && strings.Trim(x.Whole, "0") == "" {
		zero, _ := sp.words(x, sp.Cardinal, "0")
		w = sp.Join(sp.below(), zero)
	}
	d, ok := sp.behindPoint(x.Frac)
	return sp.Join(w, sp.Point, d), ok
}

// behindPoint says the digits behind the point: one by one or, where the language does so,
// two of them as one number.
func (sp *Speaker) behindPoint(digits string) (string, bool) {
	if sp.pointNumber && len(digits) == 2 && digits[0] != '0' {
		return sp.Int(scan.Atoi(digits), "")
	}
	return sp.Digits(digits)
}

// below returns the word for minus before a negative number.
func (sp *Speaker) below() string {
	if sp.minus != "" {
		return sp.minus
	}
	if sp.negative != "" {
		return sp.negative
	}
	return sp.Signs.Minus
}

// serial says a number digit by digit.
func (sp *Speaker) serial(x scan.Number) (string, bool) {
	w, ok := sp.Digits(x.Whole)
	if ok && x.Frac != "" {
		var d string
		d, ok = sp.Digits(x.Frac)
		w = sp.Join(w, sp.Point, d)
	}
	if x.Minus {
		w = sp.Join(sp.Signs.Minus, w)
	}
	return w, ok
}

// words says a decimal number by a rule set. In English, a number grouped as in India is
// said in lakh and crore.
func (sp *Speaker) words(x scan.Number, set, decimal string) (string, bool) {
	if above, ok := strings.CutPrefix(decimal, "-"); ok && sp.minus != "" {
		w, ok := sp.words(x, set, above)
		return sp.Join(sp.minus, w), ok
	}
	// One or two digits without a leading zero: these words are cached.
	if set == sp.Cardinal && len(decimal) <= 2 && decimal[0] >= '0' && (len(decimal) == 1 || decimal[0] > '0' && decimal[1] >= '0') && sp.num != nil {
		return sp.smallWords(decimal)
	}
	f := sp.num
	if x.Lakhs && sp.Code == "en" {
		f = rbnf.Of(lang.Tag{Code: sp.Code, Region: "IN"})
	}
	if f == nil {
		return "", false
	}
	if w, ok := f.Format(set, decimal); ok {
		return strings.TrimSpace(w), true
	}
	if set != sp.Cardinal {
		// The set has no words for this number, as one for ordinals has none for decimals.
		// A cardinal is understood.
		if w, ok := f.Format(sp.Cardinal, decimal); ok {
			return w, true
		}
	}
	// The rules have no negative numbers: say minus and the number.
	if above, ok := strings.CutPrefix(decimal, "-"); ok {
		w, ok := sp.words(x, set, above)
		return sp.Join(sp.Signs.Minus, w), ok && sp.Signs.Minus != ""
	}
	return sp.Digits(decimal)
}

// smallWords says a number from 0 to 99 as a cardinal. These are the most frequent
// numbers, so their words are cached.
func (sp *Speaker) smallWords(decimal string) (string, bool) {
	kept := &sp.small[scan.Atoi(decimal)]
	if w := kept.Load(); w != nil {
		return *w, true
	}
	w, ok := sp.num.Format(sp.Cardinal, decimal)
	if !ok {
		return sp.Digits(decimal)
	}
	w = strings.TrimSpace(w)
	// Two callers may both store. The words are the same, so either is right.
	kept.Store(&w)
	return w, true
}

// Int says a small number by a rule set; "" is the set of plain cardinals, which also
// replaces a set that the language does not have.
func (sp *Speaker) Int(v int, set string) (string, bool) {
	if sp.num == nil {
		return "", false
	}
	if set == "" || !sp.num.Has(set) {
		set = sp.Cardinal
	}
	if set == sp.Cardinal && v >= 0 && v < len(sp.small) {
		return sp.smallWords(strconv.Itoa(v))
	}
	return sp.num.Format(set, strconv.Itoa(v))
}

// Digits says digits one by one. It skips other characters. ok is false when a digit has
// no word or there is none.
func (sp *Speaker) Digits(s string) (string, bool) {
	var b strings.Builder
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			continue
		}
		d := sp.Digit[s[i]-'0']
		if d == "" {
			return "", false
		}
		if _, dense := scan.Classify(scan.FirstRune(d)); b.Len() > 0 && sp.Spaced && !dense {
			b.WriteString(" ")
		}
		b.WriteString(d)
	}
	return b.String(), b.Len() > 0
}

// Mixed says a fraction and the whole number before it. The lexicon may have a word for
// both together, or a pattern that adds the fraction to the number.
func (sp *Speaker) Mixed(x scan.Number, set string) (string, bool) {
	f := x.Above + "/" + x.Below
	minus := ""
	if x.Minus {
		minus = sp.Signs.Minus
	}
	if x.Whole == "" {
		w, ok := sp.fractionPart(x)
		return sp.Join(minus, w), ok
	}
	if w := sp.special[x.Whole+" "+f]; w != "" {
		return sp.Join(minus, w), true
	}
	if sp.Code == "ko" {
		set = sp.Cardinal // only whole things are counted with native numerals
	}
	w, ok := sp.Number(scan.Number{Whole: x.Whole}, set)
	if !ok {
		return "", false
	}
	if p := sp.add[f]; p != "" {
		return sp.Join(minus, Fill1(p, "{n}", w)), true
	}
	part, ok := sp.fractionPart(x)
	mixed := sp.mixed
	// After a consonant the Korean word for and is another one: 일과, 이와.
	if r, _ := utf8.DecodeLastRuneInString(w); sp.Code == "ko" && r >= 0xAC00 && r <= 0xD7A3 && (r-0xAC00)%28 != 0 {
		mixed = strings.Replace(mixed, "{n}와", "{n}과", 1)
	}
	return sp.Join(minus, Fill2(mixed, "{n}", w, "{f}", part)), ok
}

// Part says a fraction without a whole number before a noun or a unit: de eine halbe
// (Tasse). Set is the rule set that the noun asks for, gender that of a unit. It returns
// "" where the lexicon has no words for it.
func (sp *Speaker) Part(x scan.Number, noun, set, gender string) string {
	if len(sp.parts) == 0 || x.Whole != "" || x.Below == "" || x.Minus {
		return ""
	}
	return ofNoun(sp.parts[x.Above+"/"+x.Below], noun, set, gender)
}

// ofNoun returns the word that a list has for a noun: for itself, for its longest ending,
// for its gender, or for any. Without a noun the gender is that of a unit.
func ofNoun(list map[string]string, noun, set, gender string) string {
	if list == nil {
		return ""
	}
	if w := list[noun]; w != "" && noun != "" {
		return w
	}
	for k := range noun {
		if w := list["-"+noun[k:]]; w != "" {
			return w
		}
	}
	if gender == "" {
		gender = genderOf(set)
	}
	if w := list["#"+gender]; w != "" || noun == "" {
		return w
	}
	return list["*"]
}

// Tail says the fraction after a whole number behind the noun or unit that both count: es
// (dos horas) y media. It returns "" where the language does not say it so.
func (sp *Speaker) Tail(x scan.Number, noun, set, gender string) string {
	if len(sp.tails) == 0 || x.Whole == "" || x.Below == "" {
		return ""
	}
	return ofNoun(sp.tails[x.Above+"/"+x.Below], noun, set, gender)
}

// genderOf returns the gender in the name of a rule set, "" for none.
func genderOf(set string) string {
	for _, g := range [...]string{"masculine", "feminine", "neuter"} {
		if strings.HasSuffix(set, "-"+g) {
			return g
		}
	}
	return ""
}

// fractionPart says a fraction without its whole number.
func (sp *Speaker) fractionPart(x scan.Number) (string, bool) {
	if w := sp.fraction[x.Above+"/"+x.Below]; w != "" {
		return w, true
	}
	if len(sp.fractions) == 0 {
		return "", false
	}
	o, _ := cldr.NewOperands(x.Above)
	if p := Pick(sp.fractions, sp.Locale.Plural(o)); strings.Contains(p, "{b}-") {
		a, ok := sp.Number(scan.Number{Whole: x.Above}, sp.Cardinal)
		b, ok2 := sp.Number(scan.Number{Whole: x.Below}, sp.Cardinal)
		return sp.Endings.Fill2(p, "{a}", a, "{b}", b), ok && ok2
	}
	return Fill(Pick(sp.fractions, sp.Locale.Plural(o)), func(name, set string) (string, bool) {
		v := x.Above
		if name == "b" {
			v = x.Below
		}
		if set == "" || !sp.num.Has(set) {
			set = sp.Cardinal
		}
		if sp.num == nil {
			return "", false
		}
		return sp.num.Format(set, v)
	})
}

// Pair says two numbers in a pattern with the fields {a} and {b}, or {b:SET} for a rule
// set.
func (sp *Speaker) Pair(pattern string, a, b scan.Number) (string, bool) {
	if !strings.Contains(pattern, ":") {
		x, ok := sp.Number(a, sp.Cardinal)
		y, ok2 := sp.Number(b, sp.Cardinal)
		return sp.Endings.Fill2(pattern, "{a}", x, "{b}", y), ok && ok2
	}
	return Fill(pattern, func(name, set string) (string, bool) {
		x := a
		if name == "b" {
			x = b
		}
		return sp.Number(x, sp.FirstSet(set, sp.Cardinal))
	})
}

// Range joins the words for the two ends of a range.
func (sp *Speaker) Range(a, b string) string {
	if sp.Span == "" {
		return a + "–" + b
	}
	// A preposition between both ends asks for a case, too: خمسة إلى عشرين.
	if between := strings.Fields(sp.Span); sp.Oblique != nil && len(between) == 3 && sp.ObliqueBefore[between[1]] {
		b = sp.oblique(b)
	}
	return sp.Endings.Fill2(sp.Span, "{a}", a, "{b}", b)
}

// InOblique returns words in the case that the word before token i asks for, where a
// language has that case in the endings of its numbers: ar حتى عشرين. A definite word may
// stand between both: في الدقيقة التسعين.
func (sp *Speaker) InOblique(in *scan.View, i int, words string) string {
	if sp.Oblique == nil || in.Kind(i-1) != scan.Space || in.Kind(i-2) != scan.Word {
		return words
	}
	if !sp.ObliqueBefore[in.Text(i-2)] && !(strings.HasPrefix(words, "ال") && strings.HasPrefix(in.Text(i-2), "ال") && in.Kind(i-3) == scan.Space && sp.ObliqueBefore[in.Text(i-4)]) {
		return words
	}
	return sp.oblique(words)
}

// oblique returns words in the oblique case.
func (sp *Speaker) oblique(words string) string {
	parts := strings.Split(words, " ")
	for k, w := range parts {
		stem, tail := strings.CutSuffix(w, "،")
		and, prefix := strings.CutPrefix(stem, "و")
		v := sp.Oblique[stem]
		if v == "" && prefix {
			if v = sp.Oblique[and]; v != "" {
				v = "و" + v
			}
		}
		if v == "" || stem == "اثنان" && len(parts) > 2 { // a digit among others
			continue
		}
		if tail {
			v += "،"
		}
		parts[k] = v
	}
	return strings.Join(parts, " ")
}

// RangeBy joins the words for the two ends of a range by a pattern, "" for the plain one.
func (sp *Speaker) RangeBy(pattern, a, b string) string {
	if pattern == "" {
		return sp.Range(a, b)
	}
	return sp.Endings.Fill2(pattern, "{a}", a, "{b}", b)
}

// SpanAfter returns the pattern of a range at token i that the word before it asks for,
// such as "between" in "between 5-10"; "" for the plain one.
func (sp *Speaker) SpanAfter(in *scan.View, i int) string {
	if len(sp.spans) == 0 || in.Kind(i-1) != scan.Space {
		return ""
	}
	if in.Is(i-2, '.') {
		return sp.spans[in.Text(i-3)+"."]
	}
	return sp.spans[in.Text(i-2)]
}

// ByRule says a number by a rule, which is a rule set or a pattern; "" is the plain
// cardinal. An ending behind a pattern is joined to the number: {n}-ാമൻ.
func (sp *Speaker) ByRule(v int, rule string) (string, bool) {
	if strings.Contains(rule, "{n") {
		return sp.Endings.Fill(rule, func(_, set string) (string, bool) { return sp.Int(v, set) })
	}
	return sp.Int(v, rule)
}

// HasFraction reports whether the language has words for a fraction.
func (sp *Speaker) HasFraction(above, below string) bool {
	return len(sp.fractions) > 0 || sp.fraction[above+"/"+below] != ""
}

// HasMixed reports whether the language has a short form for a whole number with a
// fraction, such as साढ़े दस for 10 1/2.
func (sp *Speaker) HasMixed(whole, above, below string) bool {
	f := above + "/" + below
	return sp.special[whole+" "+f] != "" || sp.add[f] != ""
}

// Joined says two numbers with a sign between them, from token i on, and a word for the sign: 45-3.
func Joined(s *Speaker, in *scan.View, i int, between string) (string, int) {
	if in.Kind(i) != scan.Digits || in.Kind(i+2) != scan.Digits {
		return "", 0
	}
	a, ok := s.Int(scan.Atoi(scan.Arabic(in.Text(i))), "")
	b, ok2 := s.Int(scan.Atoi(scan.Arabic(in.Text(i+2))), "")
	if !ok || !ok2 {
		return "", 0
	}
	return s.Join(a, between, b), 3
}
