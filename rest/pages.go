package rest

import (
	"net/http"
	"strings"

	"vaak/edge"
	"vaak/rest/frame"
)

// Pages are public pages that are served beside the API.
type Pages interface {
	http.Handler
	// Patterns lists what the handler serves, as patterns of [http.ServeMux] for
	// GET, or for POST: forms, which the handler reads, within bounds of its own, and
	// which scripts of other origins may not send.
	Patterns() []string
	// Counted reports whether requests of a pattern count against the requests per minute of
	// their address.
	Counted(pattern string) bool
}

// mountPages mounts the pages at their patterns. Each page finds the address of its client in
// the exchange.
func (s *server) mountPages() {
	located := edge.Locate(s.Clients)
	for _, pattern := range s.Pages.Patterns() {
		h := edge.Chain(s.Pages, located)
		if s.Pages.Counted(pattern) {
			h = edge.Chain(s.Pages, located, s.LimitedBy(frame.RefusePlainly))
		}
		s.AddPattern(pattern, !strings.HasPrefix(pattern, http.MethodPost+" "), h)
	}
}
