package transcript

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// arrow separates the start and the end of a cue.
const arrow = "-->"

// mostLines bounds the lines of one block. A file with longer ones is not captions.
const mostLines = 10_000

// block is a run of lines without an empty line in it.
type block struct {
	line  int // number of the first line
	lines []string
}

// blocks yields the blocks of text. n is the number of lines before text.
func (p *reader) blocks(text string, n int) iter.Seq[block] {
	return func(yield func(block) bool) {
		b := block{}
		for line := range strings.SplitSeq(text, "\n") {
			if n++; p.done() {
				return
			}
			if line != "" {
				if len(b.lines) == 0 {
					b.line = n
				}
				if b.lines = append(b.lines, line); len(b.lines) > mostLines {
					p.problem(n, "there is no empty line in %d lines: one ends each cue", mostLines)
					return
				}
				continue
			}
			if len(b.lines) > 0 && !yield(b) {
				return
			}
			b = block{}
		}
		if len(b.lines) > 0 {
			yield(b)
		}
	}
}

// cue is a caption: its times, and its text with markup.
type cue struct {
	start, end float64
	line       int // number of the line with the times
	text       string
}

// cues calls add with the cues of a block: an optional identifier, a line of times, and the
// text. A second line of times begins another cue, as it does in browsers.
func (p *reader) cues(b block, dots string, add func(cue)) {
	at := 0
	// The first line is an identifier unless it has the arrow (WebVTT, section 6.1; SubRip
	// numbers its cues there).
	if !strings.Contains(b.lines[0], arrow) {
		at = 1
	}
	if at == len(b.lines) || !strings.Contains(b.lines[at], arrow) {
		p.problem(b.line, "%s begins neither a cue nor a comment: the times of a cue, with %q, are on its first or second line", quote(b.lines[0]), arrow)
		return
	}
	for at < len(b.lines) && !p.done() {
		// The text of a cue goes on to the next line of times, or to the end of the block.
		from := at
		for at++; at < len(b.lines) && !strings.Contains(b.lines[at], arrow); {
			at++
		}
		c, err := times(b.lines[from], dots)
		if err != nil {
			p.problem(b.line+from, "%v", err)
			continue
		}
		c.line, c.text = b.line+from, strings.Join(b.lines[from+1:at], "\n")
		if len(c.text) > longestText {
			p.problem(c.line, "the cue is %d bytes long; the longest is %d", len(c.text), longestText)
			continue
		}
		add(c)
	}
}

// times parses the line of times of a cue. What follows the times is layout and is ignored.
func times(line, dots string) (c cue, err error) {
	start, after, _ := strings.Cut(line, arrow)
	f, _ := fields(after, 1)
	if len(f) == 0 {
		return cue{}, fmt.Errorf("there is no end in %s", quote(line))
	}
	if c.start, err = clock(strings.Trim(start, blanks), dots); err != nil {
		return cue{}, err
	}
	if c.end, err = clock(f[0], dots); err != nil {
		return cue{}, err
	}
	if why := badTimes(c.start, c.end); why != "" {
		return cue{}, fmt.Errorf("%s", why)
	}
	return c, nil
}

// clock parses a time such as 01:02:03.456; the hours may be missing. dots are the
// characters that may stand before the milliseconds: WebVTT has a point, SubRip a comma.
func clock(text, dots string) (float64, error) {
	wrong := fmt.Errorf("%s is no time such as 00:01:02%c345", quote(text), dots[0])
	at := strings.IndexAny(text, dots)
	if at < 0 || len(text)-at != 4 {
		return 0, wrong
	}
	parts := strings.SplitN(text[:at], ":", 4)
	if len(parts) < 2 || len(parts) > 3 {
		return 0, wrong
	}
	// Each part is worth 60 of the next, except seconds, which are worth 1000 milliseconds.
	ms := 0
	for i, part := range append(parts, text[at+1:]) {
		n, err := strconv.Atoi(part)
		fromEnd := i - len(parts) // 0 is the milliseconds, -1 the seconds, -2 the minutes
		if err != nil || part[0] < '0' || part[0] > '9' || len(part) > 4 {
			return 0, wrong
		}
		// Minutes and seconds have exactly two digits. Hours may have more than two, up to
		// the four of the check above.
		if (fromEnd == -1 || fromEnd == -2) && (n > 59 || len(part) != 2) {
			return 0, wrong
		}
		if fromEnd == 0 {
			ms = ms*1000 + n
		} else {
			ms = ms*60 + n
		}
	}
	// Whole milliseconds are divided once. A sum of hours, minutes and fractions would
	// differ in its last bits from the same time in another format.
	return float64(ms) / 1000, nil
}
