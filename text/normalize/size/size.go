// Package size reads lengths without the names of their units, the sides of things, and
// how many times: 6'2", 10X15 cm, 2x.
package size

import (
	"strings"

	"vaak/text/normalize/quantity"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// Recognizer reads sizes of one language. It is safe for concurrent use.
type Recognizer struct {
	say        *speak.Speaker
	quantities *quantity.Recognizer
}

// New returns the recognizer of a speaker's language.
func New(say *speak.Speaker, quantities *quantity.Recognizer) *Recognizer {
	return &Recognizer{say, quantities}
}

// Feet reads feet and inches, 6'2", and inches alone, 12".
func (sr *Recognizer) Feet(in *scan.View, i int) scan.Outcome {
	if !in.Opens(i) {
		return scan.Outcome{}
	}
	if in.Text(i+1) == "m" && sr.say.Locale.Decimal == "," {
		return sr.metres(in, i)
	}
	if in.Kind(i+1) != scan.Sign {
		return scan.Outcome{}
	}
	r := in.Rune(i + 1)
	if !scan.IsApostrophe(r) && r != '′' {
		return sr.inches(in, i)
	}
	if o := sr.minutes(in, i); o.Tokens > 0 {
		return o
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
	w, ok := sr.quantities.Measure(scan.Number{Whole: feet}, "length-foot")
	v, ok2 := sr.quantities.Measure(scan.Number{Whole: inches}, "length-inch")
	if !ok || !ok2 {
		return scan.Outcome{}
	}
	return scan.Outcome{Words: sr.say.Join(w, v), Tokens: end - i, Note: &scan.Note{Kind: scan.NoteInches, At: end}}
}

// minutes reads minutes and seconds, 1'42", and minutes alone, 90', where lengths are not
// measured in feet.
func (sr *Recognizer) minutes(in *scan.View, i int) scan.Outcome {
	n := scan.Atoi(scan.Arabic(in.Text(i)))
	if sr.say.Locale.Decimal != "," || scan.RuneLen(in.Text(i)) > 3 || n == 0 || in.Is(i-1, '°') || scan.IsApostrophe(in.Rune(i-1)) {
		return scan.Outcome{}
	}
	w, ok := sr.quantities.Counts(n, "duration-minute")
	seconds := scan.Atoi(scan.Arabic(in.Text(i + 2)))
	if end := inchSign(in, i+3); end > i+3 && in.TwoDigits(i+2) && seconds < 60 && in.Closes(end) {
		if n >= 4 && n <= 7 && seconds < 12 {
			return scan.Outcome{} // the height of a person: 5'10"
		}
		v, ok2 := sr.quantities.Counts(seconds, "duration-second")
		if !ok || !ok2 {
			return scan.Outcome{}
		}
		return scan.Outcome{Words: sr.say.Join(w, v), Tokens: end - i, Note: &scan.Note{Kind: scan.NoteInches, At: end}}
	}
	if k := in.Kind(i + 2); !ok || n > 150 || !in.Closes(i+2) || k == scan.Sign && !strings.ContainsRune(".,;:!?)+/", in.Rune(i+2)) || quoted(in, i) {
		return scan.Outcome{}
	}
	return scan.Said(w, 2)
}

// Position reads degrees and minutes of a place, and seconds if there are any: 52°31' N.
func (sr *Recognizer) Position(in *scan.View, i int) scan.Outcome {
	if !in.Is(i+1, '°') || in.Kind(i+2) != scan.Digits || !in.Opens(i) || scan.RuneLen(in.Text(i)) > 3 || !in.TwoDigits(i+2) && scan.RuneLen(in.Text(i+2)) != 1 {
		return scan.Outcome{}
	}
	if r := in.Rune(i + 3); in.Kind(i+3) != scan.Sign || !scan.IsApostrophe(r) && r != '′' {
		return scan.Outcome{}
	}
	w, ok := sr.quantities.Counts(scan.Atoi(scan.Arabic(in.Text(i))), "angle-degree")
	v, ok2 := sr.quantities.Counts(scan.Atoi(scan.Arabic(in.Text(i+2))), "duration-minute")
	if !ok || !ok2 {
		return scan.Outcome{}
	}
	w, end := sr.say.Join(w, v), i+4
	if k := inchSign(in, end+1); in.Kind(end) == scan.Digits && k > end+1 {
		if v, ok := sr.quantities.Counts(scan.Atoi(scan.Arabic(in.Text(end))), "duration-second"); ok {
			w, end = sr.say.Join(w, v), k
		}
	}
	return scan.Outcome{Words: w, Tokens: end - i, Note: &scan.Note{Kind: scan.NoteInches, At: end}}
}

// quoted reports whether an apostrophe before i may open a quotation.
func quoted(in *scan.View, i int) bool {
	for k := i - 1; k >= 0 && k > i-scan.Lookahead; k-- {
		in.Step()
		if in.Is(k, '‘') || scan.IsApostrophe(in.Rune(k)) && in.Kind(k-1) != scan.Word && in.Kind(k-1) != scan.Digits {
			return true
		}
	}
	return false
}

// metres reads metres and centimetres as people give their height, 1m75.
func (sr *Recognizer) metres(in *scan.View, i int) scan.Outcome {
	if in.Kind(i+2) != scan.Digits || len(in.Text(i)) != 1 || len(in.Text(i+2)) != 2 || !in.Closes(i+3) || in.Text(i) < "1" || in.Text(i) > "9" || in.Text(i + 2)[0] == '0' || in.Text(i + 2)[0] > '9' {
		return scan.Outcome{}
	}
	w, ok := sr.quantities.Counts(scan.Atoi(in.Text(i)), "length-meter")
	v, ok2 := sr.say.Int(scan.Atoi(in.Text(i+2)), "")
	if !ok || !ok2 {
		return scan.Outcome{}
	}
	return scan.Said(sr.say.Join(w, v), 3)
}

// inches reads inches before a straight mark that does not end a quotation.
func (sr *Recognizer) inches(in *scan.View, i int) scan.Outcome {
	if !in.Is(i+1, '"') && !(in.Kind(i+2) == scan.Digits && in.Is(i+3, '"')) {
		return scan.Outcome{}
	}
	x, ok := sr.quantities.Number(in, i)
	if !ok || x.Below != "" || !in.Is(x.End, '"') || !in.Closes(x.End+1) || len(x.Whole) > 3 || in.Quoted || sr.quantities.Unit(in, x.End) > 1 {
		return scan.Outcome{}
	}
	w, ok := sr.quantities.Measure(scan.Number{Whole: x.Whole, Frac: x.Frac}, "length-inch")
	if !ok {
		return scan.Outcome{}
	}
	return scan.Outcome{Words: w, Tokens: x.End + 1 - i, Note: &scan.Note{Kind: scan.NoteInches, At: x.End + 1}}
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

// MarkedSides reads a size whose sides have the signs of feet or inches: 6'x4', 3" x 5".
func (sr *Recognizer) MarkedSides(in *scan.View, i int) scan.Outcome {
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
	if in.Kind(k) != scan.Digits || in.Rune(k+1) != mark || !in.Closes(k+2) || sr.say.Signs.By == "" {
		return scan.Outcome{}
	}
	key := "length-inch"
	if foot {
		key = "length-foot"
	}
	a, ok := sr.quantities.Counts(scan.Atoi(scan.Arabic(in.Text(i))), key)
	b, ok2 := sr.quantities.Counts(scan.Atoi(scan.Arabic(in.Text(k))), key)
	if !ok || !ok2 {
		return scan.Outcome{}
	}
	return scan.Outcome{Words: sr.say.Join(a, sr.say.Signs.By, b), Tokens: k + 2 - i, Note: &scan.Note{Kind: scan.NoteInches, At: k + 2}}
}

// Sides reads the first side of a size with a capital: 10X15 cm.
func (sr *Recognizer) Sides(in *scan.View, i int) scan.Outcome {
	if in.Text(i+1) != "X" || in.Kind(i+2) != scan.Digits || !in.Opens(i) || in.Text(i) == "0" {
		return scan.Outcome{}
	}
	a, b := scan.RuneLen(in.Text(i)), scan.RuneLen(in.Text(i+2))
	if !in.Closes(i+3) && in.Text(i+3) != "X" && !sr.quantities.Counted(in, i+3) || (a > 2 || b > 2) && !sr.quantities.Counted(in, in.Skip(i+3)) {
		return scan.Outcome{} // rather a code
	}
	w, ok := sr.say.Int(scan.Atoi(scan.Arabic(in.Text(i))), "")
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, 1)
}
