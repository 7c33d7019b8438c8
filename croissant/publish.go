package croissant

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vaak/catalogue"
	"vaak/internal/fault"
)

// codeInvalid is of a dataset whose metadata would not be valid.
const codeInvalid = "croissant_invalid"

// Verdict is what was found in the metadata of a record in one version.
type Verdict struct {
	Version Version
	Report  Report
}

// Verdicts checks the metadata that a record has, or would have, in every version. s
// and publicURL are as in [Write].
func Verdicts(s *catalogue.Stored, publicURL string) ([]Verdict, error) {
	var all []Verdict
	for _, v := range []Version{V10, V11} {
		body, err := Write(s, publicURL, v)
		if err != nil {
			return nil, fmt.Errorf("write the Croissant %s metadata of dataset %s: %w", v, s.Dataset.Slug, err)
		}
		all = append(all, Verdict{v, Validate(body)})
	}
	return all, nil
}

// Publishable returns nil for a record whose metadata is valid in every version,
// and else a *fault.Error of kind Unprocessable that says what the card lacks. s
// and publicURL are as in [Write]. It is what [catalogue.Config] has in Publishing.
func Publishable(s *catalogue.Stored, publicURL string) error {
	verdicts, err := Verdicts(s, publicURL)
	if err != nil {
		return err
	}
	var found []Finding
	for _, v := range verdicts {
		found = append(found, blocking(v.Report)...)
	}
	if len(found) == 0 {
		return nil
	}
	return fault.New(fault.Unprocessable, codeInvalid, "", "dataset %s cannot be published: %s", s.Dataset.Slug, listed(wants(found)))
}

// Blocks reports whether a finding keeps a dataset from being published: errors do,
// and what is a warning only because others cannot help it.
func (f Finding) Blocks() bool { return f.Severity == Error || strings.HasPrefix(f.Code, "E") }

// blocking returns the findings of a report that block.
func blocking(r Report) []Finding {
	return slices.DeleteFunc(slices.Concat(r.Errors, r.Warnings), func(f Finding) bool { return !f.Blocks() })
}

// mended says, for the rules that a record can break, what mends it.
var mended = map[string]string{
	"E010":  "the card needs title",
	"E011":  "the card needs description",
	"E012":  "the card needs licence.name",
	"E012b": "the card needs licence.name",
	"E014":  "the card needs provenance.creator with a name",
	"E014b": "the card needs provenance.creator with a name",
	"E016":  "it needs recordings.csv, which vaak dataset ingest makes",
	"E017":  "the card needs title",
}

// wants returns what is to be done about findings, each once, in their order.
func wants(found []Finding) []string {
	var all []string
	for _, f := range found {
		want := cmp.Or(mended[f.Code], strings.TrimSpace(f.Code+" "+f.Path)+": "+f.Message)
		if !slices.Contains(all, want) {
			all = append(all, want)
		}
	}
	return all
}

// mostListed bounds what one sentence says.
const mostListed = 5

func listed(all []string) string {
	text := strings.Join(all[:min(len(all), mostListed)], "; ")
	if more := len(all) - mostListed; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}
