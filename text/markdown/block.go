package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of how far ahead a sign looks, in bytes. They bound both the work and how long a
// live session waits.
const (
	longestLine  = 1000 // that is held to tell a row of a table or a rule
	longestTag   = 120  // of HTML
	longestSpan  = 300  // of code, emphasis by underscores, and mathematics in a line
	longestLabel = 500  // of the text of a link
	longestLink  = 2000 // of an address
	longestMath  = 1000 // of mathematics in a paragraph of its own
)

// fence is the fence of a code block.
type fence struct {
	sign byte
	size int  // 0 outside code blocks
	mid  bool // the line goes on, and does not close the block
}

// block reads the signs that begin a line. It returns false if more text is needed.
func (r *Reader) block() bool {
	s := r.rest()
	indent := countSpaces(s)
	if indent == len(s) && !r.final && indent < longestLine {
		return false
	}
	s = s[indent:]
	if s == "" {
		r.spaces(indent)
		return true
	}
	switch b := s[0]; {
	case b == '\n' || b == '\r':
		return r.emptyLine(indent)
	case b == '>':
		return r.quotation(indent, s)
	case b == '#':
		return r.title(indent, s)
	case b == '`' || b == '~':
		return r.openFence(indent, s)
	case b == '-' || b == '*' || b == '_' || b == '=' || b == '+' || b == ':':
		return r.ruleOrItem(indent, s)
	case b == '|':
		return r.bars(indent, s)
	case b == '[':
		return r.definition(indent, s)
	}
	if c, n := utf8.DecodeRuneInString(s); isDigit(c) {
		return r.number(indent, s)
	} else if isBullet(c) {
		r.item(indent + n + countSpaces(s[n:]))
		return true
	}
	return r.text(indent)
}

// text goes on with the text of a line. In a table without outer bars, a line with a bar is
// a row.
func (r *Reader) text(indent int) bool {
	if r.table {
		line, whole := r.line()
		if !whole && len(line) < longestLine {
			return false
		}
		if r.table = strings.IndexByte(line, '|') >= 0; r.table {
			r.beginRow(indent)
			return true
		}
		r.needBreak = true
	}
	r.begin()
	r.spaces(indent)
	return true
}

// spaces reads the spaces at the start of a line. Those behind signs go with the signs.
func (r *Reader) spaces(n int) {
	if r.signs {
		r.drop(n)
		return
	}
	r.keep(n)
}

// begin ends the signs at the start of a line.
func (r *Reader) begin() { r.lineStart = false }

// line returns the line that is being read, without its end. whole is false if it may go on.
func (r *Reader) line() (line string, whole bool) {
	s := r.rest()
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return s[:i], true
	}
	return s, r.final
}

// endLine notes that a line has ended.
func (r *Reader) endLine() {
	if r.heading || r.row {
		r.needBreak = true
	}
	r.lineStart, r.lines, r.heading, r.row, r.comma, r.signs = true, true, false, false, false, false
}

// emptyLine ends a paragraph.
func (r *Reader) emptyLine(indent int) bool {
	needed := r.needBreak
	r.needBreak = false
	r.spaces(indent)
	r.keep(1)
	r.needBreak = needed
	r.endLine()
	r.endParagraph()
	r.quoted = false
	return true
}

// endParagraph closes what a paragraph has left open.
func (r *Reader) endParagraph() {
	r.stars, r.tildes, r.table = 0, false, false
}

// startBlock notes that a block begins, which is heard apart from what stands before it.
func (r *Reader) startBlock() {
	r.needBreak, r.signs = true, true
	r.endParagraph()
}

// quotation reads the sign of a quotation. Before a digit it means "more than", unless the
// quotation goes on.
func (r *Reader) quotation(indent int, s string) bool {
	n := 1
	for n < len(s) && (s[n] == '>' || s[n] == ' ' && n+1 < len(s) && s[n+1] == '>') {
		n++
	}
	if len(s) < n+2 && !r.final {
		return false
	}
	rest := s[n:]
	if rest != "" && rest[0] != ' ' && rest[0] != '\t' && rest[0] != '\n' && rest[0] != '\r' ||
		len(rest) > 1 && '0' <= rest[1] && rest[1] <= '9' && !r.quoted {
		return r.text(indent)
	}
	if !r.quoted {
		r.startBlock()
	}
	r.quoted, r.signs = true, true
	r.drop(indent + n)
	return true
}

