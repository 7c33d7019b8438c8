package rest

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"vaak/catalogue"
)

// catalogueVersion is the version of the catalogue's interface.
const catalogueVersion = "0.1.0"

const catalogueDoc = `Datasets of conversational speech that can be licensed. Each is described by what
was measured of its files, what its owner declares, and a list of what is not known.

No key is needed. Records are JSON; null means that nobody knows, and ` + "`gaps`" + ` names every null field.
Errors have a stable ` + "`error`" + ` and a ` + "`message`" + ` that says what is wrong, what is allowed and what was sent; of a bad enquiry ` + "`error`" + ` is that sentence, and ` + "`code`" + ` the stable word.`

// registerCatalogue declares the operations of the catalogue.
func (a *api) registerCatalogue(desc huma.API) {
	operation := func(id, path, summary, doc string, good *huma.Response, errors ...int) huma.Operation {
		return huma.Operation{
			OperationID: id, Method: http.MethodGet, Path: path, Tags: []string{tagCatalogue},
			Summary: summary, Description: doc,
			Metadata:  map[string]any{metaDialect: inCatalogue},
			Responses: catalogueResponses(desc, good, errors...),
		}
	}
	list := operation("listDatasets", "/api/catalogue/datasets", "List and filter datasets",
		"Most hours first; with q the best match first. Parameters narrow the list together; an empty value is as none, "+
			"and false as absent. Parameters that are not listed here are ignored and named in x-ignored-parameters.",
		jsonOf[datasetList](desc, "The datasets that match."), 400)
	list.Parameters = datasetParameters()
	conditional(list.Responses)
	operate(desc, list, a.listDatasets)

	get := operation("getDataset", "/api/catalogue/datasets/{slug}", "Get one dataset's record",
		"All that is known of a dataset, and in gaps what is not. A retired dataset keeps its record, with status retired.",
		jsonOf[catalogue.Dataset](desc, "The record."), 404)
	slug := &huma.Param{Name: "slug", In: "path", Required: true, Description: "A dataset's slug. Its id leads to the slug.",
		Schema: &huma.Schema{Type: "string"}, Example: "hi-in-call-centre-banking-dual"}
	get.Parameters = []*huma.Param{slug}
	conditional(get.Responses)
	get.Responses["200"].Headers["link"] = headerOf("string", "The same in Croissant, with rel=describedby.")
	get.Responses["308"] = &huma.Response{Description: "An id was sent: Location has the address by slug."}
	operate(desc, get, a.getDataset)

	manifest := operation("getRecordings", "/catalogue/datasets/{slug}/recordings.csv", "Get the manifest",
		"A row for each recording of the dataset: id, split, duration, channels, rate, codec, size, digest and path in the licensed package.",
		fileAnswer("The manifest.", "text/csv"), 404, 416)
	manifest.Metadata[metaFree] = true
	manifest.Parameters = []*huma.Param{slug}
	conditional(manifest.Responses)
	operate(desc, manifest, a.getDatasetFile)

	sample := operation("getSampleFile", "/catalogue/datasets/{slug}/sample/{name}", "Get a file of the public sample",
		"The record's sample has the addresses: the recording, each channel alone, its transcript, its waveform. Ranges are served.",
		fileAnswer("The file.", "audio/flac", "audio/wav", "audio/mpeg", "audio/ogg", "application/octet-stream", "text/csv", "text/vtt", "application/json"), 404, 416)
	sample.Metadata[metaFree] = true
	sample.Parameters = []*huma.Param{slug, {Name: "name", In: "path", Required: true, Description: "The file's name, such as sample.wav.", Schema: &huma.Schema{Type: "string"}}}
	conditional(sample.Responses)
	operate(desc, sample, a.getDatasetFile)
	a.registerCroissant(desc, slug)
	a.registerEnquiry(desc)
	describeNulls(desc)
}

