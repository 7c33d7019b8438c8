package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// jsonCard reads a JSON card token by token, which keeps lines and duplicate keys.
type jsonCard struct {
	src  string
	dec  *json.Decoder
	line int   // of the token before
	upTo int64 // how far lines were counted
}

// parseJSON reads a JSON card.
func parseJSON(src string) (*node, []error) {
	d := &jsonCard{src: src, dec: json.NewDecoder(strings.NewReader(src)), line: 1}
	d.dec.UseNumber()
	n, err := d.value(0)
	if err == nil {
		if _, more := d.dec.Token(); !errors.Is(more, io.EOF) {
			err = faultAt(d.at(), "more follows the card; a card is one JSON object")
		}
	}
	if err != nil {
		return nil, []error{err}
	}
	return n, nil
}

// at is the line of the token that was read last.
func (d *jsonCard) at() int {
	to := min(d.dec.InputOffset(), int64(len(d.src)))
	d.line += strings.Count(d.src[d.upTo:to], "\n")
	d.upTo = to
	return d.line
}

func (d *jsonCard) token() (json.Token, error) {
	tk, err := d.dec.Token()
	if err == nil {
		return tk, nil
	}
	if se, ok := errors.AsType[*json.SyntaxError](err); ok {
		before := d.src[:min(max(se.Offset, 0), int64(len(d.src)))]
		return nil, faultAt(1+strings.Count(before, "\n"), "is not JSON: %v", se)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, faultAt(1+strings.Count(d.src, "\n"), "is not JSON: it ends too early")
	}
	return nil, faultAt(0, "is not JSON: %v", err)
}

func (d *jsonCard) value(depth int) (*node, error) {
	tk, err := d.token()
	if err != nil {
		return nil, err
	}
	n := &node{line: d.at()}
	if depth > maxCardDepth {
		return nil, faultAt(n.line, "is nested more than %d deep", maxCardDepth)
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

func (d *jsonCard) list(n *node, depth int) error {
	n.kind = listNode
	for d.dec.More() {
		item, err := d.value(depth + 1)
		if err != nil {
			return err
		}
		n.items = append(n.items, item)
	}
	_, err := d.token()
	return err
}

func (d *jsonCard) mapping(n *node, depth int) error {
	n.kind = mapNode
	for d.dec.More() {
		name, err := d.token()
		if err != nil {
			return err
		}
		key := nodeKey{name: fmt.Sprint(name), line: d.at()}
		if key.value, err = d.value(depth + 1); err != nil {
			return err
		}
		n.keys = append(n.keys, key)
	}
	_, err := d.token()
	return err
}
