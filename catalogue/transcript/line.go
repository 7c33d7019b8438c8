package transcript

import (
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"
)

// blanks separate the fields of a line. Other white space, such as no-break spaces, belongs
// to the words.
const blanks = " \t"

// lines yields the lines of text with their numbers, until reading is [reader.done]. Empty
// lines and comments, which begin with ";;", are skipped.
func (p *reader) lines(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		n := 0
		for line := range strings.SplitSeq(text, "\n") {
			if n++; p.done() {
				return
			}
			line = strings.Trim(line, blanks)
			if line == "" || strings.HasPrefix(line, ";;") {
				continue
			}
			if !yield(n, line) {
				return
			}
		}
	}
}

// fields splits the first fields off a line, up to most of them, and returns the remainder.
// It never splits more than the caller can use, so that a hostile line of a million fields
// does not fill the memory.
func fields(line string, most int) (cut []string, remainder string) {
	remainder = strings.TrimLeft(line, blanks)
	for len(cut) < most && remainder != "" {
		end := strings.IndexAny(remainder, blanks)
		if end < 0 {
			return append(cut, remainder), ""
		}
		cut = append(cut, remainder[:end])
		remainder = strings.TrimLeft(remainder[end:], blanks)
	}
	return cut, remainder
}

// seconds parses a time in seconds: decimal digits, optionally with a point and an exponent.
func seconds(text string) (float64, error) {
	// ParseFloat also reads "inf", "nan", "0x1p3" and "1_000". None of them is a time.
	if text == "" || strings.Trim(text, "0123456789.eE+-") != "" {
		return 0, fmt.Errorf("%s is no number of seconds", quote(text))
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is no number of seconds", quote(text))
	}
	if v < 0 || v > latest {
		return 0, fmt.Errorf("the time %s is outside 0 to %d seconds", quote(text), latest)
	}
	return v + 0, nil // turns -0 into 0
}

// span parses a start, and an end or a duration. An end that is computed from a duration is
// rounded to microseconds: the sum of two decimals has an error, and the same file in
// another format would read differently.
func span(start, end string, isDuration bool) (from, to float64, err error) {
	if from, err = seconds(start); err != nil {
		return 0, 0, err
	}
	if to, err = seconds(end); err != nil {
		return 0, 0, err
	}
	if isDuration {
		// Rounding may put the end of a very short span before its start, so the start is
		// the least.
		to = max(from, micro(from+to))
	}
	if why := badTimes(from, to); why != "" {
		return 0, 0, fmt.Errorf("%s", why)
	}
	return from, to, nil
}

// micro rounds seconds to microseconds.
func micro(s float64) float64 { return math.Round(s*1e6) / 1e6 }

// channel parses a channel: a number from 1, or A and B for 1 and 2.
func channel(text string) (int, error) {
	switch text {
	case "A", "a":
		return 1, nil
	case "B", "b":
		return 2, nil
	}
	// Atoi takes a sign. A minus gives a number under 1, and a plus is refused below.
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > mostChannels || text[0] == '+' {
		return 0, fmt.Errorf("the channel is %s; channels are 1 to %d, or A and B", quote(text), mostChannels)
	}
	return n, nil
}
