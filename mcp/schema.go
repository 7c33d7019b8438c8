package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// schema is the part of JSON Schema 2020-12 that tools are described with.
type schema struct {
	Type        string   `json:"type"`
	Description string   `json:"description,omitempty"`
	Default     any      `json:"default,omitempty"`
	Enum        []any    `json:"enum,omitempty"`
	Minimum     *float64 `json:"minimum,omitempty"`
	Maximum     *float64 `json:"maximum,omitempty"`
	MinLength   *int     `json:"minLength,omitempty"`
	MaxLength   *int     `json:"maxLength,omitempty"`
	Items       *schema  `json:"items,omitempty"`

	// Of objects.
	Properties properties `json:"properties,omitzero"`
	Required   []string   `json:"required,omitempty"`
	Additional *bool      `json:"additionalProperties,omitempty"`
}

// property is a named member of an object.
type property struct {
	name   string
	schema *schema
}

// properties keep the order in which a struct declares its fields: it is the
// order in which a model reads them.
type properties []property

// MarshalJSON writes an object in the order of the list.
func (p properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range p {
		if i > 0 {
			b.WriteByte(',')
		}
		value, err := marshal(m.schema)
		if err != nil {
			return nil, err
		}
		b.WriteString(strconv.Quote(m.name))
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// marshal is json.Marshal that leaves <, > and & readable.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// close refuses members that the schema does not name.
func (s *schema) close() { s.Additional = new(bool) }

// member returns the schema of a property, or nil.
func (s *schema) member(name string) *schema {
	for _, m := range s.Properties {
		if m.name == name {
			return m.schema
		}
	}
	return nil
}

// remove takes a property away.
func (s *schema) remove(name string) {
	for i, m := range s.Properties {
		if m.name == name {
			s.Properties = append(s.Properties[:i:i], s.Properties[i+1:]...)
			return
		}
	}
}

// names lists the properties in order.
func (s *schema) names() []string {
	names := make([]string, len(s.Properties))
	for i, m := range s.Properties {
		names[i] = m.name
	}
	return names
}

// encode returns the schema as JSON. Schemas are made from the package's own
// types, so a failure is a mistake in them.
func (s *schema) encode() json.RawMessage {
	b, err := marshal(s)
	if err != nil {
		panic(fmt.Sprintf("mcp: encode schema: %v", err))
	}
	return b
}

// schemaOf reads the schema of a type from its fields and their tags: json for
// the name (with omitempty or omitzero the property is optional), doc,
// default, enum (separated by commas), minimum, maximum, minLength and
// maxLength. It panics on a type that it does not know.
func schemaOf(t reflect.Type) *schema {
	switch t.Kind() {
	case reflect.String:
		return &schema{Type: "string"}
	case reflect.Bool:
		return &schema{Type: "boolean"}
	case reflect.Int, reflect.Int64:
		return &schema{Type: "integer"}
	case reflect.Float64:
		return &schema{Type: "number"}
	case reflect.Slice:
		return &schema{Type: "array", Items: schemaOf(t.Elem())}
	case reflect.Struct:
		return structSchema(t)
	}
	panic("mcp: no schema for " + t.String())
}

func structSchema(t reflect.Type) *schema {
	s := &schema{Type: "object", Properties: properties{}}
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			panic(fmt.Sprintf("mcp: field %s of %s has no JSON name", f.Name, t))
		}
		p := schemaOf(f.Type)
		p.annotate(f.Tag)
		s.Properties = append(s.Properties, property{name, p})
		if !strings.Contains(options, "omit") {
			s.Required = append(s.Required, name)
		}
	}
	return s
}

// annotate applies the tags of a field.
func (s *schema) annotate(tag reflect.StructTag) {
	s.Description = tag.Get("doc")
	if v, ok := tag.Lookup("default"); ok {
		s.Default = s.literal(v)
	}
	if v, ok := tag.Lookup("enum"); ok {
		for e := range strings.SplitSeq(v, ",") {
			s.Enum = append(s.Enum, s.literal(e))
		}
	}
	s.Minimum, s.Maximum = limit(tag, "minimum"), limit(tag, "maximum")
	s.MinLength, s.MaxLength = length(tag, "minLength"), length(tag, "maxLength")
}

// literal reads a tag's value as one of the schema's type.
func (s *schema) literal(v string) any {
	if s.Type == "string" {
		return v
	}
	return json.Number(v)
}

func limit(tag reflect.StructTag, key string) *float64 {
	v, ok := tag.Lookup(key)
	if !ok {
		return nil
	}
	f, err := strconv.ParseFloat(v, 64)
	if err != nil {
		panic(fmt.Sprintf("mcp: tag %s %q is not a number", key, v))
	}
	return &f
}

func length(tag reflect.StructTag, key string) *int {
	f := limit(tag, key)
	if f == nil {
		return nil
	}
	n := int(*f)
	return &n
}
