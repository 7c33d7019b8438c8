package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"vaak/croissant"
	"vaak/mcp/plain"
)

// getCroissantInput are the arguments of get_croissant.
type getCroissantInput struct {
	Slug    string `json:"slug" doc:"Slug from search_datasets, or id." minLength:"1" maxLength:"100"`
	Version string `json:"version,omitempty" doc:"Of the format." default:"1.0" enum:"1.0,1.1"`
}

// getCroissantOutput is the structured result of get_croissant.
type getCroissantOutput struct {
	Slug      string          `json:"slug"`
	Version   string          `json:"version"`
	URL       string          `json:"url,omitempty"`
	Bytes     int             `json:"bytes"`
	Croissant json.RawMessage `json:"croissant,omitempty" doc:"The document; absent over 20000 bytes"`
}

// maxInlineDocument is the largest document that a result holds, in bytes: some
// 6,000 tokens.
const maxInlineDocument = 20_000

// croissantTool is the tool get_croissant.
func (d *datasets) croissantTool() entry {
	return tool(definition{
		name:        "get_croissant",
		title:       "Get Croissant metadata",
		description: "A dataset's metadata in Croissant (JSON-LD), for loaders such as mlcroissant. To read about a dataset use get_dataset.",
		hints:       lookUp,
		advise:      d.advise,
	}, func(ctx context.Context, _ call, in getCroissantInput) (answer[getCroissantOutput], error) {
		version, err := croissant.ParseVersion(in.Version)
		if err != nil {
			return answer[getCroissantOutput]{}, err
		}
		doc, address, err := d.document(ctx, in.Slug, version)
		if err != nil {
			return answer[getCroissantOutput]{}, err
		}
		out := getCroissantOutput{Slug: doc.Slug, Version: string(version), Bytes: len(doc.Body)}
		text := fmt.Sprintf("Croissant %s of %s, %d bytes", version, doc.Slug, out.Bytes)
		if out.Bytes <= maxInlineDocument {
			out.Croissant = plain.JSON(doc.Body)
		} else {
			text += fmt.Sprintf(", more than the %d that a result holds; resource dataset://%s/croissant has %s", maxInlineDocument, doc.Slug, inResource(version))
		}
		if absolute(address) {
			out.URL = address
			text += ": " + address
		}
		return answer[getCroissantOutput]{value: out, text: text, links: linked(croissantLink(doc.Slug, address, version, int64(out.Bytes)))}, nil
	})
}

// inResource says which document the resource of a dataset has, when a version was
// asked for.
func inResource(v croissant.Version) string {
	if v == croissant.V10 {
		return "it"
	}
	return "that of version " + string(croissant.V10)
}

// document returns a document and its address.
func (d *datasets) document(ctx context.Context, name string, v croissant.Version) (*croissant.Document, string, error) {
	stored, err := d.filed(ctx, "slug", name)
	if err != nil {
		return nil, "", err
	}
	doc, err := d.croissant.Document(ctx, stored.Dataset.Slug, v)
	if err != nil {
		return nil, "", d.unknown(err, "slug", name)
	}
	address := stored.Dataset.Croissant
	if v != croissant.V10 {
		address += "?version=" + string(v)
	}
	return doc, address, nil
}
