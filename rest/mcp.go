package rest

import (
	"context"
	"net/http"

	"vaak/account"
	"vaak/edge"
	domain "vaak/oauth"
	"vaak/rest/frame"
	"vaak/rest/oauth"
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
		keyed := s.Keyed(frame.Native, h.Refuse, false)
		s.mountGuarded(speechMCP, h, s.connected(speechMCP, h.Refuse, keyed[0]), keyed[1])
	}
	if h := s.CatalogueMCP; h != nil {
		s.mountGuarded(catalogueMCP, h, edge.Locate(s.Clients), s.LimitedBy(h.Refuse), s.connected(catalogueMCP, h.Refuse), s.entered(h.Refuse))
	}
	if s.OAuth != nil {
		oauth.Mount(s, s.OAuth, edge.Locate(s.Clients), s.LimitedBy(oauth.Refuse))
	}
}

// Where the endpoints are.
const (
	speechMCP    = "/v1/mcp"
	catalogueMCP = "/api/catalogue/mcp"
)

// connected finds the caller of a request with the access token of a connected application. Other
// requests pass the middlewares of otherwise. A token is good for one endpoint, and one that is not
// good is refused where nothing is needed, too: the application must learn to get another one.
func (s *server) connected(path string, refuse edge.Refuse, otherwise ...edge.Middleware) edge.Middleware {
	if s.OAuth == nil {
		return func(next http.Handler) http.Handler { return edge.Chain(next, otherwise...) }
	}
	find := func(ctx context.Context, token string) (account.Caller, []string, error) {
		return s.OAuth.Authenticate(ctx, token, s.OAuth.Issuer()+path)
	}
	return edge.Connect(domain.IsAccessToken, find, otherwise, refuse)
}

// entered counts the requests of connected applications where nobody else needs a key.
func (s *server) entered(refuse edge.Refuse) edge.Middleware {
	return func(next http.Handler) http.Handler {
		counted := edge.Enter(s.Accounts, refuse)(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, ok := edge.Caller(r.Context()); ok {
				counted.ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	}
}

func (s *server) mountGuarded(path string, h Agents, before ...edge.Middleware) {
	served := h.Guard(edge.Chain(h, before...))
	for _, method := range []string{http.MethodPost, http.MethodDelete, http.MethodOptions} {
		s.Add(method, path, false, served)
	}
}
