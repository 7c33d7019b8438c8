package asyncapi

import (
	"maps"
	"slices"
)

// schema is a schema of JSON Schema draft 7, as far as the sockets need it.
type schema struct {
	Ref             string             `json:"$ref,omitempty"`
	Type            any                `json:"type,omitempty"` // a name, or a list of them
	Description     string             `json:"description,omitempty"`
	Const           any                `json:"const,omitempty"`
	Enum            []any              `json:"enum,omitempty"`
	Default         any                `json:"default,omitempty"`
	Minimum         *float64           `json:"minimum,omitempty"`
	Maximum         *float64           `json:"maximum,omitempty"`
	MinLength       int                `json:"minLength,omitempty"`
	MaxLength       int                `json:"maxLength,omitempty"`
	Pattern         string             `json:"pattern,omitempty"`
	Format          string             `json:"format,omitempty"`
	ContentEncoding string             `json:"contentEncoding,omitempty"`
	Items           *schema            `json:"items,omitempty"`
	MaxItems        int                `json:"maxItems,omitempty"`
	Properties      map[string]*schema `json:"properties,omitempty"`
	Required        []string           `json:"required,omitempty"`
	OneOf           []*schema          `json:"oneOf,omitempty"`
	AnyOf           []*schema          `json:"anyOf,omitempty"`
	Examples        []any              `json:"examples,omitempty"`
}

// properties holds the schemas of the members of an object, by name.
type properties map[string]*schema

func ofType(name, text string) *schema { return &schema{Type: name, Description: text} }

func exactly(name string, value any, text string) *schema {
	return &schema{Type: name, Const: value, Description: text}
}

func refer(name string) *schema { return &schema{Ref: "#/components/schemas/" + name} }

// between sets the bounds of a number.
func (s *schema) between(least, most float64) *schema {
	s.Minimum, s.Maximum = &least, &most
	return s
}

// atLeast sets the lower bound of a number.
func (s *schema) atLeast(least float64) *schema {
	s.Minimum = &least
	return s
}

func (s *schema) usually(value any) *schema {
	s.Default = value
	return s
}

func (s *schema) oneOf(values ...any) *schema {
	s.Enum = values
	return s
}

func (s *schema) such(examples ...any) *schema {
	s.Examples = examples
	return s
}

// orNull allows null as well.
func (s *schema) orNull() *schema {
	if name, ok := s.Type.(string); ok {
		s.Type = []string{name, "null"}
		return s
	}
	return &schema{OneOf: []*schema{s, {Type: "null"}}}
}

// object describes an object all of whose properties are there.
func objectOf(p properties) *schema {
	s := &schema{Type: "object", Properties: p}
	for name := range p {
		s.Required = append(s.Required, name)
	}
	slices.Sort(s.Required)
	return s
}

// maybe adds properties that may be left out.
func (s *schema) maybe(more properties) *schema {
	maps.Copy(s.Properties, more)
	return s
}

// with adds properties that may be left out, or null.
func (s *schema) with(more ...properties) *schema {
	for _, p := range more {
		for name, property := range p {
			if s.Properties[name] == nil {
				s.Properties[name] = property.orNull()
			}
		}
	}
	return s
}
