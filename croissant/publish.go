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

// Publishable returns nil for a record whose metadata is valid in every version,
// and else a *fault.Error of kind Unprocessable that says what the card lacks. s
// and publicURL are as in [Write]. It is what [catalogue.Config] has in Publishing.
func Publishable(s *catalogue.Stored, publicURL string) error {
	var found []Finding
	for _, v := range []Version{V10, V11} {
		body, err := Write(s, publicURL, v)
		if err != nil {
			return fmt.Errorf("write the Croissant %s metadata of dataset %s: %w", v, s.Dataset.Slug, err)
		}
		found = append(found, blocking(Validate(body))...)
	}
	if len(found) == 0 {
		return nil
	}
	return fault.New(fault.Unprocessable, codeInvalid, "", "dataset %s cannot be published: %s", s.Dataset.Slug, listed(wants(found)))
}

// blocking returns what keeps a dataset from being published: errors, and what is a
// warning only because others cannot help it.
func blocking(r Report) []Finding {
	found := slices.Clone(r.Errors)
	for _, f := range r.Warnings {
		if strings.HasPrefix(f.Code, "E") {
			found = append(found, f)
		}
	}
	return found
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
