package code

import (
	"strings"

	"vaak/text/normalize/scan"
)

// states are the postal abbreviations of the states of the USA.
var states = scan.SetOf("AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV " +
	"NH NJ NM NY NC ND OH OK OR PA PR RI SC SD TN TX UT VT VA WA WV WI WY")

// Postcode reads a postal code that the text before it shows: six digits after a place
// in South Asia, five after a state of the USA, and the codes of some countries of
// Europe.
func (co *Recognizer) Postcode(in *scan.View, i int) scan.Outcome {
	if in.Kind(i-1) != scan.Space || !in.Opens(i) {
		return scan.Outcome{}
	}
	if co.say.Code == "en" && in.Kind(i-2) == scan.Word && states[in.Text(i-2)] && in.Opens(i-2) {
		if w, n := co.zip(in, i); n > 0 {
			return scan.Said(w, n)
		}
	}
	if w, n := co.european(in, i); n > 0 {
		return scan.Said(w, n)
	}
	if d := scan.Arabic(in.Text(i)); co.postal > 0 && len(d) == co.postal && !strings.HasSuffix(d, "000") && placeBefore(in, i, co.postal) && !co.quantities.Counted(in, in.Skip(i+1)) {
		if w, ok := co.say.Digits(d); ok {
			return scan.Said(w, 1)
		}
	}
	if !co.say.Indian && co.say.Code != "en" {
		return scan.Outcome{}
	}
	dashed := in.Kind(i-2) == scan.Sign && scan.IsDash(in.Rune(i-2)) && in.Kind(i-3) == scan.Space && (in.Kind(i-4) == scan.Word || in.Is(i-4, '.') && in.Kind(i-5) == scan.Word) // उ.प्र. - 250001
	// Six digits alone are a number: only their surroundings make them a code.
	if !dashed && !placeBefore(in, i, 6) {
		return scan.Outcome{}
	}
	return scan.Said(co.Pincode(in, i))
}

// european reads the postal codes of the Netherlands, four digits and two capitals, 1012
// AB, of Germany and Italy, five digits between a comma and the place, of Indonesia, five
// digits at the end of an address, and of Poland, 00-950 before the name of a place.
func (co *Recognizer) european(in *scan.View, i int) (string, int) {
	d, next := in.Text(i), in.Text(i+2)
	switch co.say.Code {
	case "nl":
		if len(d) != 4 || d[0] == '0' || in.Kind(i+1) != scan.Space || in.Kind(i+2) != scan.Word || len(next) != 2 || !in.Token(i+2).Upper || !in.Closes(i+3) {
			return "", 0
		}
		if n := co.quantities.Unit(in, i+2); n > 0 && !(in.Is(i-2, ',') && in.Kind(i+3) == scan.Space && in.Capitalized(i+4)) {
			return "", 0 // an amount: 1500 MB
		}
		if w, ok := co.say.Digits(d); ok {
			return w + " " + next[:1] + " " + next[1:], 3
		}
	case "de", "it":
		// Behind the comma of an address and before the place: Hauptstr. 12, 80331 München.
		if !in.Is(i-2, ',') || len(d) != 5 || strings.HasSuffix(d, "000") || in.Kind(i+1) != scan.Space || !in.Capitalized(i+2) || in.Token(i+2).Upper || co.quantities.Counted(in, i+2) {
			return "", 0
		}
		return co.zip(in, i)
	case "id":
		if in.Kind(i-2) != scan.Word || !in.Capitalized(i-2) || in.Token(i-2).Upper || d[0] == '0' || strings.HasSuffix(d, "000") || !endsAddress(in, i+1) {
			return "", 0
		}
		return co.zip(in, i)
	case "pt":
		// Of Portugal: 4000-123 Porto.
		if len(d) != 4 || d[0] == '0' || !in.Is(i+1, '-') || in.Kind(i+2) != scan.Digits || len(next) != 3 || in.Kind(i+3) != scan.Space || !in.Capitalized(i+4) {
			return "", 0
		}
		if w, ok := co.say.Digits(d + next); ok {
			return w, 3
		}
	case "ru":
		// At the start of a line or behind a comma, before the place: 191186, Москва.
		if scan.RuneLen(d) != 6 || !in.Is(i-2, ',') || strings.HasSuffix(d, "000") || !in.Is(i+1, ',') || in.Kind(i+2) != scan.Space || !in.Capitalized(i+3) {
			return "", 0
		}
		if w, ok := co.say.Digits(d); ok {
			return w, 1
		}
	case "pl":
		if len(d) != 2 || !in.Is(i+1, '-') || in.Kind(i+2) != scan.Digits || len(next) != 3 || in.Kind(i+3) != scan.Space || !in.Capitalized(i+4) || in.Token(i+4).Upper {
			return "", 0
		}
		if w, ok := co.say.Digits(d + next); ok {
			return w, 3
		}
	}
	return "", 0
}

