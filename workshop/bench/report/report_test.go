package report

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTable(t *testing.T) {
	t.Parallel()
	tab := &Table{Header: []string{"a", "b", "c"}}
	tab.Add("1", "2", "3")
	const want = "| a | b | c |\n|---|---:|---:|\n| 1 | 2 | 3 |\n"
	if diff := cmp.Diff(want, tab.Markdown()); diff != "" {
		t.Errorf("markdown (-want +got):\n%s", diff)
	}
}

func TestTargets(t *testing.T) {
	t.Parallel()
	var r Report
	AtMost(&r, "fast", 2*time.Millisecond, 2500*time.Microsecond, Millis)
	AtMost(&r, "cheap", 1.5, 1.4, Ratio)
	AtLeast(&r, "busy", 0.95, 0.93, Ratio)
	got := r.Markdown([]Chapter{{"Method", []Part{Prose("As ever.")}}}, Chapter{"The naive server", []Part{Code{"go", "source\n"}}})
	for _, want := range []string{
		"| fast | ≤ 2.50 ms | 2.00 ms | yes |",
		"| cheap | ≤ 1.40 | 1.50 | **no** |",
		"| busy | ≥ 0.93 | 0.95 | yes |",
		"2 of 3 targets reached.",
		"## Method\n\nAs ever.\n\n## Targets\n", "## The naive server\n\n```go\nsource\n```\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the document lacks %q", want)
		}
	}
}

func TestCharacters(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{20: "20", 500: "500", 1081: "1,081", 5000: "5,000"} {
		if got := Characters(n); got != want {
			t.Errorf("characters(%d) = %q, want %q", n, got, want)
		}
	}
}
