package mcp_test

import (
	"encoding/json"
	"fmt"
	"slices"
)

// wireSchema reads the part of JSON Schema that the tools use.
type wireSchema struct {
	Type        string
	Description string
	Enum        []any
	Items       *wireSchema
	Properties  map[string]wireSchema
	Required    []string
	Additional  *bool `json:"additionalProperties"`
}

// conforms says why a document does not satisfy the schema, nil when it does.
func (s wireSchema) conforms(doc json.RawMessage) error {
	if len(doc) == 0 {
		return fmt.Errorf("there is no document")
	}
	var v any
	if err := json.Unmarshal(doc, &v); err != nil {
		return err
	}
	return s.conformsAt("", v)
}

func (s wireSchema) conformsAt(at string, v any) error {
	mistyped := fmt.Errorf("%s is %T, want %s", at, v, s.Type)
	switch v := v.(type) {
	case string:
		if s.Type != "string" {
			return mistyped
		}
	case float64:
		if s.Type != "number" && (s.Type != "integer" || v != float64(int64(v))) {
			return mistyped
		}
	case bool:
		if s.Type != "boolean" {
			return mistyped
		}
	case []any:
		if s.Type != "array" {
			return mistyped
		}
		for i, e := range v {
			if err := s.Items.conformsAt(fmt.Sprintf("%s/%d", at, i), e); err != nil {
				return err
			}
		}
	case map[string]any:
		return s.objectAt(at, v)
	default:
		return mistyped
	}
	return nil
}

func (s wireSchema) objectAt(at string, v map[string]any) error {
	if s.Type != "object" {
		return fmt.Errorf("%s is an object, want %s", at, s.Type)
	}
	for name, e := range v {
		p, ok := s.Properties[name]
		if !ok {
			return fmt.Errorf("%s/%s is not in the schema", at, name)
		}
		if err := p.conformsAt(at+"/"+name, e); err != nil {
			return err
		}
	}
	for _, name := range s.Required {
		if !slices.Contains(keysOf(v), name) {
			return fmt.Errorf("%s/%s is missing", at, name)
		}
	}
	return nil
}

func keysOf(m map[string]any) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	return names
}

// described calls f with every description in the schema and the path to it.
func (s wireSchema) described(at string, f func(at, description string)) {
	if s.Description != "" {
		f(at, s.Description)
	}
	for name, p := range s.Properties {
		p.described(at+"/"+name, f)
	}
	if s.Items != nil {
		s.Items.described(at+"/items", f)
	}
}
