package markdown

import (
	"strings"
	"unicode/utf8"
)

// Limits of how far ahead a sign looks, in bytes. They bound both the work and how long a
// live session waits.
const (
	longestLine  = 1000 // of a line that must be seen whole, as a rule or a row of a table
	longestTag   = 120  // of HTML
	longestSpan  = 300  // of code, emphasis by underscores, and mathematics in a line
	longestLabel = 500  // of the text of a link
	longestLink  = 2000 // of an address
	longestMath  = 1000 // of mathematics in a paragraph of its own
)

// blocks reads the signs that begin lines, and code blocks, and knows in which kind of block the
// line is. Its methods that return a bool return false if more text is needed.
type blocks struct {
	text     *rewriter
	emphasis *emphasis // ends with its paragraph

	// Of the line.
	lineStart bool // at its start, or after the signs that begin it
	heading   bool
	row       bool // of a table
	signs     bool // signs were left out at the start of the line
	quoted    bool // the line, or the one before at the start of a line, is a quotation

	// Of the text.
	lines    bool // a line has ended: this is not the first
	fence    fence
	table    bool // a table without outer bars goes on
	numbered numbering
}

func newBlocks(w *rewriter, e *emphasis) *blocks {
	return &blocks{text: w, emphasis: e, lineStart: true, numbered: numbering{}}
}

// read reads the signs that begin a line.
func (b *blocks) read() bool {
	s := b.text.rest()
	indent := countSpaces(s)
	if indent == len(s) && !b.text.final && indent < longestLine {
		return false
	}
	s = s[indent:]
	if s == "" {
		b.spaces(indent)
		return true
	}
	switch s[0] {
	case '\n', '\r':
		b.emptyLine(indent)
		return true
	case '>':
		return b.quotation(indent, s)
	case '#':
		return b.title(indent, s)
	case '`', '~':
		return b.openFence(indent, s)
	case '-', '*', '_', '=', '+', ':':
		return b.ruleOrItem(indent, s)
	case '|':
		return b.bars(indent, s)
	case '[':
		return b.definition(indent, s)
	}
	if c, n := utf8.DecodeRuneInString(s); isDigit(c) {
		return b.number(indent, s)
	} else if isBullet(c) {
		b.item(indent + n + countSpaces(s[n:]))
		return true
	}
	return b.ordinary(indent)
}

// ordinary begins the text of a line, behind its signs if it has any. In a table without outer
// bars, a line with a bar is a row.
func (b *blocks) ordinary(indent int) bool {
	if b.table {
		line, known := b.line(longestLine)
		if !known {
			return false
		}
		if b.table = strings.IndexByte(line, '|') >= 0; b.table {
			b.beginRow(indent)
			return true
		}
		b.text.emptyLine = true
	}
	b.lineStart = false
	b.spaces(indent)
	return true
}

// spaces reads the spaces at the start of a line. Those behind signs go with the signs.
func (b *blocks) spaces(n int) {
	if b.signs {
		b.text.drop(n)
	} else {
		b.text.keep(n)
	}
}

// line returns the line that is being read, without its end, or the part of it that has come.
// known is false if the line may go on and has less than most bytes so far.
func (b *blocks) line(most int) (line string, known bool) {
	line, _, whole := strings.Cut(b.text.rest(), "\n")
	return line, whole || b.text.final || len(line) >= most
}

// endLine notes that a line has ended.
func (b *blocks) endLine() {
	if b.heading || b.row {
		b.text.emptyLine = true
	}
	b.lineStart, b.lines, b.heading, b.row, b.signs = true, true, false, false, false
}

// dropLine leaves out a line with its end.
func (b *blocks) dropLine(line string) {
	b.text.drop(min(len(line)+1, len(b.text.rest())))
	b.lineStart, b.lines, b.signs = true, true, false
}

// emptyLine reads an empty line, which ends a paragraph.
func (b *blocks) emptyLine(indent int) {
	// An empty line that must stand before the next block comes after this one.
	needed := b.text.emptyLine
	b.text.emptyLine = false
	b.spaces(indent)
	b.text.keep(1)
	b.text.emptyLine = needed
	b.endLine()
	b.endParagraph()
	b.quoted = false
}

