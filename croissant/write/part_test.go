package write_test

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/croissant"
	"vaak/croissant/check"
	"vaak/croissant/write"
)

// TestParts checks that each part of a document is as valid as the whole, says nothing
// that the whole does not, and that both together say all of it, but for annotations.
func TestParts(t *testing.T) {
	t.Parallel()
	for name, s := range records(t) {
		for _, v := range versions {
			whole := members(t, written(t, s, v))
			sets, _ := whole["recordSet"].([]any)
			for _, set := range sets {
				delete(set.(map[string]any), "annotation")
			}
			rest := maps.Clone(whole)
			for _, part := range []croissant.Part{croissant.Core, croissant.Measured} {
				body, err := write.Document(s, publicURL, v, part)
				if err != nil {
					t.Fatal(err)
				}
				if got, want := check.Validate(body), check.Validate(written(t, s, v)); !cmp.Equal(codesOf(got.Errors), codesOf(want.Errors)) || len(got.Warnings) > len(want.Warnings) {
					t.Errorf("%s of %s in %s: %+v %+v, the whole has %+v", part, name, v, got.Errors, got.Warnings, want.Errors)
				}
				for key, value := range members(t, body) {
					if key == "conformsTo" && part == croissant.Measured {
						continue // without the vocabulary that it does not use
					}
					if d := cmp.Diff(whole[key], value); d != "" {
						t.Errorf("%s of %s in %s: %s is not that of the whole (-whole +part):\n%s", part, name, v, key, d)
					}
					delete(rest, key)
				}
			}
			if len(rest) > 0 {
				t.Errorf("%s in %s: no part has %q", name, v, slices.Sorted(maps.Keys(rest)))
			}
		}
	}
}

// members are the members of a document.
func members(t *testing.T, body []byte) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal(body, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// codesOf returns the codes of findings, each once, in order; nil if there are none.
func codesOf(found []check.Finding) []string {
	var out []string
	for _, f := range found {
		out = append(out, f.Code)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
