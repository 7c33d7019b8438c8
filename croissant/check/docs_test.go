package check

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"
)

// TestDocsListRules checks that the tables of docs/croissant.md have a row for each
// rule and no other, with its severity.
func TestDocsListRules(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/croissant.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]Severity{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([EW][0-9]+[a-z]?)` \\| (\\w+) \\|").FindAllStringSubmatch(string(text), -1) {
		if _, twice := rows[m[1]]; twice {
			t.Errorf("docs/croissant.md has two rows of %s", m[1])
		}
		rows[m[1]] = Severity(m[2])
	}
	for _, r := range Rules() {
		switch got, ok := rows[r.Code]; {
		case !ok:
			t.Errorf("docs/croissant.md has no row of %s", r.Code)
		case got != r.Severity:
			t.Errorf("docs/croissant.md says that %s is of severity %q, want %q", r.Code, got, r.Severity)
		}
		delete(rows, r.Code)
	}
	if len(rows) > 0 {
		t.Errorf("docs/croissant.md has rows of rules that there are not: %q", slices.Sorted(maps.Keys(rows)))
	}
}
