package page

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"vaak/edge"
	"vaak/internal/fault"
)

// newGuard returns what refuses the forms of pages of other sites.
func newGuard(u *url.URL) (*http.CrossOriginProtection, error) {
	g := http.NewCrossOriginProtection()
	// Behind a proxy the Host header may differ from the name that people use.
	if err := g.AddTrustedOrigin(u.Scheme + "://" + u.Host); err != nil {
		return nil, fmt.Errorf("trust the pages of %s: %w", u, err)
	}
	return g, nil
}

// sameOrigin refuses forms that were sent from pages of other sites.
func (s *Site) sameOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.guard.Check(r); err != nil {
			s.refuse(w, r, fault.New(fault.Forbidden, "cross_origin", "", "This form came from a page of another site, so nothing was done with it."))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// ownHost refuses requests whose Host header names another host. To a browser a page of
// that host has the same origin as the console, and its name can be made to resolve to
// this machine (DNS rebinding).
func (s *Site) ownHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.EqualFold(r.Host, s.host) && !loopback(r.Host) {
			edge.Note(r.Context(), fault.New(fault.Forbidden, "other_host", "", "the console was asked by another name"))
			http.Error(w, "The console is at "+s.cfg.URL+", and answers to no other name; --console-url says which.", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// loopback reports whether a host, with or without a port, is a name of this machine that
// nobody can make resolve to another one.
func loopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	at, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && at.IsLoopback()
}

// shut forbids pages of other sites to load what the console answers. Over TLS it also
// tells browsers to ask for the console over TLS alone, for a year.
func (s *Site) shut(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if secure(s.cfg.URL) {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		next.ServeHTTP(w, r)
	})
}

// fromHere reports whether a page of the console led to a request. Browsers leave
// Sec-Fetch-Site out over plain HTTP, unless it is to this machine. Then the Referer
// decides, which the pages' referrer policy allows to this origin.
func (s *Site) fromHere(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin"
	}
	u, err := url.Parse(r.Header.Get("Referer"))
	return err == nil && (strings.EqualFold(u.Host, s.host) || strings.EqualFold(u.Host, r.Host))
}
