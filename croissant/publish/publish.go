// Package publish hands out the Croissant documents of datasets, decides whether a dataset
// may be published, and checks documents for callers without a key.
package publish

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vaak/catalogue"
	"vaak/croissant"
	"vaak/croissant/check"
	"vaak/croissant/write"
	"vaak/internal/fault"
)

// codeInvalid is the error code for a dataset whose metadata would not be valid.
const codeInvalid = "croissant_invalid"

// Verdict is the report on the metadata of a record in one version of the format.
type Verdict struct {
	Version croissant.Version
	Report  check.Report
}

// Verdicts checks the documents that a record has, or would have once it is published, in
// every version. s and publicURL are as for [write.Document].
func Verdicts(s *catalogue.Stored, publicURL string) ([]Verdict, error) {
	var all []Verdict
	for _, v := range []croissant.Version{croissant.V10, croissant.V11} {
		body, err := write.Document(s, publicURL, v, croissant.Whole)
		if err != nil {
			return nil, fmt.Errorf("write the Croissant %s metadata of dataset %s: %w", v, s.Dataset.Slug, err)
		}
		all = append(all, Verdict{v, check.Validate(body)})
	}
	return all, nil
}

// Ready returns nil for a record whose metadata is valid in every version. Otherwise the
// error is a *fault.Error of kind Unprocessable that says what the card lacks. s and
// publicURL are as for [write.Document]. It is meant for Publishing of
// [catalogue.Config].
func Ready(s *catalogue.Stored, publicURL string) error {
	verdicts, err := Verdicts(s, publicURL)
	if err != nil {
		return err
	}
	// Both versions must be valid, since clients may ask for either. A fault of both is
	// told once: see wants.
	var found []check.Finding
	for _, v := range verdicts {
		found = append(found, blocking(v.Report)...)
	}
	if len(found) == 0 {
		return nil
	}
	return fault.New(fault.Unprocessable, codeInvalid, "", "dataset %s cannot be published: %s", s.Dataset.Slug, listed(wants(found)))
}

// blocking returns the findings of a report that keep a dataset from being published.
func blocking(r check.Report) []check.Finding {
	return slices.DeleteFunc(slices.Concat(r.Errors, r.Warnings), func(f check.Finding) bool { return !f.Blocks() })
}

// remedies says what to change in the card, for each rule that our own document can break.
var remedies = map[string]string{
	"E010":  "the card needs title",
	"E011":  "the card needs description",
	"E012":  "the card needs licence.name",
	"E012b": "the card needs licence.name",
	"E014":  "the card needs provenance.creator with a name",
	"E014b": "the card needs provenance.creator with a name",
	"E016":  "it needs recordings.csv, which vaak dataset ingest makes",
	"E017":  "the card needs title",
}

// wants returns what has to be done about findings, in their order and without repetition.
func wants(found []check.Finding) []string {
	var all []string
	for _, f := range found {
		want := cmp.Or(remedies[f.Code], strings.TrimSpace(f.Code+" "+f.Path)+": "+f.Message)
		if !slices.Contains(all, want) {
			all = append(all, want)
		}
	}
	return all
}

// mostListed bounds how many of them one sentence lists.
const mostListed = 5

// listed joins what has to be done into one sentence.
func listed(all []string) string {
	text := strings.Join(all[:min(len(all), mostListed)], "; ")
	if more := len(all) - mostListed; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text
}
