package plain

import (
	"encoding/json"
	"fmt"
)

// MaxName is the longest name of a member that [JSON] leaves whole, in code points.
const MaxName = 200

// names are those of the objects that are open at a place of a document, the
// innermost last; nil of one without a name yet. They are kept only for a document of which a name changes: nil
// keeps none.
//
// Each name comes with the number that the last one like it was given, 1 for the
// first: thousands that are alike are numbered without trying again.
type names struct{ open []map[string]int }

// namesBefore are the names of the objects that the beginning of a document leaves
// open. None of them changes.
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

// enter notes the brackets of objects.
func (n *names) enter(c byte) {
	switch {
	case n == nil:
	case c == '{':
		n.open = append(n.open, nil)
	case c == '}' && len(n.open) > 0:
		n.open = n.open[:len(n.open)-1]
	}
}

// name returns the token of a name as it should be; nil when it is.
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

// nameToChange reports whether a name is not as it should be.
func nameToChange(token []byte) bool {
	if len(token) <= MaxName && simple(token) && plainSpaced(token) {
		return false
	}
	var s string
	return json.Unmarshal(token, &s) == nil && Line(s, MaxName) != s
}

// plainSpaced reports whether Line leaves the spaces of a simple token alone.
func plainSpaced(token []byte) bool {
	for i, c := range token {
		if c == ' ' && (i == 1 || i+2 >= len(token) || token[i+1] == ' ') {
			return false
		}
	}
	return true
}
