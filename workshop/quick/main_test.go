package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// house has a chain a <- b <- c, a test of d that uses b, and a command whose tests are
// long.
func house() []goPackage {
	return []goPackage{
		{ImportPath: "vaak/a"}, {ImportPath: "vaak/b", Imports: []string{"vaak/a"}}, {ImportPath: "vaak/c", Imports: []string{"vaak/b"}},
		{ImportPath: "vaak/d", TestImports: []string{"vaak/b"}}, {ImportPath: "vaak/e"}, {ImportPath: "vaak/cmd/vaak", Imports: []string{"vaak/c"}},
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		files string
		want  string
	}{
		{"README.md docs/x.md", ""},
		{"a/a.go", "vaak/a vaak/b vaak/c vaak/d"},
		{"a/testdata/deep/x.golden", "vaak/a vaak/b vaak/c vaak/d"},
		{"e/e.go workshop/bench/main.go", "vaak/e"},
		{"d/d_test.go", "vaak/d"},
		{"cmd/vaak/main.go", ""},
	} {
		got := modules[0].plan(house(), strings.Fields(tt.files)).test
		if d := cmp.Diff(strings.Fields(tt.want), got, cmp.Transformer("text", func(s []string) string { return strings.Join(s, " ") })); d != "" {
			t.Errorf("%s: -want +got\n%s", tt.files, d)
		}
	}
}

// TestPlanOfAFloor changes what everything uses: it is tested alone, and the plan says so.
func TestPlanOfAFloor(t *testing.T) {
	t.Parallel()
	all := house()
	for i := range most + 1 {
		all = append(all, goPackage{ImportPath: fmt.Sprint("vaak/x", i), Imports: []string{"vaak/a"}})
	}
	p := modules[0].plan(all, []string{"a/a.go"})
	if d := cmp.Diff([]string{"vaak/a"}, p.test); d != "" || !strings.Contains(strings.Join(p.why, "\n"), "left to make check") {
		t.Errorf("%q: -want +got\n%s", p.why, d)
	}
}
