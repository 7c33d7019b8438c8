package electronic

import (
	"strings"

	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// dotted returns the numbers at i with dots between them, and the token after the last
// one.
func dotted(in *scan.View, i int, parts []string) ([]string, int) {
	for in.Kind(i) == scan.Digits && len(parts) < cap(parts) {
		in.Step()
		parts = append(parts, scan.Arabic(in.Text(i)))
		i++
		if !in.Is(i, '.') || in.Kind(i+1) != scan.Digits {
			break
		}
		i++
	}
	return parts, i
}

// stop returns the word between the parts of a version: the word for the decimal point
// where that is a full stop, else the word for the dot in addresses.
func (er *Recognizer) stop() string {
	if er.say.Signs.VersionPoint != "" {
		return er.say.Signs.VersionPoint
	}
	if er.say.Locale.Decimal == "." && er.say.Point != "" || er.say.Signs.Dot == "" {
		return er.say.Point
	}
	return er.say.Signs.Dot
}

// IP reads an internet address such as 192.168.1.1 digit by digit, and other numbers
// with two dots or more as versions.
func (er *Recognizer) IP(in *scan.View, i int) scan.Outcome {
	if !in.Opens(i) || !in.Is(i+1, '.') || in.Kind(i+2) != scan.Digits {
		return scan.Outcome{}
	}
	named := er.named(in, i)
	if !named && !in.Is(i+3, '.') {
		return scan.Outcome{}
	}
	var room [8]string
	parts, end := dotted(in, i, room[:0])
	if len(parts) < 3 && !named || !in.Closes(end) && !in.Token(end).Dense {
		return scan.Outcome{}
	}
	// 1.234.567 is a number where a full stop groups digits.
	if er.say.Locale.Group == "." && len(parts[0]) <= 3 && thousands(parts[1:]) {
		return scan.Outcome{}
	}
	w, ok := "", false
	if address(parts) {
		w, ok = er.sayParts(parts, er.say.Signs.Dot, true)
		if port := in.Text(end + 1); in.Is(end, ':') && in.Kind(end+1) == scan.Digits && len(port) < 6 && in.Closes(end+2) {
			if d, spoken := er.say.Digits(scan.Arabic(port)); spoken {
				w, end = er.say.Join(w, er.say.Signs.Name(':'), d), end+2
			}
		}
	} else {
		w, ok = er.sayParts(parts, er.stop(), false)
	}
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, end-i)
}

// named reports whether the word before token i says that a number with a full stop is no
// decimal: iOS 18.2, Kapitel 3.2. Where the full stop is the decimal point, the digits
// behind it differ: of a version, they are a number, 3.12. The languages of South Asia say
// them one by one.
func (er *Recognizer) named(in *scan.View, i int) bool {
	if er.stop() == "" || er.say.Locale.Decimal == "." && (len(er.versioned) == 0 || er.say.SouthAsian) {
		return false
	}
	j := in.Back(i - 1)
	if (in.Is(j, '.') || in.Is(j, ':')) && j < i-1 {
		j--
	}
	return in.Kind(j) == scan.Word && (programs[in.Text(j)] || er.versioned[in.Text(j)])
}

// thousands reports whether all parts have three digits, as groups of a number do.
func thousands(parts []string) bool {
	for _, p := range parts {
		if len(p) != 3 {
			return false
		}
	}
	return true
}

// address reports whether numbers are an IPv4 address.
func address(parts []string) bool {
	if len(parts) != 4 {
		return false
	}
	for _, p := range parts {
		if len(p) > 3 || scan.Atoi(p) > 255 {
			return false
		}
	}
	return true
}

// sayParts says numbers with a word between them, each digit by digit or as a number.
func (er *Recognizer) sayParts(parts []string, between string, spell bool) (string, bool) {
	if between == "" {
		return "", false
	}
	var b []string
	for k, p := range parts {
		if k > 0 {
			b = append(b, between)
		}
		w, ok := "", false
		// A part like 05 or 20240512 is no quantity.
		if spell || len(p) > 4 || len(p) > 1 && p[0] == '0' {
			w, ok = er.say.Digits(p)
		} else {
			w, ok = er.say.Int(scan.Atoi(p), "")
		}
		if !ok {
			return "", false
		}
		b = append(b, w)
	}
	return er.say.Join(b...), true
}

// Version reads a version: v2.3.1.
func (er *Recognizer) Version(in *scan.View, i int) scan.Outcome {
	if t := in.Text(i); t != "v" && t != "V" || in.Kind(i+1) != scan.Digits || !in.Opens(i) || er.stop() == "" {
		return scan.Outcome{}
	}
	var room [8]string
	parts, end := dotted(in, i+1, room[:0])
	if !in.Closes(end) && !in.Token(end).Dense || len(strings.Join(parts, "")) > speak.Most {
		return scan.Outcome{}
	}
	w, ok := er.sayParts(parts, er.stop(), false)
	if !ok {
		return scan.Outcome{}
	}
	v := er.say.Signs.Version
	if v == "" {
		v = in.Text(i)
	}
	if w := in.WordBefore(i); er.versioned[w] || strings.EqualFold(w, v) {
		v = "" // Version v2.3
	}
	return scan.Said(er.say.Join(v, w), end-i)
}
