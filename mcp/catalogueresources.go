package mcp

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"vaak/catalogue"
	"vaak/croissant"
	"vaak/mcp/plain"
)

// mimeJSON is the type of records and facets.
const mimeJSON = "application/json"

// resources are those of the catalogue that are always there.
func (d *datasets) resources() []resource {
	return []resource{{
		uri: "catalogue://filters", name: "filters", title: "Filters of the catalogue", mimeType: mimeJSON,
		description: "The values that search_datasets filters by, and how many datasets have each. Domains are words for q.",
		read:        func(context.Context, call) (content, error) { return d.filters() },
	}}
}

// filters are the facets of the whole list.
type filters struct {
	Count      int               `json:"count"`
	TotalHours int               `json:"totalHours"`
	Language   []catalogue.Count `json:"language"`
	Channels   []catalogue.Count `json:"channels"`
	Collection []catalogue.Count `json:"collection"`
	Domain     []catalogue.Count `json:"domain"`
	Sample     int               `json:"sample"`
	Transcribe int               `json:"transcribed"`
}

// maxDomains is how many domains are told: they are words of strangers, without
// bounds on their number.
const maxDomains = 50

func (d *datasets) filters() (content, error) {
	page, err := d.catalogue.List(catalogue.Query{Limit: 1, Facets: true})
	if err != nil {
		return content{}, err
	}
	f := filters{Count: page.Count, TotalHours: page.TotalHours}
	if x := page.Facets; x != nil {
		f.Language, f.Channels, f.Collection = x.Language, x.Channels, x.Collection
		f.Domain = x.Domain[:min(len(x.Domain), maxDomains)]
		f.Sample, f.Transcribe = x.Sample, x.Transcribed
	}
	text, err := encode(f)
	if err != nil {
		return content{}, fmt.Errorf("encode the filters: %w", err)
	}
	return content{mimeType: mimeJSON, text: string(plain.JSON(text))}, nil
}

// templates are the resources of each dataset.
func (d *datasets) templates() []template {
	slug := map[string]completer{"slug": d.completeSlug}
	return []template{{
		uri: "dataset://{slug}", name: "dataset", title: "Record of a dataset", mimeType: mimeJSON,
		description: "All that is known of a dataset, as get_dataset has it.",
		read: func(ctx context.Context, _ call, v map[string]string) (content, error) {
			stored, err := d.filed(ctx, "slug", unescaped(v["slug"]))
			if err != nil {
				return content{}, err
			}
			text, err := encodeRecord(&stored.Dataset)
			return content{mimeType: mimeJSON, text: string(text)}, err
		},
		complete: slug,
	}, {
		uri: "dataset://{slug}/croissant", name: "dataset-croissant", title: "Croissant metadata of a dataset", mimeType: croissant.V10.MediaType(),
		description: "A dataset's metadata in Croissant 1.0 (JSON-LD).",
		read: func(ctx context.Context, _ call, v map[string]string) (content, error) {
			return d.readCroissant(ctx, unescaped(v["slug"]), croissant.V10)
		},
		complete: slug,
	}, {
		uri: "dataset://{slug}/croissant/1.1", name: "dataset-croissant-1.1", title: "Croissant 1.1 metadata of a dataset", mimeType: croissant.V11.MediaType(),
		description: "A dataset's metadata in Croissant 1.1 (JSON-LD), with the measured figures as annotations of its record sets, too.",
		read: func(ctx context.Context, _ call, v map[string]string) (content, error) {
			return d.readCroissant(ctx, unescaped(v["slug"]), croissant.V11)
		},
		complete: slug,
	}}
}

// readCroissant is the resource of a document.
func (d *datasets) readCroissant(ctx context.Context, slug string, v croissant.Version) (content, error) {
	doc, _, err := d.document(ctx, slug, v)
	if err != nil {
		return content{}, err
	}
	return content{mimeType: v.MediaType(), text: string(plain.JSON(doc.Body))}, nil
}

// unescaped is a part of an address as it was before it was escaped.
func unescaped(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}

// completeSlug suggests slugs: first those that begin as what was typed, then
// those of datasets whose title, then whose language or domain, has its words;
// among equals the largest first.
func (d *datasets) completeSlug(_ context.Context, _ call, typed string) []string {
	page, err := d.catalogue.List(catalogue.Query{Q: typed, Whole: true})
	if err != nil {
		return nil // too many words
	}
	var begin, others []string
	for _, b := range page.Datasets {
		if strings.HasPrefix(b.Slug, strings.ToLower(typed)) {
			begin = append(begin, b.Slug)
		} else {
			others = append(others, b.Slug)
		}
	}
	return slices.Concat(begin, others)
}
