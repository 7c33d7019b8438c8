package code

import "vaak/text/normalize/scan"

// Left reads digits that no other recognizer has taken, such as those within a word in
// small letters: gr8, abc123. One or two digits are a number, more are said one by one.
func (co *Recognizer) Left(in *scan.View, i int) scan.Outcome {
	if in.Kind(i) != scan.Digits {
		return scan.Outcome{}
	}
	d := scan.Arabic(in.Text(i))
	if len(d) <= 2 && (d[0] != '0' || len(d) == 1) {
		if w, ok := co.say.Int(scan.Atoi(d), ""); ok {
			return scan.Said(w, 1)
		}
	}
	// No form has so many digits; their number is the bound of the output.
	w, ok := co.say.Digits(d)
	if !ok {
		return scan.Outcome{}
	}
	return scan.Said(w, 1)
}
