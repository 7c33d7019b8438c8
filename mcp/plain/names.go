package plain

import (
	"encoding/json"
	"fmt"
)

// MaxName is the longest name of a member that [JSON] leaves whole, in code points.
const MaxName = 200

// names holds the names of members so far, for each object that is open at a place of a document,
// innermost last; nil for an object without members yet. A nil names keeps nothing: most documents
// have no name that changes.
//
// Each name has the number that its last duplicate got, 1 for the first. So thousands of duplicates
// are numbered without trying all numbers for each.
type names struct{ open []map[string]int }

// namesBefore returns the names of the objects that are open at the end of raw, the beginning of a
// document in which no name changes.
func namesBefore(raw []byte) *names {
	n := &names{}
	for i := 0; i < len(raw); i++ {
		if raw[i] != '"' {
			n.enter(raw[i])
			continue
		}
		end := endOfString(raw, i)
		if isMember(raw[end:]) {
			n.name(raw[i:end])
		}
		i = end - 1
	}
	return n
}

// enter notes that an object begins or ends, if c is one of its brackets.
func (n *names) enter(c byte) {
	switch {
	case n == nil:
	case c == '{':
		n.open = append(n.open, nil)
	case c == '}' && len(n.open) > 0:
		n.open = n.open[:len(n.open)-1]
	}
}

// name returns the cleaned and unique form of the token of a name; nil when it needs no change.
func (n *names) name(token []byte) []byte {
	var s string
	if n == nil || len(n.open) == 0 || json.Unmarshal(token, &s) != nil {
		return nil
	}
	inner := &n.open[len(n.open)-1]
	if *inner == nil {
		*inner = map[string]int{}
	}
	first := Line(s, MaxName)
	name := first
	// The number is kept under the first name, so that the search goes on where the last duplicate
	// of it ended.
	for (*inner)[name] > 0 {
		(*inner)[first]++
		number := fmt.Sprintf(" (%d)", (*inner)[first])
		name = Line(Line(s, MaxName-len(number))+number, MaxName)
	}
	(*inner)[name] = 1
	if name == s {
		return nil
	}
	return quote(name)
}

// nameToChange reports whether a name must change.
func nameToChange(token []byte) bool {
	if len(token) <= MaxName && simple(token) && plainSpaced(token) {
		return false
	}
	var s string
	return json.Unmarshal(token, &s) == nil && Line(s, MaxName) != s
}

// plainSpaced reports whether [Line] leaves the spaces of a simple token as they are.
func plainSpaced(token []byte) bool {
	for i, c := range token {
		if c == ' ' && (i == 1 || i+2 >= len(token) || token[i+1] == ' ') {
			return false
		}
	}
	return true
}
