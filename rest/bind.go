package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"vaak/internal/fault"
)

// binder fills structs of type T from JSON objects. Keys are matched to the
// json tags of T exactly; keys that T does not have are ignored, and so is null.
//
// A field is a string, bool, int or float64, a pointer to one of them where
// absence matters, or implements jsonField. The tag bind:"ignore" marks a field
// that is only described, and bind:"any" one whose every value asks for what is done
// without it.
type binder[T any] struct {
	fields []field
	used   map[string]bool // keys of fields and of those for which any value will do
}

// field is a field of a struct, by its key in JSON.
type field struct {
	name  string
	index int
}

// jsonField is a field that reads its own value.
type jsonField interface {
	// setJSON takes a value other than null; name is the field's key.
	setJSON(name string, raw []byte) error
}

func newBinder[T any]() binder[T] {
	t := reflect.TypeFor[T]()
	b := binder[T]{used: map[string]bool{}}
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
		b.fields = append(b.fields, field{name, i})
	}
	return b
}

// bind fills dst from data, which must have passed [edge.CheckJSON]. The error
// is a *fault.Error of kind Invalid that names the first parameter of T that is
// at fault.
func (b binder[T]) bind(data []byte, dst *T) error {
	_, err := b.bindNoting(data, dst)
	return err
}

// bindNoting is bind that returns the keys whose values change nothing, in no order.
func (b binder[T]) bindNoting(data []byte, dst *T) (ignored []string, err error) {
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

// bindAll is bind that goes on behind a parameter that is at fault, which it leaves
// out: an error for each.
func (b binder[T]) bindAll(data []byte, dst *T) (errs []error) {
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
			"the body must be a JSON object, not %s", kindOf(bytes.TrimSpace(data)))
	}
	return values, nil
}

// entriesOf returns what is in a list.
func entriesOf(name string, raw []byte) ([]json.RawMessage, error) {
	if raw[0] != '[' {
		return nil, mistyped(name, "a list", raw)
	}
	var entries []json.RawMessage
	if err := json.Unmarshal(raw, &entries); err != nil {
		return nil, fault.BadParameter(name, "%s cannot be read", name) // cannot be: the body has been checked
	}
	return entries, nil
}

// texts is a list of strings; nil when none was sent.
type texts []string

// setJSON takes a list.
func (l *texts) setJSON(name string, raw []byte) error {
	entries, err := entriesOf(name, raw)
	if err != nil {
		return err
	}
	*l = make(texts, len(entries))
	for i, entry := range entries {
		if entry[0] != '"' {
			return mistyped(name+"."+strconv.Itoa(i), "a string", entry)
		}
		(*l)[i] = unquote(entry)
	}
	return nil
}

func setField(f reflect.Value, name string, raw []byte) error {
	if len(raw) == 0 || raw[0] == 'n' {
		return nil
	}
	if own, ok := f.Addr().Interface().(jsonField); ok {
		return own.setJSON(name, raw)
	}
	if f.Kind() == reflect.Pointer {
		f.Set(reflect.New(f.Type().Elem()))
		f = f.Elem()
	}
	switch f.Kind() {
	case reflect.String:
		if raw[0] != '"' {
			return mistyped(name, "a string", raw)
		}
		f.SetString(unquote(raw))
	case reflect.Bool:
		if raw[0] != 't' && raw[0] != 'f' {
			return mistyped(name, "true or false", raw)
		}
		f.SetBool(raw[0] == 't')
	case reflect.Int:
		return setInt(f, name, raw)
	case reflect.Float64:
		x, err := number(name, "a number", raw)
		f.SetFloat(x)
		return err
	default:
		return fmt.Errorf("field %s cannot be bound", name)
	}
	return nil
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
		return 0, mistyped(name, want, raw)
	}
	x, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return 0, fault.BadParameter(name, "%s %.32s is out of the range of numbers", name, raw)
	}
	return x, nil
}

func mistyped(name, want string, raw []byte) error {
	return fault.BadParameter(name, "%s must be %s, not %s", name, want, kindOf(raw))
}

// kindOf names the sort of a JSON value.
func kindOf(raw []byte) string {
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

// unquote returns the text of a JSON string.
func unquote(raw []byte) string {
	var s string
	if err := json.Unmarshal(raw, &s); err != nil {
		return "" // cannot be: the body has been checked
	}
	return s
}
