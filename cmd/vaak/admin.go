package main

import (
	"net/http"
	"net/http/pprof"
)

// adminHandler answers the questions of those who run the server: does the
// process live, should it get requests, how does it do.
func adminHandler(app *application, draining <-chan struct{}, profiles bool) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = w.Write([]byte("ok\n")) // a prober that left needs no answer
	})
	mux.Handle("GET /readyz", app.telemetry.Readiness(app.checks(draining)...))
	mux.Handle("GET /metrics", app.telemetry.Handler())
	if profiles {
		mux.HandleFunc("/debug/pprof/", pprof.Index)
		mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	}
	return mux
}
