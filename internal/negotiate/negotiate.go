// Package negotiate reads what clients say they take: the headers Accept and
// Accept-Encoding of RFC 9110, section 12.5.
package negotiate

import (
	"iter"
	"mime"
	"strconv"
	"strings"
)

// Range is one entry of an Accept header.
type Range struct {
	Type   string            // lower case, such as "application/ld+json" or "*/*"
	Params map[string]string // by lower-case names, the weight among them
	Weight float64           // 0 refuses it, 1 is the most and what counts without one
}

// Accept calls yield for each entry of the lines of an Accept header that can be
// read, in their order. What cannot be read is left out.
func Accept(lines []string) iter.Seq[Range] {
	return func(yield func(Range) bool) {
		for _, line := range lines {
			for entry := range entries(line) {
				media, params, err := mime.ParseMediaType(entry)
				if err != nil {
					continue
				}
				weight, ok := weightOf(params["q"])
				if ok && !yield(Range{media, params, weight}) {
					return
				}
			}
		}
	}
}

// Gzip reports whether the lines of an Accept-Encoding header take gzip, and like
// it no less than what is not compressed.
func Gzip(lines []string) bool {
	gzip, others, identity := -1.0, 0.0, 0.0 // less than 0 is not named
	for _, line := range lines {
		for entry := range strings.SplitSeq(line, ",") {
			coding, params, _ := strings.Cut(entry, ";")
			name, value, _ := strings.Cut(strings.TrimSpace(params), "=")
			if !strings.EqualFold(name, "q") {
				value = ""
			}
			weight, ok := weightOf(value)
			if !ok {
				continue
			}
			switch coding = strings.TrimSpace(coding); {
			case strings.EqualFold(coding, "gzip"):
				gzip = weight
			case strings.EqualFold(coding, "identity"):
				identity = weight
			case coding == "*":
				others = weight
			}
		}
	}
	if gzip < 0 {
		gzip = others
	}
	return gzip > 0 && gzip >= identity
}

// weightOf reads a weight: 0 to 1 with up to three decimals; none is 1.
func weightOf(text string) (float64, bool) {
	if text == "" {
		return 1, true
	}
	if len(text) > len("0.000") || strings.Trim(text, "0123456789.") != "" {
		return 0, false
	}
	q, err := strconv.ParseFloat(text, 64)
	return q, err == nil && q <= 1
}

// entries splits a header at its commas, but for those in quotes.
func entries(line string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start, quoted := 0, false
		for i := 0; i < len(line); i++ {
			switch c := line[i]; {
			case quoted && c == '\\':
				i++ // the next byte is meant as it is
			case c == '"':
				quoted = !quoted
			case c == ',' && !quoted:
				if !yield(line[start:i]) {
					return
				}
				start = i + 1
			}
		}
		yield(line[start:])
	}
}
