package quantity

import "vaak/text/normalize/scan"

// Feet reads feet and inches, 6'2", and inches alone, 12".
func (qr *Recognizer) Feet(in *scan.View, i int) scan.Outcome {
	if !in.Opens(i) {
		return scan.Outcome{}
	}
	if in.Text(i+1) == "m" && qr.say.Locale.Decimal == "," {
		return qr.metres(in, i)
	}
	if in.Kind(i+1) != scan.Sign {
		return scan.Outcome{}
	}
	r := in.Rune(i + 1)
	if !scan.IsApostrophe(r) && r != '′' {
		return qr.units.inches(in, i)
	}
	feet, inches := scan.Arabic(in.Text(i)), scan.Arabic(in.Text(i+2))
	if in.Kind(i+2) != scan.Digits || len(feet) > 2 || len(inches) > 2 || scan.Atoi(inches) > 11 {
		return scan.Outcome{}
	}
	end := inchSign(in, i+3)
	if !in.Closes(end) {
		return scan.Outcome{}
	}
	// Without a mark for inches, only the height of a person is read, from 3 to 7 feet
	// between spaces; anything else may be a quotation.
	if end == i+3 && (len(feet) > 1 || feet < "3" || feet > "7" || in.Kind(i-1) != scan.Space || in.Kind(end) != scan.Space) {
		return scan.Outcome{}
	}
	w, ok := qr.units.length(feet, "length-foot")
	v, ok2 := qr.units.length(inches, "length-inch")
	if !ok || !ok2 {
		return scan.Outcome{}
	}
	return scan.Outcome{Words: qr.units.say.Join(w, v), Tokens: end - i, Note: &scan.Note{Kind: scan.NoteInches, At: end}}
}

// metres reads metres and centimetres as people give their height, 1m75.
func (qr *Recognizer) metres(in *scan.View, i int) scan.Outcome {
	if in.Kind(i+2) != scan.Digits || len(in.Text(i)) != 1 || len(in.Text(i+2)) != 2 || !in.Closes(i+3) || in.Text(i) < "1" || in.Text(i) > "9" || in.Text(i + 2)[0] == '0' || in.Text(i + 2)[0] > '9' {
		return scan.Outcome{}
	}
	w, ok := qr.units.length(in.Text(i), "length-meter")
	v, ok2 := qr.say.Int(scan.Atoi(in.Text(i+2)), "")
	if !ok || !ok2 {
		return scan.Outcome{}
	}
	return scan.Said(qr.say.Join(w, v), 3)
}

// MarkedSides reads a size whose sides have the signs of feet or inches: 6'x4', 3" x 5".
func (qr *Recognizer) MarkedSides(in *scan.View, i int) scan.Outcome {
	mark := in.Rune(i + 1)
	foot := scan.IsApostrophe(mark) || mark == '′'
	if !foot && mark != '"' && mark != '″' && mark != '”' || in.Kind(i+1) != scan.Sign || !in.Opens(i) {
		return scan.Outcome{}
	}
	x := in.Skip(i + 2)
	if t := in.Text(x); t != "x" && t != "X" && t != "×" && t != "х" {
		return scan.Outcome{}
	}
	k := in.Skip(x + 1)
	if in.Kind(k) != scan.Digits || in.Rune(k+1) != mark || !in.Closes(k+2) || qr.say.Signs.By == "" {
		return scan.Outcome{}
	}
	key := "length-inch"
	if foot {
		key = "length-foot"
	}
	a, ok := qr.Counts(scan.Atoi(scan.Arabic(in.Text(i))), key)
	b, ok2 := qr.Counts(scan.Atoi(scan.Arabic(in.Text(k))), key)
	if !ok || !ok2 {
		return scan.Outcome{}
	}
	return scan.Outcome{Words: qr.say.Join(a, qr.say.Signs.By, b), Tokens: k + 2 - i, Note: &scan.Note{Kind: scan.NoteInches, At: k + 2}}
}

// inchSign returns the token after a sign for inches at j, or j when there is none.
func inchSign(in *scan.View, j int) int {
	switch r := in.Rune(j); {
	case r == '"', r == '”', r == '″':
		return j + 1
	case scan.IsApostrophe(r) && in.Rune(j+1) == r:
		return j + 2
	}
	return j
}

// inches reads inches before a straight mark that does not end a quotation.
func (un *units) inches(in *scan.View, i int) scan.Outcome {
	if !in.Is(i+1, '"') && !(in.Kind(i+2) == scan.Digits && in.Is(i+3, '"')) {
		return scan.Outcome{}
	}
	x, ok := un.numbers.at(in, i)
	if !ok || x.Below != "" || !in.Is(x.End, '"') || !in.Closes(x.End+1) || len(x.Whole) > 3 || in.Quoted {
		return scan.Outcome{}
	}
	w, ok := un.length(x.Decimal(), "length-inch")
	if !ok {
		return scan.Outcome{}
	}
	return scan.Outcome{Words: w, Tokens: x.End + 1 - i, Note: &scan.Note{Kind: scan.NoteInches, At: x.End + 1}}
}

// inchesAfter reads the inches after feet, 5 ft 8 in. It gets the words so far and
// returns the words with the inches, and the token after them.
func (un *units) inchesAfter(in *scan.View, w string, end int) (string, int) {
	i := in.Skip(end)
	inches := scan.Arabic(in.Text(i))
	j := in.Skip(i + 1)
	if in.Kind(i) != scan.Digits || len(inches) > 2 || scan.Atoi(inches) > 11 || in.Text(j) != "in" && in.Text(j) != "inches" || !in.Closes(j+1) {
		return w, end
	}
	v, ok := un.length(inches, "length-inch")
	if !ok {
		return w, end
	}
	return un.say.Join(w, v), j + 1
}

// length says a decimal number with the unit of a key of CLDR.
func (un *units) length(decimal, key string) (string, bool) {
	u := un.byKey(key)
	if u == nil {
		return "", false
	}
	whole, frac := decimal, ""
	for k := range len(decimal) {
		if decimal[k] == '.' {
			whole, frac = decimal[:k], decimal[k+1:]
		}
	}
	return un.amounts.count(amount{a: scan.Number{Whole: whole, Frac: frac}}, u.forms, u.gender)
}
