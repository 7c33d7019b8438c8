package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// apiVersion is the version of the interface; it changes when the interface
// does, not with every build.
const apiVersion = "1.0.0"

const apiDoc = `Text to speech in 80 languages with 320 voices.

Send the API key as ` + "`Authorization: Bearer KEY`" + ` or as ` + "`xi-api-key: KEY`" + `. In request bodies, null is the same
as leaving a property out, and unknown properties are ignored; answers to requests to speak name them in ` + "`x-ignored-parameters`" + `. Every answer carries ` + "`x-request-id`" + `; one that was sent is echoed.

Requests and streams of a key are limited by the plan, and requests without a key by their address: the ` + "`x-ratelimit-`" + ` headers of
every answer tell how things stand. They are left out where there is no limit.
Live speech, over WebSocket, is described in [/asyncapi.json](/asyncapi.json).
Paths are also served with the version twice (` + "`/v1/v1/...`" + `), for clients that add it to a base address that has it.`

// Tags group the operations in the description.
const (
	tagSpeech = "Speech"
	tagEleven = "Speech, in the ElevenLabs dialect"
	tagVoices = "Voices"
	tagModels = "Models and languages"
	tagUsage  = "Usage"
	tagHealth = "Health"

	tagDictionaries = "Pronunciation dictionaries"

	tagCatalogue = "Catalogue"
)

// about says what a description is of: speech and all else, or the catalogue alone.
func about(speech bool) *huma.Info {
	info := &huma.Info{
		Title: "Vaak catalogue", Version: catalogueVersion, Description: catalogueDoc,
		License: &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
	}
	if speech {
		info.Title, info.Version, info.Description = "Vaak", apiVersion, apiDoc
	}
	return info
}

// newDescription returns the API to which the operations are declared.
func newDescription(a huma.Adapter, info *huma.Info, speech bool) huma.API {
	adoptErrors()
	cfg := huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info:    info,
			Servers: []*huma.Server{{URL: "/", Description: "This server."}},
			Tags:    tags(speech),
			Components: &huma.Components{
				Schemas: huma.NewMapRegistry("#/components/schemas/", schemaName),
				Headers: limitHeaders(),
			},
		},
		Formats:       map[string]huma.Format{"application/json": huma.DefaultJSONFormat},
		DefaultFormat: "application/json",
	}
	cfg.AllowAdditionalPropertiesByDefault = true // answers may grow
	desc := huma.NewAPI(cfg, a)
	if !speech {
		return desc
	}
	desc.OpenAPI().Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"bearer":     {Type: "http", Scheme: "bearer", Description: "The API key as a bearer token."},
		"xi-api-key": {Type: "apiKey", In: "header", Name: "xi-api-key", Description: "The API key in a header of its own."},
	}
	desc.OpenAPI().Components.Responses = errorResponses(schemaOf[errorBody](desc))
	desc.OpenAPI().Components.Responses["422"].Content["application/json"].Schema = schemaOf[validationBody](desc)
	return desc
}

// tags are what the operations are sorted by.
func tags(speech bool) []*huma.Tag {
	all := []*huma.Tag{{Name: tagCatalogue, Description: "Datasets of speech that can be licensed: what was measured of them, and what is not known."}}
	if !speech {
		return all
	}
	return append([]*huma.Tag{
		{Name: tagSpeech, Description: "Text in, audio out."},
		{Name: tagEleven, Description: "The same, as the clients of that service ask for it: they work after changing base address and key."},
		{Name: tagDictionaries, Description: "How words of your organisation are to be written to be read. Rules are letters, never phonetics."},
		{Name: tagVoices, Description: "Who speaks."},
		{Name: tagModels, Description: "What is spoken."},
		{Name: tagUsage, Description: "What was spoken, and what can be."},
		{Name: tagHealth, Description: "What this deployment does."},
	}, all...)
}

// schemaName names the schema of a type. Those of the catalogue's packages have a
// prefix: both services have languages and reports.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if strings.HasSuffix(t.PkgPath(), "/catalogue") && name != "Dataset" {
		return "Dataset" + name
	}
	if strings.HasSuffix(t.PkgPath(), "/croissant") {
		return "Croissant" + name
	}
	return strings.TrimSuffix(name, "Record")
}

// schemaOf returns the schema of T, a reference for a struct.
func schemaOf[T any](desc huma.API) *huma.Schema {
	return schemaIn[T](desc.OpenAPI().Components.Schemas)
}

func schemaIn[T any](r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, "")
}

// withKey is the security of the operations that need a key.
var withKey = []map[string][]string{{"bearer": {}}, {"xi-api-key": {}}}

// errorTexts says what a status means here.
var errorTexts = map[int]string{
	400: "A parameter is missing, malformed or out of range, or the body is not well-formed JSON.",
	401: "The API key is missing (`missing_api_key`) or not valid (`invalid_api_key`).",
	402: "The balance of characters is spent (`insufficient_quota`). Trying again does not help.",
	404: "There is no such thing (`not_found`, `voice_not_found`, `clip_not_found`, `pronunciation_dictionary_not_found`).",
	409: "Others changed it at the same time (`edited_meanwhile`). Try again.",
	413: "The body is over 1 MiB.",
	415: "The body is not JSON.",
	416: "The range is outside the content.",
	422: "A parameter is missing or not what it must be, on the routes of the ElevenLabs dialect.",
	429: "The minute's requests are spent (`rate_limit_exceeded`) or all streams are taken (`too_many_concurrent_requests`).",
	500: "A fault of the server.",
	503: "A part of the server is down (`engine_unavailable`, `store_unavailable`), or it has all the streams that it can carry (`overloaded`). Try again after Retry-After.",
}

