package catalogue

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"vaak/catalogue"
	"vaak/rest/frame"
)

// registerCatalogue declares the operations of the catalogue.
func (a *api) registerCatalogue(desc huma.API) {
	operation := func(id, path, summary, doc string, good *huma.Response, errors ...int) huma.Operation {
		return huma.Operation{
			OperationID: id, Method: http.MethodGet, Path: path, Tags: []string{frame.TagCatalogue},
			Summary: summary, Description: doc,
			Metadata:  map[string]any{frame.MetaDialect: frame.InCatalogue},
			Responses: frame.CatalogueResponses(desc, good, errors...),
		}
	}
	list := operation("listDatasets", "/api/catalogue/datasets", "List and filter datasets",
		"Most hours first; with q the best match first. Parameters narrow the list together; an empty value is as none, "+
			"and false as absent. Parameters that are not listed here are ignored and named in x-ignored-parameters.",
		frame.JsonOf[DatasetList](desc, "The datasets that match."), 400)
	list.Parameters = datasetParameters()
	frame.Conditional(list.Responses)
	frame.Operate(desc, list, a.listDatasets)

	get := operation("getDataset", "/api/catalogue/datasets/{slug}", "Get one dataset's record",
		"All that is known of a dataset, and in gaps what is not. A retired dataset keeps its record, with status retired.",
		frame.JsonOf[catalogue.Dataset](desc, "The record."), 404)
	slug := frame.SlugParameter()
	get.Parameters = []*huma.Param{slug}
	frame.Conditional(get.Responses)
	get.Responses["200"].Headers["link"] = frame.HeaderOf("string", "The same in Croissant, with rel=describedby.")
	get.Responses["308"] = &huma.Response{Description: "An id was sent: Location has the address by slug."}
	frame.Operate(desc, get, a.getDataset)

	manifest := operation("getRecordings", "/catalogue/datasets/{slug}/recordings.csv", "Get the manifest",
		"A row for each recording of the dataset: id, split, duration, channels, rate, codec, size, digest and path in the licensed package.",
		fileAnswer("The manifest.", "text/csv"), 404, 416)
	manifest.Metadata[frame.MetaFree] = true
	manifest.Parameters = []*huma.Param{slug}
	frame.Conditional(manifest.Responses)
	frame.Operate(desc, manifest, a.getDatasetFile)

	sample := operation("getSampleFile", "/catalogue/datasets/{slug}/sample/{name}", "Get a file of the public sample",
		"The record's sample has the addresses: the recording, each channel alone, its transcript, its waveform. Ranges are served.",
		fileAnswer("The file.", "audio/flac", "audio/wav", "audio/mpeg", "audio/ogg", "application/octet-stream", "text/csv", "text/vtt", "application/json"), 404, 416)
	sample.Metadata[frame.MetaFree] = true
	sample.Parameters = []*huma.Param{slug, {Name: "name", In: "path", Required: true, Description: "The file's name, such as sample.wav.", Schema: &huma.Schema{Type: "string"}}}
	frame.Conditional(sample.Responses)
	frame.Operate(desc, sample, a.getDatasetFile)
}

func fileAnswer(text string, media ...string) *huma.Response {
	r := &huma.Response{Description: text, Content: map[string]*huma.MediaType{}}
	for _, m := range media {
		r.Content[m] = &huma.MediaType{Schema: frame.Binary("The bytes.")}
	}
	return r
}

// datasetParameters describes the query of the list.
func datasetParameters() []*huma.Param {
	query := func(name, doc string, schema *huma.Schema) *huma.Param {
		return &huma.Param{Name: name, In: "query", Description: doc, Schema: schema}
	}
	text := func(most int) *huma.Schema { return &huma.Schema{Type: "string", MaxLength: &most} }
	words := func(of ...any) *huma.Schema { return &huma.Schema{Type: "string", Enum: of} }
	flag := func() *huma.Schema { return &huma.Schema{Type: "boolean", Default: false} }
	zero, one, most := 0.0, 1.0, float64(catalogue.MaxPage)
	return []*huma.Param{
		query("q", "Words that begin a word of the title, id, slug, domain or language: all of one or two, at least half of more, and the name of a language in any case. What fits more words comes first.", text(catalogue.MaxQuery)),
		query("language", "A name, an ISO 639 code or a BCP 47 tag, which stands for the tags that it begins: hi matches hi-IN. Several, separated by commas, match any of them.", &huma.Schema{Type: "string"}),
		query("channels", "dual: one channel for each speaker. mono: one mixed channel with speaker labels.", words(catalogue.Dual, catalogue.Mono)),
		query("collection", "", words(catalogue.CallCentre, catalogue.GeneralConversation)),
		query("sample", "Only datasets with a public sample to hear.", flag()),
		query("transcribed", "Only datasets with time-aligned transcripts.", flag()),
		query("min_hours", "At least this many hours.", &huma.Schema{Type: "number", Minimum: &zero}),
		query("limit", "Datasets on a page.", &huma.Schema{Type: "integer", Minimum: &one, Maximum: &most, Default: catalogue.MaxPage}),
		query("cursor", "next of the page before, with the same parameters; limit may change.", text(catalogue.MaxCursor)),
		query("facets", "Count the values of language, channels, collection and domain, too.", flag()),
	}
}
