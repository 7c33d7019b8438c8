package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// ruleOrItem reads a line of dashes and the like, which only parts what stands around it, or
// the sign of an item of a list.
func (b *blocks) ruleOrItem(indent int, s string) bool {
	line, known := b.line(indent + longestLine)
	body := line[indent:]
	inRule := strings.Trim(body, s[:1]+" \t\r") == ""
	inDelimiter := strings.Trim(body, ":-| \t\r") == "" && strings.IndexByte("*_=", s[0]) < 0
	if (inRule || inDelimiter) && !known {
		return false
	}
	isRule := inRule && s[0] != '+' && s[0] != ':' && strings.Count(body, s[:1]) >= 3
	isDelimiter := inDelimiter && strings.Contains(body, "|") && strings.Contains(body, "--")
	switch {
	case isRule || isDelimiter:
		b.startBlock()
		b.table = isDelimiter
		b.dropLine(line)
		return true
	case s[0] == '-' || s[0] == '*' || s[0] == '+':
		return b.bullet(indent, s)
	}
	return b.ordinary(indent)
}

// bullet reads a dash, an asterisk or a plus sign that may begin an item.
func (b *blocks) bullet(indent int, s string) bool {
	n := 1 + countSpaces(s[1:])
	switch {
	case n == len(s) && !b.text.final:
		return false
	case n == len(s), n == 1, s[n] == '\n', s[n] == '\r': // a sign by itself, or of a word
		return b.ordinary(indent)
	case s[0] == '+' && isASCIIDigit(rune(s[n])): // "+ 5" is a number.
		return b.ordinary(indent)
	}
	// The box of a task.
	if s[n] == '[' {
		if len(s) < n+4 && !b.text.final {
			return false
		}
		if len(s) > n+3 && (s[n+1] == ' ' || s[n+1]|0x20 == 'x') && s[n+2] == ']' && s[n+3] == ' ' {
			n += 4
		}
	}
	b.item(indent + n)
	return true
}

// item begins an item of a list, whose signs take n bytes.
func (b *blocks) item(n int) {
	b.startBlock()
	b.text.drop(n)
}

// number reads the number of an item. It is heard by itself, because "1." before a word may
// also be read as an ordinal.
func (b *blocks) number(indent int, s string) bool {
	n, value, digits := 0, 0, 0
	for n < len(s) && digits < 4 {
		c, size := utf8.DecodeRuneInString(s[n:])
		if !isDigit(c) {
			break
		}
		value = value*10 + digitValue(c)
		n += size
		digits++
	}
	if len(s) < n+2 && digits < 4 && !b.text.final {
		return false
	}
	if digits == 4 || len(s) < n+2 || s[n] != '.' && s[n] != ')' || s[n+1] != ' ' && s[n+1] != '\t' {
		return b.ordinary(indent)
	}
	after := s[n+1:]
	spaces := countSpaces(after)
	word, complete := firstWord(after[spaces:])
	if !complete && !b.text.final {
		return false
	}
	if s[n] == '.' {
		item, known := b.isItem(value, word, after)
		if !known {
			return false
		}
		if !item {
			return b.ordinary(indent)
		}
	}
	b.numbered.note(indent, value)
	b.startBlock()
	b.text.drop(indent)
	b.text.keep(n)
	b.text.replace(1+spaces, "\n\n")
	b.text.prev = '\n'
	return true
}

// isItem reports whether a number with a full stop at the start of a line begins an item. It
// does if it follows that of an item before, or if it is 1. At the start of the text the next
// line must begin with the number after it: "1. FC Köln" alone is no list.
func (b *blocks) isItem(value int, word, after string) (item, known bool) {
	switch {
	case isMonth(word), value > 1 && !b.numbered.follows(value):
		return false, true
	case value <= 1 && !b.lines && !b.heading:
		item, known = secondFollows(after)
		return item, known || b.text.final
	}
	return true, true
}

// secondFollows reports whether the line after that of s begins with the number 2 of an item.
func secondFollows(s string) (list, known bool) {
	end := strings.IndexByte(s[:min(len(s), longestSpan)], '\n')
	if end < 0 {
		return false, len(s) >= longestSpan
	}
	next := strings.TrimLeft(s[end:], " \t\r\n")
	c, n := utf8.DecodeRuneInString(next)
	if len(next) <= n {
		return false, next != "" && !isDigit(c)
	}
	return isDigit(c) && digitValue(c) == 2 && (next[n] == '.' || next[n] == ')'), true
}

// firstWord returns the letters at the start of a text. complete is false if the word may go
// on.
func firstWord(s string) (word string, complete bool) {
	for i, c := range s {
		if !unicode.IsLetter(c) && !unicode.IsMark(c) {
			return s[:i], true
		}
	}
	return s, len(s) > 40
}

// numbering is the number of the last item of a list at each indent.
type numbering map[int]int

// note remembers the number of an item.
func (l numbering) note(indent, value int) {
	if len(l) > 16 { // of absurd indents
		clear(l)
	}
	l[indent] = value
}

// follows reports whether a number is the next of a list.
func (l numbering) follows(value int) bool {
	for _, last := range l {
		if value == last+1 {
			return true
		}
	}
	return false
}
