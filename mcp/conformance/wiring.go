package main

import (
	"log/slog"
	"net/http"
	"time"

	"vaak/edge"
	"vaak/internal/ratelimit"
	"vaak/mcp/transport"
)

// endpoint is the path of the one endpoint.
const endpoint = "/mcp"

// ratePerMinute of the limit by address is far above what the suite sends.
const ratePerMinute = 1_000_000

// listeners is how many streams may wait for changes. The product offers no such streams, because
// nothing changes while it runs. Here tools and prompts change.
const listeners = 16

// newHandler puts the transport behind the middlewares that package rest puts
// before an endpoint that needs no key.
func newHandler(s settings, log *slog.Logger) (http.Handler, error) {
	h, err := transport.New(transport.Config{
		Server:    newProtocol(newStates()),
		Sessions:  !s.stateless,
		Listeners: listeners,
		Log:       log,
	})
	if err != nil {
		return nil, err
	}
	clients := edge.NewClients(nil)
	limited := edge.LimitAddresses(clients, ratelimit.NewLimiter(ratelimit.DefaultScopes), ratePerMinute, refuse)
	return edge.Chain(mount(edge.Chain(h, h.Guard, edge.Locate(clients), limited)),
		edge.Identify,
		edge.Access(log, readerPause),
		edge.Recover(refuse),
		edge.Secure,
	), nil
}

// readerPause is how long a client may stop reading an answer.
const readerPause = 120 * time.Second

// mount serves h at the endpoint and nothing elsewhere.
func mount(h http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(endpoint, h)
	return mux
}

// refuse answers requests that the middlewares refuse. The suite causes none.
func refuse(w http.ResponseWriter, r *http.Request, err error) {
	edge.Note(r.Context(), err)
	http.Error(w, "refused", http.StatusInternalServerError)
}
