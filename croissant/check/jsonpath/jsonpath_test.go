package jsonpath

import "testing"

func TestCheck(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"$": true, "$.a": true, "a": true, "$.a.b[0]": true, "$..a": true, "$.*": true, "$[*]": true,
		"$[*].a": true, "$['a b']": true, `$["a"]`: true, "$[0:2]": true, "$[:]": true, "$[-1]": true,
		"a,b": true, "$.a[b,c]": true, "($.a)|b": true, "a where b": true, "`this`": true,
		"$.a.`parent`": true, "$..[*]": true, "[0]": true, "@.a": true, "a-b": true,
		"$.": false, ".a": false, "$.a[": false, "$.a[]": false, "$.a[?(@.b)]": false, "$a": false,
		"$.a b": false, "$['a": false, "$.1": false, "`nothing`": false, "(a": false, "a)": false,
		"$[0,1]": false, "$[0:1:2]": false, "$.a,": false, "|": false, "-": false, "é": false, "a&&b": false,
	} {
		if wrong := Check(path); (wrong == "") != want {
			t.Errorf("Check(%q) = %q, want valid %v", path, wrong, want)
		}
	}
}
