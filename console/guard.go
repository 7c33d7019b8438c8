package console

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

// newGuard refuses what pages of other sites send.
func newGuard(address string) (*http.CrossOriginProtection, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	g := http.NewCrossOriginProtection()
	// A proxy may ask this server by another name than people do.
	if err := g.AddTrustedOrigin(u.Scheme + "://" + u.Host); err != nil {
		return nil, fmt.Errorf("trust the pages of %s: %w", address, err)
	}
	return g, nil
}

// sameOrigin refuses forms that were sent from pages of other sites.
func (c *Console) sameOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := c.guard.Check(r); err != nil {
			c.refuse(w, r, fault.New(fault.Forbidden, "cross_origin", "", "This form came from a page of another site, so nothing was done with it."))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// ownHost refuses requests by the name of another host: a page of that host would be of
// the same origin, and its name can be made to lead to this machine (DNS rebinding).
func (c *Console) ownHost(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.EqualFold(r.Host, c.host) && !loopback(r.Host) {
			edge.Note(r.Context(), fault.New(fault.Forbidden, "other_host", "", "the console was asked by another name"))
			http.Error(w, "The console is at "+c.URL+", and answers to no other name; --console-url says which.", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// loopback reports whether a host, with or without a port, is this machine by a name
// that leads nowhere else.
func loopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	at, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && at.IsLoopback()
}

// shut keeps what the console answers from the pages of other sites, and browsers from
// asking for it without TLS once it has that.
func (c *Console) shut(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if strings.HasPrefix(c.URL, "https:") {
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		next.ServeHTTP(w, r)
	})
}

// fromHere reports whether a page of the console led to a request. Plain HTTP on a
// network has no Sec-Fetch-Site, but a Referer, as the pages' policy has it.
func (c *Console) fromHere(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" {
		return site == "same-origin"
	}
	u, err := url.Parse(r.Header.Get("Referer"))
	return err == nil && (strings.EqualFold(u.Host, c.host) || strings.EqualFold(u.Host, r.Host))
}
