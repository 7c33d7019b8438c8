package main

import (
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"slices"
	"strings"
)

// adminHandler answers the questions of those who run the server: does the
// process live, should it get requests, how does it do.
func (c serveCommand) adminHandler(app *application, draining <-chan struct{}) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("ok\n")) // a prober that left needs no answer
	})
	mux.Handle("GET /readyz", app.telemetry.Readiness(app.checks(draining)...))
	mux.Handle("GET /metrics", app.telemetry.Handler())
	if c.Pprof {
		mux.HandleFunc("/debug/pprof/", pprof.Index)
		mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	}
	return c.byAdminName(mux)
}

// byAdminName refuses requests by the name of another host: a page of that host could
// read what it answers, since its name can be made to lead to this machine (DNS
// rebinding). An address leads nowhere else.
func (c serveCommand) byAdminName(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		_, err := netip.ParseAddr(strings.Trim(host, "[]"))
		named := func(name string) bool { return strings.EqualFold(name, host) }
		if host != "" && err != nil && !named("localhost") && !slices.ContainsFunc(c.AdminHosts, named) {
			http.Error(w, "This address answers to localhost, to addresses, and to the names that --admin-hosts lists.", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}
