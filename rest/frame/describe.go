package frame

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

// newDescription returns the huma API to which operations are declared.
func newDescription(a huma.Adapter, info *huma.Info, tags []*huma.Tag, keyed bool) huma.API {
	adoptErrors()
	cfg := huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info:    info,
			Servers: []*huma.Server{{URL: "/", Description: "This server."}},
			Tags:    tags,
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
	if !keyed {
		return desc
	}
	desc.OpenAPI().Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"bearer":     {Type: "http", Scheme: "bearer", Description: "The API key as a bearer token."},
		"xi-api-key": {Type: "apiKey", In: "header", Name: "xi-api-key", Description: "The API key in a header of its own."},
	}
	desc.OpenAPI().Components.Responses = errorResponses(SchemaOf[ErrorBody](desc))
	// Only routes of the ElevenLabs dialect answer 422, and their body is another.
	desc.OpenAPI().Components.Responses["422"].Content["application/json"].Schema = SchemaOf[ValidationBody](desc)
	return desc
}

// schemaName returns the name of the schema of a type. Types of the catalogue's packages get a
// prefix, because both services have types such as languages and reports.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.PkgPath() == "vaak/catalogue" && name != "Dataset" {
		return "Dataset" + name
	}
	if t.PkgPath() == "vaak/croissant/check" {
		return "Croissant" + name
	}
	name = strings.TrimSuffix(name, "Record") // a word of this program, which means nothing to callers
	if name == "" {
		panic("a type of the API needs a name that says what is recorded: " + t.String())
	}
	return name
}

// SchemaOf returns the schema of T, a reference for a struct.
func SchemaOf[T any](desc huma.API) *huma.Schema {
	return SchemaIn[T](desc.OpenAPI().Components.Schemas)
}

// SchemaIn is [SchemaOf] for a type that describes itself, which gets the registry from huma.
func SchemaIn[T any](r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, "")
}

// WithKey is the security of the operations that need a key.
var WithKey = []map[string][]string{{"bearer": {}}, {"xi-api-key": {}}}

// errorTexts describes the error statuses.
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
			"x-request-id": HeaderOf("string", "The id of the request."),
		}
		switch status {
		case http.StatusUnauthorized:
			headers["WWW-Authenticate"] = HeaderOf("string", "Bearer.")
		case http.StatusPaymentRequired:
			headers["x-should-retry"] = HeaderOf("string", "false.")
		case http.StatusTooManyRequests:
			referToLimits(headers, true)
			// Both statuses say how long to wait.
			fallthrough
		case http.StatusServiceUnavailable:
			headers["Retry-After"] = HeaderOf("integer", "Seconds to wait, 1 to 60.")
			headers["retry-after-ms"] = HeaderOf("integer", "The same in milliseconds, finer.")
		}
		out[strconv.Itoa(status)] = &huma.Response{
			Description: text,
			Headers:     headers,
			Content:     map[string]*huma.MediaType{"application/json": {Schema: schema}},
		}
	}
	return out
}

// limitHeaders describes the headers that say how much of its limits a caller has left.
func limitHeaders() map[string]*huma.Param {
	return map[string]*huma.Param{
		"x-ratelimit-limit-requests":       HeaderOf("integer", "Requests a minute. Absent without a limit, as are its companions."),
		"x-ratelimit-remaining-requests":   HeaderOf("integer", "How many more would pass now."),
		"x-ratelimit-reset-requests":       HeaderOf("string", "How long until all of them would, such as 59s or 1m0s."),
		"x-ratelimit-reset":                HeaderOf("integer", "When that will be, in Unix seconds."),
		"x-ratelimit-limit-concurrent":     HeaderOf("integer", "Streams of the key at once; every synthesis is one while it runs. Absent without a limit, and where no key is needed, as is its companion."),
		"x-ratelimit-remaining-concurrent": HeaderOf("integer", "How many more could start now."),
	}
}

// referToLimits adds references to the headers about limits. Only operations that need a key
// have the headers about streams.
func referToLimits(headers map[string]*huma.Param, keyed bool) {
	for name := range limitHeaders() {
		if keyed || !strings.HasSuffix(name, "-concurrent") {
			headers[name] = &huma.Param{Ref: "#/components/headers/" + name}
		}
	}
}

// describeLimits adds the headers and errors that all limited operations have.
func describeLimits(desc huma.API, op *huma.Operation) {
	if !limited(op) {
		return
	}
	switch dialectOf(op) {
	case InCatalogue:
		op.Responses["429"] = CatalogueProblem(desc, http.StatusTooManyRequests)
		referToLimits(op.Responses["200"].Headers, false)
		return
	case InEnquiry:
		referToLimits(op.Responses["202"].Headers, false)
		referToLimits(op.Responses["429"].Headers, false)
		return
	}
	op.Responses["429"] = &huma.Response{Ref: "#/components/responses/429"}
	good := op.Responses["200"]
	if made := op.Responses["201"]; made != nil {
		good = made
	}
	if good == nil {
		panic(op.Method + " " + op.Path + " describes no answer with the status 200 or 201")
	}
	referToLimits(good.Headers, len(op.Security) > 0)
}

// AllowEmpty adds the empty value to the values that parameters of the query may have: an empty
// parameter counts as not sent in every operation.
func AllowEmpty(doc *huma.OpenAPI) {
	for _, path := range doc.Paths {
		if path.Get == nil {
			continue
		}
		for _, p := range path.Get.Parameters {
			if p.In == "query" && p.Schema != nil && len(p.Schema.Enum) > 0 {
				// A copy, because several parameters may share one list.
				p.Schema.Enum = append(slices.Clone(p.Schema.Enum), "")
			}
		}
	}
}

// HeaderOf describes a header of an answer.
func HeaderOf(typ, doc string) *huma.Param {
	return &huma.Param{Description: doc, Schema: &huma.Schema{Type: typ}}
}

// Responses lists the answers of an operation: a good one, and the errors by
// status.
func Responses(good *huma.Response, errors ...int) map[string]*huma.Response {
	if good.Headers == nil {
		good.Headers = map[string]*huma.Param{}
	}
	good.Headers["x-request-id"] = HeaderOf("string", "The id of the request.")
	out := map[string]*huma.Response{"200": good}
	for _, status := range append(errors, http.StatusInternalServerError) {
		code := strconv.Itoa(status)
		out[code] = &huma.Response{Ref: "#/components/responses/" + code}
	}
	return out
}

// JsonOf describes a JSON answer of type T.
func JsonOf[T any](desc huma.API, text string) *huma.Response {
	return &huma.Response{
		Description: text,
		Content:     map[string]*huma.MediaType{"application/json": {Schema: SchemaOf[T](desc)}},
	}
}

// EncodeDescription returns the description as an indented document.
func EncodeDescription(desc huma.API) ([]byte, error) {
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

// Binary describes a body of bytes. It sets the format as an extension, because huma would add
// the media type application/octet-stream for a format, which would be wrong.
func Binary(doc string) *huma.Schema {
	return &huma.Schema{Type: "string", Description: doc, Extensions: map[string]any{"format": "binary"}}
}

// Refusal describes an error that only one route answers.
func Refusal(schema *huma.Schema, text string) *huma.Response {
	return &huma.Response{
		Description: text,
		Headers:     map[string]*huma.Param{"x-request-id": HeaderOf("string", "The id of the request.")},
		Content:     map[string]*huma.MediaType{"application/json": {Schema: schema}},
	}
}
