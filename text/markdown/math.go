package markdown

import (
	"strings"
	"unicode"
)

// maths finds the formulas in a text, which are LaTeX, and writes them as [formula] translates
// them.
type maths struct{ text *rewriter }

// dollar reads mathematics between dollar signs. Money is none: an amount stands before a
// space, before another amount, or has nothing in it that only formulas have.
func (m maths) dollar(s string) bool {
	n := countByte(s, '$')
	if n == len(s) && n < longestSpan && !m.text.final {
		return false
	}
	if n > 2 {
		m.text.keep(n)
		return true
	}
	most := longestSpan
	if n == 2 {
		most = longestMath
	}
	end, known := closingDollar(s, n, most, m.text.final)
	if !known {
		return false
	}
	if end < 0 || isWord(m.text.prev) || !isFormula(s[n:end], n) {
		m.text.keep(n)
		return true
	}
	m.write(s[n:end], n, end+n)
	return true
}

// closingDollar returns where n dollar signs close the formula that n of them open, or -1.
func closingDollar(s string, n, most int, final bool) (end int, known bool) {
	if len(s) > n && n == 1 && unicode.IsSpace(rune(s[n])) {
		return -1, true
	}
	if n == 1 {
		if money, known := isMoney(s[1:], final); money || !known {
			return -1, known
		}
	}
	letters, depth := 0, 0
	for i := n; i < len(s) && i < most; i++ {
		// A word outside braces is of no formula.
		if isASCIILetter(rune(s[i])) {
			if letters++; letters > 2 && depth == 0 && n == 1 {
				return -1, true
			}
		} else {
			letters = 0
		}
		switch {
		case s[i] == '{':
			depth++
		case s[i] == '}':
			depth--
		case s[i] == '\\':
			for i++; i+1 < len(s) && isASCIILetter(rune(s[i])) && isASCIILetter(rune(s[i+1])); i++ {
			}
		case s[i] == '\n' && (n == 1 || strings.HasPrefix(s[i+1:], "\n")):
			return -1, true
		case s[i] != '$':
		case countByte(s[i:], '$') < n:
			if i+1 == len(s) && !final {
				return 0, false
			}
			return -1, true
		case n == 2:
			return i, true
		case i+1 == len(s) && !final:
			return 0, false
		case unicode.IsSpace(rune(s[i-1])), i+1 < len(s) && isASCIIWord(rune(s[i+1])):
			return -1, true
		default:
			return i, true
		}
	}
	return -1, final || len(s) >= most
}

// isMoney reports whether a text behind a dollar sign is an amount: digits that no operation
// follows.
func isMoney(s string, final bool) (money, known bool) {
	n := 0
	for n < len(s) && n < 20 && (isASCIIDigit(rune(s[n])) || s[n] == '.' || s[n] == ',') {
		n++
	}
	if n == 0 && s != "" {
		return false, true
	}
	n += countSpaces(s[n:])
	if n == len(s) {
		return true, final
	}
	if strings.IndexByte("+-=*/^<>\\_$()", s[n]) >= 0 {
		return false, true
	}
	// A factor stands alone: 5x.
	if !isASCIILetter(rune(s[n])) {
		return true, true
	}
	if n+1 == len(s) {
		return true, final
	}
	return isASCIILetter(rune(s[n+1])) || s[n-1] == ' ', true
}

// isFormula reports whether a text between n dollar signs is mathematics.
func isFormula(s string, n int) bool {
	switch {
	case strings.TrimSpace(s) == "":
		return false
	case n == 2 || strings.ContainsAny(s, "\\^_={}<>"):
		return true
	}
	// A letter or two, or a few with signs between them; not an amount with words after it.
	letters := 0
	for _, c := range s {
		switch {
		case isASCIILetter(c):
			if letters++; letters > 2 {
				return false
			}
		case unicode.IsLetter(c):
			return false
		default:
			letters = 0
		}
	}
	return isASCIILetter(rune(s[0])) || s[0] == '(' || strings.ContainsAny(s, "+-*/")
}

// latex reads \( ... \) and \[ ... \]. It writes nothing if the text between is no formula.
func (m maths) latex(s string) (written, known bool) {
	shut := `\)`
	if s[1] == '[' {
		shut = `\]`
	}
	near := s[:min(len(s), longestMath)]
	end, paragraph := strings.Index(near, shut), strings.Index(near, "\n\n")
	if end < 0 && paragraph < 0 && len(s) < longestMath && !m.text.final {
		return false, false
	}
	if end < 0 || paragraph >= 0 && paragraph < end || !isFormula(strings.TrimSpace(s[2:end]), 1) {
		return false, true
	}
	m.write(s[2:end], 2, end+2)
	return true, true
}

// write writes the formula s for the next n bytes, of which the first open are before it. It
// writes characters that are read as words in each language. The map leads from each piece to
// its part of the formula.
func (m maths) write(s string, open, n int) {
	var f formula
	f.read(s, 0, 0)
	m.text.drop(open)
	done := 0
	for _, p := range f.pieces {
		end := max(p.end, done)
		said := strings.TrimPrefix(p.text, " ")
		if said != p.text {
			m.text.replace(0, " ") // by itself, so that a change of language may fall behind it
		}
		if written := s[done:end]; strings.HasSuffix(written, said) {
			m.text.drop(len(written) - len(said))
			m.text.keep(len(said))
		} else {
			m.text.replace(len(written), said)
		}
		done = end
	}
	m.text.drop(n - open - done)
	m.text.prev = ')' // so that what follows is not taken for the start of a word
}
