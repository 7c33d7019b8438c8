package measure_test

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vaak/catalogue"
	"vaak/catalogue/measure"
	"vaak/catalogue/measure/talk"
)

var (
	quoted   = regexp.MustCompile("`([^`\n]+)`")
	firstRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|")
)

// TestDocsNameEveryFigure checks docs/measurements.md against the types: each name
// of a figure stands there, and each row is about one that there is.
func TestDocsNameEveryFigure(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/measurements.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	named := map[string]bool{}
	for _, m := range quoted.FindAllStringSubmatch(page, -1) {
		for part := range strings.SplitSeq(m[1], ".") {
			named[part] = true
		}
	}
	names := map[string]bool{}
	for _, of := range []reflect.Type{
		reflect.TypeFor[catalogue.Profile](), reflect.TypeFor[catalogue.Specification](),
		reflect.TypeFor[catalogue.Measurements](), reflect.TypeFor[catalogue.Transcripts](), reflect.TypeFor[catalogue.Waveform](),
	} {
		jsonNames(of, names)
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !named[name] {
			t.Errorf("docs/measurements.md does not name %s", name)
		}
	}
	params := talk.NewDetector(8000, 2).Finish().Params
	for name, v := range params {
		if row := fmt.Sprintf("| `%s` | %v |", name, v); !strings.Contains(page, row) {
			t.Errorf("docs/measurements.md has no row %s", row)
		}
	}
	for _, m := range firstRow.FindAllStringSubmatch(page, -1) {
		for part := range strings.SplitSeq(m[1], ".") {
			if _, param := params[part]; !param && !names[part] && part != "params" {
				t.Errorf("docs/measurements.md has a row of %s, which is no figure", part)
			}
		}
	}
	for _, version := range []string{measure.Method, measure.ProfileMethod, measure.ProfileVersion, talk.VAD} {
		if !strings.Contains(page, "`"+version+"`") {
			t.Errorf("docs/measurements.md does not name %s", version)
		}
	}
}

// jsonNames adds the names of a type's fields, and of those below.
func jsonNames(t reflect.Type, to map[string]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		jsonNames(t.Elem(), to)
	case reflect.Struct:
		for i := range t.NumField() {
			if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" {
				to[name] = true
				jsonNames(t.Field(i).Type, to)
			}
		}
	}
}
