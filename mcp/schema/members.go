package schema

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"vaak/internal/document"
	"vaak/internal/fault"
)

// members returns the members of an object that satisfies the schema. The name "" stands for the
// arguments themselves.
func (s *Schema) members(name string, object document.Value) (map[string]any, error) {
	members, faults := s.check(name, object, 1)
	if len(faults) > 0 {
		return nil, faults[0]
	}
	return members, nil
}

// check returns the members of an object that satisfy the schema, and the first faults of the
// others, at most most.
func (s *Schema) check(name string, object document.Value, most int) (members map[string]any, faults []*fault.Error) {
	sent := maps.Collect(object.Members())
	if object.Sent() && object.Kind() != document.Object {
		return nil, []*fault.Error{fault.BadParameter("arguments", "arguments must be a JSON object; %s", s.taken(name))}
	}
	members = make(map[string]any, len(sent))
	given := map[string]string{} // by property: the name or alias that the caller used
	// In the order of names, so that the same mistakes always give the same message.
	for _, key := range slices.Sorted(maps.Keys(sent)) {
		if len(faults) == most {
			return members, faults
		}
		p := s.property(key)
		if p == nil {
			faults = append(faults, s.unknown(name, key))
			continue
		}
		if v := sent[key]; !v.Sent() || v.Kind() == document.String && v.Text() == "" && len(p.schema.Enum) > 0 && !slices.Contains(s.Required, p.name) {
			continue
		}
		value, err := p.schema.accept(within(name, key), sent[key])
		if err != nil {
			// Given, though wrong: it must not be called missing below.
			given[p.name] = key
			faults = append(faults, faultOf(err))
			continue
		}
		before, twice := members[p.name]
		// An alias that is empty says nothing against the name that is filled in.
		if twice && value == "" {
			continue
		}
		if twice && before != "" && !reflect.DeepEqual(before, value) {
			faults = append(faults, fault.BadParameter(within(name, p.name), "%s was sent under two names, %q and %q, with different values; send %s alone",
				within(name, p.name), given[p.name], key, within(name, p.name)))
		}
		members[p.name], given[p.name] = value, key
	}
	for _, key := range s.Required {
		if given[key] == "" && len(faults) < most {
			faults = append(faults, fault.BadParameter(within(name, key), "%s is required", within(name, key)))
		}
	}
	return members, faults
}

// faultOf returns the *fault.Error that every refusal of a value is.
func faultOf(err error) *fault.Error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		panic(fmt.Sprintf("schema: a value was refused by %v", err))
	}
	return f
}

// within returns the name of a member of an object in errors.
func within(object, member string) string {
	if object == "" {
		return member
	}
	return object + "." + member
}

// unknown returns the fault of a member that the schema does not name.
func (s *Schema) unknown(name, key string) *fault.Error {
	key = Shorten(key)
	if name == "" {
		return fault.BadParameter(key, "unknown argument %q; %s", key, s.taken(name))
	}
	return fault.BadParameter(within(name, key), "%s has an unknown member %q; %s", name, key, s.taken(name))
}

// taken ends a sentence with the names of the arguments, or of the members of an argument.
func (s *Schema) taken(name string) string {
	switch {
	case len(s.Properties) == 0:
		return "this tool takes no arguments"
	case name == "":
		return "the arguments are " + strings.Join(s.names(), ", ")
	}
	return "the members are " + strings.Join(s.names(), ", ")
}

// list returns the members of an array that satisfies the schema. A single string or object
// counts as a list of one, because models often leave out the brackets.
func (s *Schema) list(name string, v document.Value) ([]any, error) {
	sent := v.Entries()
	if v.Kind() != document.Array {
		// Where two are needed, one value without brackets is no list.
		if !s.Items.lone(v) || s.MinItems != nil && *s.MinItems > 1 {
			return nil, s.mistyped(name, v)
		}
		sent = []document.Value{v}
	}
	low, high := s.MinItems, s.MaxItems
	if (low != nil && len(sent) < *low) || (high != nil && len(sent) > *high) {
		members := "members"
		if len(sent) == 1 {
			members = "member"
		}
		return nil, fault.BadParameter(name, "%s has %d %s; %s allowed", name, len(sent), members, lengths(low, high))
	}
	out, faults := make([]any, len(sent)), []*fault.Error(nil)
	for i, v := range sent {
		var err error
		if out[i], err = s.Items.accept(fmt.Sprintf("%s[%d]", name, i), v); err == nil {
			continue
		}
		// A list of plain values stops at the first fault: the others are likely wrong in the same
		// way. Objects are worth the whole list, because each may have a fault of its own.
		if s.Items.Type != "object" {
			return nil, err
		}
		faults = append(faults, faultOf(err))
	}
	return out, together(faults)
}

// lone reports whether a value is a string or an object, and the schema wants the same.
func (s *Schema) lone(v document.Value) bool {
	return s.Type == "string" && v.Kind() == document.String || s.Type == "object" && v.Kind() == document.Object
}

// maxFaults is how many faults of a list or an object are reported.
const maxFaults = 20

// together joins the faults of a list's members into one fault, under the name of the first, so
// that a caller can mend them all at once. It returns nil when there are none.
func together(faults []*fault.Error) error {
	if len(faults) == 0 {
		return nil
	}
	f := *faults[0]
	for _, other := range faults[1:min(len(faults), maxFaults)] {
		f.Msg += "; " + other.Msg
	}
	if more := len(faults) - maxFaults; more > 0 {
		f.Msg += fmt.Sprintf("; and %d more are wrong", more)
	}
	return &f
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
