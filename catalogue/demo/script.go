package demo

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The speakers of a script.
const (
	first  = 0 // "A"
	second = 1 // "B"
)

// line is one line of a script: what a speaker says.
type line struct {
	number      int // line number in the file, from 1
	speaker     int
	backchannel bool
	// offset is in milliseconds. For a turn it is from the end of the turn before to its
	// start, negative if they overlap. For a backchannel it is from the start of the turn
	// before to its own start.
	offset int
	text   string
}

// Bounds of scripts, above what any conversation needs.
const (
	maxOffset = 10_000
	maxText   = 500
)

// parseScript parses lines of speaker, offset, kind and text, separated by tabs. Empty lines and
// lines that begin with # are skipped.
func parseScript(text string) ([]line, error) {
	var lines []line
	for n, row := range strings.Split(text, "\n") {
		row = strings.TrimRight(row, "\r")
		if row == "" || row[0] == '#' {
			continue
		}
		l, err := parseLine(row)
		if err == nil {
			err = follows(lines, l)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
		l.number = n + 1
		lines = append(lines, l)
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("the script has no lines")
	}
	return lines, nil
}

func parseLine(row string) (line, error) {
	cells := strings.Split(row, "\t")
	if len(cells) != 4 {
		return line{}, fmt.Errorf("there are %d columns; there must be 4: speaker, offset_ms, kind, text", len(cells))
	}
	l := line{text: strings.TrimSpace(cells[3])}
	switch cells[0] {
	case "A":
		l.speaker = first
	case "B":
		l.speaker = second
	default:
		return line{}, fmt.Errorf("the speaker is %q; it must be A or B", cells[0])
	}
	var err error
	if l.offset, err = strconv.Atoi(cells[1]); err != nil || max(l.offset, -l.offset) > maxOffset {
		return line{}, fmt.Errorf("the offset is %q; it must be whole milliseconds from %d to %d", cells[1], -maxOffset, maxOffset)
	}
	switch cells[2] {
	case "turn":
	case "backchannel":
		l.backchannel = true
	default:
		return line{}, fmt.Errorf("the kind is %q; it must be turn or backchannel", cells[2])
	}
	if n := utf8.RuneCountInString(l.text); n == 0 || n > maxText {
		return line{}, fmt.Errorf("the text has %d characters; it must have 1 to %d", n, maxText)
	}
	return l, nil
}

// follows returns why a line cannot follow the lines before it, or nil.
func follows(before []line, l line) error {
	last := lastTurn(before)
	switch {
	case last < 0 && (l.backchannel || l.offset < 0):
		return fmt.Errorf("a script begins with a turn, at an offset of 0 or more")
	case last < 0:
		return nil
	case l.backchannel && before[last].speaker == l.speaker:
		return fmt.Errorf("a backchannel is said by the one whose turn it is not")
	case l.backchannel && l.offset < 0:
		return fmt.Errorf("a backchannel at %d ms is before the turn that it answers", l.offset)
	case !l.backchannel && before[last].speaker == l.speaker && l.offset < minPause:
		return fmt.Errorf("a pause of %d ms inside a turn is under %d", l.offset, minPause)
	}
	return nil
}

// lastTurn returns the index of the last line that is a turn, or -1.
func lastTurn(lines []line) int {
	for i := len(lines) - 1; i >= 0; i-- {
		if !lines[i].backchannel {
			return i
		}
	}
	return -1
}

// vary returns a script with other offsets, because nobody answers twice in exactly the same time.
// Lines that overlap still overlap, and others still do not.
func vary(lines []line, r *rand.Rand) []line {
	out := make([]line, len(lines))
	for i, l := range lines {
		switch {
		case i == 0:
		case l.backchannel:
			l.offset = max(l.offset+r.IntN(500)-200, 0)
		case l.offset < 0:
			// The bounds keep each line in its class: an overlap stays at least 70 ms long,
			// a pause as long as a measurement needs, and an answer 60 ms after the turn
			// before it.
			l.offset = min(l.offset+r.IntN(161)-80, -70)
		case lines[lastTurn(lines[:i])].speaker == l.speaker:
			l.offset = max(l.offset+r.IntN(301)-100, minPause)
		default:
			l.offset = max(l.offset+r.IntN(401)-150, 60)
		}
		out[i] = l
	}
	return out
}
