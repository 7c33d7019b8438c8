package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/croissant/graph"
)

// Of a context that the library refuses, the terms at fault must be told, each once,
// and the others must keep their meaning.
func TestPrepareFindsTheTermAtFault(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		terms string
		want  string // pointers of the problems, with commas
		means string // what "t" means
	}{
		"type":                 {`"t":"https://x.example/","bad":{"@id":"t:a","@type":"nope nope"}`, "/@context/bad", "https://x.example/"},
		"chain":                {`"bad":{"@id":"zzz"},"t":"b:2","b":"a:1/","a":"https://x.example/"`, "/@context/bad", "https://x.example/1/2"},
		"itself":               {`"t":"t:a","b":"https://x.example/"`, "/@context/t", ""},
		"circle of two":        {`"a":"b:1","b":"a:2","t":"https://x.example/"`, "/@context/b", "https://x.example/"},
		"circle by types":      {`"@vocab":"https://v.example/","t":{"@id":"https://x.example/","@type":"b"},"b":{"@id":"https://y.example/","@type":"t"},"bad":{"@id":"zzz","@type":"_:b"}`, "/@context/bad", "https://x.example/"},
		"name with a colon":    {`"a":"https://x.example/","t":"a:b/c","a:b/c":{"@type":"@id"},"u":"a:b/c","bad":"zzz"`, "/@context/bad", "https://x.example/b/c"},
		"keyword":              {`"@protected":true,"@type":{"@container":"@list"},"t":"https://x.example/"`, "/@context/@type", "https://x.example/"},
		"several":              {`"bad1":"zzz","bad2":{"@id":"zzz"},"t":"https://x.example/"`, "/@context/bad1,/@context/bad2", "https://x.example/"},
		"written with the bad": {`"bad":{"@id":"https://x.example/","@type":"nope nope"},"t":"bad:x"`, "/@context/bad", "bad:x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := graph.Read([]byte(`{"@context": {` + tt.terms + `}, "t": 1}`))
			d.Prepare(nil)
			var at []string
			for _, p := range d.Problems {
				at = append(at, p.Pointer)
			}
			slices.Sort(at)
			if got := strings.Join(at, ","); got != tt.want {
				t.Errorf("Prepare(%s): problems at %q, want %q", tt.terms, got, tt.want)
			}
			var means string
			for iri := range d.Expand().Root().Properties {
				means = iri
			}
			if means != tt.means {
				t.Errorf("Prepare(%s): t means %q, want %q", tt.terms, means, tt.means)
			}
		})
	}
}

// A chain of terms must be followed once, however many terms it has.
func TestPrepareFollowsChainsOnce(t *testing.T) {
	var b strings.Builder
	for i := 1; i < 900; i++ {
		fmt.Fprintf(&b, `"t%d":"t%d:a",`, i, i-1)
	}
	document := []byte(`{"@context": {"t0":"https://x.example/",` + b.String() + `"bad":"zzz"}, "t899": 1}`)
	allocs := testing.AllocsPerRun(1, func() {
		d := graph.Read(document)
		if d.Prepare(nil); len(d.Problems) != 1 {
			t.Errorf("Prepare: problems %v, want one", d.Problems)
		}
	})
	if allocs > 300_000 { // 900 chains of up to 900 terms make more than a million
		t.Errorf("Prepare takes %.0f allocations for 900 terms, want at most 300,000", allocs)
	}
}

func TestValuesOfNothing(t *testing.T) {
	t.Parallel()
	for _, nothing := range []string{`[]`, `null`, `[null]`, `[[]]`, `{"@set": []}`, `{"@value": null}`} {
		_, g := open(t, `{"@context": {"@vocab": "https://schema.org/"}, "a": 1, "x": `+nothing+`}`)
		if got := g.Root().Values("https://schema.org/x"); got != nil {
			t.Errorf("Values of %s = %#v, want nil", nothing, got)
		}
	}
}

func TestValuesOfLists(t *testing.T) {
	t.Parallel()
	_, g := open(t, `{"@context": {"@vocab": "https://schema.org/", "l": {"@id": "https://schema.org/l", "@container": "@list"}},
		"x": ["a", {"@list": ["b", {"@list": [{"@id": "n", "name": "N"}]}]}, "c"], "l": ["d", "e"], "y": {"@id": "n"}}`)
	var got []string
	for _, iri := range []string{"x", "l"} {
		for _, v := range g.Root().Values("https://schema.org/" + iri) {
			_, text := v.Text()
			got = append(got, fmt.Sprint(v.Pointer, " ", v.Literal, " ", text, " ", v.List))
		}
	}
	want := []string{"/x/0 a true false", "/x/1 <nil> false true", "/x/2 c true false", "/l <nil> false true"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Values of lists (-want +got)\n%s", diff)
	}
	if n := g.Root().Values("https://schema.org/y")[0].Node; !n.Defined || n.Pointer != "/x/1/@list/1/@list/0" {
		t.Errorf("node in a list = %+v, want it defined there", n)
	}
}

func TestSameDefinitions(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		a, b string
		want int // duplicates
	}{
		"equal":              {`"@type": "Person", "name": ["A", "B"]`, `"@type": "Person", "name": ["A", "B"]`, 0},
		"in another order":   {`"name": "A", "age": 1.0`, `"age": 1.0, "name": "A"`, 0},
		"things inside":      {`"home": {"name": "x", "in": {"@id": "y"}}`, `"home": {"name": "x", "in": {"@id": "y"}}`, 0},
		"JSON inside":        {`"j": {"a": [1]}`, `"j": {"a": [1]}`, 0},
		"another type":       {`"@type": "Person", "name": "A"`, `"@type": "Thing", "name": "A"`, 1},
		"another text":       {`"name": "A"`, `"name": "B"`, 1},
		"another name":       {`"name": "A"`, `"title": "A"`, 1},
		"more":               {`"name": "A"`, `"name": "A", "age": 1`, 1},
		"less":               {`"name": "A", "age": 1`, `"name": "A"`, 1},
		"another language":   {`"name": {"@value": "A", "@language": "en"}`, `"name": {"@value": "A", "@language": "hi"}`, 1},
		"other things":       {`"home": {"name": "x"}`, `"home": {"name": "y"}`, 1},
		"other references":   {`"home": {"@id": "x"}`, `"home": {"@id": "y"}`, 1},
		"text for a thing":   {`"home": {"name": "x"}`, `"home": "x"`, 1},
		"other JSON":         {`"j": {"a": [1]}`, `"j": {"a": [2]}`, 1},
		"itself inside":      {`"home": {"@id": "n", "name": "A"}`, `"home": {"@id": "n", "name": "A"}`, 2},
		"nothing and a type": {`"name": "A"`, `"@type": "Person"`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, g := open(t, `{"@context": {"@vocab": "https://schema.org/", "j": {"@id": "https://schema.org/j", "@type": "@json"}},
				"x": {"@id": "n", `+tt.a+`}, "y": {"@id": "n", `+tt.b+`}}`)
			if got := len(g.Duplicates); got != tt.want {
				t.Errorf("Expand of {%s} and {%s}: %d duplicates, want %d", tt.a, tt.b, got, tt.want)
			}
		})
	}
}
