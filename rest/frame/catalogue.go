package frame

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"vaak/internal/fault"

	"github.com/danielgtaylor/huma/v2"
)

// ToSlug redirects a caller who used the id of a dataset to the path with its slug.
func ToSlug(w http.ResponseWriter, r *http.Request, path string) error {
	if r.URL.RawQuery != "" {
		path += "?" + r.URL.RawQuery
	}
	w.Header().Set("Location", path)
	w.Header().Set("Cache-Control", "public, max-age=60")
	w.WriteHeader(http.StatusPermanentRedirect)
	return nil
}

// unknownDataset is the error of a dataset that does not exist, with slugs that may be meant.
type unknownDataset struct {
	error
	slug    string
	similar []string
}

// Unwrap returns the error.
func (e unknownDataset) Unwrap() error { return e.error }

// Similar knows slugs that resemble a name.
type Similar interface{ Similar(name string) []string }

// Unknown returns the error of a look-up of a dataset. If the dataset does not exist, the error
// has the slugs that may be meant.
func Unknown(err error, name string, among Similar) error {
	if fault.KindOf(err) == fault.NotFound {
		return UnknownDataset(err, name, among.Similar(name))
	}
	return err
}

// SlugParameter describes the part of a path that names a dataset.
func SlugParameter() *huma.Param {
	return &huma.Param{Name: "slug", In: "path", Required: true, Description: "A dataset's slug. Its id leads to the slug.",
		Schema: &huma.Schema{Type: "string"}, Example: "hi-in-call-centre-banking-dual"}
}

// UnknownDataset returns err, which says that a dataset does not exist, together with the name
// that was asked for and similar slugs. Answers of the catalogue contain both.
func UnknownDataset(err error, asked string, similar []string) error {
	return unknownDataset{err, strings.ToValidUTF8(asked[:min(len(asked), 100)], ""), similar}
}

// CatalogueError is the body of errors of the catalogue.
type CatalogueError struct {
	Error      string   `json:"error" doc:"Stable, for programs." example:"not_found"`
	Code       string   `json:"code" doc:"The same."`
	Message    string   `json:"message" doc:"What is wrong, what is allowed and what was sent, in a sentence."`
	Parameter  string   `json:"parameter,omitempty" doc:"Which parameter is at fault."`
	Slug       string   `json:"slug,omitempty" doc:"Of 404: what was asked for."`
	DidYouMean []string `json:"didYouMean,omitempty" doc:"Of 404: slugs that resemble it."`
	RetryAfter int      `json:"retryAfterSeconds,omitempty" doc:"Of 429 and 503: seconds to wait, as Retry-After says."`
}

// catalogueErrorOf returns the body of an error.
func catalogueErrorOf(err error, h http.Header) CatalogueError {
	f := Public(err)
	e := CatalogueError{Error: f.Code, Code: f.Code, Message: f.Msg, Parameter: f.Field}
	if unknown, ok := errors.AsType[unknownDataset](err); ok {
		// A dataset that is asked for is named by slug, so parameter would say the same twice.
		e.Parameter, e.Slug, e.DidYouMean = "", unknown.slug, unknown.similar
	}
	e.RetryAfter, _ = strconv.Atoi(h.Get("Retry-After")) // 0 without the header, and then left out
	return e
}

// EnquiryError is the body of the answer 400 to an enquiry. Its member error is the whole
// sentence, because people and models often read no other member.
type EnquiryError struct {
	Error      string   `json:"error" doc:"Which field is wrong and why, in a sentence." example:"name is missing: it says who asks"`
	Code       string   `json:"code" doc:"Stable, for programs." example:"invalid_parameter"`
	Message    string   `json:"message" doc:"The same as error."`
	Field      string   `json:"field,omitempty" doc:"The field at fault, the first when there are several; absent when the body as a whole is." example:"name"`
	Slug       string   `json:"slug,omitempty" doc:"Of an unknown dataset: what was sent."`
	DidYouMean []string `json:"didYouMean,omitempty" nullable:"false" doc:"Of an unknown dataset: slugs that resemble it."`
}

// enquiryErrorOf returns the body of an error.
func enquiryErrorOf(err error) EnquiryError {
	f := Public(err)
	e := EnquiryError{Error: f.Msg, Code: f.Code, Message: f.Msg, Field: f.Field}
	if unknown, ok := errors.AsType[unknownDataset](err); ok {
		e.Slug, e.DidYouMean = unknown.slug, unknown.similar
	}
	return e
}

// Conditional describes what answers with an entity tag have: the header, and 304.
func Conditional(to map[string]*huma.Response) {
	to["200"].Headers["etag"] = HeaderOf("string", "Names this state of the answer, for If-None-Match.")
	to["304"] = &huma.Response{Description: "The caller has it: If-None-Match names its tag."}
}

// CatalogueTexts describes the statuses of the catalogue's operations.
var CatalogueTexts = map[int]string{
	400: "A parameter is malformed or out of range; parameter names it.",
	404: "There is no such dataset, or no such file of it; didYouMean has slugs that resemble it.",
	409: "The first request with this Idempotency-Key still runs (`idempotency_in_progress`). Try again after Retry-After.",
	413: "The body is over 1 MiB.",
	415: "The body is compressed.",
	416: "The range is outside the file.",
	422: "The Idempotency-Key came with another request before (`idempotency_key_reuse`).",
	429: "This address has sent too many requests in the last minute.",
	500: "A fault of the server.",
	503: "The store is down. Try again after Retry-After.",
}

// CatalogueResponses lists the answers of an operation: a good one, and the errors
// by status.
func CatalogueResponses(desc huma.API, good *huma.Response, errors ...int) map[string]*huma.Response {
	good.Headers = map[string]*huma.Param{"x-request-id": HeaderOf("string", "The id of the request.")}
	out := map[string]*huma.Response{"200": good}
	for _, status := range append(errors, 500, 503) {
		out[strconv.Itoa(status)] = CatalogueProblem(desc, status)
	}
	return out
}

// CatalogueProblem describes an error in the form of the catalogue.
func CatalogueProblem(desc huma.API, status int) *huma.Response {
	return &huma.Response{
		Description: CatalogueTexts[status],
		Headers:     map[string]*huma.Param{"x-request-id": HeaderOf("string", "The id of the request.")},
		Content:     map[string]*huma.MediaType{"application/json": {Schema: SchemaOf[CatalogueError](desc)}},
	}
}

// Header values that are the same in every answer. They are shared, so nobody may change them.
var (
	OneMinute  = []string{"public, max-age=60"}
	ByAccept   = []string{"Accept, Accept-Encoding"}
	byEncoding = []string{"Accept-Encoding"}
)

// DescribedBy returns the value of a Link header that leads to other metadata of the same
// dataset.
func DescribedBy(address, mediaType string) string {
	return "<" + address + `>; rel="describedby"; type="` + mediaType + `"`
}
