package croissant

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"vaak/croissant"
	"vaak/croissant/badge"
	"vaak/croissant/check"
	"vaak/rest/frame"
)

// registerCroissant declares the operations of Croissant metadata. slug is the
// parameter of the path.
func (a *api) registerCroissant(desc huma.API, slug *huma.Param) {
	a.registerCroissantDocument(desc, slug)
	a.registerBadge(desc, slug)
	op := huma.Operation{
		OperationID: "validateCroissant", Method: http.MethodPost, Path: "/api/catalogue/croissant/validate", Tags: []string{frame.TagCatalogue},
		Summary: "Check a Croissant document",
		Description: "Checks any document against the rules of Croissant 1.0 or 1.1, whichever it says it is in, and says all that is wrong with it. " +
			"Whatever is sent, the answer is 200 and a report. Nothing that the document names is opened or fetched, and nothing is kept.",
		Metadata: map[string]any{frame.MetaDialect: frame.InCatalogue, frame.MetaBytes: true},
		RequestBody: &huma.RequestBody{
			Required:    false, // of nothing there is a report, too
			Description: "The document, up to 1 MiB, under any content type.",
			Content:     map[string]*huma.MediaType{"application/ld+json": {Schema: documentSchema()}},
		},
		Responses: frame.CatalogueResponses(desc, frame.JsonOf[check.Report](desc, "What was found."), 400, 413, 415),
	}
	op.Responses["200"].Headers["link"] = frame.HeaderOf("string", "A report for others with rel=alternate, and its badge with rel=icon. Both addresses hold the result, signed; nothing is stored.")
	op.Responses["400"].Description = "The body did not arrive whole."
	op.Responses["503"].Description = "Too many documents wait to be checked (`overloaded`). Try again after Retry-After."
	frame.Operate(desc, op, a.validateCroissant)
}

func (a *api) registerCroissantDocument(desc huma.API, slug *huma.Param) {
	good := &huma.Response{
		Description: "The document.",
		Content: map[string]*huma.MediaType{
			croissant.V10.MediaType(): {Schema: documentSchema()},
			croissant.V11.MediaType(): {Schema: documentSchema()},
		},
	}
	op := huma.Operation{
		OperationID: "getCroissant", Method: http.MethodGet, Path: "/catalogue/datasets/{slug}/croissant.json", Tags: []string{frame.TagCatalogue},
		Summary: "Get a dataset's Croissant metadata",
		Description: "The record as JSON-LD that loaders of datasets read: the manifest and the public sample can be loaded, the licensed package is described. " +
			"Croissant 1.0, unless 1.1 is asked for by version or by the profile of 1.1 in Accept.",
		Metadata:  map[string]any{frame.MetaDialect: frame.InCatalogue, frame.MetaFree: true},
		Responses: frame.CatalogueResponses(desc, good, 400, 404),
		Parameters: []*huma.Param{slug, {
			Name: "version", In: "query", Description: "Of the format. Counts more than Accept.",
			Schema: &huma.Schema{Type: "string", Enum: []any{string(croissant.V10), string(croissant.V11)}},
		}},
	}
	frame.Conditional(op.Responses)
	good.Headers["link"] = frame.HeaderOf("string", "The record, with rel=describedby, and the page, with rel=describes.")
	good.Headers["vary"] = frame.HeaderOf("string", "Accept, Accept-Encoding: the document is gzipped for who takes that, under a tag of its own.")
	good.Headers["x-ignored-parameters"] = frame.HeaderOf("string", "Parameters that were sent and mean nothing here.")
	op.Responses["308"] = &huma.Response{Description: "An id was sent: Location has the address by slug."}
	frame.Operate(desc, op, a.getCroissant)
}

func (a *api) registerBadge(desc huma.API, slug *huma.Param) {
	good := &huma.Response{Description: "The picture.", Content: map[string]*huma.MediaType{
		badge.ContentType: {Schema: &huma.Schema{Type: "string", Description: "SVG."}},
	}}
	op := huma.Operation{
		OperationID: "getCroissantBadge", Method: http.MethodGet, Path: "/catalogue/datasets/{slug}/croissant.svg", Tags: []string{frame.TagCatalogue},
		Summary: "Get a dataset's Croissant badge", Description: "A picture that says whether the dataset's Croissant 1.1 metadata is valid, for pages of others.",
		Metadata:  map[string]any{frame.MetaDialect: frame.InCatalogue, frame.MetaFree: true},
		Responses: frame.CatalogueResponses(desc, good, 404), Parameters: []*huma.Param{slug},
	}
	frame.Conditional(op.Responses)
	op.Responses["308"] = &huma.Response{Description: "An id was sent: Location has the address by slug."}
	frame.Operate(desc, op, a.getBadge)
}

// documentSchema describes a Croissant document only as an object: the format has its own
// specification.
func documentSchema() *huma.Schema {
	return &huma.Schema{Type: "object", Description: "JSON-LD in the vocabulary of http://mlcommons.org/croissant/."}
}
