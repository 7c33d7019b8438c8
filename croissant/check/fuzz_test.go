package check_test

import (
	"cmp"
	"encoding/json"
	"slices"
	"testing"

	"vaak/croissant/check"
)

// FuzzValidate checks that every report keeps its promises, whatever was sent.
func FuzzValidate(f *testing.F) {
	for _, version := range []string{"1.0", "1.1"} {
		f.Add(encode(newDocument(version)))
	}
	for _, s := range []string{
		"", "null", "[]", "{}", `{"@context":"local.json"}`, `{"@graph":[{"@id":"a","@type":"Dataset"}]}`,
		`{"@context":{"a":null,"cr":{"@id":null}},"cr:x":{"@reverse":{"a":1}}}`,
		`{"@context":{"@vocab":"https://schema.org/","n":{"@container":"@language"}},"n":{"en":[1]}}`,
		`{"@context":{"l":{"@id":"a:l","@container":"@list"}},"l":[[1],{"@list":[{"@value":null}]}]}`,
		`{"@context":{"@base":"x","@protected":1,"t":{"@id":"t:t","@nest":""}},"@type":[],"@id":1}`,
		"{\"a\":\"\\ud800\",\"a\":\xff}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		body := checkLaws(t, document)
		if again := checkLaws(t, document); string(again) != string(body) {
			t.Errorf("Validate(%.200q) says something else the second time:\n%.2000s\n%.2000s", document, body, again)
		}
	})
}

// checkLaws validates a document, checks what holds of all reports, and returns the
// report as JSON.
func checkLaws(t *testing.T, document []byte) []byte {
	t.Helper()
	r := check.Validate(document)
	if want := len(r.Errors) == 0; r.Valid != want {
		t.Errorf("Validate(%.200q).Valid = %v with %d errors", document, r.Valid, len(r.Errors))
	}
	rules := map[string]check.Severity{}
	for _, rule := range check.Rules() {
		rules[rule.Code] = rule.Severity
	}
	for severity, list := range map[check.Severity][]check.Finding{check.Error: r.Errors, check.Warning: r.Warnings} {
		if list == nil || len(list) > check.MaxFindings {
			t.Errorf("Validate(%.200q) has %d findings of severity %s (nil: %v)", document, len(list), severity, list == nil)
		}
		if !slices.IsSortedFunc(list, func(a, b check.Finding) int {
			return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Code, b.Code))
		}) {
			t.Errorf("Validate(%.200q): findings of severity %s are not sorted", document, severity)
		}
		for _, f := range list {
			if rules[f.Code] != severity || f.Severity != severity || f.Message == "" || f.Path != "" && f.Path[0] != '/' {
				t.Errorf("Validate(%.200q): finding %+v is not one of the rules", document, f)
			}
		}
	}
	body, err := json.Marshal(r)
	if err != nil || len(body) > 8<<20 {
		t.Errorf("Validate(%.200q): report of %d bytes, error %v", document, len(body), err)
	}
	return body
}