// title reads the signs of a heading.
func (r *Reader) title(indent int, s string) bool {
	n := countByte(s, '#')
	if len(s) < n+2 && n <= 6 && !r.final {
		return false
	}
	rest := s[n:]
	// "# 5" is a number.
	if n > 6 || rest == "" || rest[0] != ' ' && rest[0] != '\t' || n == 1 && len(rest) > 1 && '0' <= rest[1] && rest[1] <= '9' {
		return r.text(indent)
	}
	r.startBlock()
	r.heading = true
	r.drop(indent + n + countSpaces(rest))
	return true
}

// openFence reads the fence of a code block. Without a line of its own, backticks are those
// of code in a line.
func (r *Reader) openFence(indent int, s string) bool {
	n := countByte(s, s[0])
	if n == len(s) && !r.final && n < longestLine {
		return false
	}
	if n < 3 {
		return r.text(indent)
	}
	line, whole := r.line()
	if !whole && len(line) < longestLine {
		return false
	}
	info := strings.TrimSpace(line[indent+n:])
	if s[0] == '`' && strings.IndexByte(info, '`') >= 0 || s[0] == '~' && strings.ContainsAny(info, " ~") {
		return r.text(indent)
	}
	r.fence = fence{sign: s[0], size: n}
	r.found.CodeBlocks++
	r.startBlock()
	r.dropLine(r.lineSize(line))
	return true
}

// lineSize returns the length of a line with its end.
func (r *Reader) lineSize(line string) int { return min(len(line)+1, len(r.rest())) }

// skipCode leaves out a line of a code block.
func (r *Reader) skipCode() bool {
	line, whole := r.line()
	body := strings.TrimLeft(line, " \t>")
	n := countByte(body, r.fence.sign)
	switch closes := !r.fence.mid && strings.TrimRight(body[n:], " \t\r") == "" && (n >= r.fence.size || body == ""); {
	case !whole && closes && len(line) < longestLine:
		return false
	case !whole && !r.fence.mid && n > 0 && n == len(body) && len(line) < longestLine:
		return false
	case closes && n >= r.fence.size:
		r.fence = fence{}
		r.startBlock()
	default:
		r.fence.mid = !strings.HasPrefix(r.rest()[len(line):], "\n")
	}
	r.dropLine(r.lineSize(line))
	return true
}

// ruleOrItem reads a line of dashes and the like, which only parts what stands around it, or
// the sign of an item of a list.
func (r *Reader) ruleOrItem(indent int, s string) bool {
	line, whole := r.line()
	line = line[indent:]
	inRule := strings.Trim(line, string(s[0])+" \t\r") == ""
	inDelimiter := strings.Trim(line, ":-| \t\r") == "" && s[0] != '*' && s[0] != '_' && s[0] != '='
	if (inRule || inDelimiter) && !whole && len(line) < longestLine {
		return false
	}
	switch {
	case inRule && s[0] != '+' && s[0] != ':' && strings.Count(line, s[:1]) >= 3:
		r.startBlock()
		r.dropLine(indent + min(len(line)+1, len(s)))
		return true
	case inDelimiter && strings.Contains(line, "|") && strings.Contains(line, "--"):
		r.startBlock()
		r.table = true
		r.dropLine(indent + min(len(line)+1, len(s)))
		return true
	}
	if s[0] != '-' && s[0] != '*' && s[0] != '+' {
		return r.text(indent)
	}
	if len(s) < 2 && !r.final {
		return false
	}
	if len(s) > 1 && s[1] != ' ' && s[1] != '\t' {
		return r.text(indent)
	}
	n := 1 + countSpaces(s[1:])
	if n == len(s) && !r.final {
		return false
	}
	if n == len(s) || s[n] == '\n' || s[n] == '\r' { // a sign by itself
		return r.text(indent)
	}
	// "+ 5" is a number.
	if s[0] == '+' && '0' <= s[n] && s[n] <= '9' {
		return r.text(indent)
	}
	// The box of a task.
	if s[n] == '[' {
		if len(s) < n+4 && !r.final {
			return false
		}
		if len(s) > n+3 && (s[n+1] == ' ' || s[n+1]|0x20 == 'x') && s[n+2] == ']' && s[n+3] == ' ' {
			n += 4
		}
	}
	r.item(indent + n)
	return true
}

// item begins an item of a list, whose signs take n bytes.
func (r *Reader) item(n int) {
	r.startBlock()
	r.drop(n)
}