// conditional adds what answers with a tag have.
func conditional(to map[string]*huma.Response) {
	to["200"].Headers["etag"] = headerOf("string", "Names this state of the answer, for If-None-Match.")
	to["304"] = &huma.Response{Description: "The caller has it: If-None-Match names its tag."}
}

func fileAnswer(text string, media ...string) *huma.Response {
	r := &huma.Response{Description: text, Content: map[string]*huma.MediaType{}}
	for _, m := range media {
		r.Content[m] = &huma.MediaType{Schema: binary("The bytes.")}
	}
	return r
}

// catalogueTexts says what a status means here.
var catalogueTexts = map[int]string{
	400: "A parameter is malformed or out of range; parameter names it.",
	404: "There is no such dataset, or no such file of it; didYouMean has slugs that resemble it.",
	413: "The body is over 1 MiB.",
	415: "The body is compressed.",
	416: "The range is outside the file.",
	429: "This address has sent too many requests in the last minute.",
	500: "A fault of the server.",
	503: "The store is down. Try again after Retry-After.",
}

// catalogueResponses lists the answers of an operation: a good one, and the errors
// by status.
func catalogueResponses(desc huma.API, good *huma.Response, errors ...int) map[string]*huma.Response {
	good.Headers = map[string]*huma.Param{"x-request-id": headerOf("string", "The id of the request.")}
	out := map[string]*huma.Response{"200": good}
	for _, status := range append(errors, 500, 503) {
		out[strconv.Itoa(status)] = catalogueProblem(desc, status)
	}
	return out
}

func catalogueProblem(desc huma.API, status int) *huma.Response {
	return &huma.Response{
		Description: catalogueTexts[status],
		Headers:     map[string]*huma.Param{"x-request-id": headerOf("string", "The id of the request.")},
		Content:     map[string]*huma.MediaType{"application/json": {Schema: schemaOf[catalogueError](desc)}},
	}
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

// describeNulls says which fields of records are null when they are not known:
// those that huma takes for optional or never null because they are pointers to
// objects, or lists.
func describeNulls(desc huma.API) {
	registry := desc.OpenAPI().Components.Schemas
	seen := map[reflect.Type]bool{}
	for _, t := range []reflect.Type{reflect.TypeFor[catalogue.Dataset](), reflect.TypeFor[datasetList](), reflect.TypeFor[enquiryReceipt]()} {
		nullsIn(registry, t, seen)
	}
}

func nullsIn(registry huma.Registry, t reflect.Type, seen map[reflect.Type]bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || seen[t] || t.PkgPath() == "time" {
		return
	}
	seen[t] = true
	schema := registry.Schema(t, true, "")
	if schema.Ref != "" {
		schema = registry.SchemaFromRef(schema.Ref)
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if p := schema.Properties[name]; p != nil {
			schema.Properties[name] = nullable(p, f, strings.Contains(options, "omit"))
		}
		nullsIn(registry, f.Type, seen)
	}
	schema.Required = slices.DeleteFunc(slices.Sorted(maps.Keys(schema.Properties)), func(name string) bool { return omitted(t, name) })
}

// nullable returns the schema of a field, which may be null if it is a pointer or a
// list that is not left out, and not otherwise.
func nullable(p *huma.Schema, f reflect.StructField, omits bool) *huma.Schema {
	nils := !omits && f.Tag.Get("nullable") != "false" && slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map}, f.Type.Kind())
	if p.Ref == "" {
		p.Nullable = nils || f.Type.Kind() == reflect.Pointer && !omits
		return p
	}
	if !nils {
		return p
	}
	return &huma.Schema{Description: f.Tag.Get("doc"), AnyOf: []*huma.Schema{p, {Type: "null"}}}
}

// omitted reports whether a field is left out when it is empty.
func omitted(t reflect.Type, name string) bool {
	for i := range t.NumField() {
		if own, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); own == name {
			return strings.Contains(options, "omit")
		}
	}
	return true
}
