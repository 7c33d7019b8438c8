package catalogue

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A field is in gaps if and only if it is null in the record as it is written.
func TestGapsAreTheNulls(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var d Dataset
		draw(t, reflect.ValueOf(&d).Elem(), false)
		d.Gaps = Gaps(&d)
		text, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(text, &v); err != nil {
			t.Fatal(err)
		}
		want := []string{}
		nulls(v, "", &want)
		slices.Sort(want)
		if diff := cmp.Diff(want, d.Gaps); diff != "" {
			t.Errorf("gaps (-nulls of the document +gaps):\n%s", diff)
		}
	})
}

func nulls(v any, name string, out *[]string) {
	switch v := v.(type) {
	case nil:
		*out = append(*out, name)
	case map[string]any:
		for k, x := range v {
			if name != "" {
				k = name + "." + k
			}
			nulls(x, k, out)
		}
	case []any:
		for i, x := range v {
			nulls(x, name+"["+strconv.Itoa(i)+"]", out) // never a gap: none may be null
		}
	}
}

// draw fills v at random. What is told never to be null is not, and inside of
// lists nothing is.
func draw(t *rapid.T, v reflect.Value, whole bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if whole || rapid.Bool().Draw(t, "there") {
			v.Set(reflect.New(v.Type().Elem()))
			draw(t, v.Elem(), whole)
		}
	case reflect.Slice:
		if whole || rapid.Bool().Draw(t, "there") {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			draw(t, v.Index(0), true)
		}
	case reflect.Map:
		if whole || rapid.Bool().Draw(t, "there") {
			v.Set(reflect.MakeMap(v.Type()))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			f := v.Type().Field(i)
			never := f.Tag.Get("nullable") == "false" && (f.Type.Kind() == reflect.Slice || f.Type.Kind() == reflect.Map)
			draw(t, v.Field(i), whole || never)
		}
	case reflect.String:
		v.SetString("x")
	}
}

func TestGapsOfAnEmptyRecord(t *testing.T) {
	t.Parallel()
	got := Gaps(&Dataset{Sample: &Sample{}})
	for _, want := range []string{"channels", "language.nativeName", "sample.metrics.lexical", "sample.transcript", "specification"} {
		if !slices.Contains(got, want) {
			t.Errorf("Gaps lacks %q: %v", want, got)
		}
	}
	if slices.Contains(got, "sample.metrics.turnTaking") || slices.Contains(got, "sample") {
		t.Errorf("Gaps names what does not apply, or is there: %v", got)
	}
}
