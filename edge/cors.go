package edge

import (
	"net/http"
	"strings"
)

// ExposedHeaders lists the headers of the API that scripts of other origins may
// read.
var ExposedHeaders = []string{
	"x-request-id", "request-id", "x-trace-id",
	"character-cost", "x-voice-id", "x-fallback-voice", "x-engine", "x-language", "x-notice", "x-cache", "server-timing",
	"retry-after", "retry-after-ms", "x-should-retry",
	"x-ratelimit-limit-requests", "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests", "x-ratelimit-reset",
	"x-ratelimit-limit-concurrent", "x-ratelimit-remaining-concurrent", "x-ratelimit-remaining-characters",
	"current-concurrent-requests", "maximum-concurrent-requests",
	"ratelimit", "ratelimit-policy",
	"x-ignored-parameters", "link", "idempotent-replayed",
	"etag", "content-length", "content-range", "accept-ranges",
}

var (
	anyOrigin = []string{"*"}
	exposed   = []string{strings.Join(ExposedHeaders, ", ")}
)

// Public lets scripts of any origin read the answers of next to GET and HEAD. It is for routes
// that need no key, because a key must not be in a browser.
func Public(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			h := w.Header()
			h["Access-Control-Allow-Origin"] = anyOrigin
			h["Access-Control-Expose-Headers"] = exposed
		}
		next.ServeHTTP(w, r)
	})
}

// Options answers OPTIONS with 204 for a path that serves the methods in allow, such as
// "GET, HEAD". For a public path it sets the headers of [Public] too.
func Options(allow string, public bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Allow", allow)
		if public {
			h["Access-Control-Allow-Origin"] = anyOrigin
			h.Set("Access-Control-Allow-Methods", "GET, HEAD")
			// The star covers every header but Authorization (Fetch standard), which these routes
			// do not read.
			h.Set("Access-Control-Allow-Headers", "*")
			// A day, in seconds. Browsers cap it at their own limit.
			h.Set("Access-Control-Max-Age", "86400")
		}
		w.WriteHeader(http.StatusNoContent)
	})
}
