// Command generate writes the types of the clients from openapi.json and asyncapi.json: what
// the operations that the clients call take and answer, and the messages of the native socket.
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"os"
	"slices"
	"strings"
)

// operations are those that the clients call, with the name of what goes into the query.
var operations = map[string]string{
	"createSpeech":  "",
	"previewText":   "",
	"listVoices":    "",
	"getVoice":      "",
	"listLanguages": "",
	"listDatasets":  "DatasetQuery",
	"getDataset":    "",
	"countDatasets": "FacetQuery",
	"sendEnquiry":   "",

	"createSpeechToken": "",
	"listSpeechTokens":  "",
	"revokeSpeechToken": "",
}

// outputs are the files, below the directory of package clients, with what writes them.
var outputs = map[string]func([]definition) string{
	"js/src/types.d.ts":         typescript,
	"python/src/vaak/_types.py": python,
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	definitions, err := collect("../openapi.json", "../asyncapi.json")
	if err != nil {
		return err
	}
	for name, write := range outputs {
		if err := os.WriteFile(name, []byte(write(definitions)), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// schema is a JSON Schema, as far as the descriptions use it.
type schema struct {
	Ref         string             `json:"$ref"`
	Type        types              `json:"type"`
	Description string             `json:"description"`
	Enum        []any              `json:"enum"`
	Const       any                `json:"const"`
	Format      string             `json:"format"`
	Items       *schema            `json:"items"`
	Properties  map[string]*schema `json:"properties"`
	Additional  additional         `json:"additionalProperties"`
	Required    []string           `json:"required"`
	OneOf       []*schema          `json:"oneOf"`
	AnyOf       []*schema          `json:"anyOf"`
}

// types is a type, or a list of them.
type types []string

func (t *types) UnmarshalJSON(b []byte) error {
	if b[0] == '[' {
		return json.Unmarshal(b, (*[]string)(t))
	}
	*t = types{""}
	return json.Unmarshal(b, &(*t)[0])
}

// additional is what further properties hold; nil where it is not told.
type additional struct{ *schema }

func (a *additional) UnmarshalJSON(b []byte) error {
	if b[0] != '{' {
		return nil // true: clients ignore what they do not know
	}
	a.schema = &schema{}
	return json.Unmarshal(b, a.schema)
}

// choices are the schemas of which one holds; nil where there is one alone.
func (s *schema) choices() []*schema { return slices.Concat(s.OneOf, s.AnyOf) }

func (s *schema) ref() string { return s.Ref[strings.LastIndexByte(s.Ref, '/')+1:] }

// definition is a named type.
type definition struct {
	name string
	*schema
}

type content map[string]struct {
	Schema *schema `json:"schema"`
}

func read(name string, to any) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	return json.Unmarshal(b, to)
}

// collect returns what the operations need, by name.
func collect(openapi, asyncapi string) ([]definition, error) {
	var rest struct {
		Paths      map[string]map[string]operation `json:"paths"`
		Components struct {
			Schemas map[string]*schema `json:"schemas"`
		} `json:"components"`
	}
	var live struct {
		Channels map[string]struct {
			Messages map[string]struct {
				Payload *schema `json:"payload"`
			} `json:"messages"`
			Bindings struct {
				WS struct {
					Query *schema `json:"query"`
				} `json:"ws"`
			} `json:"bindings"`
		} `json:"channels"`
	}
	if err := cmp.Or(read(openapi, &rest), read(asyncapi, &live)); err != nil {
		return nil, err
	}
	known := map[string]*schema{}
	left := maps.Clone(operations)
	for _, methods := range rest.Paths {
		for _, op := range methods {
			query, wanted := left[op.ID]
			if !wanted {
				continue
			}
			delete(left, op.ID)
			if query != "" {
				known[query] = op.query()
			}
			for _, s := range op.bodies() {
				gather(known, rest.Components.Schemas, s)
			}
		}
	}
	if len(left) > 0 {
		return nil, fmt.Errorf("%s has no operations %v", openapi, slices.Sorted(maps.Keys(left)))
	}
	native := live.Channels["native"]
	known["LiveQuery"] = native.Bindings.WS.Query
	for name, m := range native.Messages {
		if m.Payload.Format == "binary" {
			continue
		}
		// Those that the server sends have a type; the others are what a client writes.
		if m.Payload.Properties["type"] != nil {
			known["Live"+camel(name)] = m.Payload
		}
	}
	words := known["LiveWords"].Properties["words"]
	known["LiveWord"], words.Items = words.Items, &schema{Ref: "#/LiveWord"}
	var out []definition
	for _, name := range slices.Sorted(maps.Keys(known)) {
		out = append(out, definition{name, known[name]})
	}
	return out, nil
}

// gather adds the named types that a schema leads to.
func gather(known, all map[string]*schema, s *schema) {
	if s == nil {
		return
	}
	if name := s.ref(); s.Ref != "" && known[name] == nil {
		known[name] = all[name]
		gather(known, all, all[name])
	}
	gather(known, all, s.Items)
	gather(known, all, s.Additional.schema)
	for _, p := range s.Properties {
		gather(known, all, p)
	}
	for _, c := range s.choices() {
		gather(known, all, c)
	}
}

// operation is an operation of OpenAPI.
type operation struct {
	ID         string `json:"operationId"`
	Parameters []struct {
		Name        string  `json:"name"`
		In          string  `json:"in"`
		Description string  `json:"description"`
		Schema      *schema `json:"schema"`
	} `json:"parameters"`
	Body struct {
		Content content `json:"content"`
	} `json:"requestBody"`
	Responses map[string]struct {
		Content content `json:"content"`
	} `json:"responses"`
}

// query returns the parameters of the query as an object.
func (o operation) query() *schema {
	s := &schema{Type: types{"object"}, Properties: map[string]*schema{}}
	for _, p := range o.Parameters {
		if p.In == "query" {
			p.Schema.Description = cmp.Or(p.Description, p.Schema.Description)
			// The empty value is the same as none.
			p.Schema.Enum = slices.DeleteFunc(p.Schema.Enum, func(v any) bool { return v == "" })
			s.Properties[p.Name] = p.Schema
		}
	}
	return s
}

// bodies are what is sent and what a success answers, in JSON.
func (o operation) bodies() []*schema {
	all := []*schema{o.Body.Content["application/json"].Schema}
	for status, r := range o.Responses {
		if status[0] == '2' {
			all = append(all, r.Content["application/json"].Schema)
		}
	}
	return all
}

// camel writes a name such as left_out as LeftOut.
func camel(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

const notice = "Code generated by clients/generate from openapi.json and asyncapi.json. DO NOT EDIT."

// language writes types in the words of a language.
type language struct {
	object, null, number, integer, text, truth string
	list, table                                string // with the type of the elements
	literal                                    func(any) string
	union                                      func([]string) string
}

// typeOf writes the type of a schema.
func (l language) typeOf(s *schema) string {
	if s.Ref != "" {
		return s.ref()
	}
	if choices := s.choices(); len(choices) > 0 {
		return either(l, choices, l.typeOf)
	}
	if s.Const != nil {
		return l.literal(s.Const)
	}
	values := slices.DeleteFunc(slices.Clone(s.Enum), func(v any) bool { return v == nil })
	return either(l, s.Type, func(name string) string {
		switch name {
		case "null":
			return l.null
		case "boolean":
			if len(values) == 1 {
				return l.literal(values[0])
			}
			return l.truth
		case "integer":
			return l.integer
		case "number":
			return l.number
		case "string":
			if len(values) > 0 {
				return either(l, values, l.literal)
			}
			return l.text
		case "array":
			return fmt.Sprintf(l.list, l.typeOf(s.Items))
		}
		if s.Additional.schema != nil {
			return fmt.Sprintf(l.table, l.typeOf(s.Additional.schema))
		}
		return l.object
	})
}

// either writes the types of some, one of which holds.
func either[T any](l language, of []T, write func(T) string) string {
	var parts []string
	for _, one := range of {
		if part := write(one); !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	return l.union(parts)
}

func literal(v any) string {
	b, _ := json.Marshal(v) // strings, numbers and truth values can always be encoded
	return string(b)
}
