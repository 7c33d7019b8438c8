package check_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// odd are values that stand where others are expected.
func odd() []string {
	return []string{
		`null`, `true`, `0`, `-1.5e9`, `""`, `"x"`, `"a b"`, `[]`, `{}`, `[[]]`, `[null]`, `"calls.csv"`, `"@id"`, `"cr:x"`, `"_:b"`,
		`{"@id": "calls/id"}`, `{"@id": 1}`, `{"@value": "x"}`, `{"@value": 1, "@language": "en"}`, `{"@value": {"a": 1}}`,
		`{"@value": [1], "@type": "@json"}`, `{"@list": [1, {"@id": "a"}]}`, `{"@set": ["a", null]}`, `{"@type": "cr:Field"}`,
		`{"@type": ["cr:FileObject", "cr:FileSet"], "@id": "audio"}`, `{"en": "x", "hi": ["y"]}`, `{"field": {"@id": "calls/id"}}`,
		`{"@id": "cr:x", "@type": "@id"}`, `{"@id": "@type"}`, `{"@container": "@language"}`, `{"@container": "@list", "@id": "cr:y"}`,
		`{"@reverse": "cr:z"}`, `{"@id": "cr:q", "@type": "@json"}`, `["en", {"@value": "x", "@direction": "up"}]`, `{"@graph": [{"@id": "g"}]}`,
	}
}

// oddNames are members that mean something somewhere.
func oddNames() []string {
	return []string{
		"@id", "@type", "@value", "@language", "@list", "@set", "@graph", "@reverse", "@nest", "@included", "@index", "@context", "@odd",
		"@vocab", "@base", "@protected", "@version", "@direction", "", "cr:x", "cr", "sc", "name", "source", "data", "field", "containedIn", "://", "a:b",
	}
}

// TestLaws edits documents at random and checks what holds of all reports, and that
// the same document always has the same report.
func TestLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		d := newDocument(rapid.SampledFrom([]string{"1.0", "1.1"}).Draw(r, "version"))
		for i := range rapid.IntRange(1, 4).Draw(r, "edits") {
			all := pointers("", d)
			pointer := rapid.SampledFrom(all).Draw(r, fmt.Sprint("pointer", i))
			if rapid.Bool().Draw(r, fmt.Sprint("inside", i)) {
				pointer += "/" + rapid.SampledFrom(oddNames()).Draw(r, fmt.Sprint("name", i))
			}
			put(d, pointer, rapid.SampledFrom(odd()).Draw(r, fmt.Sprint("value", i)))
		}
		document := encode(d)
		if first, again := checkLaws(t, document), checkLaws(t, document); !bytes.Equal(first, again) {
			r.Errorf("Validate(%s) says\n%s\nand then\n%s", document, first, again)
		}
	})
}

// pointers returns where values are in a document, in order.
func pointers(at string, v any) []string {
	var out []string
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			p := at + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(k)
			out = append(append(out, p), pointers(p, v[k])...)
		}
	case []any:
		for i, e := range v {
			p := fmt.Sprint(at, "/", i)
			out = append(append(out, p), pointers(p, e)...)
		}
	}
	return out
}

// put puts JSON at a pointer whose last part may be a new member; of anything else
// it does nothing.
func put(document any, pointer, text string) {
	parts := strings.Split(pointer, "/")[1:]
	for i, part := range parts {
		part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch at := document.(type) {
		case map[string]any:
			if i == len(parts)-1 {
				at[part] = decode(text)
			}
			document = at[part]
		case []any:
			var n int
			if _, err := fmt.Sscan(part, &n); err != nil || n >= len(at) {
				return
			}
			if i == len(parts)-1 {
				at[n] = decode(text)
			}
			document = at[n]
		}
	}
}