// endParagraph closes what a paragraph has left open.
func (b *blocks) endParagraph() {
	b.emphasis.endParagraph()
	b.table = false
}

// startBlock notes that a block begins, which is heard apart from what stands before it.
func (b *blocks) startBlock() {
	b.text.emptyLine, b.signs = true, true
	b.endParagraph()
}

// quotation reads the sign of a quotation. Before a digit it means "more than", unless the
// quotation goes on.
func (b *blocks) quotation(indent int, s string) bool {
	n := 1
	for n < len(s) && (s[n] == '>' || s[n] == ' ' && n+1 < len(s) && s[n+1] == '>') {
		n++
	}
	if len(s) < n+2 && !b.text.final {
		return false
	}
	after := s[n:]
	if after != "" && strings.IndexByte(" \t\n\r", after[0]) < 0 ||
		len(after) > 1 && isASCIIDigit(rune(after[1])) && !b.quoted {
		return b.ordinary(indent)
	}
	if !b.quoted {
		b.startBlock()
	}
	b.quoted, b.signs = true, true
	b.text.drop(indent + n)
	return true
}

// title reads the signs of a heading.
func (b *blocks) title(indent int, s string) bool {
	n := countByte(s, '#')
	if len(s) < n+2 && n <= 6 && !b.text.final {
		return false
	}
	after := s[n:]
	spaces := countSpaces(after)
	// "# 5" is a number.
	if n > 6 || spaces == 0 || n == 1 && len(after) > 1 && isASCIIDigit(rune(after[1])) {
		return b.ordinary(indent)
	}
	b.startBlock()
	b.heading = true
	b.text.drop(indent + n + spaces)
	return true
}

// bars reads the start of a row of a table. The line under the head of a table is left out.
func (b *blocks) bars(indent int, s string) bool {
	line, known := b.line(longestLine)
	if !known {
		return false
	}
	row := strings.TrimRight(line[indent:], " \t\r")
	if strings.Trim(row, ":-| \t") == "" && strings.Contains(row, "-") {
		b.startBlock()
		b.dropLine(line)
		return true
	}
	if len(row) < 2 || row[len(row)-1] != '|' {
		return b.ordinary(indent)
	}
	b.beginRow(indent + 1 + countSpaces(s[1:]))
	return true
}

// beginRow begins a row of a table, before which n bytes are left out.
func (b *blocks) beginRow(n int) {
	table := b.table // goes on
	b.startBlock()
	b.table = table
	b.text.drop(n)
	b.row, b.text.cell = true, false
	b.lineStart = false
}

// definition reads the start of a line that says where a link leads, which is left out, or of
// a footnote, whose text is read.
func (b *blocks) definition(indent int, s string) bool {
	const longest = 60
	end := strings.IndexAny(s, "]\n")
	if end < 0 || end > longest {
		if end < 0 && len(s) < longest && !b.text.final {
			return false
		}
		return b.ordinary(indent)
	}
	if len(s) < end+2 && s[end] == ']' && !b.text.final {
		return false
	}
	if !strings.HasPrefix(s[end:], "]:") {
		return b.ordinary(indent)
	}
	if s[1] == '^' {
		b.startBlock()
		b.text.drop(indent + end + 2 + countSpaces(s[end+2:]))
		return true
	}
	line, known := b.line(longestLink)
	if !known {
		return false
	}
	if !isAddress(strings.TrimLeft(line[indent+end+2:], " \t")) {
		return b.ordinary(indent)
	}
	b.text.found.Links++
	b.dropLine(line)
	return true
}

// isAddress reports whether a text begins with an address, as definitions of links have it.
func isAddress(s string) bool {
	for _, start := range []string{"http://", "https://", "<", "/", "#", "www.", "mailto:"} {
		if strings.HasPrefix(s, start) {
			return true
		}
	}
	return false
}
