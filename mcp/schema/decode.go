package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vaak/internal/fault"
)

// Decode checks arguments against their schema and reads them. A null counts
// as absent, and so does "" where one of several values may be chosen, as many
// clients fill in every property. Errors are *fault.Error
// that name the argument, what is allowed and what was sent.
func Decode[In any](s *Schema, args json.RawMessage) (In, error) {
	var in In
	members, err := s.check(args)
	if err != nil {
		return in, err
	}
	canonical, err := json.Marshal(members)
	if err != nil {
		return in, fmt.Errorf("encode checked arguments: %w", err)
	}
	if err := json.Unmarshal(canonical, &in); err != nil {
		return in, fmt.Errorf("decode checked arguments: %w", err)
	}
	return in, nil
}

// check returns the members of an object that satisfies the schema.
func (s *Schema) check(args json.RawMessage) (map[string]any, error) {
	args = bytes.TrimSpace(args)
	if len(args) == 0 || string(args) == "null" {
		args = json.RawMessage("{}")
	}
	var sent map[string]json.RawMessage
	if err := json.Unmarshal(args, &sent); err != nil {
		return nil, fault.BadParameter("arguments", "arguments must be a JSON object; %s", s.taken())
	}
	members := make(map[string]any, len(sent))
	for _, name := range slices.Sorted(maps.Keys(sent)) { // the same mistake gives the same message
		p := s.Member(name)
		if p == nil {
			return nil, fault.BadParameter(Shorten(name), "unknown argument %q; %s", Shorten(name), s.taken())
		}
		if none := string(sent[name]); none == "null" || none == `""` && len(p.Enum) > 0 && !slices.Contains(s.Required, name) {
			continue
		}
		value, err := p.accept(name, sent[name])
		if err != nil {
			return nil, err
		}
		members[name] = value
	}
	for _, name := range s.Required {
		if _, ok := members[name]; !ok {
			return nil, fault.BadParameter(name, "%s is required", name)
		}
	}
	return members, nil
}

// taken says which arguments there are.
func (s *Schema) taken() string {
	if len(s.Properties) == 0 {
		return "this tool takes no arguments"
	}
	return "the arguments are " + strings.Join(s.names(), ", ")
}

// accept returns a value in its canonical form when it satisfies the schema. An
// object is handed on as it was sent.
func (s *Schema) accept(name string, raw json.RawMessage) (any, error) {
	if s.Type == "object" {
		if len(raw) == 0 || raw[0] != '{' {
			return nil, s.mistyped(name, raw)
		}
		return raw, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, s.mistyped(name, raw)
	}
	return s.acceptValue(name, v)
}

func (s *Schema) acceptValue(name string, v any) (any, error) {
	switch s.Type {
	case "string":
		text, ok := v.(string)
		if !ok {
			return nil, s.mistyped(name, v)
		}
		return text, s.acceptString(name, text)
	case "integer", "number":
		number, ok := v.(json.Number)
		if !ok {
			return nil, s.mistyped(name, v)
		}
		return s.acceptNumber(name, number)
	case "boolean":
		if _, ok := v.(bool); !ok {
			return nil, s.mistyped(name, v)
		}
		return v, nil
	case "array":
		list, ok := v.([]any)
		if !ok && s.Items != nil && s.Items.is(v) && (s.MinItems == nil || *s.MinItems <= 1) {
			list, ok = []any{v}, true // one value stands for a list of one
		}
		if !ok {
			return nil, s.mistyped(name, v)
		}
		return s.acceptList(name, list)
	}
	return nil, fmt.Errorf("argument %s: no check for type %s", name, s.Type)
}

// is reports whether a value is a string where a string is wanted.
func (s *Schema) is(v any) bool {
	_, ok := v.(string)
	return ok && s.Type == "string"
}

