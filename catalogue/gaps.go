package catalogue

import (
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Gaps returns the names of the fields of d that are null, sorted. A name is a path with dots,
// such as "sample.metrics.lexical"; of a path that is null, only the outermost name is
// listed. The fields are found by reflection, so that a new field cannot be forgotten.
func Gaps(d *Dataset) []string {
	out := []string{}
	walk(reflect.ValueOf(d).Elem(), "", &out)
	slices.Sort(out)
	return out
}

// nullable is a field that may be null, or that has such fields.
type nullable struct {
	index int
	name  string
	leaf  bool // nothing inside can be null
	omits bool // nil leaves it out (omitempty), which is not a gap
}

var nullables sync.Map // from reflect.Type to []nullable

func walk(v reflect.Value, prefix string, out *[]string) {
	for _, f := range nullablesOf(v.Type()) {
		field := v.Field(f.index)
		switch {
		case field.Kind() == reflect.Struct:
			walk(field, prefix+f.name+".", out)
		case field.IsNil() && f.omits:
		case field.IsNil():
			*out = append(*out, prefix+f.name)
		case !f.leaf:
			walk(field.Elem(), prefix+f.name+".", out)
		}
	}
}

// nullablesOf returns the fields of a struct that matter for gaps: those that are written as
// null when they are nil, and structs.
func nullablesOf(t reflect.Type) []nullable {
	if known, ok := nullables.Load(t); ok {
		return known.([]nullable)
	}
	var list []nullable
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || name == "gaps" {
			continue
		}
		omits := strings.Contains(options, "omit")
		switch f.Type.Kind() {
		case reflect.Pointer:
			// A pointer with omitempty can still have gaps inside when it is set.
			inside := f.Type.Elem().Kind() == reflect.Struct && hasFields(f.Type.Elem())
			if !omits || inside {
				list = append(list, nullable{i, name, !inside, omits})
			}
		case reflect.Slice, reflect.Map:
			if !omits && f.Tag.Get("nullable") != "false" {
				list = append(list, nullable{i, name, true, omits})
			}
		case reflect.Struct:
			if hasFields(f.Type) {
				list = append(list, nullable{i, name, false, omits})
			}
		}
	}
	nullables.Store(t, list)
	return list
}

// hasFields reports whether a struct is written as a JSON object; time.Time is not.
func hasFields(t reflect.Type) bool {
	for i := range t.NumField() {
		if t.Field(i).Tag.Get("json") != "" {
			return true
		}
	}
	return false
}
