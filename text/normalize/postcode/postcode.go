// Package postcode reads postal codes digit by digit, where their surroundings or their form show
// that they are none of the numbers that they look like.
package postcode

import (
	"cmp"
	"strings"

	"vaak/text/normalize/quantity"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// Recognizer reads postal codes as one language says them. It is safe for concurrent use.
type Recognizer struct {
	say        *speak.Speaker
	quantities *quantity.Recognizer
	postal     int                // how many digits a postal code at the end of an address has
	dashed     int                // how many one behind a hyphen has
	places     scan.Phrases[bool] // towns before a postal code
}

// New returns the recognizer of a speaker's language.
func New(say *speak.Speaker, quantities *quantity.Recognizer) *Recognizer {
	pc := &Recognizer{say: say, quantities: quantities, postal: scan.Atoi(say.Lexicon.Word("postcode"))}
	if pc.dashed = scan.Atoi(say.Lexicon.Word("postcode.dash")); pc.dashed == 0 {
		pc.dashed = pc.postal
	}
	for _, w := range say.Lexicon.List("postcode.place") {
		pc.places.Add(w, true)
	}
	return pc
}

// states are the postal abbreviations of the states of the USA.
var states = scan.SetOf("AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV " +
	"NH NJ NM NY NC ND OH OK OR PA PR RI SC SD TN TX UT VT VA WA WV WI WY")

// Code reads a postal code that the text before it shows: six digits after a place
// in South Asia, five after a state of the USA, and the codes of some countries of
// Europe.
func (pc *Recognizer) Code(in *scan.View, i int) scan.Outcome {
	if in.Kind(i-1) != scan.Space || !in.Opens(i) {
		return scan.Outcome{}
	}
	if pc.say.Code == "en" && in.Kind(i-2) == scan.Word && states[in.Text(i-2)] && in.Opens(i-2) {
		if w, n := pc.zip(in, i); n > 0 {
			return scan.Said(w, n)
		}
	}
	if w, n := pc.european(in, i); n > 0 {
		return scan.Said(w, n)
	}
	if d := scan.Arabic(in.Text(i)); pc.postal > 0 && len(d) == pc.postal && !strings.HasSuffix(d, "000") && placeBefore(in, i, pc.postal) && !pc.quantities.Counted(in, in.Skip(i+1)) {
		if w, ok := pc.say.Digits(d); ok {
			return scan.Said(w, 1)
		}
	}
	if w, n := pc.town(in, i); n > 0 {
		return scan.Said(w, n)
	}
	if !pc.say.Indian && pc.say.Code != "en" {
		return scan.Outcome{}
	}
	dashed := in.Kind(i-2) == scan.Sign && scan.IsDash(in.Rune(i-2)) && in.Kind(i-3) == scan.Space && (in.Kind(i-4) == scan.Word || in.Is(i-4, '.') && in.Kind(i-5) == scan.Word) // उ.प्र. - 250001
	// Six digits alone are a number: only their surroundings make them a code.
	if !dashed && !placeBefore(in, i, 6) {
		return scan.Outcome{}
	}
	return scan.Said(pc.Pincode(in, i))
}

// town reads the postal code behind a town that the language's table has, at the end of a text or
// of a part of it: पुणे 411005, ঢাকা ১২০৫. Four digits may be a year.
func (pc *Recognizer) town(in *scan.View, i int) (string, int) {
	d := scan.Arabic(in.Text(i))
	shorter := cmp.Or(pc.postal, pc.dashed)
	if len(d) != 6 && (shorter == 0 || len(d) != shorter) || d[0] == '0' || strings.HasSuffix(d, "0000") || len(d) == 6 && strings.HasSuffix(d, "000") ||
		len(d) == 4 && d >= "1400" && d < "2100" || !endsAddress(in, i) || !pc.namesTown(in, i-2) {
		return "", 0
	}
	w, ok := pc.say.Digits(d)
	return w, map[bool]int{true: 1}[ok]
}

// namesTown reports whether the name of a town ends at i.
func (pc *Recognizer) namesTown(in *scan.View, i int) bool {
	for _, from := range [...]int{i, i - 2} { // a name of one word or of two
		if in.Kind(from) != scan.Word {
			return false
		}
		if _, n := pc.places.Match(in, from); n > 0 && from+n == i+1 {
			return true
		}
	}
	return false
}

// european reads the postal codes of the Netherlands, four digits and two capitals, 1012
// AB, of Germany and Italy, five digits between a comma and the place, of Indonesia, five
// digits at the end of an address, and of Poland, 00-950 before the name of a place.
func (pc *Recognizer) european(in *scan.View, i int) (string, int) {
	d, next := in.Text(i), in.Text(i+2)
	switch pc.say.Code {
	case "nl":
		if len(d) != 4 || d[0] == '0' || in.Kind(i+1) != scan.Space || in.Kind(i+2) != scan.Word || len(next) != 2 || !in.Token(i+2).Upper || !in.Closes(i+3) {
			return "", 0
		}
		if n := pc.quantities.Unit(in, i+2); n > 0 && !(in.Is(i-2, ',') && in.Kind(i+3) == scan.Space && in.Capitalized(i+4)) {
			return "", 0 // an amount: 1500 MB
		}
		if w, ok := pc.say.Digits(d); ok {
			return w + " " + next[:1] + " " + next[1:], 3
		}
	case "de", "it":
		// Behind the comma of an address and before the place: Hauptstr. 12, 80331 München.
		if !in.Is(i-2, ',') || len(d) != 5 || strings.HasSuffix(d, "000") || in.Kind(i+1) != scan.Space || !in.Capitalized(i+2) || in.Token(i+2).Upper || pc.quantities.Counted(in, i+2) {
			return "", 0
		}
		return pc.zip(in, i)
	case "id":
		if in.Kind(i-2) != scan.Word || !in.Capitalized(i-2) || in.Token(i-2).Upper || d[0] == '0' || strings.HasSuffix(d, "000") || !endsAddress(in, i+1) {
			return "", 0
		}
		return pc.zip(in, i)
	case "pt":
		// Of Portugal: 4000-123 Porto.
		if len(d) != 4 || d[0] == '0' || !in.Is(i+1, '-') || in.Kind(i+2) != scan.Digits || len(next) != 3 || in.Kind(i+3) != scan.Space || !in.Capitalized(i+4) {
			return "", 0
		}
		if w, ok := pc.say.Digits(d + next); ok {
			return w, 3
		}
	case "ru":
		// At the start of a line or behind a comma, before the place: 191186, Москва.
		if scan.RuneLen(d) != 6 || !in.Is(i-2, ',') || strings.HasSuffix(d, "000") || !in.Is(i+1, ',') || in.Kind(i+2) != scan.Space || !in.Capitalized(i+3) {
			return "", 0
		}
		if w, ok := pc.say.Digits(d); ok {
			return w, 1
		}
	case "pl":
		if len(d) != 2 || !in.Is(i+1, '-') || in.Kind(i+2) != scan.Digits || len(next) != 3 || in.Kind(i+3) != scan.Space || !in.Capitalized(i+4) || in.Token(i+4).Upper {
			return "", 0
		}
		if w, ok := pc.say.Digits(d + next); ok {
			return w, 3
		}
	}
	return "", 0
}

// Dashed reads six digits after a place and a dash: Pune-411030.
func (pc *Recognizer) Dashed(in *scan.View, i int) scan.Outcome {
	if w, n := pc.dashedNative(in, i); n > 0 {
		return scan.Said(w, n)
	}
	if !pc.say.Indian && pc.say.Code != "en" || !scan.IsDash(in.Rune(i)) || in.Kind(i-1) != scan.Word || in.Kind(i+1) != scan.Digits || in.Kind(i-2) == scan.Sign {
		return scan.Outcome{}
	}
	if in.Token(i-1).R < 0x250 && (!in.Capitalized(i-1) || in.Token(i-1).Upper) {
		return scan.Outcome{}
	}
	w, n := pc.Pincode(in, i+1)
	if n == 0 {
		return scan.Outcome{}
	}
	return scan.Said(" "+w, n+1)
}

// dashedNative reads the shorter codes of other countries in the same place, behind a word in a
// script without capitals: ঢাকা-১২০৫, لاہور-54000. Four digits may be a year.
func (pc *Recognizer) dashedNative(in *scan.View, i int) (string, int) {
	if pc.dashed == 0 || !scan.IsDash(in.Rune(i)) || in.Kind(i-1) != scan.Word || in.Token(i-1).R < 0x600 || in.Kind(i+1) != scan.Digits || in.Kind(i-2) == scan.Sign || !endsAddress(in, i+1) {
		return "", 0
	}
	d := scan.Arabic(in.Text(i + 1))
	if len(d) != pc.dashed || d[0] == '0' || len(d) == 4 && d >= "1400" && d < "2100" {
		return "", 0
	}
	w, ok := pc.say.Digits(d)
	return " " + w, map[bool]int{true: 2}[ok]
}

// placeBefore reports whether the number at i, of so many digits, ends an address, after a name with a
// capital: Mumbai 400001. A name in a script without capitals must have a comma before
// it: पुणे in "शिवाजीनगर, पुणे 411005".
func placeBefore(in *scan.View, i, digits int) bool {
	// A part of a town in brackets: Thane (W) 400601.
	if in.Is(i-2, ')') && scan.RuneLen(in.Text(i)) == digits && endsAddress(in, i) {
		return true
	}
	native := in.Kind(i-2) == scan.Word && in.Token(i-2).R >= 0x600 && in.Kind(i-3) == scan.Space && listed(in, i-4) && scan.RuneLen(in.Text(i)) == digits
	// A state in two capitals: Noida, UP 201301.
	state := in.Token(i-2).Upper && in.Token(i-2).End-in.Token(i-2).Start == 2 && in.Kind(i-3) == scan.Space && listComma(in, i-4) && scan.RuneLen(in.Text(i)) == digits
	if !native && !state && (!in.Capitalized(i-2) || in.Token(i-2).Upper || in.Token(i-2).End-in.Token(i-2).Start < 3 || scan.RuneLen(in.Text(i)) != digits) {
		return false
	}
	return endsAddress(in, i)
}

// endsAddress reports whether the text or a part of it ends behind the number at i.
func endsAddress(in *scan.View, i int) bool {
	k := in.Kind(i + 1)
	return k == 0 || k == scan.Sign && in.Kind(i+2) != scan.Digits && !in.IsPercent(i+1) && !in.Is(i+1, '/')
}

// listed reports whether the name of a place that begins after i is part of an address: a
// comma stands before it or before its first word, or an abbreviation, जि. पुणे.
func listed(in *scan.View, i int) bool {
	return listComma(in, i) || in.Is(i, '.') && in.Kind(i-1) == scan.Word || in.Kind(i) == scan.Word && in.Kind(i-1) == scan.Space && listComma(in, i-2)
}

// listComma reports whether a comma stands at i.
func listComma(in *scan.View, i int) bool { return in.Is(i, ',') || in.Is(i, '،') }

// Pincode reads an Indian postal code, 411030 or 411 030. A number that ends in three
// zeros is an amount.
func (pc *Recognizer) Pincode(in *scan.View, i int) (string, int) {
	d, n := scan.Arabic(in.Text(i)), 1
	if len(d) == 3 && in.Skip(i+1) > i+1 && in.Kind(i+2) == scan.Digits && in.Rune(i+1) == ' ' {
		d, n = d+scan.Arabic(in.Text(i+2)), 3
	}
	j := i + n
	if len(d) != 6 || d[0] == '0' || strings.HasSuffix(d, "000") || !in.Closes(j) || pc.quantities.Counted(in, in.Skip(j)) {
		return "", 0
	}
	// Then the six digits are part of a decimal, a percentage or a date.
	if in.Kind(j) == scan.Sign && (in.Kind(j+1) == scan.Digits || in.IsPercent(j) || in.Is(j, '/')) {
		return "", 0
	}
	w, ok := pc.say.Digits(d)
	if !ok {
		return "", 0
	}
	return w, n
}

// zip reads a postal code of the USA, 94105 or 97201-1234.
func (pc *Recognizer) zip(in *scan.View, i int) (string, int) {
	d, n := in.Text(i), 1
	if len(d) != 5 || !in.Closes(i+1) || in.Is(i+1, '.') && in.Kind(i+2) == scan.Digits || in.Is(i+1, ',') && in.Kind(i+2) == scan.Digits || in.Is(i+1, '%') {
		return "", 0
	}
	if in.Is(i+1, '-') && in.Kind(i+2) == scan.Digits && len(in.Text(i+2)) == 4 && in.Closes(i+3) {
		d, n = d+in.Text(i+2), 3
	}
	w, ok := pc.say.Digits(d)
	if !ok {
		return "", 0
	}
	return w, n
}

// Lettered reads a British postal code: SW1A 1AA.
func (pc *Recognizer) Lettered(in *scan.View, i int) scan.Outcome {
	if !in.Opens(i) || !in.Token(i).Upper || len(in.Text(i)) > 2 || in.Kind(i+1) != scan.Digits || len(in.Text(i+1)) > 2 {
		return scan.Outcome{}
	}
	j := i + 2
	if in.Kind(j) == scan.Word && in.Token(j).Upper && len(in.Text(j)) == 1 {
		j++
	}
	// The outward code is 1 or 2 letters, 1 or 2 digits and perhaps a letter; the inward
	// code is a digit and two letters, never C, I, K, M, O or V.
	inward := in.Text(j + 2)
	if in.Kind(j) != scan.Space || in.Skip(j) == j || in.Kind(j+1) != scan.Digits || len(in.Text(j+1)) != 1 || in.Kind(j+2) != scan.Word ||
		len(inward) != 2 || !in.Token(j+2).Upper || strings.ContainsAny(inward, "CIKMOV") || !in.Closes(j+3) {
		return scan.Outcome{}
	}
	if n := pc.quantities.Unit(in, j+2); n > 0 {
		return scan.Outcome{}
	}
	var parts []string
	for k := i; k < j+3; k++ {
		switch in.Kind(k) {
		case scan.Word:
			parts = append(parts, pc.say.Letters(in.Text(k)))
		case scan.Digits:
			w, ok := pc.say.Digits(scan.Arabic(in.Text(k)))
			if !ok {
				return scan.Outcome{}
			}
			parts = append(parts, w)
		}
	}
	return scan.Said(pc.say.Join(parts...), j+3-i)
}

// Addressed reads a postal code that the form of an address shows.
func (pc *Recognizer) Addressed(in *scan.View, i int) (string, int) {
	if w, n := pc.american(in, i); n > 0 {
		return w, n
	}
	return pc.german(in, i)
}

// american reads a postal code of the USA with its last four digits, 97201-1234, and one
// of Brazil, 01310-100. They are no ranges, as the second number is smaller.
func (pc *Recognizer) american(in *scan.View, i int) (string, int) {
	second := 0
	switch pc.say.Code {
	case "en":
		second = 4
	case "pt":
		second = 3
	}
	d, e := in.Text(i), in.Text(i+2)
	if second == 0 || in.Kind(i) != scan.Digits || len(d) != 5 || !in.Is(i+1, '-') || in.Kind(i+2) != scan.Digits || len(e) != second || !in.Closes(i+3) ||
		in.Kind(i+3) == scan.Sign && in.Kind(i+4) == scan.Digits || pc.quantities.Counted(in, in.Skip(i+3)) {
		return "", 0
	}
	w, ok := pc.say.Digits(d + e)
	if !ok {
		return "", 0
	}
	return w, 3
}

// german reads the postal code of Germany or Austria before a place in an address: "Str. 5,
// 10115 Berlin".
func (pc *Recognizer) german(in *scan.View, i int) (string, int) {
	if pc.say.Code != "de" || in.Kind(i) != scan.Digits || len(in.Text(i)) != 5 || in.Kind(i+1) != scan.Space || !in.Capitalized(i+2) || in.Token(i+2).Upper {
		return "", 0
	}
	// A house number and a comma stand before it, or nothing else is in the line.
	housed := in.Is(i-2, ',') && (in.Kind(i-3) == scan.Digits || in.Kind(i-4) == scan.Digits)
	if !housed && !(in.Kind(i-1) == 0 && in.EndsLine(i+3)) {
		return "", 0
	}
	w, ok := pc.say.Digits(in.Text(i))
	if !ok {
		return "", 0
	}
	return w, 1
}
