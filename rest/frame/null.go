package frame

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// OrNull is a T or, in its zero value, null.
type OrNull[T any] struct{ Value *T }

// MarshalJSON writes it.
func (o OrNull[T]) MarshalJSON() ([]byte, error) { return json.Marshal(o.Value) }

// Schema describes it.
func (OrNull[T]) Schema(r huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{
		r.Schema(reflect.TypeFor[T](), true, ""), {Type: "null"},
	}}
}

// DescribeNulls corrects the description of fields that are null when their value is not known.
// Huma describes pointers to objects as optional, and lists as never null.
func DescribeNulls(desc huma.API, records ...reflect.Type) {
	registry := desc.OpenAPI().Components.Schemas
	seen := map[reflect.Type]bool{}
	for _, t := range records {
		nullsIn(registry, t, seen)
	}
}

func nullsIn(registry huma.Registry, t reflect.Type, seen map[reflect.Type]bool) {
	// The record may be behind pointers and in lists.
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] || t.PkgPath() == "time" {
		return
	}
	// Before the fields, so that a type that contains itself ends.
	seen[t] = true
	schema := registry.Schema(t, true, "")
	if schema.Ref != "" {
		schema = registry.SchemaFromRef(schema.Ref)
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if p := schema.Properties[name]; p != nil {
			schema.Properties[name] = nullable(p, f, strings.Contains(options, "omit"))
		}
		nullsIn(registry, f.Type, seen)
	}
	// Huma takes what is no pointer for required. Here a field is required if it is always written,
	// and null is a value.
	schema.Required = slices.DeleteFunc(slices.Sorted(maps.Keys(schema.Properties)), func(name string) bool { return omitted(t, name) })
}

// nullable returns the schema of a field. It allows null for a pointer, list or map that is
// written even when it is nil.
func nullable(p *huma.Schema, f reflect.StructField, omits bool) *huma.Schema {
	nils := !omits && f.Tag.Get("nullable") != "false" && slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map}, f.Type.Kind())
	if p.Ref == "" {
		p.Nullable = nils || f.Type.Kind() == reflect.Pointer && !omits
		return p
	}
	if !nils {
		return p
	}
	return &huma.Schema{Description: f.Tag.Get("doc"), AnyOf: []*huma.Schema{p, {Type: "null"}}}
}

// omitted reports whether a field is left out when it is empty.
func omitted(t reflect.Type, name string) bool {
	for i := range t.NumField() {
		if own, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); own == name {
			return strings.Contains(options, "omit")
		}
	}
	return true
}
