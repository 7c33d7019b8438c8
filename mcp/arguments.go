package mcp

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

// decode checks arguments against their schema and reads them. A null counts
// as absent, as many clients fill in every property. Errors are *fault.Error
// that name the argument, what is allowed and what was sent.
func decode[In any](s *schema, args json.RawMessage) (In, error) {
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
func (s *schema) check(args json.RawMessage) (map[string]any, error) {
	args = bytes.TrimSpace(args)
	if len(args) == 0 || string(args) == "null" {
		args = json.RawMessage("{}")
	}
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.UseNumber()
	var members map[string]any
	if err := dec.Decode(&members); err != nil {
		return nil, fault.BadParameter("arguments", "arguments must be a JSON object with the members %s", strings.Join(s.names(), ", "))
	}
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.Sort(names) // the same mistake gives the same message
	for _, name := range names {
		p := s.member(name)
		if p == nil {
			return nil, fault.BadParameter(shorten(name), "unknown argument %q; the arguments are %s", shorten(name), strings.Join(s.names(), ", "))
		}
		if members[name] == nil {
			delete(members, name)
			continue
		}
		value, err := p.accept(name, members[name])
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

// accept returns a value in its canonical form when it satisfies the schema.
func (s *schema) accept(name string, v any) (any, error) {
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
	return nil, fmt.Errorf("argument %s: no check for type %s", name, s.Type)
}

func (s *schema) acceptString(name, text string) error {
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, any(text)) {
		return fault.BadParameter(name, "%s %q is not one of %s", name, shorten(text), s.choices())
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

func (s *schema) acceptNumber(name string, number json.Number) (any, error) {
	f, err := number.Float64()
	if err != nil {
		return nil, s.mistyped(name, number)
	}
	if s.Type == "integer" && (f != math.Trunc(f) || math.Abs(f) > 1<<53) {
		return nil, s.mistyped(name, number)
	}
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(e any) bool { return fmt.Sprint(e) == strconv.FormatFloat(f, 'f', -1, 64) }) {
		return nil, fault.BadParameter(name, "%s %s is not one of %s", name, shorten(number.String()), s.choices())
	}
	low, high := s.Minimum, s.Maximum
	if (low != nil && f < *low) || (high != nil && f > *high) {
		return nil, fault.BadParameter(name, "%s %s is outside %s to %s", name, shorten(number.String()), bound(low), bound(high))
	}
	if s.Type == "integer" {
		return int64(f), nil
	}
	return f, nil
}

// mistyped says that a value is of the wrong type, and shows it when it is
// short.
func (s *schema) mistyped(name string, v any) error {
	sent, err := json.Marshal(v)
	if err != nil {
		sent = fmt.Appendf(nil, "%T", v)
	}
	return fault.BadParameter(name, "%s must be %s, got %s", name, article(s.Type), shorten(string(sent)))
}

// choices lists the values of an enum.
func (s *schema) choices() string {
	list := make([]string, len(s.Enum))
	for i, e := range s.Enum {
		list[i] = fmt.Sprint(e)
	}
	return strings.Join(list, ", ")
}

func bound(f *float64) string {
	if f == nil {
		return "any"
	}
	return strconv.FormatFloat(*f, 'f', -1, 64)
}

func article(noun string) string {
	if strings.ContainsRune("aeiou", rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// shorten keeps what a caller sent from filling an error message.
func shorten(s string) string {
	const most = 60
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}
