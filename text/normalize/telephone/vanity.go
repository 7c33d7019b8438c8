package telephone

import (
	"strings"

	"vaak/text/normalize/scan"
)

// Vanity reads a telephone number with letters for digits, 1-800-FLOWERS, letter by
// letter and digit by digit.
func (tr *Recognizer) Vanity(in *scan.View, i int) scan.Outcome {
	if !in.Opens(i) || !in.Is(i+1, '-') {
		return scan.Outcome{}
	}
	parts, j := []string(nil), i
	for len(parts) < 2 && in.Kind(j) == scan.Digits && in.Is(j+1, '-') && in.Token(j).End-in.Token(j).Start <= 4 {
		in.Step()
		w, ok := tr.say.Digits(scan.Arabic(in.Text(j)))
		if !ok {
			return scan.Outcome{}
		}
		parts = append(parts, w)
		j += 2
	}
	// Numbers with letters are toll-free numbers of North America (8xx, also with the 1),
	// or of India (18xx).
	if first := in.Text(i); in.Kind(j) != scan.Word || !(first == "1" && len(parts) == 2 || len(first) == 4 && first[:2] == "18" || len(first) == 3 && first[0] == '8') {
		return scan.Outcome{}
	}
	letters := 0
	for in.Kind(j) == scan.Word && in.Token(j).Upper && len(parts) < 6 {
		in.Step()
		letters += scan.RuneLen(in.Text(j))
		parts = append(parts, tr.say.Letters(in.Text(j)))
		if j++; !in.Is(j, '-') || in.Kind(j+1) != scan.Word || !in.Token(j+1).Upper {
			break
		}
		j++
	}
	// Seven letters are dialled. People write a few more, which are ignored when they are
	// dialled.
	if letters < 6 || letters > 10 || !in.Closes(j) {
		return scan.Outcome{}
	}
	return scan.Said(strings.Join(parts, ", "), j-i)
}
