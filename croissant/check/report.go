package check

import "strings"

// Severity says whether a finding makes the document invalid.
type Severity string

// The severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
)

// Finding is one thing that is wrong with a document.
type Finding struct {
	Code     string   `json:"code" doc:"Of the rule: E and three digits, sometimes with a letter, or W and two." example:"E024"`
	Severity Severity `json:"severity" enum:"error,warning" doc:"An error makes the document invalid."`
	Path     string   `json:"path" doc:"JSON Pointer (RFC 6901) to what is wrong in the document as it was sent; empty is all of it. Of something that is missing: where it belongs."`
	Node     string   `json:"node" doc:"@id of the object that it is about, as it was written; empty when it has none."`
	Loadable bool     `json:"loadable" doc:"Whether loaders still take a document that has this fault alone. True: the format asks for it, or this service does, and the reference library mlcroissant reads past it. False: the library refuses the document. An error may be loadable, and a warning not."`
	Message  string   `json:"message" doc:"What is wrong, what is allowed, and how to mend it."`
}

// Blocks reports whether a finding keeps a dataset of our catalogue from being published:
// every error does, and so do the rules of errors that have become warnings because
// publishers elsewhere cannot always meet them (E025).
func (f Finding) Blocks() bool { return f.Severity == Error || strings.HasPrefix(f.Code, "E") }

// Report is the result of checking a document.
type Report struct {
	Valid      bool      `json:"valid" doc:"Whether there are no errors."`
	ConformsTo string    `json:"conformsTo,omitempty" doc:"The version that the document says it is in, and was checked as." example:"http://mlcommons.org/croissant/1.0"`
	Errors     []Finding `json:"errors" nullable:"false" doc:"Sorted by path; at most 1,000."`
	Warnings   []Finding `json:"warnings" nullable:"false" doc:"Sorted by path; at most 1,000."`
	Omitted    int       `json:"omitted,omitempty" doc:"How many more findings there are."`
}
