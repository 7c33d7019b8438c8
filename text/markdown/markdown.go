// Package markdown reads text that is written in Markdown, as language models write it, as
// plain text: without the signs of the markup, without code blocks and without the
// addresses of links, and with an empty line where a listener needs a pause.
//
// A [Reader] takes the text in fragments of any size and decides each sign by the text
// around it, at most a few hundred characters ahead. So the same text gives the same words
// however it is cut, and a live session need not wait for the end of the text. [Read] takes
// a whole text.
//
// Markdown has no header that says that a text is Markdown. Every rule therefore asks for
// evidence which ordinary text does not have: a sign at the start of a line with a space
// after it, emphasis that touches a word on one side only, brackets with an address. "2 * 3",
// "5*6", "snake_case", "#5", "-5" and "[sic]" stay as they are.
package markdown

import (
	"strings"
	"unicode/utf8"

	"vaak/text"
)

// Options say what is read. The zero value is the default.
type Options struct {
	// FullAddresses reads web addresses whole. Otherwise an address with http:// or
	// https:// is cut after its host.
	FullAddresses bool
}

// Found counts what was left out of a text.
type Found struct {
	CodeBlocks int
	Links      int // whose addresses are not read
	Addresses  int // that were cut after their host
}

// Since returns what was left out after an earlier count.
func (f Found) Since(before Found) Found {
	return Found{f.CodeBlocks - before.CodeBlocks, f.Links - before.Links, f.Addresses - before.Addresses}
}

// Read returns a text without its markup, and the map back to the text. The map is nil when
// the text has no markup; the text is then returned as it is.
func Read(s string, o Options) (string, text.Map, Found) {
	if Plain(s) {
		return s, nil, Found{}
	}
	r := New(o)
	r.Add(s)
	r.End()
	if out := r.Take(); out != s {
		return out, r.Map(), r.Found()
	}
	return s, nil, r.Found()
}

// Reader reads a text in fragments. Its work is linear in the length of the text. It is not
// safe for concurrent use.
type Reader struct {
	options Options
	found   Found

	src   string // added text from offset base on
	base  int    // offset in the whole text of src
	at    int    // how much of src was read
	final bool   // nothing is known to follow src: the text has ended or is flushed

	out   []byte // not taken yet
	tail  []byte // the last few bytes that were taken
	build text.Builder

	prev rune // the character before at; a line end at the start

	// Of the line.
	lineStart bool // at its start, or after the signs that begin it
	heading   bool
	row       bool // of a table
	cell      bool // something of the cell is read
	comma     bool // a cell has ended, and a comma must stand before what follows
	signs     bool // signs were left out at the start of the line
	quoted    bool // the line, or the one before at the start of a line, is a quotation

	// Of the text.
	begun     bool // something was read
	lines     bool // a line has ended
	fence     fence
	table     bool        // a table without outer bars goes on
	needBreak bool        // an empty line must stand before what follows
	newlines  int         // line ends at the end of the output
	stars     int         // asterisks that opened emphasis in this paragraph
	tildes    bool        // struck-through text is open
	unders    []int       // offsets of underscores that close emphasis
	brackets  []bracket   // of links and images, the innermost last
	numbered  map[int]int // the number of the last item, by indent
}

// bracket is the end of the text of a link or image: offsets in the whole text of what is
// left out.
type bracket struct{ from, to int }

// New returns a Reader at the start of a text.
func New(o Options) *Reader { return &Reader{options: o, lineStart: true, prev: '\n', newlines: 2} }

// Add adds a fragment, which must not end inside a character.
func (r *Reader) Add(s string) {
	r.src = r.src[r.at:] + s
	r.base, r.at = r.base+r.at, 0
	r.run()
}

// Flush decides everything that still waits for the text after it, as if none followed.
func (r *Reader) Flush() {
	r.final = true
	r.run()
	r.final = false
}

// End says that no more text comes.
func (r *Reader) End() { r.Flush() }

// Waiting returns how many characters were added and are not decided yet.
func (r *Reader) Waiting() int { return utf8.RuneCountInString(r.src[r.at:]) }

