package card

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

// parseYAML reads a YAML card. It accepts mappings, lists and scalars only. Anchors and
// aliases let a small file expand to a large one, tags name types of a program, and a
// second document would be a second card, so all of these are refused before parsing.
func parseYAML(src string) (*node, []Fault) {
	if faults := refuseYAML(src); faults != nil {
		return nil, faults
	}
	// Duplicates are allowed here so that all of them can be reported with our words and
	// lines; see node.duplicates.
	file, err := parser.ParseBytes([]byte(src), 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, []Fault{yamlFault(err)}
	}
	var body ast.Node
	for _, doc := range file.Docs {
		if doc.Body == nil {
			continue
		}
		if body != nil {
			return nil, []Fault{faultAt(doc.Body.GetToken().Position.Line, "a second document; a card is one")}
		}
		body = doc.Body
	}
	if body == nil {
		return nil, []Fault{faultAt(0, "is empty; title, description and language are required")}
	}
	n, fault := fromYAML(body, 0)
	if fault != nil {
		return nil, []Fault{*fault}
	}
	return n, nil
}

// refuseYAML returns what a card may not have, found in its tokens.
func refuseYAML(src string) []Fault {
	var faults []Fault
	// depth counts open brackets. entries counts dashes and question marks in one line: they
	// nest without brackets ("- - - x").
	depth, line, entries, documents := 0, 0, 0, 0
	tokens := lexer.Tokenize(src)
	if len(tokens) > maxTokens {
		at := tokens[maxTokens].Position.Line
		return []Fault{faultAt(at, "a card has up to %d words and signs of YAML, these are %d", maxTokens, len(tokens))}
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
		if depth > maxDepth || entries > maxDepth {
			return append(faults, faultAt(line, "is nested more than %d deep", maxDepth))
		}
	}
	return faults
}

// yamlFault returns an error of the YAML library as a fault with its line.
func yamlFault(err error) Fault {
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

// fromYAML returns a value of the YAML library as a node.
func fromYAML(v ast.Node, depth int) (*node, *Fault) {
	line := v.GetToken().Position.Line
	if depth > maxDepth {
		return nil, new(faultAt(line, "is nested more than %d deep", maxDepth))
	}
	switch v := v.(type) {
	case *ast.MappingNode:
		return yamlMapping(v.Values, line, depth)
	// The library returns a mapping of one key without a mapping around it.
	case *ast.MappingValueNode:
		return yamlMapping([]*ast.MappingValueNode{v}, line, depth)
	case *ast.SequenceNode:
		n := &node{kind: listNode, line: line}
		for _, item := range v.Values {
			one, fault := fromYAML(item, depth+1)
			if fault != nil {
				return nil, fault
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
	return nil, new(faultAt(line, "a card has mappings, lists, text, numbers, true and false; this is a %s", strings.ToLower(v.Type().String())))
}

// yamlMapping returns a mapping as a node; its keys must be plain words.
func yamlMapping(values []*ast.MappingValueNode, line, depth int) (*node, *Fault) {
	n := &node{kind: mapNode, line: line}
	for _, kv := range values {
		at := kv.Key.GetToken().Position.Line
		name, ok := kv.Key.(*ast.StringNode)
		if !ok {
			return nil, new(faultAt(at, "a key is a plain word"))
		}
		value, fault := fromYAML(kv.Value, depth+1)
		if fault != nil {
			return nil, fault
		}
		n.keys = append(n.keys, nodeKey{name.Value, at, value})
	}
	return n, nil
}
