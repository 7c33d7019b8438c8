package check

import (
	"fmt"
	"slices"
	"strings"

	"vaak/croissant/graph"
)

// MaxFindings is the most findings of each severity that a report has.
const MaxFindings = 1000

// A hostile document can break a rule at every one of its values, with an @id of any
// length, so the report is bounded in bytes too.
const (
	maxText = 1 << 20 // of all findings of one severity
	maxNode = 1 << 10 // of the @id in one finding
)

// findings collects the findings of one document.
type findings struct {
	rules  map[string]Rule
	report Report
	size   map[Severity]int   // bytes of text that the findings of a severity have
	seen   map[[2]string]bool // code and path of what was added, also of what was not kept
}

func newFindings() *findings {
	return &findings{
		rules:  rulesByCode(),
		size:   map[Severity]int{},
		seen:   map[[2]string]bool{},
		report: Report{Valid: true, Errors: []Finding{}, Warnings: []Finding{}},
	}
}

// add adds a finding whose rule says whether the document is still loadable.
func (f *findings) add(code, path, node, format string, args ...any) {
	f.addAs(code, f.rules[code].loadable(), path, node, format, args...)
}

// addAs adds a finding of which the caller knows whether the document is still loadable.
// The first finding of a code at a path is kept and others are dropped. Above the bounds
// it is only counted, before its message is made: quoting is what costs time.
func (f *findings) addAs(code string, loadable bool, path, node, format string, args ...any) {
	list, severity := &f.report.Warnings, f.rules[code].Severity
	if severity == Error {
		list = &f.report.Errors
		f.report.Valid = false
	}
	// The validity above counts even if the finding is a repetition or is not kept.
	at := [2]string{code, path}
	if f.seen[at] {
		return
	}
	f.seen[at] = true
	if len(*list) >= MaxFindings || f.size[severity] > maxText {
		f.report.Omitted++
		return
	}
	// Cut at a byte, which may split a character.
	if len(node) > maxNode {
		node = strings.ToValidUTF8(node[:maxNode], "") + "…"
	}
	message := fmt.Sprintf(format, args...)
	f.size[severity] += len(path) + len(node) + len(message)
	*list = append(*list, Finding{Code: code, Severity: severity, Path: path, Node: node, Loadable: loadable, Message: message})
}

// problems adds what was found when the document was read.
func (f *findings) problems(doc *graph.Document) {
	for _, p := range doc.Problems {
		f.addAs(problemCode(p), p.Passes, p.Pointer, "", "%s", p.Message)
	}
	f.report.Omitted += doc.Omitted
}

// problemCode returns the code of the rule that a problem of reading breaks.
func problemCode(p graph.Problem) string {
	switch p.Kind {
	case graph.Syntax:
		return "E000"
	case graph.Context:
		return "E002"
	case graph.ID:
		return "E020"
	case graph.OldSpace:
		return "W06"
	case graph.Language:
		switch p.Property {
		case propName:
			return "E017"
		case propDescription:
			return "E011"
		}
		return "E049"
	}
	return "E001"
}

// done sorts the findings by path and code and returns the report.
func (f *findings) done() Report {
	order := func(a, b Finding) int {
		if c := strings.Compare(a.Path, b.Path); c != 0 {
			return c
		}
		return strings.Compare(a.Code, b.Code)
	}
	slices.SortStableFunc(f.report.Errors, order)
	slices.SortStableFunc(f.report.Warnings, order)
	return f.report
}
