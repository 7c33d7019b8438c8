// Package schema makes JSON Schemas (2020-12) of the arguments and results of tools from their Go
// types, and checks arguments against them.
package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Schema is the part of JSON Schema 2020-12 that tools are described with.
type Schema struct {
	Type        string   `json:"type,omitempty"` // "" is any
	Description string   `json:"description,omitempty"`
	Default     any      `json:"default,omitempty"`
	Enum        []any    `json:"enum,omitempty"`
	Minimum     *float64 `json:"minimum,omitempty"`
	Maximum     *float64 `json:"maximum,omitempty"`
	MinLength   *int     `json:"minLength,omitempty"`
	MaxLength   *int     `json:"maxLength,omitempty"`
	Items       *Schema  `json:"items,omitempty"`
	MinItems    *int     `json:"minItems,omitempty"`
	MaxItems    *int     `json:"maxItems,omitempty"`

	// Of objects.
	Properties properties `json:"properties,omitzero"`
	Required   []string   `json:"required,omitempty"`
	Additional *bool      `json:"additionalProperties,omitempty"`
}

// property is a named member of an object.
type property struct {
	name    string
	schema  *Schema
	hidden  bool     // accepted, but not in the schema and not in errors
	aliases []string // further names that are accepted, and not in the schema
}

// properties keeps the order of the fields of a struct, because a model reads them in that order.
type properties []property

// MarshalJSON writes an object in the order of the list.
func (p properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for _, m := range p {
		if m.hidden {
			continue
		}
		if b.Len() > 1 {
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

// marshal is [json.Marshal] without escapes for <, > and &, which a model reads.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// Close makes the schema, and the schemas of objects in it, refuse members that they do not name.
// Objects of any members stay open.
func (s *Schema) Close() {
	// A new bool is false: additionalProperties is false.
	if s.Type == "object" && s.Properties != nil {
		s.Additional = new(bool)
	}
	for _, m := range s.Properties {
		m.schema.Close()
	}
	if s.Items != nil {
		s.Items.Close()
	}
}

// property returns the property with a name or alias, or nil.
func (s *Schema) property(name string) *property {
	for i, m := range s.Properties {
		if m.name == name || slices.Contains(m.aliases, name) {
			return &s.Properties[i]
		}
	}
	return nil
}

// Member returns the schema of a property, or nil.
func (s *Schema) Member(name string) *Schema {
	for _, m := range s.Properties {
		if m.name == name {
			return m.schema
		}
	}
	return nil
}

// Undescribe removes the descriptions of the members of an object, for a schema that has the same
// descriptions elsewhere.
func (s *Schema) Undescribe() {
	for _, m := range s.Properties {
		m.schema.Description = ""
	}
}

// Remove removes a property.
func (s *Schema) Remove(name string) {
	for i, m := range s.Properties {
		if m.name == name {
			// The capacity is cut, so that append copies and does not change a slice that others
			// hold.
			s.Properties = append(s.Properties[:i:i], s.Properties[i+1:]...)
			return
		}
	}
}

// names lists the properties that are not hidden, in order.
func (s *Schema) names() []string {
	var names []string
	for _, m := range s.Properties {
		if !m.hidden {
			names = append(names, m.name)
		}
	}
	return names
}

// Encode returns the schema as JSON. It panics on failure, which would be a mistake in this
// program.
func (s *Schema) Encode() json.RawMessage {
	b, err := marshal(s)
	if err != nil {
		panic(fmt.Sprintf("schema: encode schema: %v", err))
	}
	return b
}

// Of returns the schema of a type, from its fields and their tags:
//
//   - json: the name; with omitempty or omitzero the property is optional;
//   - doc, default, minimum, maximum, minLength, maxLength, minItems, maxItems;
//   - enum: the values, separated by commas;
//   - hidden: of an optional property that is accepted and not in the schema;
//   - alias: further names, separated by commas, that are accepted and not in the schema.
//
// A [json.RawMessage] is an object of any members, and an interface is any value. Of panics on
// a type that it does not know.
func Of(t reflect.Type) *Schema {
	// Before the kinds, because it is a slice of bytes.
	if t == reflect.TypeFor[json.RawMessage]() {
		return &Schema{Type: "object"}
	}
	switch t.Kind() {
	case reflect.Interface:
		return &Schema{}
	case reflect.Pointer:
		return Of(t.Elem())
	case reflect.String:
		return &Schema{Type: "string"}
	case reflect.Bool:
		return &Schema{Type: "boolean"}
	case reflect.Int, reflect.Int64:
		return &Schema{Type: "integer"}
	case reflect.Float64:
		return &Schema{Type: "number"}
	case reflect.Slice:
		return &Schema{Type: "array", Items: Of(t.Elem())}
	case reflect.Struct:
		return ofStruct(t)
	}
	panic("schema: no schema for " + t.String())
}

func ofStruct(t reflect.Type) *Schema {
	s := &Schema{Type: "object", Properties: properties{}}
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			panic(fmt.Sprintf("schema: field %s of %s has no JSON name", f.Name, t))
		}
		p := Of(f.Type)
		p.annotate(f.Tag)
		aliases := strings.FieldsFunc(f.Tag.Get("alias"), func(r rune) bool { return r == ',' })
		s.Properties = append(s.Properties, property{name, p, f.Tag.Get("hidden") == "true", aliases})
		// omitempty or omitzero.
		if !strings.Contains(options, "omit") {
			s.Required = append(s.Required, name)
		}
	}
	return s
}

// annotate applies the tags of a field.
func (s *Schema) annotate(tag reflect.StructTag) {
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
	s.MinItems, s.MaxItems = length(tag, "minItems"), length(tag, "maxItems")
}

// literal reads a tag's value as one of the schema's type.
func (s *Schema) literal(v string) any {
	switch s.Type {
	case "string":
		return v
	case "boolean":
		return v == "true"
	}
	// As it is written in the tag: a float64 could be written in another way in the schema.
	return json.Number(v)
}

func limit(tag reflect.StructTag, key string) *float64 {
	v, ok := tag.Lookup(key)
	if !ok {
		return nil
	}
	f, err := strconv.ParseFloat(v, 64)
	if err != nil {
		panic(fmt.Sprintf("schema: tag %s %q is not a number", key, v))
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
