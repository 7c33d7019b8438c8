package catalogue

import (
	"fmt"
	"strings"

	"vaak/catalogue"
	"vaak/internal/fault"
	"vaak/mcp/plain"
	"vaak/mcp/tool"
)

// Advise returns what to do next about an error of a tool; "" when its sentence already says that.
func (d *Datasets) Advise(f *fault.Error) string {
	if f.Code == fault.CodeInvalidParameter && f.Field == "language" {
		return d.spoken()
	}
	return tool.AdviseCatalogue(f)
}

// maxSpoken is how many languages advice names.
const maxSpoken = 12

// spoken lists the languages of the catalogue, those with most datasets first. A model that has
// only tools cannot read the resource with the filters.
func (d *Datasets) spoken() string {
	page, err := d.catalogue.List(catalogue.Query{Limit: 1, Facets: true})
	switch {
	case err != nil || page.Facets == nil:
		return "catalogue://filters has the values that there are."
	case page.Count == 0:
		return "The catalogue is empty."
	}
	all := page.Facets.Language
	named := make([]string, 0, maxSpoken)
	for _, l := range all[:min(len(all), maxSpoken)] {
		named = append(named, fmt.Sprintf("%s (%d)", plain.Line(l.Value, maxTag), l.Count))
	}
	text := "Languages that there are, with datasets: " + strings.Join(named, ", ")
	if more := len(all) - maxSpoken; more > 0 {
		text += fmt.Sprintf("; %d more are in catalogue://filters", more)
	}
	return text + "."
}

// maxTag is the longest tag of a language in advice, in code points.
const maxTag = 40

// nothing returns the answer when no dataset matches. It says which part of the query excludes all
// datasets.
func (d *Datasets) nothing(q catalogue.Query, page catalogue.Page) tool.Answer[searchDatasetsOutput] {
	out := searchDatasetsOutput{Count: page.Count, TotalHours: page.TotalHours, Datasets: []datasetBrief{}}
	var without []string
	for _, p := range []struct {
		name  string
		set   bool
		clear func(*catalogue.Query)
	}{
		{"q", q.Q != "", func(q *catalogue.Query) { q.Q = "" }},
		{"language", len(q.Languages) > 0, func(q *catalogue.Query) { q.Languages = nil }},
		{"channels", q.Channels != "", func(q *catalogue.Query) { q.Channels = "" }},
		{"collection", q.Collection != "", func(q *catalogue.Query) { q.Collection = "" }},
		{"domain", len(q.Domains) > 0, func(q *catalogue.Query) { q.Domains = nil }},
		{"license", len(q.Licences) > 0, func(q *catalogue.Query) { q.Licences = nil }},
		{"sample_rate", len(q.SampleRates) > 0, func(q *catalogue.Query) { q.SampleRates = nil }},
		{"min_speakers", q.MinSpeakers > 0, func(q *catalogue.Query) { q.MinSpeakers = 0 }},
		{"sample", q.Sample, func(q *catalogue.Query) { q.Sample = false }},
		{"transcribed", q.Transcribed, func(q *catalogue.Query) { q.Transcribed = false }},
		{"min_hours", q.MinHours > 0, func(q *catalogue.Query) { q.MinHours = 0 }},
	} {
		if !p.set {
			continue
		}
		wider := q
		// Only the count is wanted. A cursor belongs to one query.
		wider.Limit, wider.Cursor = 1, ""
		p.clear(&wider)
		if found, err := d.catalogue.List(wider); err == nil && found.Count > 0 {
			without = append(without, fmt.Sprintf("%s (then %d)", p.name, found.Count))
		}
	}
	// A model repeats a query that failed unless it is told which part to leave out.
	text := "No dataset matches. "
	switch {
	case len(without) > 0:
		text += "Leave out " + strings.Join(without, " or ") + "."
	case q.Q != "" && strings.Contains(strings.TrimSpace(q.Q), " "):
		text += "Use fewer words in q and fewer filters."
	default:
		text += "Leave out several filters."
	}
	text += " " + d.spoken()
	return tool.Answer[searchDatasetsOutput]{Value: out, Text: text}
}
