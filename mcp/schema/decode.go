package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vaak/internal/fault"
)

// Decode checks arguments against their schema and reads them. A null counts
// as absent, and so does "" where one of several values may be chosen, as many
// clients fill in every property. The error holds a *fault.Error for each wrong
// argument, up to 20 (see [fault.All]), that names it, what is allowed and what was
// sent; the arguments that are right are read all the same.
func Decode[In any](s *Schema, args json.RawMessage) (In, error) {
	var in In
	args = bytes.TrimSpace(args)
	if len(args) == 0 || string(args) == "null" {
		args = json.RawMessage("{}")
	}
	members, faults := s.check("", args, maxFaults)
	if err := read(members, &in); err != nil {
		return in, err
	}
	return in, fault.Join(faults...)
}

// DecodePart is [Decode] for a named object within the arguments that the schema of
// those leaves open. It returns the first wrong members, each a *fault.Error.
func DecodePart[In any](s *Schema, name string, object json.RawMessage) (In, []error) {
	var in In
	members, faults := s.check(name, object, maxFaults)
	if len(faults) > 0 {
		return in, fault.List(faults).Unwrap()
	}
	if err := read(members, &in); err != nil {
		return in, []error{err}
	}
	return in, nil
}

// read fills in from members that were checked.
func read(members map[string]any, in any) error {
	canonical, err := json.Marshal(members)
	if err != nil {
		return fmt.Errorf("encode checked arguments: %w", err)
	}
	if err := json.Unmarshal(canonical, in); err != nil {
		return fmt.Errorf("decode checked arguments: %w", err)
	}
	return nil
}

// accept returns a value in its canonical form when it satisfies the schema. An
// object of any members is handed on as it was sent.
func (s *Schema) accept(name string, raw json.RawMessage) (any, error) {
	switch {
	case s.Type == "object" && (len(raw) == 0 || raw[0] != '{'):
		return nil, s.mistyped(name, raw)
	case s.Type == "object" && s.Properties == nil:
		return raw, nil
	case s.Type == "object":
		return s.members(name, raw)
	case s.Type == "array":
		return s.list(name, raw)
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
	}
	panic("schema: no check for type " + s.Type) // of a Go type that no tool takes
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
