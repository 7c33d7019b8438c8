package schema

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"vaak/internal/document"
	"vaak/internal/fault"
)

// Decode checks arguments, which are valid JSON, against their schema and reads them. null
// counts as absent, and so does "" for an optional argument with an enum, because many clients
// fill in every property. The error holds a *fault.Error for each wrong argument, up to 20 (see
// [fault.All]). It names the argument, what is allowed and what was sent. Decode reads the
// right arguments also when others are wrong.
func Decode[In any](s *Schema, args json.RawMessage) (In, error) {
	var in In
	v := document.Of(args)
	// A call without arguments is one with an empty object, so that what is required is named.
	if !v.Sent() {
		v = document.Of([]byte("{}"))
	}
	members, faults := s.check("", v, maxFaults)
	if err := read(members, &in); err != nil {
		return in, err
	}
	return in, fault.Join(faults...)
}

// DecodePart is [Decode] for an object within the arguments that their schema leaves open. Name
// is the name of the object in errors. It returns up to 20 wrong members, each as a
// *fault.Error.
func DecodePart[In any](s *Schema, name string, object json.RawMessage) (In, []error) {
	var in In
	members, faults := s.check(name, document.Of(object), maxFaults)
	if len(faults) > 0 {
		return in, fault.List(faults).Unwrap()
	}
	if err := read(members, &in); err != nil {
		return in, []error{err}
	}
	return in, nil
}

// read fills in from members that were checked. It lets encoding/json do that, because the
// members are known to fit the type.
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

// accept returns a value in its canonical form if it satisfies the schema. It returns an object
// of any members as it was sent.
func (s *Schema) accept(name string, v document.Value) (any, error) {
	kind := v.Kind()
	switch s.Type {
	case "object":
		switch {
		case kind != document.Object:
			return nil, s.mistyped(name, v)
		case s.Properties == nil:
			// Any members. Their reader checks them later, see DecodePart.
			return json.RawMessage(v.Raw()), nil
		}
		return s.members(name, v)
	case "array":
		return s.list(name, v)
	case "string":
		if kind != document.String {
			return nil, s.mistyped(name, v)
		}
		text := v.Text()
		return text, s.acceptString(name, text)
	case "integer", "number":
		x, ok := v.Float()
		if !ok {
			return nil, s.mistyped(name, v)
		}
		return s.acceptNumber(name, x, v)
	case "boolean":
		if kind != document.Boolean {
			return nil, s.mistyped(name, v)
		}
		return v.Bool(), nil
	}
	panic("schema: no check for type " + s.Type) // of a Go type that no tool takes
}

func (s *Schema) acceptString(name, text string) error {
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, any(text)) {
		return fault.BadParameter(name, "%s %q is not %s", name, Shorten(text), s.choices())
	}
	// JSON Schema counts code points, not bytes.
	n := utf8.RuneCountInString(text)
	// The only minimum that tools have is 1.
	if s.MinLength != nil && n < *s.MinLength {
		return fault.BadParameter(name, "%s is empty", name)
	}
	if s.MaxLength != nil && n > *s.MaxLength {
		return fault.New(fault.Invalid, fault.CodeTextTooLong, name, "%s has %d characters, at most %d are allowed", name, n, *s.MaxLength)
	}
	return nil
}

// acceptNumber returns x, which was sent as v.
func (s *Schema) acceptNumber(name string, x float64, v document.Value) (any, error) {
	// Beyond 2^53 a float64 does not hold every whole number.
	if s.Type == "integer" && (x != math.Trunc(x) || math.Abs(x) > 1<<53) {
		return nil, s.mistyped(name, v)
	}
	sent := Shorten(string(v.Raw()))
	// Compared as text, because the enum holds json.Number as the tag has it, and 1.0 is 1.
	if len(s.Enum) > 0 && !slices.ContainsFunc(s.Enum, func(e any) bool { return fmt.Sprint(e) == decimal(x) }) {
		return nil, fault.BadParameter(name, "%s %s is not %s", name, sent, s.choices())
	}
	low, high := s.Minimum, s.Maximum
	if (low != nil && x < *low) || (high != nil && x > *high) {
		return nil, fault.BadParameter(name, "%s %s is %s", name, sent, outside(low, high))
	}
	if s.Type == "integer" {
		return int64(x), nil
	}
	return x, nil
}

// mistyped returns the error of a value of a wrong type, which shows the beginning of the value.
func (s *Schema) mistyped(name string, v document.Value) error {
	var shown any = json.RawMessage(v.Raw())
	if v.Kind() == document.String {
		shown = v.Text() // encoded again, without escapes that it does not need
	}
	sent, err := json.Marshal(shown)
	if err != nil {
		sent = []byte(v.Kind())
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

// choices ends the sentence about a value that is not in the enum.
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

// outside ends the sentence about a number that is outside its bounds. One of the bounds may be
// nil.
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

// Shorten returns the beginning of what a caller sent, short enough for an error message.
func Shorten(s string) string {
	const most = 60
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	return string([]rune(s)[:most]) + "…"
}
