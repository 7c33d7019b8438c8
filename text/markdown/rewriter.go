package markdown

import (
	"strings"
	"unicode/utf8"

	"vaak/text"
)

// rewriter copies a text to its output, keeps the map from one to the other, and counts what
// was left out. What reads the markup tells it which of the next bytes to keep, to drop or to
// replace.
type rewriter struct {
	src   string // added text from offset base on
	base  int    // offset in the whole text of src
	at    int    // how much of src was read
	final bool   // nothing is known to follow src: the text has ended or is flushed
	prev  rune   // the character before at; a line end at the start

	out      []byte // not taken yet
	tail     []byte // the last few bytes that were taken
	build    text.Builder
	found    Found
	newlines int // line ends at the end of the output

	// What must stand before the next text that is written.
	emptyLine bool
	comma     bool
	cell      bool // something was written since the cell of a table began
}

// newRewriter returns a rewriter at the start of a text, where no empty line is needed.
func newRewriter() *rewriter { return &rewriter{prev: '\n', newlines: 2} }

// add adds a fragment of the text.
func (w *rewriter) add(s string) {
	w.src = w.rest() + s
	w.base, w.at = w.offset(), 0
}

// rest returns the text that is not read yet.
func (w *rewriter) rest() string { return w.src[w.at:] }

// offset returns where rest begins in the whole text.
func (w *rewriter) offset() int { return w.base + w.at }

// take returns the output since the last call.
func (w *rewriter) take() string {
	s := string(w.out)
	w.tail = last(append(w.tail, w.out...), longestTail)
	w.out = w.out[:0]
	return s
}

// keep copies n bytes to the output.
func (w *rewriter) keep(n int) {
	if n == 0 {
		return
	}
	w.separate()
	s := w.rest()[:n]
	w.out = append(w.out, s...)
	w.build.Keep(n)
	w.pass(n)
	w.wrote(s)
}

// replace writes s for n bytes.
func (w *rewriter) replace(n int, s string) {
	if s == "" {
		w.drop(n)
		return
	}
	w.separate()
	w.out = append(w.out, s...)
	w.build.Replace(n, len(s))
	w.pass(n)
	w.wrote(s)
}

// drop leaves out n bytes.
func (w *rewriter) drop(n int) {
	if n > 0 {
		w.build.Drop(n)
		w.pass(n)
	}
}

// pass steps over n bytes.
func (w *rewriter) pass(n int) {
	if n > 0 {
		w.at += n
		w.prev, _ = utf8.DecodeLastRuneInString(w.src[:w.at])
	}
}

// wrote notes what the output ends with.
func (w *rewriter) wrote(s string) {
	for i := range len(s) {
		switch s[i] {
		case '\n':
			w.newlines++
		case ' ', '\t', '\r':
		default:
			w.newlines, w.cell = 0, true
		}
	}
}

// endCell ends a cell of a table. A comma parts it from what follows in its row.
func (w *rewriter) endCell() {
	w.comma = w.comma || w.cell
	w.cell = false
}

// separate writes the comma or the empty line that must stand before the next text.
func (w *rewriter) separate() {
	if w.comma {
		w.comma = false
		mark := ", "
		// A listener hears a pause at these marks without a comma.
		if c, _ := utf8.DecodeLastRuneInString(w.lastWritten(utf8.UTFMax)); strings.ContainsRune(",;:.!?…،؛؟۔।。、，；：！？", c) {
			mark = " "
		}
		w.out = append(w.out, mark...)
		w.build.Replace(0, len(mark))
	}
	if !w.emptyLine {
		return
	}
	w.emptyLine = false
	for w.newlines < 2 {
		w.out = append(w.out, '\n')
		w.build.Replace(0, 1)
		w.newlines++
	}
}

// lastWritten returns the last n bytes of the output, or all of it. n is at most longestTail.
func (w *rewriter) lastWritten(n int) string {
	if len(w.out) >= n {
		return string(last(w.out, n))
	}
	return string(last(append(append([]byte(nil), w.tail...), w.out...), n))
}

// longestTail is how many bytes of the output are remembered after they were taken.
const longestTail = 48

func last(b []byte, n int) []byte { return b[max(0, len(b)-n):] }
