package clock

import (
	"vaak/text/normalize/scan"
)

// Zone reads a difference from universal time: GMT+5:30, UTC-8.
func (cr *Recognizer) Zone(in *scan.View, i int) scan.Outcome {
	switch in.Text(i) {
	case "GMT", "UTC":
	default:
		return scan.Outcome{}
	}
	if !in.Opens(i) {
		return scan.Outcome{}
	}
	w, n := cr.offset(in, in.Skip(i+1))
	if n == 0 {
		return scan.Outcome{}
	}
	return scan.Said(cr.say.Join(cr.say.Letters(in.Text(i)), w), in.Skip(i+1)+n-i)
}

// Offset reads hours and minutes with a plus before them, as after the name of a zone in
// other letters: +5:30.
func (cr *Recognizer) Offset(in *scan.View, i int) scan.Outcome {
	if !in.Is(i, '+') || !in.Is(i+2, ':') || !in.TwoDigits(i+3) {
		return scan.Outcome{}
	}
	return scan.Said(cr.offset(in, i))
}

// offset reads a sign with hours, and minutes if there are any, and returns how many
// tokens they take.
func (cr *Recognizer) offset(in *scan.View, i int) (string, int) {
	sign := cr.say.Signs.Plus
	switch {
	case in.Is(i, '-'), in.Is(i, '−'), in.Is(i, '–'):
		sign = cr.say.Signs.Minus
	case !in.Is(i, '+'):
		return "", 0
	}
	hours, end := scan.Arabic(in.Text(i+1)), i+2
	if in.Kind(i+1) != scan.Digits || len(hours) > 2 || scan.Atoi(hours) > 14 || sign == "" {
		return "", 0
	}
	w, ok := cr.say.Int(scan.Atoi(hours), "")
	if in.Is(end, ':') && in.TwoDigits(end+1) {
		minutes := scan.Atoi(scan.Arabic(in.Text(end + 1)))
		if minutes > 0 {
			m, ok2 := cr.say.Int(minutes, "")
			w, ok = cr.say.Join(w, m), ok && ok2
		}
		end += 2
	}
	if !ok || !in.Closes(end) {
		return "", 0
	}
	return cr.say.Join(sign, w), end - i
}
