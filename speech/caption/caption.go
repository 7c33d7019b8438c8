// Package caption writes captions of speech in WebVTT, from the times of its characters.
//
// A cue has at most two lines of 42 columns and lasts at most six seconds. It ends with a
// sentence, else with a clause, else between words. In scripts without spaces it ends
// between characters where a line may end. Cues are in order and do not overlap. A cue that
// is too short to be read stays until the next one begins, as far as that helps. The text is
// the caller's, except for its white space.
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

// Limits of a cue. Columns are those of a terminal: a Chinese character has two.
const (
	columns     = 42   // in a line
	maxDuration = 6000 // ms
	// minDuration is how long a cue lasts at least if there is time, in ms. readingPace is
	// how many columns adults are usually assumed to read in a second.
	minDuration = 1000
	readingPace = 20
	// minGap is the gap between two cues that would be seen as a flicker, in ms.
	minGap = 250
	// maxUnit is the length of the longest piece of text that is not cut, in bytes.
	maxUnit = 1 << 10
)

// Writer writes captions. It holds about one cue of text. It is not safe for concurrent use.
type Writer struct {
	to     io.Writer
	err    error
	begun  bool
	finder segment.Finder

	current  unit   // the piece being read; its text is empty between pieces
	last     rune   // the last character, or a space
	flags    int    // regional indicators in a row before the next character
	units    []unit // complete pieces that are in no cue yet
	knownEnd int    // the time up to which the audio is known, in ms
}

// unit is a piece of text that is not cut: a word, or one Chinese character.
type unit struct {
	text       string
	columns    int
	start, end int         // ms
	ends       segment.End // what ends with the piece
	spaced     bool        // a space follows
}

// New returns a writer of captions to w. Each cue is written with one Write.
func New(w io.Writer) *Writer { return &Writer{to: w} }

// Add adds the next stretch of text. Its times must continue those before.
func (c *Writer) Add(a align.Alignment) error {
	for i, s := range a.Characters {
		r, _ := utf8.DecodeRuneInString(s)
		c.add(r, max(a.Starts[i], c.knownEnd))
	}
	c.knownEnd = max(c.knownEnd, a.End)
	return c.err
}

// Close writes the remaining text. The last cue ends with the audio.
func (c *Writer) Close() error {
	c.close(c.knownEnd)
	for len(c.units) > 0 && !fits(c.units) {
		c.emit(choose(c.units), c.knownEnd)
	}
	c.emit(len(c.units), c.knownEnd)
	c.header()
	return c.err
}

// add adds a character that begins at a time in ms.
func (c *Writer) add(r rune, at int) {
	c.knownEnd = at
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
	if !joined && (ends > segment.NoEnd || c.mayBreak(r) || c.full(r, at)) {
		c.close(at)
	}
	if c.current.text == "" {
		c.makeCues(ends, at)
		c.current.start = at
	}
	c.flags = flags(r, c.flags)
	c.current.text += string(r)
	c.current.columns += width(r)
	c.last = r
}

// full reports whether the current piece would be too long with another character.
func (c *Writer) full(r rune, at int) bool {
	return c.current.columns+width(r) > columns || at-c.current.start > maxDuration || len(c.current.text) >= maxUnit
}

// close ends the current piece at a time.
func (c *Writer) close(at int) {
	if c.current.text == "" {
		return
	}
	c.current.end = at
	c.current.columns = max(c.current.columns, 1) // combining marks alone must count too, or a cue could grow for ever
	c.units = append(c.units, c.current)
	c.current = unit{}
}

// makeCues makes cues of the complete pieces. It is called when the next piece begins, at
// time next, so it is known what ends with the last one.
func (c *Writer) makeCues(ends segment.End, next int) {
	n := len(c.units)
	if n == 0 {
		return
	}
	c.units[n-1].ends = ends
	for len(c.units) > 0 && !fits(c.units) {
		c.emit(choose(c.units), next)
	}
	// A sentence gets a cue of its own, unless that would be too short to read.
	if n = len(c.units); n > 0 && ends == segment.SentenceEnd && next-c.units[0].start >= minDuration {
		c.emit(n, next)
	}
}

// fits reports whether pieces fit into one cue.
func fits(u []unit) bool {
	return u[len(u)-1].end-u[0].start <= maxDuration && split(u) >= 0
}

// choose returns how many pieces to put into a cue when they do not all fit.
func choose(u []unit) int {
	// At most all but the last: the largest number that fits.
	n := max(1, len(u)-1)
	for k := n; k > 1 && !fits(u[:k]); k-- {
		n = k - 1
	}
	// Of these, prefer to end with a sentence, else with the last clause that leaves at
	// least a third of the text in the cue.
	clause, all := 0, columnsOf(u[:n])
	for k := n; k > 0 && k < len(u); k-- {
		switch {
		case u[k-1].ends == segment.SentenceEnd && u[k].start-u[0].start >= minDuration:
			return k
		case u[k-1].ends == segment.ClauseEnd && clause == 0 && 3*columnsOf(u[:k]) >= all:
			clause = k
		}
	}
	if clause > 0 {
		return clause
	}
	return n
}

// emit makes a cue of the first n pieces. next is when the text after all pieces begins.
// Pieces without duration, because nothing of them is heard, make no cue.
func (c *Writer) emit(n, next int) {
	if n == 0 {
		return
	}
	u := c.units[:n]
	if n < len(c.units) {
		next = c.units[n].start
	}
	start, end := u[0].start, u[n-1].end
	// Long enough to be read, but not into the next cue, and without a short gap before it.
	end = max(end, start+max(minDuration, 1000*columnsOf(u)/readingPace))
	if next-end < minGap {
		end = next
	}
	end = min(end, next, start+maxDuration)
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
	c.writeString(b.String())
}

// escape escapes the text of a cue. Escaping ">" also removes "-->", which must not occur
// in a cue.
var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// header writes the first line of the file, once.
func (c *Writer) header() {
	if !c.begun {
		c.begun = true
		c.writeString("WEBVTT\n")
	}
}

func (c *Writer) writeString(s string) {
	if c.err == nil {
		_, c.err = io.WriteString(c.to, s)
	}
}

// clock formats a time in ms for WebVTT.
func clock(ms int) string {
	return fmt.Sprintf("%02d:%02d:%02d.%03d", ms/3600_000, ms/60_000%60, ms/1000%60, ms%1000)
}
