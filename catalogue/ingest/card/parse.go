package card

import (
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"vaak/catalogue/ingest/tree"
)

// MaxBytes is the size of the largest card.
const MaxBytes = 256 << 10

// Bounds that are above what any card needs. The time of the YAML library grows with the
// square of the number of tokens, so tokens are bounded as well as bytes.
const (
	maxDepth  = 8
	maxTokens = 5000
	maxFaults = 100
)

// Fault is something wrong with a card. Line counts from 1; 0 is the card as a whole.
type Fault struct {
	Line    int
	Message string
}

// Error returns the message, without the line.
func (f Fault) Error() string { return f.Message }

// faultAt returns a fault at a line.
func faultAt(line int, format string, args ...any) Fault {
	return Fault{line, fmt.Sprintf(format, args...)}
}

// Parse reads a card: YAML, or JSON if asJSON is set. It returns the line of each key and
// value by path, such as "licence.url" and "domains[0]", and all faults. The card is complete
// only if there are none.
func Parse(src []byte, asJSON bool) (Card, map[string]int, []Fault) {
	var card Card
	if why := tree.OtherEncoding(src); why != "" {
		return card, nil, []Fault{faultAt(0, "%s", why)}
	}
	if at := badUTF8(src); at > 0 {
		return card, nil, []Fault{faultAt(at, "is not UTF-8 text")}
	}
	parse := parseYAML
	if asJSON {
		parse = parseJSON
	}
	// A byte order mark is harmless at the start, and Windows editors write one.
	n, faults := parse(strings.TrimPrefix(string(src), "\uFEFF"))
	if faults != nil {
		return card, nil, faults
	}
	f := &filler{lines: map[string]int{}}
	// Before the values are copied: of two equal keys the later would win without a word.
	n.duplicates(f.fault)
	f.value(n, reflect.ValueOf(&card).Elem(), "")
	return card, f.lines, append(f.faults, checkCard(&card, f.lines)...)
}

// badUTF8 returns the number of the first line that is not UTF-8 or has a NUL, or 0.
func badUTF8(src []byte) int {
	line := 1
	for l := range strings.Lines(string(src)) {
		if !utf8.ValidString(l) || strings.Contains(l, "\x00") {
			return line
		}
		line++
	}
	return 0
}
