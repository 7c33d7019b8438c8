package croissant

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"vaak/croissant"
	"vaak/mcp/catalogue"
	"vaak/mcp/plain"
	"vaak/mcp/tool"
)

// getCroissantInput holds the arguments of get_croissant.
type getCroissantInput struct {
	Slug    string `json:"slug" doc:"Slug from search_datasets, or id." minLength:"1" maxLength:"100"`
	Version string `json:"version,omitempty" doc:"Version of Croissant." default:"1.0" enum:"1.0,1.1"`
	Part    string `json:"part,omitempty" doc:"core: files, record sets and words; measurements: figures; each a valid document. Default: all of it, or core when that is over 20000 bytes." enum:"all,core,measurements"`
}

// getCroissantOutput is the structured result of get_croissant.
type getCroissantOutput struct {
	Slug      string          `json:"slug"`
	Version   string          `json:"version"`
	Part      string          `json:"part"`
	URL       string          `json:"url,omitempty" doc:"Address of the whole document"`
	Bytes     int             `json:"bytes" doc:"Size of the whole document"`
	Croissant json.RawMessage `json:"croissant,omitempty" doc:"The part; absent over 20000 bytes"`
}

// maxInlineDocument is the largest document in a result, in bytes: some 6,000 tokens.
const maxInlineDocument = 20_000

// croissantTool is the tool get_croissant.
func (d *documents) croissantTool() tool.Entry {
	return tool.New(tool.Definition{
		Name:        "get_croissant",
		Title:       "Get Croissant metadata",
		Description: "A dataset's metadata in Croissant (JSON-LD), for loaders such as mlcroissant.",
		Hints:       tool.LookUp,
		Advise:      d.datasets.Advise,
	}, d.getCroissant)
}

func (d *documents) getCroissant(ctx context.Context, _ tool.Call, in getCroissantInput) (tool.Answer[getCroissantOutput], error) {
	version, err := croissant.ParseVersion(in.Version)
	if err != nil {
		return tool.Answer[getCroissantOutput]{}, err
	}
	whole, address, err := d.document(ctx, in.Slug, version)
	if err != nil {
		return tool.Answer[getCroissantOutput]{}, err
	}
	part, doc := croissant.Part(in.Part), whole
	chosen := part == ""
	if chosen {
		part = croissant.Whole
		if len(whole.Body) > maxInlineDocument {
			part = croissant.Core
		}
	}
	if part != croissant.Whole {
		if doc, err = d.croissant.Part(ctx, whole.Slug, version, part); err != nil {
			return tool.Answer[getCroissantOutput]{}, err
		}
	}
	// Even the core is too long. The result then holds nothing and leads to the whole document.
	if chosen && len(doc.Body) > maxInlineDocument {
		part, doc = croissant.Whole, whole
	}
	out := getCroissantOutput{Slug: doc.Slug, Version: string(version), Part: string(part), Bytes: len(whole.Body)}
	if len(doc.Body) <= maxInlineDocument {
		out.Croissant = plain.JSON(doc.Body)
	}
	if tool.Absolute(address) {
		out.URL = address
	}
	return tool.Answer[getCroissantOutput]{
		Value: out, Text: out.text(len(doc.Body)), Links: tool.Linked(catalogue.CroissantLink(doc.Slug, address, version, int64(out.Bytes))),
	}, nil
}

// text says which part of the document the result has, how many bytes the document has, and
// where the whole document is.
func (o getCroissantOutput) text(size int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Croissant %s of %s, ", o.Version, o.Slug)
	switch croissant.Part(o.Part) {
	case croissant.Whole:
		fmt.Fprintf(&b, "%d bytes", size)
	case croissant.Core:
		fmt.Fprintf(&b, "part core, %d of %d bytes: without the measured figures, which are part measurements", size, o.Bytes)
	case croissant.Measured:
		fmt.Fprintf(&b, "part measurements, %d of %d bytes: without record sets and what is said in words, which are part core", size, o.Bytes)
	}
	resource := croissantResource(o.Slug, croissant.Version(o.Version))
	switch {
	case size > maxInlineDocument && o.Part == string(croissant.Whole):
		fmt.Fprintf(&b, ", more than the %d that a result holds; resource %s has it", maxInlineDocument, resource)
	case size > maxInlineDocument:
		fmt.Fprintf(&b, "; that is more than the %d that a result holds; resource %s has the whole document", maxInlineDocument, resource)
	case o.Part != string(croissant.Whole):
		fmt.Fprintf(&b, "; resource %s has the whole document", resource)
	}
	if o.URL != "" {
		b.WriteString(": " + o.URL)
	}
	return b.String()
}

// croissantResource returns the address of the resource with the whole document.
func croissantResource(slug string, v croissant.Version) string {
	if v == croissant.V10 {
		return "dataset://" + slug + "/croissant"
	}
	return "dataset://" + slug + "/croissant/" + string(v)
}
