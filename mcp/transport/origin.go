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

// What pages of allowed origins may send and read.
const (
	corsHeaders = "Authorization, xi-api-key, Content-Type, Accept, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID"
	corsExposed = "Mcp-Session-Id, WWW-Authenticate, Retry-After, X-Request-Id"
	corsMaxAge  = "600" // seconds
)

// origins decides which hosts and web pages may call an endpoint.
type origins struct {
	public  string   // host of the public address, "" when there is none
	hosts   []string // further names of the server: those of allowed origins
	allowed []string // as parseOrigin returns them
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

// Guard refuses requests of foreign hosts and web pages before anything else is
// looked at, answers the preflights of browsers, and lets pages of allowed
// origins read what next answers. [Handler.ServeHTTP] does it too; it is for
// what stands before the handler, such as a check of keys, whose refusals such
// pages may read as well.
func (h *Handler) Guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.guarded(r) {
			next.ServeHTTP(w, r)
			return
		}
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

// guardKey is where a guard says that it let a request through.
type guardKey struct{}

// guarded reports whether the guard of h let a request through before.
func (h *Handler) guarded(r *http.Request) bool { return r.Context().Value(guardKey{}) == h }

// addVary keeps caches from giving the answer to one origin to another.
func addVary(h http.Header) {
	if !slices.Contains(h.Values("Vary"), "Origin") {
		h.Add("Vary", "Origin")
	}
}

// preflight answers OPTIONS. No credentials are allowed: a key is a header, and
// there are no cookies.
func (h *Handler) preflight(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Allow", h.allow(r))
	if r.Header.Get("Origin") != "" {
		w.Header().Set("Access-Control-Allow-Methods", h.methods(r))
		w.Header().Set("Access-Control-Allow-Headers", corsHeaders)
		w.Header().Set("Access-Control-Max-Age", corsMaxAge)
	}
	w.WriteHeader(http.StatusNoContent)
}

// originAllowed lets through requests that come from no web page, from a page
// of one of the allowed origins, or of this server where it is called by an
// address or as localhost: a page may point a name of its own anywhere.
func (o *origins) originAllowed(r *http.Request) bool {
	if !hasOrigin(r) {
		return true
	}
	values := r.Header.Values("Origin")
	origin, ok := parseOrigin(values[0])
	if len(values) > 1 || !ok {
		return false // "null" among them
	}
	if slices.Contains(o.allowed, origin) {
		return true
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	own, ok := parseOrigin(scheme + "://" + r.Host)
	return ok && addressed(r.Host) && origin == own
}

func hasOrigin(r *http.Request) bool {
	values := r.Header.Values("Origin")
	return len(values) > 1 || len(values) == 1 && values[0] != ""
}

// hostAllowed refuses requests that were sent to another name than the server's:
// a web page may point its own name at the server, and then its requests carry
// that name as Host. A server with several names has the others among its
// allowed origins. Where no public address says what the name is, any will do on
// a network for requests that come from no page.
func (o *origins) hostAllowed(r *http.Request) bool {
	host := withoutPort(r.Host)
	if addressed(r.Host) || o.public != "" && host == o.public || slices.Contains(o.hosts, host) {
		return true
	}
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return o.public == "" && !hasOrigin(r) && !(ok && loopback(local.String()))
}

// addressed reports whether a host, with or without a port, is an address or
// localhost, which are no names that a page could have.
func addressed(hostport string) bool {
	host := hostOf(hostport)
	_, err := netip.ParseAddr(host)
	return err == nil || strings.EqualFold(host, "localhost")
}

// loopback reports whether an address with a port is this machine's own.
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

// withoutPort is a host without a port that a browser leaves out.
func withoutPort(host string) string {
	host = strings.ToLower(host)
	return strings.TrimSuffix(strings.TrimSuffix(host, ":80"), ":443")
}

// parseOrigin returns an Origin header as a browser writes it; false is any text
// that is not exactly scheme://host or scheme://host:port.
func parseOrigin(s string) (string, bool) {
	s = strings.ToLower(s)
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Hostname() == "" || s != u.Scheme+"://"+u.Host {
		return "", false
	}
	switch u.Scheme {
	case "http":
		return strings.TrimSuffix(s, ":80"), true
	case "https":
		return strings.TrimSuffix(s, ":443"), true
	}
	return s, true // of a program that shows pages of its own, where it is on the list
}
