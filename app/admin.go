package app

import (
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"slices"
	"strings"
)

// admin returns the handler of the admin address: liveness, readiness, metrics and, where
// the settings ask for them, profiles. Readiness fails once draining is closed.
func (a *application) admin(draining <-chan struct{}) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("ok\n")) // a prober that has left needs no answer
	})
	mux.Handle("GET /readyz", a.telemetry.Readiness(a.checks(draining)...))
	mux.Handle("GET /metrics", a.telemetry.Handler())
	if a.cfg.Pprof {
		mux.HandleFunc("/debug/pprof/", pprof.Index)
		mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	}
	return byAdminName(mux, a.cfg.AdminHosts)
}

// byAdminName refuses requests that name another host. The owner of that name could let it
// lead to this machine, and a page of that host could then read the answers in a browser
// (DNS rebinding). An address or localhost cannot be redirected so.
func byAdminName(next http.Handler, hosts []string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		// An IPv6 address stands in brackets in a Host header (RFC 9110, section 7.2).
		// SplitHostPort removes them only where a port follows.
		_, err := netip.ParseAddr(strings.Trim(host, "[]"))
		named := func(name string) bool { return strings.EqualFold(name, host) }
		// A request of HTTP/1.0 may have no Host header. No browser sends such a request,
		// so DNS rebinding cannot cause it.
		if host != "" && err != nil && !named("localhost") && !slices.ContainsFunc(hosts, named) {
			http.Error(w, "This address answers to localhost, to addresses, and to the names that --admin-hosts lists.", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