// DashedPostcode reads six digits after a place and a dash: Pune-411030.
func (co *Recognizer) DashedPostcode(in *scan.View, i int) scan.Outcome {
	if w, n := co.dashedNative(in, i); n > 0 {
		return scan.Said(w, n)
	}
	if !co.say.Indian && co.say.Code != "en" || !scan.IsDash(in.Rune(i)) || in.Kind(i-1) != scan.Word || in.Kind(i+1) != scan.Digits || in.Kind(i-2) == scan.Sign {
		return scan.Outcome{}
	}
	if in.Token(i-1).R < 0x250 && (!in.Capitalized(i-1) || in.Token(i-1).Upper) {
		return scan.Outcome{}
	}
	w, n := co.Pincode(in, i+1)
	if n == 0 {
		return scan.Outcome{}
	}
	return scan.Said(" "+w, n+1)
}

// dashedNative reads the shorter codes of other countries in the same place, behind a word in a
// script without capitals: ঢাকা-১২০৫, لاہور-54000. Four digits may be a year.
func (co *Recognizer) dashedNative(in *scan.View, i int) (string, int) {
	if co.dashed == 0 || !scan.IsDash(in.Rune(i)) || in.Kind(i-1) != scan.Word || in.Token(i-1).R < 0x600 || in.Kind(i+1) != scan.Digits || in.Kind(i-2) == scan.Sign || !endsAddress(in, i+1) {
		return "", 0
	}
	d := scan.Arabic(in.Text(i + 1))
	if len(d) != co.dashed || d[0] == '0' || len(d) == 4 && d >= "1400" && d < "2100" {
		return "", 0
	}
	w, ok := co.say.Digits(d)
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
func (co *Recognizer) Pincode(in *scan.View, i int) (string, int) {
	d, n := scan.Arabic(in.Text(i)), 1
	if len(d) == 3 && in.Skip(i+1) > i+1 && in.Kind(i+2) == scan.Digits && in.Rune(i+1) == ' ' {
		d, n = d+scan.Arabic(in.Text(i+2)), 3
	}
	j := i + n
	if len(d) != 6 || d[0] == '0' || strings.HasSuffix(d, "000") || !in.Closes(j) || co.quantities.Counted(in, in.Skip(j)) {
		return "", 0
	}
	// Then the six digits are part of a decimal, a percentage or a date.
	if in.Kind(j) == scan.Sign && (in.Kind(j+1) == scan.Digits || in.IsPercent(j) || in.Is(j, '/')) {
		return "", 0
	}
	w, ok := co.say.Digits(d)
	if !ok {
		return "", 0
	}
	return w, n
}

// zip reads a postal code of the USA, 94105 or 97201-1234.
func (co *Recognizer) zip(in *scan.View, i int) (string, int) {
	d, n := in.Text(i), 1
	if len(d) != 5 || !in.Closes(i+1) || in.Is(i+1, '.') && in.Kind(i+2) == scan.Digits || in.Is(i+1, ',') && in.Kind(i+2) == scan.Digits || in.Is(i+1, '%') {
		return "", 0
	}
	if in.Is(i+1, '-') && in.Kind(i+2) == scan.Digits && len(in.Text(i+2)) == 4 && in.Closes(i+3) {
		d, n = d+in.Text(i+2), 3
	}
	w, ok := co.say.Digits(d)
	if !ok {
		return "", 0
	}
	return w, n
}

// LetteredPostcode reads a British postal code: SW1A 1AA.
func (co *Recognizer) LetteredPostcode(in *scan.View, i int) scan.Outcome {
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
	if n := co.quantities.Unit(in, j+2); n > 0 {
		return scan.Outcome{}
	}
	var parts []string
	for k := i; k < j+3; k++ {
		switch in.Kind(k) {
		case scan.Word:
			parts = append(parts, co.say.Letters(in.Text(k)))
		case scan.Digits:
			w, ok := co.say.Digits(scan.Arabic(in.Text(k)))
			if !ok {
				return scan.Outcome{}
			}
			parts = append(parts, w)
		}
	}
	return scan.Said(co.say.Join(parts...), j+3-i)
}
