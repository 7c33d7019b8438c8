package check_test

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/croissant"
	"vaak/croissant/check"
)

// The documents of testdata/changes are those of its two bases with changes, each of
// which is wrong in one way as a rule. conformance/croissant/corpus.py holds the
// reference library against the same table, so a finding is loadable exactly where the
// library takes a document that has nothing else.

// changed is a line of changes.json.
type changed struct {
	Name    string
	Version croissant.Version          // of the base
	Set     map[string]json.RawMessage // by their JSON Pointers
	Drop    []string                   // JSON Pointers
	Found   []string                   // code, path, and "loadable" where it is, of each finding
	Loads   bool                       // the reference library takes it
}

// TestLengthyLoadableChanges checks the findings in each changed document, and whether they are
// loadable. They all are where the library takes the document, and only there.
func TestLengthyLoadableChanges(t *testing.T) {
	if testing.Short() {
		t.Skip("checks hundreds of documents")
	}
	t.Parallel()
	text, err := os.ReadFile("testdata/changes/changes.json")
	if err != nil {
		t.Fatal(err)
	}
	var all []changed
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	tested := map[string]bool{}
	for _, c := range all {
		t.Run(c.Name+" "+string(c.Version), func(t *testing.T) {
			report := check.Validate(c.document(t))
			var found []string
			for _, f := range slices.Concat(report.Errors, report.Warnings) {
				line := f.Code + " " + f.Path
				if f.Loadable {
					line += " loadable"
				}
				found = append(found, line)
				tested[f.Code] = true
			}
			if d := cmp.Diff(c.Found, found); d != "" && len(c.Found)+len(found) > 0 {
				t.Errorf("findings (-want +got):\n%s", d)
			}
			if loadable(report) != c.Loads {
				t.Errorf("all findings are loadable = %t, the reference library loads it = %t: %q", loadable(report), c.Loads, found)
			}
		})
	}
	for _, rule := range check.Rules() {
		if !tested[rule.Code] {
			t.Errorf("no change is found by %s", rule.Code)
		}
	}
}

// loadable reports whether all findings of a report are.
func loadable(r check.Report) bool {
	return !slices.ContainsFunc(slices.Concat(r.Errors, r.Warnings), func(f check.Finding) bool { return !f.Loadable })
}

// TestLoadableCorpus checks that all findings in a document of the corpus are loadable
// where the reference library takes it, and only there.
func TestLoadableCorpus(t *testing.T) {
	t.Parallel()
	check := func(directory, file string, refused bool) {
		if r := check.Validate(document(t, directory, file)); loadable(r) == refused {
			t.Errorf("%s/%s: the library refuses it = %t, and the findings are %+v", directory, file, refused, slices.Concat(r.Errors, r.Warnings))
		}
	}
	for _, directory := range []string{"bad", "warned"} {
		for _, want := range expectations(t, directory+".tsv") {
			check(directory, want.file, want.refused)
		}
	}
	for _, f := range lines(t, "good.tsv", 2) {
		check("good", f[0], false)
	}
}

// document is the base with the changes.
func (c changed) document(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/changes/base-" + string(c.Version) + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var root any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	for _, pointer := range slices.Sorted(maps.Keys(c.Set)) {
		root = changeAt(t, root, steps(pointer), func(any) any { return c.Set[pointer] })
	}
	for _, pointer := range c.Drop {
		root = changeAt(t, root, steps(pointer), nil)
	}
	text, err = json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// steps are the names in a JSON Pointer.
func steps(pointer string) []string {
	names := strings.Split(pointer, "/")[1:]
	for i, name := range names {
		names[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
	}
	return names
}

// changeAt returns a value in which the member that way leads to is what to makes of it, or
// is gone where to is nil.
func changeAt(t *testing.T, value any, way []string, to func(any) any) any {
	t.Helper()
	if len(way) == 0 {
		return to(value)
	}
	last := len(way) == 1 && to == nil
	switch v := value.(type) {
	case json.RawMessage: // of another change
		var inner any
		if err := json.Unmarshal(v, &inner); err != nil {
			t.Fatal(err)
		}
		return changeAt(t, inner, way, to)
	case map[string]any:
		if last {
			delete(v, way[0])
		} else {
			v[way[0]] = changeAt(t, v[way[0]], way[1:], to)
		}
		return v
	case []any:
		i, err := strconv.Atoi(way[0])
		if err != nil || i > len(v) {
			t.Fatalf("%q is not an index of %v", way[0], v)
		}
		if last {
			return slices.Delete(v, i, i+1)
		}
		if i == len(v) {
			v = append(v, nil)
		}
		v[i] = changeAt(t, v[i], way[1:], to)
		return v
	}
	t.Fatalf("%q leads into %v", way, value)
	return nil
}
