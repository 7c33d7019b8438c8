package card

import "vaak/catalogue/ingest/report"

// nodeKind is the kind of a value; the text is how faults name it.
type nodeKind string

const (
	textNode   nodeKind = "text"
	numberNode nodeKind = "a number"
	boolNode   nodeKind = "true or false"
	nullNode   nodeKind = "nothing"
	listNode   nodeKind = "a list"
	mapNode    nodeKind = "a mapping"
)

// node is a value of a card with its line. YAML and JSON cards are both read into nodes, so
// that one checker serves both.
type node struct {
	kind  nodeKind
	line  int
	text  string // of text, numbers, true and false
	items []*node
	keys  []nodeKey
}

// nodeKey is a key of a mapping, with its value.
type nodeKey struct {
	name  string
	line  int
	value *node
}

// duplicates reports the keys that one mapping has twice, at any depth.
func (n *node) duplicates(add func(line int, format string, args ...any)) {
	seen := map[string]int{}
	for _, k := range n.keys {
		if first, twice := seen[k.name]; twice {
			add(k.line, "the key %s is there twice, first in line %d", report.Quote(k.name), first)
		} else {
			seen[k.name] = k.line
		}
		k.value.duplicates(add)
	}
	for _, item := range n.items {
		item.duplicates(add)
	}
}
