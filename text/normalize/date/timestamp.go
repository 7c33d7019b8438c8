package date

import (
	"vaak/text/normalize/clock"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// stamped reads time stamps.
type stamped struct {
	say   *speak.Speaker
	agree *speak.Agreement
	clock *clock.Recognizer
	words *words
}

// Timestamp reads a date and a time in the form of ISO 8601, 2024-05-12T10:30:00Z. With
// a space in place of the T they are read one after the other by other recognizers.
func (st *stamped) Timestamp(in *scan.View, i int) scan.Outcome {
	// The tokens are year, -, month, -, day, T, hour, :, minute: i to i+8.
	if t := in.Text(i + 5); t != "T" && t != "t" || !in.Opens(i) || !in.Is(i+1, '-') || !in.Is(i+3, '-') {
		return scan.Outcome{}
	}
	y, m, day := scan.Arabic(in.Text(i)), in.Text(i+2), in.Text(i+4)
	if len(y) != 4 || !in.TwoDigits(i+2) || !in.TwoDigits(i+4) || !in.TwoDigits(i+6) || !in.Is(i+7, ':') || !in.TwoDigits(i+8) {
		return scan.Outcome{}
	}
	d := date{day: scan.Atoi(scan.Arabic(day)), month: scan.Atoi(scan.Arabic(m)), year: y, yearFirst: true, ordinal: st.agree.Before(in, i)}
	t := clock.Clock{Hour: scan.Atoi(scan.Arabic(in.Text(i + 6))), Minute: scan.Atoi(scan.Arabic(in.Text(i + 8)))}
	j := i + 9
	if in.Is(j, ':') && in.TwoDigits(j+1) {
		t.Second = scan.Atoi(scan.Arabic(in.Text(j + 1)))
		t.Seconds = t.Second > 0
		j += 2
		if in.Is(j, '.') && in.Kind(j+1) == scan.Digits {
			j += 2 // parts of a second are not spoken
		}
	}
	zone, j := st.zone(in, j)
	// 24:00 is the end of a day, and :60 a leap second (ISO 8601-1, RFC 3339 section 5.7).
	if !valid(d.day, d.month) || t.Hour > 24 || t.Minute > 59 || t.Second > 60 || !in.Closes(j) {
		return scan.Outcome{}
	}
	a, ok := st.words.date(d)
	b, ok2 := st.clock.Say(t)
	if !ok || !ok2 {
		return scan.Outcome{}
	}
	return scan.Said(st.say.Join(a, b, zone), j-i)
}

// zone reads the time zone after a time, Z or +05:30, and returns the token after it.
func (st *stamped) zone(in *scan.View, j int) (string, int) {
	if t := in.Text(j); t == "Z" || t == "z" {
		return st.say.Letters("UTC"), j + 1
	}
	name := st.say.Signs.Plus
	switch {
	case in.Is(j, '-'), in.Is(j, '−'):
		name = st.say.Signs.Minus
	case !in.Is(j, '+'):
		return "", j
	}
	h, m, end := scan.Arabic(in.Text(j+1)), "00", j+2
	switch {
	case in.Kind(j+1) != scan.Digits || name == "":
		return "", j
	case len(h) == 4:
		h, m = h[:2], h[2:]
	case len(h) == 2 && in.Is(j+2, ':') && in.TwoDigits(j+3):
		m, end = scan.Arabic(in.Text(j+3)), j+4
	case len(h) != 2:
		return "", j
	}
	if h == "00" && m == "00" {
		return st.say.Letters("UTC"), end
	}
	w, ok := st.say.Int(scan.Atoi(h), "")
	if !ok {
		return "", j
	}
	if m != "00" {
		minutes, _ := st.say.Int(scan.Atoi(m), "")
		w = st.say.Join(w, minutes)
	}
	return st.say.Join(name, w), end
}
