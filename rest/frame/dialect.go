package frame

import (
	"errors"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"vaak/edge"
	"vaak/internal/fault"
	"vaak/rest/openai"
)

// ElevenLabsSpeech is the prefix of the routes that speak in the ElevenLabs dialect.
const ElevenLabsSpeech = "/v1/text-to-speech/"

// Refuse answers a request with an error as the native routes do.
func Refuse(w http.ResponseWriter, r *http.Request, err error) { Native.Refuse(w, r, err) }

// RefuseCatalogue answers a request with an error as the catalogue does.
func RefuseCatalogue(w http.ResponseWriter, r *http.Request, err error) {
	InCatalogue.Refuse(w, r, err)
}

// RefuseElevenLabs answers the handshake of a socket with an error as the routes of the
// ElevenLabs dialect do. It has no body: its parameters are those of the query.
func RefuseElevenLabs(w http.ResponseWriter, r *http.Request, err error) {
	ElevenLabs.Refuse(w, r, InQuery(err))
}

// ValidationBody is the body of a bad parameter on the ElevenLabs routes.
type ValidationBody struct {
	Detail []InvalidField `json:"detail" nullable:"false" doc:"Parameters that are missing or not what they must be."`
	Err    openai.Error   `json:"error"`
}

// InvalidField is what is wrong with one parameter, and where that is.
type InvalidField struct {
	Loc  Location `json:"loc"`
	Msg  string   `json:"msg" doc:"What is wrong, what is allowed and what was sent, in a sentence." example:"voice_settings.speed 1.9 is outside 0.7 to 1.5"`
	Type string   `json:"type" doc:"The sort of error." enum:"value_error"`
}

// Location leads to a parameter: body, query or path, then names and, inside
// lists, numbers.
type Location []any

// Schema describes it.
func (Location) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type:        "array",
		Description: "Where the parameter is: body or query, then names and, in lists, numbers from 0.",
		Items:       &huma.Schema{OneOf: []*huma.Schema{{Type: "string"}, {Type: "integer"}}},
		Examples:    []any{[]any{"body", "voice_settings", "speed"}},
	}
}

// placedError is an error about a parameter that is not in the body.
type placedError struct {
	error
	place string
}

// Unwrap returns the error.
func (e placedError) Unwrap() error { return e.error }

// InQuery marks an error as one about a parameter of the query, because answers in the
// ElevenLabs dialect say where a parameter was.
func InQuery(err error) error { return placedError{err, "query"} }

// InPath is [InQuery] for a parameter of the path.
func InPath(err error) error { return placedError{err, "path"} }

// validationOf returns the body of an error about a parameter.
func validationOf(err error, e openai.Error) ValidationBody {
	// What is not marked by InQuery or InPath came in the body.
	loc := Location{"body"}
	if placed, ok := errors.AsType[placedError](err); ok {
		loc = Location{placed.place}
	}
	if e.Param != nil {
		loc = append(loc, LocationIn(*e.Param)...)
	}
	return ValidationBody{Detail: []InvalidField{{Loc: loc, Msg: e.Message, Type: "value_error"}}, Err: e}
}

// LocationIn returns the location of a parameter within the body, or the query: "rules.3.alias"
// becomes rules, 3, alias.
func LocationIn(param string) (loc Location) {
	for name := range strings.SplitSeq(param, ".") {
		// A number is an index within a list.
		if i, err := strconv.Atoi(name); err == nil {
			loc = append(loc, i)
		} else {
			loc = append(loc, name)
		}
	}
	return loc
}

// RepeatID adds the id of the request under the name that the ElevenLabs dialect has for it.
func RepeatID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		DialectHeaders(w.Header(), edge.From(r.Context()), false)
		next.ServeHTTP(w, r)
	})
}

// DialectHeaders repeats, under the names of the ElevenLabs dialect, what other headers say: the
// id of the request, the id of its trace when it failed, how many streams the key has open and
// how many it may have. Without a limit it sets no headers about streams.
func DialectHeaders(h http.Header, x *edge.Exchange, failed bool) {
	// Only the ids are known for every request. The headers of streams are set by edge before the
	// handler runs, and are missing where the key has no limit.
	h.Set("Request-Id", x.ID)
	if failed {
		trace := x.TraceID
		if trace == "" {
			trace = x.ID
		}
		h.Set("X-Trace-Id", trace)
	}
	most, err := strconv.Atoi(h.Get("X-Ratelimit-Limit-Concurrent"))
	if err != nil {
		return
	}
	left, err := strconv.Atoi(h.Get("X-Ratelimit-Remaining-Concurrent"))
	if err != nil {
		return
	}
	h.Set("Current-Concurrent-Requests", strconv.Itoa(most-left))
	h.Set("Maximum-Concurrent-Requests", strconv.Itoa(most))
}

// ErrParameter returns an error about a parameter of the query.
func ErrParameter(name, format string, args ...any) error {
	return InQuery(fault.BadParameter(name, format, args...))
}

// DescribeDialect describes the headers of [DialectHeaders].
func DescribeDialect(headers map[string]*huma.Param) {
	maps.Copy(headers, map[string]*huma.Param{
		"request-id":                  HeaderOf("string", "The id of the request, as in x-request-id."),
		"current-concurrent-requests": HeaderOf("integer", "Streams of the key that run, with this one. Absent without a limit, as is its companion."),
		"maximum-concurrent-requests": HeaderOf("integer", "Streams of the key that may run at once."),
	})
}
