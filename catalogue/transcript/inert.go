package transcript

import "strings"

// formula are the characters with which a spreadsheet takes a cell for a formula,
// however it is quoted; those of full width are taken so in East Asian settings.
const formula = "=+-@\t\r\n＝＋－＠"

// Inert returns a cell of a table as it is published: with an apostrophe before it
// where a spreadsheet would reckon what it begins with. A cell that begins with an
// apostrophe before such a character gets another, so that [Read] can undo it
// exactly. Source: OWASP, CSV Injection.
func Inert(cell string) string {
	if begins(cell) {
		return "'" + cell
	}
	return cell
}

// reckoned undoes Inert.
func reckoned(cell string) string {
	if rest, ok := strings.CutPrefix(cell, "'"); ok && begins(rest) {
		return rest
	}
	return cell
}

// begins reports whether a cell begins with a formula, behind apostrophes or not.
func begins(cell string) bool {
	cell = strings.TrimLeft(cell, "'")
	return cell != "" && strings.IndexAny(cell, formula) == 0
}
