package transcript

import "strings"

// formula holds the characters that make a spreadsheet read a cell as a formula, even in
// quotes. In East Asian settings the full-width forms do so too.
const formula = "=+-@\t\r\n＝＋－＠"

// Inert returns the cell with an apostrophe before it if a spreadsheet would read it as a
// formula; others are returned as they are. A cell that already has apostrophes before such
// a character gets one more, so that [Read] can undo it exactly. Source: OWASP, CSV
// Injection.
func Inert(cell string) string {
	if begins(cell) {
		return "'" + cell
	}
	return cell
}

// uninert undoes [Inert].
func uninert(cell string) string {
	if rest, ok := strings.CutPrefix(cell, "'"); ok && begins(rest) {
		return rest
	}
	return cell
}

// begins reports whether a cell begins like a formula, after any number of apostrophes.
func begins(cell string) bool {
	cell = strings.TrimLeft(cell, "'")
	return cell != "" && strings.IndexAny(cell, formula) == 0
}