// number reads the number of an item. It is heard by itself, because "1." before a word may
// also be read as an ordinal.
//
// A number with a full stop at the start of a line begins an item if it follows that of an
// item before, or if it is 1. At the start of the text the next line must begin with the number
// after it: "1. FC Köln" alone is no list.
func (r *Reader) number(indent int, s string) bool {
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
	if len(s) < n+2 && digits < 4 && !r.final {
		return false
	}
	if digits == 4 || len(s) < n+2 || s[n] != '.' && s[n] != ')' || s[n+1] != ' ' && s[n+1] != '\t' {
		return r.text(indent)
	}
	after := s[n+1:]
	spaces := countSpaces(after)
	word, complete := firstWord(after[spaces:])
	if !complete && !r.final {
		return false
	}
	if s[n] == '.' && !r.lines && !r.heading && value <= 1 && !isMonth(word) {
		list, known := secondFollows(after)
		if !known && !r.final {
			return false
		}
		if !list {
			return r.text(indent)
		}
	}
	follows := false
	for _, number := range r.numbered {
		follows = follows || value == number+1
	}
	if s[n] == '.' && (!follows && value > 1 || isMonth(word)) {
		return r.text(indent)
	}
	if r.numbered == nil {
		r.numbered = map[int]int{}
	}
	if len(r.numbered) > 16 { // of absurd indents
		clear(r.numbered)
	}
	r.numbered[indent] = value
	r.startBlock()
	r.drop(indent)
	r.keep(n)
	r.replace(1+spaces, "\n\n")
	r.prev = '\n'
	return true
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

// bars reads the start of a row of a table. The line under the head of a table is left out.
func (r *Reader) bars(indent int, s string) bool {
	full, whole := r.line()
	if !whole && len(full) < longestLine {
		return false
	}
	line := strings.TrimRight(full[indent:], " \t\r")
	if strings.Trim(line, ":-| \t") == "" && strings.Contains(line, "-") {
		r.startBlock()
		r.dropLine(r.lineSize(full))
		return true
	}
	if len(line) < 2 || line[len(line)-1] != '|' {
		return r.text(indent)
	}
	r.beginRow(indent + 1 + countSpaces(s[1:]))
	return true
}

// beginRow begins a row of a table, before which n bytes are left out.
func (r *Reader) beginRow(n int) {
	table := r.table
	r.startBlock()
	r.table = table
	r.drop(n)
	r.row, r.cell = true, false
	r.begin()
}

// definition reads the start of a line that says where a link leads, which is left out, or of
// a footnote, whose text is read.
func (r *Reader) definition(indent int, s string) bool {
	const longest = 60
	end := strings.IndexAny(s, "]\n")
	if end < 0 || end > longest {
		if end < 0 && len(s) < longest && !r.final {
			return false
		}
		return r.text(indent)
	}
	if len(s) < end+2 && s[end] == ']' && !r.final {
		return false
	}
	if s[end] != ']' || len(s) < end+2 || s[end+1] != ':' {
		return r.text(indent)
	}
	if s[1] == '^' {
		r.startBlock()
		r.drop(indent + end + 2 + countSpaces(s[end+2:]))
		return true
	}
	line, whole := r.line()
	if !whole && len(line) < longestLink {
		return false
	}
	if !isAddress(strings.TrimLeft(line[indent+end+2:], " \t")) {
		return r.text(indent)
	}
	r.found.Links++
	r.dropLine(r.lineSize(line))
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

func countSpaces(s string) int { return len(s) - len(strings.TrimLeft(s, " \t")) }

func countByte(s string, b byte) int {
	n := 0
	for n < len(s) && s[n] == b {
		n++
	}
	return n
}

// isBullet reports whether a character begins items of lists and has no other use there.
func isBullet(c rune) bool {
	switch c {
	case '•', '◦', '‣', '●', '○', '▪', '■', '∙', '⁃':
		return true
	}
	return false
}

func isDigit(c rune) bool {
	return '0' <= c && c <= '9' || c >= utf8.RuneSelf && c < 0x2000 && unicode.Is(unicode.Nd, c)
}

// digitValue returns the value of a digit of any script: each has its ten digits in a row,
// from a multiple of ten plus a constant on.
func digitValue(c rune) int {
	zero := c
	for n := 0; n < 9 && isDigit(zero-1); n++ {
		zero--
	}
	return int(c - zero)
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
