package catalogue

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"vaak/catalogue"
	"vaak/mcp/plain"
	"vaak/mcp/tool"
)

// mimeJSON is the type of records and facets.
const mimeJSON = "application/json"

// resources returns the resources of the catalogue with fixed addresses.
func (d *Datasets) resources() []tool.Resource {
	return []tool.Resource{{
		Uri: "catalogue://filters", Name: "filters", Title: "Filters of the catalogue", MimeType: mimeJSON,
		Description: "The values that search_datasets filters by, and how many datasets have each.",
		Read:        func(context.Context, tool.Call) (tool.Content, error) { return d.filters() },
	}}
}

// filters holds the facets of the whole list.
type filters struct {
	Count      int               `json:"count"`
	TotalHours int               `json:"totalHours"`
	Language   []catalogue.Count `json:"language"`
	Channels   []catalogue.Count `json:"channels"`
	Collection []catalogue.Count `json:"collection"`
	Domain     []catalogue.Count `json:"domain"`
	License    []catalogue.Count `json:"license"`
	SampleRate []catalogue.Count `json:"sample_rate"`
	Sample     int               `json:"sample"`
	Transcribe int               `json:"transcribed"`
}

// maxDomains is how many domains a result names, and how many licences. They are free words of
// the owners of datasets, so there may be any number of them.
const maxDomains = 50

func (d *Datasets) filters() (tool.Content, error) {
	page, err := d.catalogue.List(catalogue.Query{Limit: 1, Facets: true})
	if err != nil {
		return tool.Content{}, err
	}
	f := filters{Count: page.Count, TotalHours: page.TotalHours}
	if x := page.Facets; x != nil {
		f.Language, f.Channels, f.Collection = x.Language, x.Channels, x.Collection
		f.Domain = x.Domain[:min(len(x.Domain), maxDomains)]
		f.License, f.SampleRate = x.License[:min(len(x.License), maxDomains)], x.SampleRate
		f.Sample, f.Transcribe = x.Sample, x.Transcribed
	}
	text, err := tool.Encode(f)
	if err != nil {
		return tool.Content{}, fmt.Errorf("encode the filters: %w", err)
	}
	return tool.Content{MimeType: mimeJSON, Text: string(plain.JSON(text))}, nil
}

// templates returns the resources that every dataset has.
func (d *Datasets) templates() []tool.Template {
	slug := map[string]tool.Completer{"slug": d.CompleteSlug}
	return []tool.Template{{
		Uri: "dataset://{slug}", Name: "dataset", Title: "Record of a dataset", MimeType: mimeJSON,
		Description: "All that is known of a dataset, as get_dataset has it.",
		Read: func(ctx context.Context, _ tool.Call, v map[string]string) (tool.Content, error) {
			stored, err := d.Filed(ctx, "slug", Unescaped(v["slug"]))
			if err != nil {
				return tool.Content{}, err
			}
			text, err := encodeRecord(&stored.Dataset)
			return tool.Content{MimeType: mimeJSON, Text: string(text)}, err
		},
		Complete: slug,
	}}
}

// Unescaped returns a part of an address without its escapes.
func Unescaped(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

// CompleteSlug suggests slugs: first slugs that begin with what was typed, then those of
// datasets with its words in the title, then in the language or domain. Among equals, the
// largest dataset comes first.
func (d *Datasets) CompleteSlug(_ context.Context, _ tool.Call, typed string) []string {
	page, err := d.catalogue.List(catalogue.Query{Q: typed, Whole: true})
	if err != nil {
		return nil // the catalogue refuses so many words
	}
	var begin, others []string
	// Both lists keep the order of the catalogue, which has the best matches first.
	for _, b := range page.Datasets {
		if strings.HasPrefix(b.Slug, strings.ToLower(typed)) {
			begin = append(begin, b.Slug)
		} else {
			others = append(others, b.Slug)
		}
	}
	return slices.Concat(begin, others)
}
