package rest

import (
	"net/http"

	"vaak/edge"
	"vaak/rest/frame"
)

// Agents serves what agents call.
type Agents interface {
	// ServeHTTP serves requests that Guard let through; it checks bodies itself.
	http.Handler
	// Guard refuses foreign hosts and web pages before anything else is checked. It answers
	// OPTIONS, and lets pages that may call read the refusals of next.
	Guard(next http.Handler) http.Handler
	// Refuse answers a request that stops before ServeHTTP.
	Refuse(w http.ResponseWriter, r *http.Request, err error)
}

// mountMCP mounts the endpoints for agents. It does not serve GET, which no version of the
// protocol needs.
func (s *server) mountMCP() {
	if h := s.SpeechMCP; h != nil {
		s.mountGuarded("/v1/mcp", h, s.Keyed(frame.Native, h.Refuse, false)...)
	}
	if h := s.CatalogueMCP; h != nil {
		s.mountGuarded("/api/catalogue/mcp", h, edge.Locate(s.Clients), s.LimitedBy(h.Refuse))
	}
}

func (s *server) mountGuarded(path string, h Agents, before ...edge.Middleware) {
	served := h.Guard(edge.Chain(h, before...))
	for _, method := range []string{http.MethodPost, http.MethodDelete, http.MethodOptions} {
		s.Add(method, path, false, served)
	}
}
