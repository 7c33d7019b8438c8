package quantity

import (
	"strings"

	"vaak/text/normalize/cldr"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// Alone reads a unit that stands without a number and has a sign in it: the speed in km/h,
// the price per m², ₹/kg.
func (qr *Recognizer) Alone(in *scan.View, i int) scan.Outcome {
	if !in.Opens(i) || in.Kind(in.Back(i-1)) == scan.Digits {
		return scan.Outcome{}
	}
	if code, n := qr.money.signs.Match(in, i); n > 0 && in.Is(i+n, '/') {
		if c := qr.money.currencies[code]; c != nil {
			form := cldr.Other
			if qr.several() == 1 {
				form = cldr.One
			}
			return qr.alonePer(in, i, i+n, speak.Pick(c.major, form))
		}
	}
	u, n := qr.units.signs.Match(in, i)
	if n == 0 || in.Kind(i) != scan.Word {
		return scan.Outcome{}
	}
	if n == 1 {
		// A single letter before a slash is more often something else.
		if w, ok := qr.units.name(u.key, qr.several(), false); ok && in.Token(i).End-in.Token(i).Start > 1 {
			return qr.alonePer(in, i, i+1, w)
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
		count = qr.several()
	} else if qr.say.Code == "en" && !single[in.Text(in.Back(i-1))] {
		count = 2
	}
	w, ok := qr.units.name(u.key, count, false)
	if !ok || w == "" {
		return scan.Outcome{}
	}
	// Where the number stands between the words of the unit, two spaces are left of it.
	return scan.Said(strings.ReplaceAll(w, "  ", " "), n)
}

// several returns a number whose plural form is that of units in general. Where two has
// a form of its own, the singular is the better one.
func (qr *Recognizer) several() int {
	switch qr.say.Code {
	case "ar", "he", "sl", "mt", "ga", "ru", "uk", "be", "pl", "cs", "sk", "hr", "sr", "bg", "mk", "lt", "lv", "ro", "cy":
		return 1
	}
	return 2
}

// single are the English words before one unit.
var single = scan.SetOf("per a an each every one")

// alonePer returns the words for a unit or currency and the unit after the slash at j.
func (qr *Recognizer) alonePer(in *scan.View, i, j int, w string) scan.Outcome {
	if !in.Is(j, '/') || in.Kind(j+1) != scan.Word {
		return scan.Outcome{}
	}
	w, end := qr.units.perUnit(in, w, j)
	if end == j {
		return scan.Outcome{}
	}
	return scan.Said(w, end-i)
}

// Parts reads an English fraction with the ending of an ordinal: 3/4ths, 2/3rds.
func (qr *Recognizer) Parts(in *scan.View, i int) scan.Outcome {
	if qr.say.Code != "en" || !in.Is(i+1, '/') || in.Kind(i+2) != scan.Digits || in.Kind(i+3) != scan.Word || !in.Opens(i) || !in.Closes(i+4) {
		return scan.Outcome{}
	}
	switch in.Text(i + 3) {
	case "th", "ths", "rd", "rds", "nd":
	default:
		return scan.Outcome{}
	}
	a, b := scan.Arabic(in.Text(i)), scan.Arabic(in.Text(i+2))
	if len(a) > 2 || len(b) > 3 || a[0] == '0' || b[0] == '0' {
		return scan.Outcome{}
	}
	w, ok := qr.say.Mixed(scan.Number{Above: a, Below: b}, qr.say.Cardinal)
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, 4)
}
