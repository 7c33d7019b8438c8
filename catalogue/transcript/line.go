package transcript

import (
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"
)

// blanks separate the fields of a line. No-break spaces and their like belong to
// the words.
const blanks = " \t"

// lines yields the lines of text with their numbers, as long as there is a point
// in reading on. Empty lines and comments, which begin with ";;", are left out.
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

// fields cuts up to most fields off a line; rest is what follows them. Cutting no
// more than can be used keeps a hostile line from filling memory.
func fields(line string, most int) (cut []string, rest string) {
	rest = strings.TrimLeft(line, blanks)
	for len(cut) < most && rest != "" {
		end := strings.IndexAny(rest, blanks)
		if end < 0 {
			return append(cut, rest), ""
		}
		cut = append(cut, rest[:end])
		rest = strings.TrimLeft(rest[end:], blanks)
	}
	return cut, rest
}

// seconds reads a time in seconds: digits with or without a point and an exponent.
func seconds(text string) (float64, error) {
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
	return v + 0, nil // "-0" is 0
}

// span reads a start, and an end or a duration. The end of a duration is rounded
// to microseconds, so that what was written in decimals is read the same.
func span(start, end string, isDuration bool) (from, to float64, err error) {
	if from, err = seconds(start); err != nil {
		return 0, 0, err
	}
	if to, err = seconds(end); err != nil {
		return 0, 0, err
	}
	if isDuration {
		to = max(from, micro(from+to))
	}
	if why := badTimes(from, to); why != "" {
		return 0, 0, fmt.Errorf("%s", why)
	}
	return from, to, nil
}

// micro rounds seconds to microseconds.
func micro(s float64) float64 { return math.Round(s*1e6) / 1e6 }

// channel reads a channel: a number from 1, or A and B for 1 and 2.
func channel(text string) (int, error) {
	switch text {
	case "A", "a":
		return 1, nil
	case "B", "b":
		return 2, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > mostChannels || text[0] == '+' {
		return 0, fmt.Errorf("the channel is %s; channels are 1 to %d, or A and B", quote(text), mostChannels)
	}
	return n, nil
}
