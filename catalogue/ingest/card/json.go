package card

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// jsonReader reads a JSON card token by token, because decoding into a value would lose the
// lines and the duplicate keys.
type jsonReader struct {
	src  string
	dec  *json.Decoder
	line int   // of the last token
	upTo int64 // bytes of src in which lines were counted
}

// parseJSON reads a JSON card.
func parseJSON(src string) (*node, []Fault) {
	d := &jsonReader{src: src, dec: json.NewDecoder(strings.NewReader(src)), line: 1}
	d.dec.UseNumber()
	n, fault := d.value(0)
	if fault != nil {
		return nil, []Fault{*fault}
	}
	if _, more := d.dec.Token(); !errors.Is(more, io.EOF) {
		return nil, []Fault{faultAt(d.at(), "more follows the card; a card is one JSON object")}
	}
	return n, nil
}

// at returns the line of the last token.
func (d *jsonReader) at() int {
	// Offsets only grow, so each line break is counted once and the work is linear.
	to := min(d.dec.InputOffset(), int64(len(d.src)))
	d.line += strings.Count(d.src[d.upTo:to], "\n")
	d.upTo = to
	return d.line
}

// token reads a token, and turns an error of the decoder into a fault with its line.
func (d *jsonReader) token() (json.Token, *Fault) {
	tk, err := d.dec.Token()
	if err == nil {
		return tk, nil
	}
	if se, ok := errors.AsType[*json.SyntaxError](err); ok {
		before := d.src[:min(max(se.Offset, 0), int64(len(d.src)))]
		return nil, new(faultAt(1+strings.Count(before, "\n"), "is not JSON: %v", se))
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, new(faultAt(1+strings.Count(d.src, "\n"), "is not JSON: it ends too early"))
	}
	return nil, new(faultAt(0, "is not JSON: %v", err))
}

// value reads a value of any kind.
func (d *jsonReader) value(depth int) (*node, *Fault) {
	tk, fault := d.token()
	if fault != nil {
		return nil, fault
	}
	n := &node{line: d.at()}
	// Checked before the children are read: the recursion is as deep as the card.
	if depth > maxDepth {
		return nil, new(faultAt(n.line, "is nested more than %d deep", maxDepth))
	}
	switch tk := tk.(type) {
	case json.Delim:
		if tk == '[' {
			return n, d.list(n, depth)
		}
		return n, d.mapping(n, depth)
	case string:
		n.kind, n.text = textNode, tk
	case json.Number:
		n.kind, n.text = numberNode, tk.String()
	case bool:
		n.kind, n.text = boolNode, fmt.Sprint(tk)
	default:
		n.kind = nullNode
	}
	return n, nil
}

// list reads the items of an array into n, and its closing bracket.
func (d *jsonReader) list(n *node, depth int) *Fault {
	n.kind = listNode
	for d.dec.More() {
		item, fault := d.value(depth + 1)
		if fault != nil {
			return fault
		}
		n.items = append(n.items, item)
	}
	_, fault := d.token()
	return fault
}

// mapping reads the members of an object into n, and its closing brace.
func (d *jsonReader) mapping(n *node, depth int) *Fault {
	n.kind = mapNode
	for d.dec.More() {
		name, fault := d.token()
		if fault != nil {
			return fault
		}
		key := nodeKey{name: fmt.Sprint(name), line: d.at()}
		if key.value, fault = d.value(depth + 1); fault != nil {
			return fault
		}
		n.keys = append(n.keys, key)
	}
	_, fault := d.token()
	return fault
}
