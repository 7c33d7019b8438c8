package rest

import (
	"net/http"
	"strconv"
	"strings"

	"vaak/edge"
)

// Pages are public pages that are served beside the API.
type Pages interface {
	http.Handler
	// Patterns lists what the handler serves, as patterns of [http.ServeMux] for
	// GET, or for POST: forms, which the handler reads, within bounds of its own, and
	// which scripts of other origins may not send.
	Patterns() []string
}

// mountPages mounts the pages at their patterns. Each knows the address of its
// client; forms count to the minute of that.
func (a *api) mountPages(routes *routes) {
	located := edge.Locate(a.Clients)
	for _, pattern := range a.Pages.Patterns() {
		if !strings.HasPrefix(pattern, http.MethodPost+" ") {
			routes.addPattern(pattern, true, edge.Chain(a.Pages, located))
			continue
		}
		routes.addPattern(pattern, false, edge.Chain(a.Pages, located, a.limitedBy(refusePlainly)))
	}
}

// refusePlainly answers a person with an error: a sentence of plain text.
func refusePlainly(w http.ResponseWriter, r *http.Request, err error) {
	edge.Note(r.Context(), err)
	f := faultOf(err)
	h := w.Header()
	errorHeaders(h, f, maxRetryAfter)
	text := f.Msg + "\n"
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(table[f.Kind].status)
	_, _ = w.Write([]byte(text)) // a client that left needs no answer
}
