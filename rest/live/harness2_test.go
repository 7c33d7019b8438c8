package live

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"vaak/rest/live/asyncapi"
)

// dig follows keys into nested objects.
func dig(at any, keys ...string) any {
	for _, key := range keys {
		object, _ := at.(map[string]any)
		at = object[key]
	}
	return at
}

func keys(object any) []string {
	m, _ := object.(map[string]any)
	return slices.Sorted(maps.Keys(m))
}

// walk calls visit with every object of a document.
func walk(at any, visit func(map[string]any)) {
	switch v := at.(type) {
	case map[string]any:
		visit(v)
		for _, x := range v {
			walk(x, visit)
		}
	case []any:
		for _, x := range v {
			walk(x, visit)
		}
	}
}

// document returns the description as it is read by programs.
func document(t *testing.T) map[string]any {
	t.Helper()
	text, err := asyncapi.Document()
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := asyncapi.Document(); !bytes.Equal(text, again) {
		t.Error("AsyncAPI differs from call to call")
	}
	if !bytes.HasPrefix(text, []byte("{\n  \"asyncapi\": \"3.0.0\"")) || !bytes.HasSuffix(text, []byte("\n}\n")) {
		t.Error("the document is not indented, or does not end in a newline")
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc.(map[string]any)
}
