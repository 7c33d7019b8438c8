package catalogue

import (
	"net/http"
	"slices"

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
		"Most hours first; with q the best match first; with similar what is most alike first; or as sort says. Parameters narrow the list together; an empty value is as none, "+
			"and false as absent. Parameters that are not listed here are ignored and named in x-ignored-parameters.",
		frame.JsonOf[DatasetList](desc, "The datasets that match."), 400)
	list.Parameters = datasetParameters()
	frame.Conditional(list.Responses)
	frame.Operate(desc, list, a.listDatasets)

	count := operation("countDatasets", "/api/catalogue/facets", "Count datasets by their properties",
		"How many datasets each value of a property would leave, with the parameters that select datasets in the list. "+
			"A property whose values are chosen is counted without that choice.",
		frame.JsonOf[FacetCounts](desc, "The counts."), 400)
	count.Parameters = slices.DeleteFunc(datasetParameters(), func(p *huma.Param) bool { return !slices.Contains(filterParameters, p.Name) })
	frame.Conditional(count.Responses)
	frame.Operate(desc, count, a.countDatasets)

	get := operation("getDataset", "/api/catalogue/datasets/{slug}", "Get one dataset's record",
		"All that is known of a dataset, and in gaps what is not. A retired dataset keeps its record, with status retired.",
		frame.JsonOf[catalogue.Dataset](desc, "The record."), 404)
	slug := frame.SlugParameter()
	get.Parameters = []*huma.Param{slug}
	frame.Conditional(get.Responses)
	get.Responses["200"].Headers["link"] = frame.HeaderOf("string", "The same in Croissant, with rel=describedby.")
	get.Responses["308"] = &huma.Response{Description: "An id was sent: Location has the address by slug."}
	frame.Operate(desc, get, a.getDataset)

	collection := frame.HeaderOf("string", "The page of the dataset, with rel=collection.")
	manifest := operation("getRecordings", "/catalogue/datasets/{slug}/recordings.csv", "Get the manifest",
		"A row for each recording of the dataset: id, split, duration, channels, rate, codec, size, digest and path in the licensed package.",
		fileAnswer("The manifest.", "text/csv"), 404, 416)
	manifest.Metadata[frame.MetaFree] = true
	manifest.Parameters = []*huma.Param{slug}
	frame.Conditional(manifest.Responses)
	manifest.Responses["200"].Headers["link"] = collection
	manifest.Responses["302"] = frame.InStorage("The file")
	frame.Operate(desc, manifest, a.getDatasetFile)

	sample := operation("getSampleFile", "/catalogue/datasets/{slug}/sample/{name}", "Get a file of the public sample",
		"The record's sample has the addresses: the recording, each channel alone, its transcript, its waveform. Ranges are served.",
		fileAnswer("The file.", "audio/flac", "audio/wav", "audio/mpeg", "audio/ogg", "application/octet-stream", "text/csv", "text/vtt", "application/json"), 404, 416)
	sample.Metadata[frame.MetaFree] = true
	sample.Parameters = []*huma.Param{slug, {Name: "name", In: "path", Required: true, Description: "The file's name, such as sample.wav.", Schema: &huma.Schema{Type: "string"}}}
	frame.Conditional(sample.Responses)
	sample.Responses["200"].Headers["link"] = collection
	sample.Responses["302"] = frame.InStorage("The file")
	frame.Operate(desc, sample, a.getDatasetFile)
}

func fileAnswer(text string, media ...string) *huma.Response {
	r := &huma.Response{Description: text, Content: map[string]*huma.MediaType{}}
	for _, m := range media {
		r.Content[m] = &huma.MediaType{Schema: frame.Binary("The bytes.")}
	}
	return r
}

func sorts() (all []any) {
	for _, s := range catalogue.Sorts {
		all = append(all, string(s))
	}
	return all
}

// datasetParameters describes the query of the list.
func datasetParameters() []*huma.Param {
	query := func(name, doc string, schema *huma.Schema) *huma.Param {
		return &huma.Param{Name: name, In: "query", Description: doc, Schema: schema}
	}
	text := func(most int) *huma.Schema { return &huma.Schema{Type: "string", MaxLength: &most} }
	words := func(of ...any) *huma.Schema { return &huma.Schema{Type: "string", Enum: of} }
	list := func(name, doc string, items *huma.Schema) *huma.Param {
		explode, most := true, catalogue.MaxChoices
		return &huma.Param{Name: name, In: "query", Description: doc, Explode: &explode, Schema: &huma.Schema{Type: "array", Items: items, MaxItems: &most}}
	}
	flag := func() *huma.Schema { return &huma.Schema{Type: "boolean", Default: false} }
	zero, one, most := 0.0, 1.0, float64(catalogue.MaxPage)
	return []*huma.Param{
		query("q", "Words that begin a word of the title, id, slug, domain, language or description, in any script: all of one or two, at least half of more, and the name of a language in any case. A word that no dataset has stands for those one or two typing errors away, in up to four words. What fits more words comes first.", text(catalogue.MaxQuery)),
		list("language", "A name in any language, such as Hindi, Bangla or बंगाली, an ISO 639 code or a tag in any form, such as hi_IN or hi-Deva. A tag stands for the tags that it begins: hi matches hi-IN. Several, repeated or separated by commas, match any of them.", text(catalogue.MaxChoice)),
		query("channels", "dual: one channel for each speaker. mono: one mixed channel with speaker labels.", words(catalogue.Dual, catalogue.Mono)),
		query("collection", "", words(catalogue.CallCentre, catalogue.GeneralConversation)),
		list("domain", "What is talked about, in any case. Several, repeated or separated by commas, match any of them.", text(catalogue.MaxChoice)),
		list("license", "Name, short name or address of a licence, such as cc-by-4.0. Several, repeated, match any of them.", text(catalogue.MaxChoice)),
		list("sample_rate", "In Hz: datasets with files at this rate, such as 16000. Several, repeated or separated by commas, match any of them.", &huma.Schema{Type: "integer", Minimum: &one}),
		query("sample", "Only datasets with a public sample to hear.", flag()),
		query("transcribed", "Only datasets with time-aligned transcripts.", flag()),
		query("min_hours", "At least this many hours.", &huma.Schema{Type: "number", Minimum: &zero}),
		query("min_speakers", "At least this many speakers are known.", &huma.Schema{Type: "integer", Minimum: &zero}),
		query("similar", "Slug or id of a dataset: all others, those first that are most like it in language, kind of talk, volume, and how people sound and talk in them. It cannot be combined with sort.", text(catalogue.MaxSlug)),
		query("sort", "relevance: the best match for q first, or most hours without it. hours, speakers: most first. newest: changed last first. title: by title, in the order of code points, so that capitals come first.", words(sorts()...)),
		query("limit", "Datasets on a page.", &huma.Schema{Type: "integer", Minimum: &one, Maximum: &most, Default: catalogue.MaxPage}),
		query("cursor", "next of the page before, with the same parameters; limit may change.", text(catalogue.MaxCursor)),
		query("facets", "Count the values of language, channels, collection, domain, license and sample_rate, too.", flag()),
	}
}
