package clock

import "vaak/text/normalize/scan"

// Before reads a time after AM or PM, in languages that say the part of the day first:
// AM9:00.
func (cr *Recognizer) Before(in *scan.View, i int) scan.Outcome {
	half, n := period(in, i)
	if half == "" { // the digits may touch the letters
		switch in.Text(i) {
		case "AM":
			half, n = "am", 1
		case "PM":
			half, n = "pm", 1
		default:
			return scan.Outcome{}
		}
	}
	j := in.Skip(i + n)
	if !cr.halfFirst || !in.Opens(i) || in.Kind(j) != scan.Digits {
		return scan.Outcome{}
	}
	t, end, ok := cr.clock(in, j, false)
	if !ok || t.bare || t.period != "" || t.Hour > 12 {
		return scan.Outcome{}
	}
	t.period = half
	w, ok := cr.Say(t)
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, end-i)
}
