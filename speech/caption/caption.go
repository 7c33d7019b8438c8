// Package caption writes captions of what is spoken, in WebVTT, from the times of
// its characters.
//
// A cue is at most two lines of 42 columns and six seconds. It ends with a sentence,
// else with a clause, else between words; in scripts that write no spaces, between
// characters where a line may end. Cues ascend and do not overlap; one that could not
// be read in its time stays until the next begins, if that helps. The text is that
// of the caller, its white space apart.
//
// WebVTT: The Web Video Text Tracks Format, W3C, 2019.
package caption

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/speech/align"
	"vaak/text/segment"
)

// Bounds of a cue. Columns are those of a terminal: a Chinese character has two.
const (
	columns = 42   // of a line
	longest = 6000 // ms
	// shortest is what a cue lasts at least if there is time, in ms, and pace how many
	// columns are read in a second, which is what adults are usually given.
	shortest = 1000
	pace     = 20
	// flicker is a gap between cues that is seen as a flicker, in ms.
	flicker = 250
	// longUnit bounds a piece of text that is not cut, in bytes.
	longUnit = 1 << 10
)

// Writer writes captions. It keeps about a cue of text. Not safe for concurrent use.
type Writer struct {
	to     io.Writer
	err    error
	begun  bool
	finder segment.Finder

	open  unit   // the piece at hand; of no text between two
	last  rune   // its last character, or a space
	flags int    // regional indicators in a row before here
	units []unit // whole, of no cue yet
	ended int    // where the audio that is known ends, in ms
}

// unit is a piece of text that is not cut: a word, or a character of Chinese.
type unit struct {
	text       string
	columns    int
	start, end int         // ms
	ends       segment.End // what ends with it
	spaced     bool        // a space follows
}

// New returns a writer of captions to w, which gets each cue in one Write.
func New(w io.Writer) *Writer { return &Writer{to: w} }

// Add adds the stretch of text that follows. Its times go on from those before.
func (c *Writer) Add(a align.Alignment) error {
	for i, s := range a.Characters {
		r, _ := utf8.DecodeRuneInString(s)
		c.add(r, max(a.Starts[i], c.ended))
	}
	c.ended = max(c.ended, a.End)
	return c.err
}

// Close writes what is left, and ends the last cue with the audio.
func (c *Writer) Close() error {
	c.close(c.ended)
	for len(c.units) > 0 && !fits(c.units) {
		c.emit(choose(c.units), c.ended)
	}
	c.emit(len(c.units), c.ended)
	c.header()
	return c.err
}

// add adds a character that begins at a time.
func (c *Writer) add(r rune, at int) {
	c.ended = at
	ends := c.finder.Before(r)
	switch {
	case isSpace(r):
		c.close(at)
		c.last = ' '
		if n := len(c.units); n > 0 {
			c.units[n-1].spaced = true
		}
		return
	case unicode.IsControl(r):
		return
	}
	joined := c.joined(r)
	if !joined && (ends > segment.NoEnd || c.breaks(r) || c.full(r, at)) {
		c.close(at)
	}
	if c.open.text == "" {
		c.decide(ends, at)
		c.open.start = at
	}
	c.flags = flags(r, c.flags)
	c.open.text += string(r)
	c.open.columns += width(r)
	c.last = r
}

// full says whether the piece at hand is as long as one may be.
func (c *Writer) full(r rune, at int) bool {
	return c.open.columns+width(r) > columns || at-c.open.start > longest || len(c.open.text) >= longUnit
}

// close ends the piece at hand at a time.
func (c *Writer) close(at int) {
	if c.open.text == "" {
		return
	}
	c.open.end = at
	c.open.columns = max(c.open.columns, 1) // so that a cue has no end of marks alone, either
	c.units = append(c.units, c.open)
	c.open = unit{}
}

// decide makes cues of the pieces that are there, when it is known what ends with
// the last and when the next begins.
func (c *Writer) decide(ends segment.End, next int) {
	n := len(c.units)
	if n == 0 {
		return
	}
	c.units[n-1].ends = ends
	for len(c.units) > 0 && !fits(c.units) {
		c.emit(choose(c.units), next)
	}
	if n = len(c.units); n > 0 && ends == segment.SentenceEnd && next-c.units[0].start >= shortest {
		c.emit(n, next)
	}
}

// fits says whether pieces can be one cue.
func fits(u []unit) bool {
	return u[len(u)-1].end-u[0].start <= longest && split(u) >= 0
}

// choose returns how many pieces make a cue when all do not fit.
func choose(u []unit) int {
	n := max(1, len(u)-1)
	for k := n; k > 1 && !fits(u[:k]); k-- {
		n = k - 1
	}
	clause, all := 0, length(u[:n])
	for k := n; k > 0 && k < len(u); k-- {
		switch {
		case u[k-1].ends == segment.SentenceEnd && u[k].start-u[0].start >= shortest:
			return k
		case u[k-1].ends == segment.ClauseEnd && clause == 0 && 3*length(u[:k]) >= all:
			clause = k
		}
	}
	if clause > 0 {
		return clause
	}
	return n
}

// emit makes a cue of the first pieces; next is when what follows all of them begins.
// What lasts no time, because none of it is heard, is no cue.
func (c *Writer) emit(n, next int) {
	if n == 0 {
		return
	}
	u := c.units[:n]
	if n < len(c.units) {
		next = c.units[n].start
	}
	start, end := u[0].start, u[n-1].end
	end = max(end, start+max(shortest, 1000*length(u)/pace))
	if next-end < flicker {
		end = next
	}
	end = min(end, next, start+longest)
	if end > start {
		c.write(start, end, u)
	}
	c.units = append(c.units[:0], c.units[n:]...)
}

// write writes a cue.
func (c *Writer) write(start, end int, u []unit) {
	c.header()
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s --> %s\n", clock(start), clock(end))
	at := max(split(u), 0)
	for _, line := range [][]unit{u[:at], u[at:]} {
		for i, piece := range line {
			escape.WriteString(&b, piece.text)
			if piece.spaced && i < len(line)-1 {
				b.WriteByte(' ')
			}
		}
		if len(line) > 0 {
			b.WriteByte('\n')
		}
	}
	c.put(b.String())
}

// escape makes text of a cue that which stands for it. It leaves no arrow, which may
// not stand in a cue.
var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// header writes the first line, once.
func (c *Writer) header() {
	if !c.begun {
		c.begun = true
		c.put("WEBVTT\n")
	}
}

func (c *Writer) put(s string) {
	if c.err == nil {
		_, c.err = io.WriteString(c.to, s)
	}
}

// clock returns a time in ms as WebVTT writes it.
func clock(ms int) string {
	return fmt.Sprintf("%02d:%02d:%02d.%03d", ms/3600_000, ms/60_000%60, ms/1000%60, ms%1000)
}
