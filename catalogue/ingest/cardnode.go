package ingest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// nodeKind is what a value of a card is.
type nodeKind string

const (
	textNode   nodeKind = "text"
	numberNode nodeKind = "a number"
	boolNode   nodeKind = "true or false"
	nullNode   nodeKind = "nothing"
	listNode   nodeKind = "a list"
	mapNode    nodeKind = "a mapping"
)

// node is a value of a card with its line, whether it came as YAML or JSON.
type node struct {
	kind  nodeKind
	line  int
	text  string // of scalars
	items []*node
	keys  []nodeKey
}

// nodeKey is a key of a mapping, with its value.
type nodeKey struct {
	name  string
	line  int
	value *node
}

// More than any card needs. The YAML library takes time that grows with the square
// of the tokens, so there is a bound on them beside that on bytes.
const (
	maxCardDepth  = 8
	maxCardTokens = 5000
	maxCardFaults = 100
)

// fault is a fault of a card at a line.
type cardFault struct {
	line int
	msg  string
}

func (f cardFault) Error() string { return f.msg }

func faultAt(line int, format string, args ...any) error {
	return cardFault{line, fmt.Sprintf(format, args...)}
}

// parseYAML reads a YAML card. Of YAML it takes mappings, lists and scalars: what
// lets a small file stand for a large one (anchors and aliases), names types of a
// program (tags) or holds several cards is refused, before it is parsed.
func parseYAML(src string) (*node, []error) {
	if faults := refuseYAML(src); faults != nil {
		return nil, faults
	}
	file, err := parser.ParseBytes([]byte(src), 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, []error{yamlFault(err)}
	}
	var body ast.Node
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if body != nil {
			return nil, []error{faultAt(doc.Body.GetToken().Position.Line, "a second document; a card is one")}
		}
		body = doc.Body
	}
	if body == nil {
		return nil, []error{faultAt(0, "is empty; title, description and language are required")}
	}
	n, err := fromYAML(body, 0)
	if err != nil {
		return nil, []error{err}
	}
	return n, nil
}

// refuseYAML tells of what a card may not have, by its tokens.
func refuseYAML(src string) []error {
	var faults []error
	depth, line, entries, documents := 0, 0, 0, 0
	tokens := lexer.Tokenize(src)
	if len(tokens) > maxCardTokens {
		at := tokens[maxCardTokens].Position.Line
		return []error{faultAt(at, "a card has up to %d words and signs of YAML, these are %d", maxCardTokens, len(tokens))}
	}
	for _, tk := range tokens {
		if tk.Position.Line != line {
			line, entries = tk.Position.Line, 0
		}
		switch tk.Type {
		case token.AnchorType, token.AliasType:
			faults = append(faults, faultAt(line, "anchors (&) and aliases (*) are not taken; write the value out, or in quotes"))
		case token.MergeKeyType:
			faults = append(faults, faultAt(line, "merge keys (<<) are not taken; write the values out"))
		case token.TagType:
			faults = append(faults, faultAt(line, "tags (!) are not taken; text that begins so goes in quotes"))
		case token.DirectiveType:
			faults = append(faults, faultAt(line, "directives (%%) are not taken"))
		case token.DocumentHeaderType:
			if documents++; documents > 1 {
				faults = append(faults, faultAt(line, "a second document; a card is one"))
			}
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.SequenceEntryType, token.MappingKeyType:
			entries++
		}
		if depth > maxCardDepth || entries > maxCardDepth {
			return append(faults, faultAt(line, "is nested more than %d deep", maxCardDepth))
		}
	}
	return faults
}

// yamlFault takes the line and the words out of an error of the YAML library.
func yamlFault(err error) error {
	if ye, ok := errors.AsType[yaml.Error](err); ok {
		line := 0
		if tk := ye.GetToken(); tk != nil && tk.Position != nil {
			line = tk.Position.Line
		}
		return faultAt(line, "is not YAML: %s", ye.GetMessage())
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return faultAt(0, "is not YAML: %s", first)
}

// fromYAML copies a value of the YAML library.
func fromYAML(v ast.Node, depth int) (*node, error) {
	line := v.GetToken().Position.Line
	if depth > maxCardDepth {
		return nil, faultAt(line, "is nested more than %d deep", maxCardDepth)
	}
	switch v := v.(type) {
	case *ast.MappingNode:
		return yamlMapping(v.Values, line, depth)
	case *ast.MappingValueNode:
		return yamlMapping([]*ast.MappingValueNode{v}, line, depth)
	case *ast.SequenceNode:
		n := &node{kind: listNode, line: line}
		for _, item := range v.Values {
			one, err := fromYAML(item, depth+1)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, one)
		}
		return n, nil
	case *ast.StringNode:
		return &node{kind: textNode, line: line, text: v.Value}, nil
	case *ast.LiteralNode:
		return &node{kind: textNode, line: line, text: v.Value.Value}, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return &node{kind: numberNode, line: line, text: v.GetToken().Value}, nil
	case *ast.BoolNode:
		return &node{kind: boolNode, line: line, text: fmt.Sprint(v.Value)}, nil
	case *ast.NullNode:
		return &node{kind: nullNode, line: line}, nil
	}
	return nil, faultAt(line, "a card has mappings, lists, text, numbers, true and false; this is a %s", strings.ToLower(v.Type().String()))
}

func yamlMapping(values []*ast.MappingValueNode, line, depth int) (*node, error) {
	n := &node{kind: mapNode, line: line}
	for _, kv := range values {
		at := kv.Key.GetToken().Position.Line
		name, ok := kv.Key.(*ast.StringNode)
		if !ok {
			return nil, faultAt(at, "a key is a plain word")
		}
		value, err := fromYAML(kv.Value, depth+1)
		if err != nil {
			return nil, err
		}
		n.keys = append(n.keys, nodeKey{name.Value, at, value})
	}
	return n, nil
}

// duplicates tells of keys that are in one mapping twice, here and below.
func (n *node) duplicates(tell func(line int, format string, args ...any)) {
	seen := map[string]int{}
	for _, k := range n.keys {
		if first, twice := seen[k.name]; twice {
			tell(k.line, "the key %s is there twice, first in line %d", shown(k.name), first)
		} else {
			seen[k.name] = k.line
		}
		k.value.duplicates(tell)
	}
	for _, item := range n.items {
		item.duplicates(tell)
	}
}