// Take returns the text that was read since the last call.
func (r *Reader) Take() string {
	s := string(r.out)
	r.tail = last(append(r.tail, r.out...), longestTail)
	r.out = r.out[:0]
	return s
}

// Map returns the map of all text that was read so far. It is valid until the next call of
// another method.
func (r *Reader) Map() text.Map { return r.build.Map() }

// Found returns what was left out so far.
func (r *Reader) Found() Found { return r.found }

// run reads on until the text after what it has is needed.
func (r *Reader) run() {
	for r.at < len(r.src) {
		known := false
		switch {
		case r.fence.size > 0:
			known = r.skipCode()
		case r.lineStart:
			known = r.block()
		default:
			known = r.inline()
		}
		if !known {
			return
		}
	}
}

// rest returns the text that is not read yet.
func (r *Reader) rest() string { return r.src[r.at:] }

// keep copies n bytes to the output.
func (r *Reader) keep(n int) {
	if n == 0 {
		return
	}
	r.separate()
	s := r.src[r.at : r.at+n]
	r.out = append(r.out, s...)
	r.build.Keep(n)
	r.pass(n)
	r.wrote(s)
}

// replace writes s for n bytes.
func (r *Reader) replace(n int, s string) {
	if s == "" {
		r.drop(n)
		return
	}
	r.separate()
	r.out = append(r.out, s...)
	r.build.Replace(n, len(s))
	r.pass(n)
	r.wrote(s)
}

// dropLine leaves out the rest of a line, of n bytes.
func (r *Reader) dropLine(n int) {
	r.drop(n)
	r.lineStart, r.lines, r.signs = true, true, false
}

// drop leaves out n bytes.
func (r *Reader) drop(n int) {
	if n > 0 {
		r.build.Drop(n)
		r.pass(n)
	}
}

// pass steps over n bytes.
func (r *Reader) pass(n int) {
	if n > 0 {
		r.prev, _ = utf8.DecodeLastRuneInString(r.src[:r.at+n])
		r.at += n
	}
}

// wrote notes what the output ends with.
func (r *Reader) wrote(s string) {
	for i := range len(s) {
		switch s[i] {
		case '\n':
			r.newlines++
		case ' ', '\t', '\r':
		default:
			r.newlines, r.begun, r.cell = 0, true, true
		}
	}
}

// separate writes the empty line or the comma that must stand before what follows.
func (r *Reader) separate() {
	if r.comma {
		r.comma = false
		mark := ", "
		if r.pauses() {
			mark = " "
		}
		r.out = append(r.out, mark...)
		r.build.Replace(0, len(mark))
	}
	if !r.needBreak {
		return
	}
	r.needBreak = false
	for r.begun && r.newlines < 2 {
		r.out = append(r.out, '\n')
		r.build.Replace(0, 1)
		r.newlines++
	}
}

// lastWritten returns the last n bytes of the output, or all of it.
func (r *Reader) lastWritten(n int) string {
	if len(r.out) >= n {
		return string(r.out[len(r.out)-n:])
	}
	return string(last(append(append([]byte(nil), r.tail...), r.out...), n))
}

// longestTail is how much of the output is remembered when it was taken.
const longestTail = 48

func last(b []byte, n int) []byte { return b[max(0, len(b)-n):] }

// Plain reports whether a text surely has no markup. It is fast, as most texts have none.
func Plain(s string) bool {
	start := true // of a line
	for i := 0; i < len(s); i++ {
		switch b := s[i]; b {
		case '*', '_', '`', '[', '~', '$', '\\', '&', '|', '<':
			return false
		case ':':
			if strings.HasPrefix(s[i:], "://") {
				return false
			}
		case '\n':
			start = true
			continue
		case ' ', '\t', '\r':
			continue
		case '#', '-', '+', '>', '=', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			if start {
				return false
			}
		default:
			// A bullet, or a digit of another script.
			if start && b >= utf8.RuneSelf {
				if c, _ := utf8.DecodeRuneInString(s[i:]); isBullet(c) || isDigit(c) {
					return false
				}
			}
		}
		start = false
	}
	return true
}
