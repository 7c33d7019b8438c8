package document

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"vaak/internal/fault"
)

// Binder fills structs of type T from objects. A key belongs to the field whose json tag is
// exactly the same. Keys that T does not have are ignored, and so is null.
//
// A field is a string, bool, int or float64, a pointer to one of them where a value that was
// not sent differs from the zero value, or a [Setter]. The tag bind:"ignore" marks a field
// that is described and not read; bind:"any" one that is not read either because every value
// asks for what happens anyway, so that it does not count as ignored.
type Binder[T any] struct {
	fields  []field
	byKey   map[string]int // index in fields
	settled map[string]bool
}

// field is a field of T that is read.
type field struct {
	key   string
	index int // in T
}

// Setter is a field that reads its own value.
type Setter interface {
	// SetJSON takes a value that was sent and is not null. Its error is a *fault.Error that
	// names the value or a part of it.
	SetJSON(v Value) error
}

// NewBinder returns the binder of T. It panics when T has a field that cannot be read.
func NewBinder[T any]() Binder[T] {
	t := reflect.TypeFor[T]()
	b := Binder[T]{byKey: map[string]int{}, settled: map[string]bool{}}
	for i := range t.NumField() {
		f := t.Field(i)
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		how := f.Tag.Get("bind")
		if key == "" || key == "-" || how == "ignore" {
			continue
		}
		if how == "any" {
			b.settled[key] = true
			continue
		}
		if !bindable(f.Type) {
			panic(fmt.Sprintf("document: field %s of %s cannot be bound", f.Name, t))
		}
		b.byKey[key] = len(b.fields)
		b.fields = append(b.fields, field{key, i})
	}
	return b
}

// Rank returns the place of a key in the order in which keys are looked at, which is that of
// the fields of T; -1 for a key that is not read.
func (b Binder[T]) Rank(key string) int {
	return slices.IndexFunc(b.fields, func(f field) bool { return f.key == key })
}

// Bind fills dst from an object. The error is a *fault.Error of kind Invalid about the first
// field of T whose value is wrong, whatever the order in the document.
func (b Binder[T]) Bind(v Value, dst *T) error {
	_, err := b.BindNoting(v, dst)
	return err
}

// BindNoting is [Binder.Bind] that also returns the keys whose values change nothing, in the
// order of the document.
func (b Binder[T]) BindNoting(v Value, dst *T) (ignored []string, err error) {
	values, ignored, err := b.values(v)
	if err != nil {
		return nil, err
	}
	// In the order of the fields, so that the same body always gives the same error.
	for i := range b.fields {
		if err := b.set(i, values[i], dst); err != nil {
			return ignored, err
		}
	}
	return ignored, nil
}

// BindAll is [Binder.Bind] that goes on after a value that is wrong, whose field stays zero.
// It returns a fault for each.
func (b Binder[T]) BindAll(v Value, dst *T) (wrong []*fault.Error) {
	values, _, err := b.values(v)
	if err != nil {
		return []*fault.Error{faultOf(err)}
	}
	for i, f := range b.fields {
		if err := b.set(i, values[i], dst); err != nil {
			// A Setter may have written a part before it failed.
			reflect.ValueOf(dst).Elem().Field(f.index).SetZero()
			wrong = append(wrong, faultOf(err))
		}
	}
	return wrong
}

// faultOf returns the fault that every error of a value is.
func faultOf(err error) *fault.Error {
	f, ok := errors.AsType[*fault.Error](err)
	if !ok {
		panic(fmt.Sprintf("document: a value was refused by %v", err)) // a Setter that breaks its contract
	}
	return f
}

// values returns the value of each field, and the keys that are ignored.
func (b Binder[T]) values(v Value) (values []Value, ignored []string, err error) {
	if v.Kind() != Object {
		return nil, nil, fault.New(fault.Invalid, fault.CodeInvalidBody, "", "the body must be a JSON object, not %s", v.Kind())
	}
	values = make([]Value, len(b.fields))
	v.members(func(key, raw []byte) bool {
		if i, ok := b.byKey[string(key)]; ok { // without a copy of the key
			values[i] = Value{v.within(b.fields[i].key), raw}
		} else if raw[0] != 'n' && !b.settled[string(key)] {
			ignored = append(ignored, string(key))
		}
		return true
	})
	return values, ignored, nil
}

// set fills the field i from its value.
func (b Binder[T]) set(i int, v Value, dst *T) error {
	if !v.Sent() {
		return nil
	}
	f := reflect.ValueOf(dst).Elem().Field(b.fields[i].index)
	// Before the kinds, because a Setter may be a string or a list underneath.
	if own, ok := f.Addr().Interface().(Setter); ok {
		return own.SetJSON(v)
	}
	if f.Kind() == reflect.Pointer {
		f.Set(reflect.New(f.Type().Elem()))
		f = f.Elem()
	}
	kind := v.Kind()
	switch f.Kind() {
	case reflect.String:
		if kind != String {
			return v.Mistyped("a string")
		}
		f.SetString(v.Text())
	case reflect.Bool:
		if kind != Boolean {
			return v.Mistyped("true or false")
		}
		f.SetBool(v.Bool())
	case reflect.Int:
		x, err := v.number("a whole number")
		if err != nil {
			return err
		}
		// Beyond 2^53 a float64 does not hold every whole number.
		if x != math.Trunc(x) || math.Abs(x) > 1<<53 {
			return fault.BadParameter(v.Name, "%s must be a whole number, not %.32s", v.Name, v.raw)
		}
		f.SetInt(int64(x))
	case reflect.Float64:
		x, err := v.number("a number")
		if err != nil {
			return err
		}
		f.SetFloat(x)
	}
	return nil
}

// number returns a number, or says that the value is none or out of range.
func (v Value) number(want string) (float64, error) {
	if v.Kind() != Number {
		return 0, v.Mistyped(want)
	}
	x, ok := v.Float()
	if !ok {
		return 0, v.outOfRange()
	}
	return x, nil
}

// bindable reports whether set knows a type.
func bindable(t reflect.Type) bool {
	if reflect.PointerTo(t).Implements(reflect.TypeFor[Setter]()) {
		return true
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return slices.Contains([]reflect.Kind{reflect.String, reflect.Bool, reflect.Int, reflect.Float64}, t.Kind())
}

// Strings is a field that holds a list of strings; nil when none was sent.
type Strings []string

// SetJSON takes an array of strings.
func (l *Strings) SetJSON(v Value) error {
	if v.Kind() != Array {
		return v.Mistyped("a list")
	}
	entries := v.Entries()
	*l = make(Strings, len(entries))
	for i, entry := range entries {
		if entry.Kind() != String {
			return entry.Mistyped("a string")
		}
		(*l)[i] = entry.Text()
	}
	return nil
}
