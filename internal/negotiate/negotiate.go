// Package negotiate parses the headers Accept and Accept-Encoding, in which clients say what
// they accept (RFC 9110, section 12.5).
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
	Params map[string]string // by lower-case name, including the weight "q"
	Weight float64           // 0 means not acceptable; 1 is the highest, and the default
}

// Accept iterates over the valid entries in the lines of an Accept header, in order.
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

// Gzip reports whether an Accept-Encoding header accepts gzip, with at least the weight of
// uncompressed content.
func Gzip(lines []string) bool {
	gzip, others, identity := -1.0, 0.0, 0.0 // negative means not named
	for _, line := range lines {
		for entry := range strings.SplitSeq(line, ",") {
			coding, params, _ := strings.Cut(entry, ";")
			name, value, _ := strings.Cut(strings.TrimSpace(params), "=")
			// A parameter that is no weight. The weight is then 1 (RFC 9110, section 12.4.2).
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
	// Not named: the star counts.
	if gzip < 0 {
		gzip = others
	}
	return gzip > 0 && gzip >= identity
}

// weightOf parses a weight: 0 to 1 with up to three decimals. The default is 1.
func weightOf(text string) (float64, bool) {
	if text == "" {
		return 1, true
	}
	// ParseFloat alone would take 1e-3, 0x1p-2 or Inf.
	if len(text) > len("0.000") || strings.Trim(text, "0123456789.") != "" {
		return 0, false
	}
	q, err := strconv.ParseFloat(text, 64)
	return q, err == nil && q <= 1
}

// entries splits a header at the commas outside quotes.
func entries(line string) iter.Seq[string] {
	return func(yield func(string) bool) {
		start, quoted := 0, false
		for i := 0; i < len(line); i++ {
			switch c := line[i]; {
			case quoted && c == '\\':
				i++ // an escaped byte
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
