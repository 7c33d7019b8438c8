package transport

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// The headers that pages of allowed origins may send and read.
const (
	corsHeaders = "Authorization, xi-api-key, Content-Type, Accept, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID"
	corsExposed = "Mcp-Session-Id, WWW-Authenticate, Retry-After, X-Request-Id"
	corsMaxAge  = "600" // seconds
)

// origins decides which hosts and web pages may call an endpoint.
type origins struct {
	public  string   // host of the public address, "" when there is none
	hosts   []string // further names of the server: the hosts of allowed origins
	allowed []string // allowed origins, in the form that parseOrigin returns
}

func newOrigins(public string, further []string) (o origins, _ error) {
	if public != "" {
		u, err := url.Parse(public)
		if err != nil || u.Scheme == "" || u.Host == "" {
			return o, fmt.Errorf("public address %q is not an absolute URL", public)
		}
		o.public = withoutPort(u.Host)
		if origin, ok := parseOrigin(u.Scheme + "://" + u.Host); ok {
			o.allowed = append(o.allowed, origin)
		}
	}
	for _, f := range further {
		origin, ok := parseOrigin(f)
		if !ok {
			return o, fmt.Errorf("allowed origin %q is not of the form scheme://host", f)
		}
		o.allowed = append(o.allowed, origin)
		_, host, _ := strings.Cut(origin, "://")
		o.hosts = append(o.hosts, host)
	}
	return o, nil
}

// Guard refuses requests of foreign hosts and web pages before anything else is checked. It
// answers the preflights of browsers, and lets pages of allowed origins read the answers of
// next. [Handler.ServeHTTP] does the same. Guard is for middlewares before the handler, such as
// the check of keys, so that these pages can read their refusals too.
func (h *Handler) Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.guarded(r) {
			next.ServeHTTP(w, r)
			return
		}
		// For every answer, also the refusals: a cache must not give one page the answer of
		// another.
		addVary(w.Header())
		switch {
		case !h.origins.hostAllowed(r):
			h.Refuse(w, r, errForeignHost)
			return
		case !h.origins.originAllowed(r):
			h.Refuse(w, r, errForeignOrigin)
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" {
			// Before next, so that the page can read a refusal of a middleware too.
			w.Header().Set("Access-Control-Allow-Origin", origin)
			w.Header().Set("Access-Control-Expose-Headers", corsExposed)
		}
		if r.Method == http.MethodOptions {
			h.preflight(w, r)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), guardKey{}, h)))
	})
}

// guardKey is the key in a context under which a guard notes that it passed a request on.
type guardKey struct{}

// guarded reports whether the guard of h has already passed a request on.
func (h *Handler) guarded(r *http.Request) bool { return r.Context().Value(guardKey{}) == h }

// addVary sets the header that keeps caches from giving the answer for one origin to another.
func addVary(h http.Header) {
	if !slices.Contains(h.Values("Vary"), "Origin") {
		h.Add("Vary", "Origin")
	}
}

// preflight answers OPTIONS. It does not allow credentials, because keys are sent in headers
// and there are no cookies.
func (h *Handler) preflight(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Allow", h.allow(r))
	if r.Header.Get("Origin") != "" {
		w.Header().Set("Access-Control-Allow-Methods", h.methods(r))
		w.Header().Set("Access-Control-Allow-Headers", corsHeaders)
		w.Header().Set("Access-Control-Max-Age", corsMaxAge)
	}
	w.WriteHeader(http.StatusNoContent)
}

// originAllowed reports whether the origin of a request is allowed: none, because the request
// comes from no web page; an allowed origin; or this server itself, called by an IP address or
// as localhost. Another name proves nothing, because the owner of a page can point a name of
// its own at any address.
func (o *origins) originAllowed(r *http.Request) bool {
	if !hasOrigin(r) {
		return true
	}
	values := r.Header.Values("Origin")
	origin, ok := parseOrigin(values[0])
	// A browser sends one. More of them are an attempt to be read in two ways.
	if len(values) > 1 || !ok {
		return false // also for "null"
	}
	if slices.Contains(o.allowed, origin) {
		return true
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	// r.Host is what the client wrote. It counts only where it is an address, which no page can
	// point elsewhere.
	own, ok := parseOrigin(scheme + "://" + r.Host)
	return ok && addressed(r.Host) && origin == own
}

func hasOrigin(r *http.Request) bool {
	values := r.Header.Values("Origin")
	return len(values) > 1 || len(values) == 1 && values[0] != ""
}

// hostAllowed reports whether a request was sent to a name of this server. The owner of a web
// page can point its own name at the server, and requests of the page then have that name as
// Host (DNS rebinding). Further names of the server are those of its allowed origins. Without a
// public address the server does not know its name, so on a network it accepts any name in
// requests that come from no page.
func (o *origins) hostAllowed(r *http.Request) bool {
	host := withoutPort(r.Host)
	if addressed(r.Host) || o.public != "" && host == o.public || slices.Contains(o.hosts, host) {
		return true
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	// A server on loopback alone is for programs of this machine, which know it by an address or as
	// localhost. Any other name there is a sign of rebinding.
	return o.public == "" && !hasOrigin(r) && !(ok && loopback(local.String()))
}

// addressed reports whether a host, with or without a port, is an IP address or localhost. A
// page cannot point such a host elsewhere.
func addressed(hostport string) bool {
	host := hostOf(hostport)
	_, err := netip.ParseAddr(host)
	return err == nil || strings.EqualFold(host, "localhost")
}

// loopback reports whether an address with a port is a loopback address.
func loopback(hostport string) bool {
	addr, err := netip.ParseAddr(hostOf(hostport))
	return err == nil && addr.IsLoopback()
}

func hostOf(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}

// withoutPort returns a host without the ports 80 and 443, which browsers leave out.
func withoutPort(host string) string {
	host = strings.ToLower(host)
	return strings.TrimSuffix(strings.TrimSuffix(host, ":80"), ":443")
}

// parseOrigin returns an Origin header in the form of browsers. It returns false for text that
// is not exactly scheme://host or scheme://host:port.
func parseOrigin(s string) (string, bool) {
	s = strings.ToLower(s)
	u, err := url.Parse(s)
	// Compared whole, so that a path, a user or a query is not dropped in silence.
	if err != nil || u.Host == "" || u.Hostname() == "" || s != u.Scheme+"://"+u.Host {
		return "", false
	}
	switch u.Scheme {
	case "http":
		return strings.TrimSuffix(s, ":80"), true
	case "https":
		return strings.TrimSuffix(s, ":443"), true
	}
	return s, true // a scheme of a program that shows its own pages; it may be on the list
}
