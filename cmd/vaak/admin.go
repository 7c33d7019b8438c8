package main

import (
	"context"
	"net/http"
	"net/http/pprof"
	"time"
)

// adminHandler answers the questions of those who run the server: does the
// process live, should it get requests.
func adminHandler(app *application, draining <-chan struct{}, profiles bool) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) {
		say(w, http.StatusOK, "ok")
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if closed(draining) {
			say(w, http.StatusServiceUnavailable, "draining")
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
		defer cancel()
		if err := app.store.Ping(ctx); err != nil {
			app.log.Error("not ready", "err", err)
			say(w, http.StatusServiceUnavailable, "the store does not answer")
			return
		}
		say(w, http.StatusOK, "ok")
	})
	if profiles {
		mux.HandleFunc("/debug/pprof/", pprof.Index)
		mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	}
	return mux
}

func say(w http.ResponseWriter, status int, what string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(what + "\n")) // a prober that left needs no answer
}
