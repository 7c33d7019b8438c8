// Package croissant gives agents the Croissant documents of datasets, and checks documents that
// they send.
package croissant

import (
	"context"

	"vaak/croissant"
	"vaak/croissant/publish"
	"vaak/mcp/catalogue"
	"vaak/mcp/plain"
	"vaak/mcp/tool"
)

// documents holds the tools and resources about Croissant documents.
type documents struct {
	datasets  *catalogue.Datasets
	croissant *publish.Service
}

// Offer returns the tools and resources about Croissant documents.
func Offer(d *catalogue.Datasets, service *publish.Service) tool.Offer {
	docs := &documents{d, service}
	return tool.Offer{Tools: []tool.Entry{docs.croissantTool(), docs.validateTool()}, Templates: docs.templates()}
}

// templates returns the resources of documents, which every dataset has.
func (d *documents) templates() []tool.Template {
	slug := map[string]tool.Completer{"slug": d.datasets.CompleteSlug}
	return []tool.Template{{
		Uri: "dataset://{slug}/croissant", Name: "dataset-croissant", Title: "Croissant metadata of a dataset", MimeType: croissant.V10.MediaType(),
		Description: "A dataset's metadata in Croissant 1.0 (JSON-LD).",
		Read: func(ctx context.Context, _ tool.Call, v map[string]string) (tool.Content, error) {
			return d.readCroissant(ctx, catalogue.Unescaped(v["slug"]), croissant.V10)
		},
		Complete: slug,
	}, {
		Uri: "dataset://{slug}/croissant/1.1", Name: "dataset-croissant-1.1", Title: "Croissant 1.1 metadata of a dataset", MimeType: croissant.V11.MediaType(),
		Description: "A dataset's metadata in Croissant 1.1 (JSON-LD), with the measured figures as annotations of its record sets, too.",
		Read: func(ctx context.Context, _ tool.Call, v map[string]string) (tool.Content, error) {
			return d.readCroissant(ctx, catalogue.Unescaped(v["slug"]), croissant.V11)
		},
		Complete: slug,
	}}
}

// readCroissant reads the resource of a document.
func (d *documents) readCroissant(ctx context.Context, slug string, v croissant.Version) (tool.Content, error) {
	doc, _, err := d.document(ctx, slug, v)
	if err != nil {
		return tool.Content{}, err
	}
	return tool.Content{MimeType: v.MediaType(), Text: string(plain.JSON(doc.Body))}, nil
}

// document returns a document and its address.
func (d *documents) document(ctx context.Context, name string, v croissant.Version) (*publish.Document, string, error) {
	stored, err := d.datasets.Filed(ctx, "slug", name)
	if err != nil {
		return nil, "", err
	}
	doc, err := d.croissant.Document(ctx, stored.Dataset.Slug, v)
	if err != nil {
		return nil, "", d.datasets.Unknown(err, "slug", name)
	}
	address := stored.Dataset.Croissant
	if v != croissant.V10 {
		address += "?version=" + string(v)
	}
	return doc, address, nil
}
