package rest

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"vaak/edge"
	"vaak/internal/fault"
	"vaak/rest/openai"
)

// elevenLabsSpeech is where the routes begin that speak in the ElevenLabs
// dialect.
const elevenLabsSpeech = "/v1/text-to-speech/"

// Refuse answers a request with an error as the native routes do.
func Refuse(w http.ResponseWriter, r *http.Request, err error) { native.refuse(w, r, err) }

// RefuseCatalogue answers a request with an error as the catalogue does.
func RefuseCatalogue(w http.ResponseWriter, r *http.Request, err error) {
	inCatalogue.refuse(w, r, err)
}

// RefuseElevenLabs answers the handshake of a socket with an error as the routes of the
// ElevenLabs dialect do. It has no body: its parameters are those of the query.
func RefuseElevenLabs(w http.ResponseWriter, r *http.Request, err error) {
	elevenLabs.refuse(w, r, inQuery{err})
}

// validationBody is the body of a bad parameter on the ElevenLabs routes.
type validationBody struct {
	Detail []invalidField `json:"detail" nullable:"false" doc:"Parameters that are missing or not what they must be."`
	Err    openai.Error   `json:"error"`
}

type invalidField struct {
	Loc  location `json:"loc"`
	Msg  string   `json:"msg" doc:"What is wrong, what is allowed and what was sent, in a sentence." example:"voice_settings.speed 1.9 is outside 0.7 to 1.5"`
	Type string   `json:"type" doc:"The sort of error." enum:"value_error"`
}

// location leads to a parameter: body, query or path, then names and, inside
// lists, numbers.
type location []any

// Schema describes it.
func (location) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type:        "array",
		Description: "Where the parameter is: body or query, then names and, in lists, numbers from 0.",
		Items:       &huma.Schema{OneOf: []*huma.Schema{{Type: "string"}, {Type: "integer"}}},
		Examples:    []any{[]any{"body", "voice_settings", "speed"}},
	}
}

// inQuery marks an error about a parameter of the query.
type inQuery struct{ error }

// Unwrap returns the error.
func (e inQuery) Unwrap() error { return e.error }

// validationOf returns the body of an error about a parameter.
func validationOf(err error, e openai.Error) validationBody {
	loc := location{"body"}
	if _, ok := errors.AsType[inQuery](err); ok {
		loc = location{"query"}
	}
	if e.Param != nil {
		loc = append(loc, locationIn(*e.Param)...)
	}
	return validationBody{Detail: []invalidField{{Loc: loc, Msg: e.Message, Type: "value_error"}}, Err: e}
}

// locationIn returns where a parameter is in what holds it.
func locationIn(param string) (loc location) {
	for name := range strings.SplitSeq(param, ".") {
		if i, err := strconv.Atoi(name); err == nil {
			loc = append(loc, i)
		} else {
			loc = append(loc, name)
		}
	}
	return loc
}

// repeatID says the id of the request under the name that this dialect has for
// it too.
func repeatID(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		dialectHeaders(w.Header(), edge.From(r.Context()), false)
		next.ServeHTTP(w, r)
	})
}

// dialectHeaders repeats in the dialect's names what other headers say: the id
// of the request, that of its trace when it failed, and how many streams the key
// has and may have. There is none of these where there is no limit.
func dialectHeaders(h http.Header, x *edge.Exchange, failed bool) {
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

// errParameter returns an error about a parameter of the query.
func errParameter(name, format string, args ...any) error {
	return inQuery{fault.BadParameter(name, format, args...)}
}