func errorResponses(schema *huma.Schema) map[string]*huma.Response {
	out := map[string]*huma.Response{}
	for status, text := range errorTexts {
		headers := map[string]*huma.Param{
			"x-request-id": headerOf("string", "The id of the request."),
		}
		switch status {
		case http.StatusUnauthorized:
			headers["WWW-Authenticate"] = headerOf("string", "Bearer.")
		case http.StatusPaymentRequired:
			headers["x-should-retry"] = headerOf("string", "false.")
		case http.StatusTooManyRequests:
			referToLimits(headers, true)
			fallthrough
		case http.StatusServiceUnavailable:
			headers["Retry-After"] = headerOf("integer", "Seconds to wait, 1 to 60.")
			headers["retry-after-ms"] = headerOf("integer", "The same in milliseconds, finer.")
		}
		out[strconv.Itoa(status)] = &huma.Response{
			Description: text,
			Headers:     headers,
			Content:     map[string]*huma.MediaType{"application/json": {Schema: schema}},
		}
	}
	return out
}

// limitHeaders describe how a caller stands towards its limits.
func limitHeaders() map[string]*huma.Param {
	return map[string]*huma.Param{
		"x-ratelimit-limit-requests":       headerOf("integer", "Requests a minute. Absent without a limit, as are its companions."),
		"x-ratelimit-remaining-requests":   headerOf("integer", "How many more would pass now."),
		"x-ratelimit-reset-requests":       headerOf("string", "How long until all of them would, such as 59s or 1m0s."),
		"x-ratelimit-reset":                headerOf("integer", "When that will be, in Unix seconds."),
		"x-ratelimit-limit-concurrent":     headerOf("integer", "Streams of the key at once; every synthesis is one while it runs. Absent without a limit, and where no key is needed, as is its companion."),
		"x-ratelimit-remaining-concurrent": headerOf("integer", "How many more could start now."),
	}
}

// referToLimits adds references to the headers of limits; those of streams only
// where a key is needed.
func referToLimits(headers map[string]*huma.Param, keyed bool) {
	for name := range limitHeaders() {
		if keyed || !strings.HasSuffix(name, "-concurrent") {
			headers[name] = &huma.Param{Ref: "#/components/headers/" + name}
		}
	}
}

// describeLimits adds what every limited operation has in common.
func describeLimits(desc huma.API, op *huma.Operation) {
	if !limited(op) {
		return
	}
	switch dialectOf(op) {
	case inCatalogue:
		op.Responses["429"] = catalogueProblem(desc, http.StatusTooManyRequests)
		referToLimits(op.Responses["200"].Headers, false)
		return
	case inEnquiry:
		referToLimits(op.Responses["202"].Headers, false)
		referToLimits(op.Responses["429"].Headers, false)
		return
	}
	op.Responses["429"] = &huma.Response{Ref: "#/components/responses/429"}
	referToLimits(op.Responses["200"].Headers, len(op.Security) > 0)
}

// allowEmpty adds the empty value to those that parameters of the query may have: it is
// as if the parameter was not sent, everywhere.
func allowEmpty(doc *huma.OpenAPI) {
	for _, path := range doc.Paths {
		if path.Get == nil {
			continue
		}
		for _, p := range path.Get.Parameters {
			if p.In == "query" && p.Schema != nil && len(p.Schema.Enum) > 0 {
				p.Schema.Enum = append(slices.Clone(p.Schema.Enum), "")
			}
		}
	}
}

func headerOf(typ, doc string) *huma.Param {
	return &huma.Param{Description: doc, Schema: &huma.Schema{Type: typ}}
}

// responses lists the answers of an operation: a good one, and the errors by
// status.
func responses(good *huma.Response, errors ...int) map[string]*huma.Response {
	if good.Headers == nil {
		good.Headers = map[string]*huma.Param{}
	}
	good.Headers["x-request-id"] = headerOf("string", "The id of the request.")
	out := map[string]*huma.Response{"200": good}
	for _, status := range append(errors, http.StatusInternalServerError) {
		code := strconv.Itoa(status)
		out[code] = &huma.Response{Ref: "#/components/responses/" + code}
	}
	return out
}

// jsonOf describes a JSON answer of type T.
func jsonOf[T any](desc huma.API, text string) *huma.Response {
	return &huma.Response{
		Description: text,
		Content:     map[string]*huma.MediaType{"application/json": {Schema: schemaOf[T](desc)}},
	}
}

// encodeDescription returns the description as an indented document.
func encodeDescription(desc huma.API) ([]byte, error) {
	text, err := json.Marshal(desc.OpenAPI())
	if err != nil {
		return nil, fmt.Errorf("encode the description: %w", err)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		return nil, fmt.Errorf("indent the description: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
