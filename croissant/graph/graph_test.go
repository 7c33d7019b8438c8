package graph_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/croissant/graph"
)

// open reads a document with a context that gives it a vocabulary.
func open(t *testing.T, text string) (*graph.Document, *graph.Graph) {
	t.Helper()
	d := graph.Read([]byte(text))
	d.Prepare(map[string]any{"@vocab": "https://schema.org/"})
	g := d.Expand()
	if g.Err != "" {
		t.Fatalf("Expand(%s): %s", text, g.Err)
	}
	return d, g
}

func TestRead(t *testing.T) {
	t.Parallel()
	d := graph.Read([]byte(` {"a": [1, -2.50e+3, 12345678901234567890, "\u0939é\n", true, false, null, {}, []]} `))
	want := map[string]any{"a": []any{
		json.Number("1"), json.Number("-2.50e+3"), json.Number("12345678901234567890"),
		"हé\n", true, false, nil, map[string]any{}, []any{},
	}}
	if diff := cmp.Diff(want, d.Root); diff != "" || len(d.Problems) > 0 {
		t.Errorf("Read: %v (-want +got)\n%s", d.Problems, diff)
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "{", "}", "[1", "[1,]", `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `{"a":01}`, `{"a":1.}`, `{"a":.5}`,
		`{"a":+1}`, `{"a":NaN}`, `{"a":tru}`, `"\x"`, `"\u12"`, `"a`, "\"a\nb\"", `[1 2]`, `{"a":1 "b":2}`, "'a'", `"\`, "-", "//",
	} {
		if d := graph.Read([]byte(text)); d.Readable || len(d.Problems) != 1 {
			t.Errorf("Read(%q) = %v, problems %v; want one problem", text, d.Root, d.Problems)
		}
	}
}

// FuzzRead compares what is accepted with the standard library.
func FuzzRead(f *testing.F) {
	for _, s := range []string{`{"a":[1,"\ud83d\ude00",{"b":null}]}`, `[[[]]]`, `"\ud800"`, `{"a":1,"a":2}`, "\ufeff{}", "{}x", `-0.1e5`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		d := graph.Read(document)
		clean := d.Readable && len(d.Problems) == 0
		if clean && !json.Valid(document) {
			t.Errorf("Read(%q) accepts what is not JSON", document)
		}
		if json.Valid(document) && !d.Readable && !strings.Contains(d.Problems[0].Message, "values") {
			t.Errorf("Read(%q) refuses JSON: %v", document, d.Problems)
		}
	})
}

func TestPointers(t *testing.T) {
	t.Parallel()
	_, g := open(t, `{"@context": {"@vocab": "https://schema.org/", "s": "https://schema.org/", "n": {"@id": "s:n", "@container": "@language"}},
		"@id": "root", "a/b": {"@id": "x", "c": [1, null, {"@id": "y", "d": 2}, {"@value": "v"}]},
		"s:e": "prefixed", "e": "plain", "n": {"en": "one", "hi": ["two", "three"]}, "l": {"@set": ["p", "q"]}}`)
	got := map[string]string{}
	for _, n := range g.Nodes {
		got[n.Written] = n.Pointer
		for _, p := range n.Properties {
			for _, v := range p.Values {
				if s, ok := v.Text(); ok {
					got[s] = v.Pointer
				}
			}
		}
	}
	want := map[string]string{
		"root": "", "x": "/a~1b", "y": "/a~1b/c/2", "v": "/a~1b/c/3", "prefixed": "/s:e", "plain": "/e",
		"one": "/n/en", "two": "/n/hi/0", "three": "/n/hi/1", "p": "/l/@set/0", "q": "/l/@set/1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Expand: pointers (-want +got)\n%s", diff)
	}
}

func TestOneNode(t *testing.T) {
	t.Parallel()
	_, g := open(t, `{"@context": {"@vocab": "https://schema.org/"}, "@graph": [
		{"@id": "a", "knows": {"@id": "b"}}, {"@id": "b", "name": "B", "knows": {"@id": "a", "name": "again"}}]}`)
	if len(g.Nodes) != 2 || len(g.Duplicates) != 1 || g.Duplicates[0].Node.ID != "a" || g.Root() != nil {
		t.Fatalf("Expand: %d nodes, duplicates %v, root %v; want 2, one of a, none", len(g.Nodes), g.Duplicates, g.Root())
	}
	b := g.Nodes[0].Values("https://schema.org/knows")[0].Node
	if b.ID != "b" || b.Values("https://schema.org/knows")[0].Node != g.Nodes[0] {
		t.Errorf("Expand: a knows %v, want b, which knows a", b)
	}
}

func TestName(t *testing.T) {
	t.Parallel()
	d, _ := open(t, `{"@context": {"@vocab": "https://schema.org/", "cr": "http://mlcommons.org/croissant/", "citeAs": "cr:citeAs"}}`)
	for iri, want := range map[string]string{
		"https://schema.org/name":               "name",
		"http://mlcommons.org/croissant/citeAs": "citeAs",
		"http://mlcommons.org/croissant/field":  "cr:field",
		"http://purl.org/dc/terms/conformsTo":   "conformsTo",
	} {
		if got := d.Name(iri); got != want {
			t.Errorf("Name(%q) = %q, want %q", iri, got, want)
		}
	}
}
