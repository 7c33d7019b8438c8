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
	text   *rewriter
	blocks *blocks
	inline *inline
}

// New returns a Reader at the start of a text.
func New(o Options) *Reader {
	w := newRewriter()
	e := &emphasis{text: w}
	b := newBlocks(w, e)
	return &Reader{text: w, blocks: b, inline: newInline(w, b, e, o)}
}

// Add adds a fragment, which must not end inside a character.
func (r *Reader) Add(s string) {
	r.text.add(s)
	r.run()
}

// Flush decides everything that still waits for the text after it, as if none followed.
func (r *Reader) Flush() {
	r.text.final = true
	r.run()
	r.text.final = false
}

// End says that no more text comes.
func (r *Reader) End() { r.Flush() }

// Waiting returns how many characters were added and are not decided yet.
func (r *Reader) Waiting() int { return utf8.RuneCountInString(r.text.rest()) }

// Take returns the text that was read since the last call.
func (r *Reader) Take() string { return r.text.take() }

// Map returns the map of all text that was read so far. It is valid until the next call of
// another method.
func (r *Reader) Map() text.Map { return r.text.build.Map() }

// Found returns what was left out so far.
func (r *Reader) Found() Found { return r.text.found }

// run reads until it needs the text after what it has.
func (r *Reader) run() {
	known := true
	for known && r.text.rest() != "" {
		switch {
		case r.blocks.fence.size > 0:
			known = r.blocks.skipCode()
		case r.blocks.lineStart:
			known = r.blocks.read()
		default:
			known = r.inline.read()
		}
	}
}

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
