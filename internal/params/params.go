// Package params fills structs with the parameters of JSON objects that callers sent, and
// says of each that it cannot read which one it is, what it must be and what was sent.
package params

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"vaak/internal/fault"
)

// Binder fills structs of type T from JSON objects. Keys are matched to the
// json tags of T exactly; keys that T does not have are ignored, and so is null.
//
// A field is a string, bool, int or float64, a pointer to one of them where
// absence matters, or implements jsonField. The tag bind:"ignore" marks a field
// that is only described, and bind:"any" one whose every value asks for what is done
// without it.
type Binder[T any] struct {
	fields []field
	used   map[string]bool // keys of fields and of those for which any value will do
}

// field is a field of a struct, by its key in JSON.
type field struct {
	name  string
	index int
}

// Setter is a field that reads its own value.
type Setter interface {
	// SetJSON takes a value other than null; name is the field's key.
	SetJSON(name string, raw []byte) error
}

// New returns the binder of T. It panics when T has a field that cannot be bound.
func New[T any]() Binder[T] {
	t := reflect.TypeFor[T]()
	b := Binder[T]{used: map[string]bool{}}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		how := f.Tag.Get("bind")
		if name == "" || name == "-" || how == "ignore" {
			continue
		}
		if b.used[name] = true; how == "any" {
			continue
		}
		if !bindable(f.Type) {
			panic(fmt.Sprintf("params: field %s of %s cannot be bound", f.Name, t))
		}
		b.fields = append(b.fields, field{name, i})
	}
	return b
}

// Place returns the place of a key among the fields of T that are bound, in the order in
// which they are looked at; -1 when it is none of them.
func (b Binder[T]) Place(key string) int {
	return slices.IndexFunc(b.fields, func(f field) bool { return f.name == key })
}

// Bind fills dst from data, which must have passed [edge.CheckJSON]. The error
// is a *fault.Error of kind Invalid that names the first parameter of T that is
// at fault.
func (b Binder[T]) Bind(data []byte, dst *T) error {
	_, err := b.BindNoting(data, dst)
	return err
}

// BindNoting is bind that returns the keys whose values change nothing, in no order.
func (b Binder[T]) BindNoting(data []byte, dst *T) (ignored []string, err error) {
	values, err := valuesOf(data)
	if err != nil {
		return nil, err
	}
	for name, value := range values {
		if !b.used[name] && len(value) > 0 && value[0] != 'n' {
			ignored = append(ignored, name)
		}
	}
	v := reflect.ValueOf(dst).Elem()
	for _, f := range b.fields {
		if err := setField(v.Field(f.index), f.name, values[f.name]); err != nil {
			return ignored, err
		}
	}
	return ignored, nil
}

// BindAll is bind that goes on behind a parameter that is at fault, which it leaves
// out: an error for each.
func (b Binder[T]) BindAll(data []byte, dst *T) (errs []error) {
	values, err := valuesOf(data)
	if err != nil {
		return []error{err}
	}
	v := reflect.ValueOf(dst).Elem()
	for _, f := range b.fields {
		if err := setField(v.Field(f.index), f.name, values[f.name]); err != nil {
			v.Field(f.index).SetZero()
			errs = append(errs, err)
		}
	}
	return errs
}

// valuesOf returns what is in an object.
func valuesOf(data []byte) (map[string]json.RawMessage, error) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(data, &values); err != nil || values == nil {
		return nil, fault.New(fault.Invalid, fault.CodeInvalidBody, "",
			"the body must be a JSON object, not %s", KindOf(bytes.TrimSpace(data)))
	}
	return values, nil
}

// Entries returns what is in a list.
func Entries(name string, raw []byte) ([]json.RawMessage, error) {
	if raw[0] != '[' {
		return nil, Mistyped(name, "a list", raw)
	}
	var entries []json.RawMessage
	if err := json.Unmarshal(raw, &entries); err != nil {
		return nil, fault.BadParameter(name, "%s cannot be read", name) // cannot be: the body has been checked
	}
	return entries, nil
}

// Strings is a list of strings; nil when none was sent.
type Strings []string

// SetJSON takes a list.
func (l *Strings) SetJSON(name string, raw []byte) error {
	entries, err := Entries(name, raw)
	if err != nil {
		return err
	}
	*l = make(Strings, len(entries))
	for i, entry := range entries {
		if entry[0] != '"' {
			return Mistyped(name+"."+strconv.Itoa(i), "a string", entry)
		}
		(*l)[i] = Unquote(entry)
	}
	return nil
}

func setField(f reflect.Value, name string, raw []byte) error {
	if len(raw) == 0 || raw[0] == 'n' {
		return nil
	}
	if own, ok := f.Addr().Interface().(Setter); ok {
		return own.SetJSON(name, raw)
	}
	if f.Kind() == reflect.Pointer {
		f.Set(reflect.New(f.Type().Elem()))
		f = f.Elem()
	}
	switch f.Kind() {
	case reflect.String:
		if raw[0] != '"' {
			return Mistyped(name, "a string", raw)
		}
		f.SetString(Unquote(raw))
	case reflect.Bool:
		if raw[0] != 't' && raw[0] != 'f' {
			return Mistyped(name, "true or false", raw)
		}
		f.SetBool(raw[0] == 't')
	case reflect.Int:
		return setInt(f, name, raw)
	case reflect.Float64:
		x, err := number(name, "a number", raw)
		f.SetFloat(x)
		return err
	}
	return nil
}

// bindable reports whether setField knows a type.
func bindable(t reflect.Type) bool {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[Setter]()) {
		return true
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return slices.Contains([]reflect.Kind{reflect.String, reflect.Bool, reflect.Int, reflect.Float64}, t.Kind())
}

func setInt(f reflect.Value, name string, raw []byte) error {
	x, err := number(name, "a whole number", raw)
	if err != nil {
		return err
	}
	if x != math.Trunc(x) || math.Abs(x) > 1<<53 {
		return fault.BadParameter(name, "%s must be a whole number, not %.32s", name, raw)
	}
	f.SetInt(int64(x))
	return nil
}

func number(name, want string, raw []byte) (float64, error) {
	if raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
		return 0, Mistyped(name, want, raw)
	}
	x, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return 0, fault.BadParameter(name, "%s %.32s is out of the range of numbers", name, raw)
	}
	return x, nil
}

func Mistyped(name, want string, raw []byte) error {
	return fault.BadParameter(name, "%s must be %s, not %s", name, want, KindOf(raw))
}

// KindOf names the sort of a JSON value.
func KindOf(raw []byte) string {
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '"':
		return "a string"
	case '{':
		return "an object"
	case '[':
		return "an array"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	default:
		return "a number"
	}
}

// Unquote returns the text of a JSON string.
func Unquote(raw []byte) string {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "" // cannot be: the body has been checked
	}
	return s
}
