package markdown

import "strings"

// fence is the line that opened a code block. A line like it closes the block.
type fence struct {
	sign byte
	size int  // 0 outside code blocks
	mid  bool // the start of the line is left out already, and does not close the block
}

// openFence reads the fence of a code block. Without a line of its own, backticks are those
// of code in a line.
func (b *blocks) openFence(indent int, s string) bool {
	n := countByte(s, s[0])
	if n == len(s) && !b.text.final && n < longestLine {
		return false
	}
	if n < 3 {
		return b.ordinary(indent)
	}
	line, known := b.line(longestLine)
	if !known {
		return false
	}
	info := strings.TrimSpace(line[indent+n:])
	if s[0] == '`' && strings.IndexByte(info, '`') >= 0 || s[0] == '~' && strings.ContainsAny(info, " ~") {
		return b.ordinary(indent)
	}
	b.fence = fence{sign: s[0], size: n}
	b.text.found.CodeBlocks++
	b.startBlock()
	b.dropLine(line)
	return true
}

// skipCode leaves out a line of a code block, or the part of it that has come.
func (b *blocks) skipCode() bool {
	line, known := b.line(longestLine)
	body := strings.TrimLeft(line, " \t>")
	n := countByte(body, b.fence.sign)
	closes := !b.fence.mid && n >= b.fence.size && strings.TrimRight(body[n:], " \t\r") == ""
	if mayClose := closes || !b.fence.mid && n == len(body); mayClose && !known {
		return false
	}
	if closes {
		b.fence = fence{}
		b.startBlock()
	} else {
		b.fence.mid = len(line) == len(b.text.rest())
	}
	b.dropLine(line)
	return true
}
