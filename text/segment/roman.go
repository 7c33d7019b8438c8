package segment

import (
	"strings"

	"vaak/lang"
)

// longestRoman bounds a Roman number of centuries, kings and chapters, in letters.
const longestRoman = 6

// romans gives Roman numbers among words of another script the language of those
// words, which alone knows how they are said: "в XIX веке" is one run. A number
// that another Latin word stands beside is of that word's language.
func (c *cutter) romans() {
	home := c.matrix
	if c.given {
		home = c.request.Code
	}
	if (lang.Tag{Code: home}).Writes("Latn") {
		return
	}
	for i := range c.atoms {
		c.roman(i, home)
	}
	// The first of two numbers stands beside the second alone: XIX–XX вв.
	for i := len(c.atoms) - 1; i >= 0; i-- {
		c.roman(i, home)
	}
}

// roman gives the Roman number at i the language of the words beside it.
func (c *cutter) roman(i int, home lang.Code) {
	a := &c.atoms[i]
	if a.kind != word || a.script != "Latn" || a.code == home || !isRomanNumber(a.In(c.text)) {
		return
	}
	before, after := c.beside(i-1, i, home), c.beside(i, i+1, home)
	// A word of home on one side at least, and another Latin word on neither. A single
	// letter is a number only where capitals tell it from a name.
	if before+after > 0 && before >= 0 && after >= 0 && (a.letters > 1 || c.cased(i)) {
		a.code = home
	}
}

// beside says what stands at the other end of a gap between two atoms: 1 for a
// word of home, -1 for another Latin word, 0 for neither.
func (c *cutter) beside(i, j int, home lang.Code) int {
	if i < 0 || j >= len(c.atoms) {
		return 0
	}
	left, right := &c.atoms[i], &c.atoms[j]
	switch c.text[left.End:right.Start] {
	case "", " ", "\u00A0", "-", "–", "/":
	default:
		return 0
	}
	for _, a := range [...]*atom{left, right} {
		if a.script == "Latn" && a.code != home && !isRomanNumber(a.In(c.text)) {
			return -1
		}
	}
	if left.kind == word && left.code == home || right.kind == word && right.code == home {
		return 1
	}
	return 0
}

// cased reports whether a word beside an atom is of a script with capitals. Beside such
// words a single letter may be a number; beside others it is more likely a name.
func (c *cutter) cased(i int) bool {
	for j := max(0, i-1); j <= min(i+1, len(c.atoms)-1); j++ {
		switch c.atoms[j].script {
		case "Cyrl", "Grek", "Armn":
			return true
		}
	}
	return false
}

// isRomanNumber reports whether a word is capitals I, V and X in an order that Roman
// numbers have.
func isRomanNumber(s string) bool {
	if s == "" || len(s) > longestRoman || strings.Trim(s, "IVX") != "" {
		return false
	}
	units := strings.TrimLeft(s, "X")
	// XXXIX is the greatest number without L, which is left out with C, D and M: their
	// letters spell too many acronyms.
	if len(s)-len(units) > 3 {
		return false
	}
	switch units {
	case "", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX":
		return true
	}
	return false
}
