package clock

import (
	"strings"

	"vaak/text/normalize/scan"
)

// running reads minutes and seconds, or hours, minutes and seconds, that something took. A
// unit behind them, a fraction of a second or a word before them shows that they are no time
// of day: 42:17 Min., 1:42,7, in 42:17.
func (cr *Recognizer) running(in *scan.View, i int) (string, int) {
	if !in.Is(i+1, ':') || !in.TwoDigits(i+2) || in.Kind(i) != scan.Digits || scan.RuneLen(in.Text(i)) > 3 || !in.Opens(i) || in.Is(i-1, ':') && in.Kind(i-2) == scan.Digits {
		return "", 0
	}
	texts, end := []string{in.Text(i), in.Text(i + 2)}, i+3
	if in.Is(end, ':') && in.TwoDigits(end+1) {
		texts, end = append(texts, in.Text(end+1)), end+2
	}
	var parts []scan.Number
	for k, t := range texts {
		v := scan.Atoi(scan.Arabic(t))
		if k > 0 && v > 59 {
			return "", 0
		}
		parts = append(parts, scan.Number{Whole: strings.TrimLeft(scan.Arabic(t), "0")})
	}
	frac := ""
	if d := scan.Arabic(in.Text(end + 1)); (in.Is(end, '.') || in.Is(end, ',') && cr.say.Locale.Decimal == ",") && in.Kind(end+1) == scan.Digits && len(d) < 3 {
		frac, end = d, end+2
	}
	if !in.Closes(end) || in.Kind(end) == scan.Sign && in.Kind(end+1) == scan.Digits {
		return "", 0
	}
	unit, n := cr.timeUnitAt(in, in.Skip(end))
	if m := in.Skip(end); len(parts) == 3 && n == 0 && in.Text(m) == "h" && in.Closes(m+1) {
		n = 1 // 2:04:35 h
	}
	_, marked := cr.marks.Match(in, in.Skip(end))
	told := marked == 0 && cr.durations.Minutes(in, in.Skip(end)) == 0 && cr.minutes[in.Text(in.Skip(end))] == "" && cr.takes(in, i)
	keys := []string{"duration-hour", "duration-minute", "duration-second"}
	switch {
	case len(parts) == 3 && (n > 0 || told || frac != ""):
	case len(parts) == 3:
		return "", 0
	case unit == "duration-hour" && frac == "":
	case unit == "duration-minute" || unit == "duration-second" || frac != "" || n == 0 && told:
		keys = keys[1:]
	default:
		return "", 0
	}
	if n > 0 {
		end = in.Skip(end) + n
	}
	parts[len(parts)-1].Frac = frac
	var words []string
	for k, x := range parts {
		if x.Whole == "" && x.Frac == "" {
			continue
		}
		if x.Whole == "" {
			x.Whole = "0"
		}
		w, ok := cr.quantities.Measure(x, keys[k])
		if !ok {
			return "", 0
		}
		words = append(words, w)
	}
	return cr.durations.Join(words), end - i
}

// takes reports whether the word before the token i, or that and the word before it, stand before
// how long something took: in, z czasem. A colon may follow them, and no space where words have none.
func (cr *Recognizer) takes(in *scan.View, i int) bool {
	before := in.Back(i - 1)
	if in.Is(before, ':') || in.Is(before, '：') {
		before = in.Back(before - 1)
	}
	w := in.Text(before)
	switch {
	case in.Token(before).Dense:
		return cr.taken[w] || cr.taken[in.Text(before-1)+w]
	case before == i-1:
		return false
	}
	return cr.taken[w] || in.Kind(before-1) == scan.Space && in.Kind(before-2) == scan.Word && cr.taken[in.Text(before-2)+" "+w]
}

// timeUnitAt returns the unit of time at j and how many tokens it takes. A word that belongs
// to a time of day is none: 8:30 h.
func (cr *Recognizer) timeUnitAt(in *scan.View, j int) (key string, n int) {
	if _, n := cr.marks.Match(in, j); n > 0 {
		return "", 0
	}
	for _, key := range [...]string{"duration-hour", "duration-minute", "duration-second"} {
		if n := cr.quantities.IsUnit(in, j, key); n > 0 {
			return key, n
		}
	}
	return "", 0
}