func (s *Schema) acceptList(name string, list []any) (any, error) {
	low, high := s.MinItems, s.MaxItems
	if (low != nil && len(list) < *low) || (high != nil && len(list) > *high) {
		members := "members"
		if len(list) == 1 {
			members = "member"
		}
		return nil, fault.BadParameter(name, "%s has %d %s; %s allowed", name, len(list), members, lengths(low, high))
	}
	out := make([]any, len(list))
	for i, v := range list {
		var err error
		if out[i], err = s.Items.acceptValue(fmt.Sprintf("%s[%d]", name, i), v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// lengths says how long a list may be; one of the bounds may be nil.
func lengths(low, high *int) string {
	switch {
	case low == nil:
		return fmt.Sprintf("at most %d are", *high)
	case high == nil:
		return fmt.Sprintf("at least %d is", *low)
	}
	return fmt.Sprintf("%d to %d are", *low, *high)
}

func (s *Schema) acceptString(name, text string) error {
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, any(text)) {
		return fault.BadParameter(name, "%s %q is not %s", name, Shorten(text), s.choices())
	}
	n := utf8.RuneCountInString(text)
	if s.MinLength != nil && n < *s.MinLength {
		return fault.BadParameter(name, "%s is empty", name)
	}
	if s.MaxLength != nil && n > *s.MaxLength {
		return fault.New(fault.Invalid, fault.CodeTextTooLong, name, "%s has %d characters, at most %d are allowed", name, n, *s.MaxLength)
	}
	return nil
}

func (s *Schema) acceptNumber(name string, number json.Number) (any, error) {
	f, err := number.Float64()
	if err != nil {
		return nil, s.mistyped(name, number)
	}
	if s.Type == "integer" && (f != math.Trunc(f) || math.Abs(f) > 1<<53) {
		return nil, s.mistyped(name, number)
	}
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(e any) bool { return fmt.Sprint(e) == strconv.FormatFloat(f, 'f', -1, 64) }) {
		return nil, fault.BadParameter(name, "%s %s is not %s", name, Shorten(number.String()), s.choices())
	}
	low, high := s.Minimum, s.Maximum
	if (low != nil && f < *low) || (high != nil && f > *high) {
		return nil, fault.BadParameter(name, "%s %s is %s", name, Shorten(number.String()), outside(low, high))
	}
	if s.Type == "integer" {
		return int64(f), nil
	}
	return f, nil
}

// mistyped says that a value is of the wrong type, and shows it when it is
// short.
func (s *Schema) mistyped(name string, v any) error {
	sent, err := json.Marshal(v)
	if err != nil {
		sent = fmt.Appendf(nil, "%T", v)
	}
	return fault.BadParameter(name, "%s must be %s, got %s", name, s.wanted(), Shorten(string(sent)))
}

// wanted names what a value should be.
func (s *Schema) wanted() string {
	switch {
	case s.Type != "array":
		return article(s.Type)
	case s.MinItems != nil && s.MaxItems != nil:
		return fmt.Sprintf("an array of %d to %d %ss", *s.MinItems, *s.MaxItems, s.Items.Type)
	}
	return "an array of " + s.Items.Type + "s"
}

// choices says what a value should have been by an enum, which has some.
func (s *Schema) choices() string {
	list := make([]string, len(s.Enum))
	for i, e := range s.Enum {
		list[i] = fmt.Sprint(e)
	}
	if len(list) == 1 {
		return "allowed here; only " + list[0] + " is"
	}
	return "one of " + strings.Join(list, ", ")
}

// outside says of a number that is not within its bounds, of which one may be
// nil, where it is.
func outside(low, high *float64) string {
	switch {
	case low == nil:
		return "over " + decimal(*high) + ", the most allowed"
	case high == nil:
		return "under " + decimal(*low) + ", the least allowed"
	}
	return "outside " + decimal(*low) + " to " + decimal(*high)
}

func decimal(f float64) string {
	return strconv.FormatFloat(f, 'f', -1, 64)
}

func article(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// Shorten keeps what a caller sent from filling an error message.
func Shorten(s string) string {
	const most = 60
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}
