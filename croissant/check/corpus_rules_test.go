package check_test

import (
	"slices"
	"strings"
	"testing"

	"vaak/croissant/check"
)

// Every rule that the validator has must be seen to be broken by a document of the
// corpus, with the severity that the rule says.
func TestEveryRuleHasADocument(t *testing.T) {
	t.Parallel()
	there := make(map[string]check.Severity)
	for _, want := range expectations(t, "bad.tsv") {
		there[want.code] = check.Error
	}
	for _, want := range expectations(t, "warned.tsv") {
		there[want.code] = check.Warning
	}
	for _, rule := range check.Rules() {
		if there[rule.Code] != rule.Severity {
			t.Errorf("documents of %s are expected to have severity %q, want %q", rule.Code, there[rule.Code], rule.Severity)
		}
		delete(there, rule.Code)
	}
	for code := range there {
		t.Errorf("the corpus has documents of %s, which is not a rule", code)
	}
	if !slices.IsSortedFunc(check.Rules(), func(a, b check.Rule) int { return strings.Compare(a.Code, b.Code) }) {
		t.Error("Rules are not in the order of their codes")
	}
}
