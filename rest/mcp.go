package rest

import (
	"net/http"

	"vaak/edge"
)

// Agents serves what agents call.
type Agents interface {
	// ServeHTTP serves requests that Guard let through; it checks bodies itself.
	http.Handler
	// Guard refuses foreign hosts and web pages before anything else is looked
	// at, answers OPTIONS, and lets pages that may call read the refusals of next.
	Guard(next http.Handler) http.Handler
	// Refuse answers a request that stops before ServeHTTP.
	Refuse(w http.ResponseWriter, r *http.Request, err error)
}

// mountMCP mounts what agents call. GET is not served: no protocol version
// needs it.
func (a *api) mountMCP(routes *routes) {
	if h := a.SpeechMCP; h != nil {
		mountGuarded(routes, "/v1/mcp", h, a.keyed(native, h.Refuse, false)...)
	}
	if h := a.CatalogueMCP; h != nil {
		mountGuarded(routes, "/api/catalogue/mcp", h, edge.Locate(a.Clients), a.limitedBy(h.Refuse))
	}
}

func mountGuarded(routes *routes, path string, h Agents, before ...edge.Middleware) {
	served := h.Guard(edge.Chain(h, before...))
	for _, method := range []string{http.MethodPost, http.MethodDelete, http.MethodOptions} {
		routes.add(method, path, false, served)
	}
}
