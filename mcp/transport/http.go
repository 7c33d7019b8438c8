// Package transport carries the messages of a protocol server: over HTTP, for clients of every
// version of the protocol at one address, and over standard input and output. It decides what a
// caller may do before a message reaches the protocol library.
package transport

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"vaak/edge"
	"vaak/internal/fault"
)

// Config says how a protocol server is served over HTTP.
type Config struct {
	Server *server.MCPServer // required
	// PublicURL is the address under which clients reach the service; "" when
	// there is none. Its host is accepted in Host and Origin headers.
	PublicURL string
	// Origins are the further origins that a browser may call from, such as
	// "https://app.example.org".
	Origins []string
	// NeedsKey refuses requests whose context has no caller.
	NeedsKey bool
	// Sessions keeps, in this process, what clients of the versions up to 2025-11-25 say when
	// they connect. Without it these clients cannot be asked during a call, and can cancel a call
	// only by closing its connection. Several replicas need false, because a session is known to
	// one process only.
	Sessions bool
	// Listeners is how many clients may hold a stream open at the same time to hear what changes.
	// Further clients of version 2026-07-28 are told that they will hear nothing. 0 is right where
	// nothing changes while the server runs. GET, with which older clients listen, is then not
	// served.
	Listeners int
	// Own says that the tools of Server send notifications with [Notify], questions with [Ask] and
	// nothing by the library, return no errors, and have no arguments that travel in headers. Their
	// calls then skip the part of the library that carries messages over HTTP: it needs more time
	// than a search.
	Own bool
	// Missing returns the sentence for a client that names a tool, a prompt or a resource which
	// does not exist; "" for one that exists or may exist. Method is that of the message, and the
	// name of a resource is its address. nil leaves the answer to the protocol library.
	Missing func(method, name string) string
	// Scope returns the scope that a connected application needs for a message: the name is that of a
	// tool or a prompt, or the address of a resource. "" needs none. nil needs none for anything.
	Scope func(method, name string) string
	// Metadata is the address of the document that says where tokens come from (RFC 9728); ""
	// when there are none.
	Metadata string
	// Refuse answers what fails before the protocol sees it; nil answers a line of
	// text. The middlewares that stand before the handler refuse by
	// [Handler.Refuse].
	Refuse edge.Refuse
	// Log takes the log; nil discards it.
	Log *slog.Logger

	// Limits that tests make smaller.
	limits sessionLimits
	calls  int // how many calls of one client (a key, or an address without one) may run at the same time; 0 is 16
}

// Handler serves the protocol at the one address it is mounted at.
type Handler struct {
	needsKey  bool
	own       bool
	origins   origins
	missing   func(method, name string) string
	scope     func(method, name string) string
	metadata  string
	refuse    edge.Refuse
	sessions  *Sessions // nil when none are kept
	places    *places
	listeners chan struct{}
	stopping  *stop
	protocol  *server.MCPServer
	library   http.Handler // its HTTP part
	next      http.Handler
}

// New returns a handler. The middlewares of package edge must stand before it, except the one
// that reads bodies. The handler takes the caller from the context of the request or, without a
// caller, the address that [edge.Locate] put there.
//
// It refuses foreign Origins and, as [Handler.Guard] says, foreign Hosts. A message is the body
// of a POST: JSON of at most 1 MiB. DELETE ends a session. Without Config.Listeners it refuses
// GET, as every version of the protocol allows: GET would hold a connection open for messages
// outside of calls, and there are none. New fails when an address of cfg cannot be parsed.
func New(cfg Config) (*Handler, error) {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.calls <= 0 {
		cfg.calls = 16
	}
	if cfg.Refuse == nil {
		cfg.Refuse = sentence
	}
	allowed, err := newOrigins(cfg.PublicURL, cfg.Origins)
	if err != nil {
		return nil, err
	}
	h := &Handler{
		needsKey: cfg.NeedsKey, own: cfg.Own, origins: allowed, protocol: cfg.Server,
		missing: cfg.Missing, scope: cfg.Scope, metadata: cfg.Metadata, refuse: cfg.Refuse,
		places:    newPlaces(cfg.calls),
		listeners: make(chan struct{}, max(0, cfg.Listeners)), // a semaphore; without room nobody gets in
		stopping:  newStop(),
	}
	if cfg.Sessions {
		h.sessions = newSessions(cfg.limits)
	}
	h.library = server.NewStreamableHTTPServer(cfg.Server,
		server.WithSessionIdManagerResolver(resolver{}),
		server.WithDisableLocalhostProtection(true), // Guard does it, and knows the public address
		server.WithStreamableHTTPLogger(slog.New(modest{cfg.Log.Handler()})),
		server.WithHTTPContextFunc(contextOf),
	)
	// The check of hosts and pages is outermost: a foreign page must not even learn whether a key
	// is valid. The body is read only for POST, and after everything that headers can decide.
	h.next = h.Guard(http.HandlerFunc(h.serve(edge.Body(edge.MaxBody, h.Refuse)(http.HandlerFunc(h.post)))))
	return h, nil
}

// contextOf returns the context of handlers.
func contextOf(ctx context.Context, r *http.Request) context.Context {
	v := visitOf(r.Context())
	// The library calls this between making its session for the message and handling the message.
	// So what the client said about itself is there when a handler asks.
	v.peer = server.ClientSessionFromContext(ctx)
	if v.session != nil {
		v.session.meet(v.peer)
	}
	return called(ctx, r)
}

// called returns a context with the caller of a request.
func called(ctx context.Context, r *http.Request) context.Context {
	if c, ok := edge.Caller(r.Context()); ok {
		return withCaller(ctx, c)
	}
	return ctx
}

// ServeHTTP serves a request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.next.ServeHTTP(w, r) }

// allow returns the value of the Allow header.
func (h *Handler) allow(r *http.Request) string { return h.methods(r) + ", OPTIONS" }

func (h *Handler) methods(r *http.Request) string {
	switch {
	case h.hears(r):
		return "DELETE, GET, POST"
	case h.ends(r):
		return "DELETE, POST"
	}
	return "POST"
}

// ends reports whether a client may have a session, which DELETE ends.
func (h *Handler) ends(r *http.Request) bool {
	return h.sessions != nil && !mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion))
}

// serve passes on a request when everything but its body has been checked.
func (h *Handler) serve(post http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, known := edge.Caller(r.Context())
		ends := r.Method == http.MethodDelete && h.ends(r)
		hears := r.Method == http.MethodGet && h.hears(r)
		switch {
		case r.Method != http.MethodPost && !ends && !hears:
			w.Header().Set("Allow", h.allow(r))
			h.Refuse(w, r, fault.New(fault.NotAllowed, "method_not_allowed", "", "method %.20q is not served here; allowed: %s", r.Method, h.allow(r)))
		case h.needsKey && !known:
			// After the method: a client that tries GET learns that it is not served, without a
			// key.
			h.Refuse(w, r, edge.ErrNoKey)
		case ends:
			h.end(w, r)
		case hears:
			h.hear(w, r)
		default:
			post.ServeHTTP(w, r)
		}
	}
}

// end ends a session.
func (h *Handler) end(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(server.HeaderKeySessionID)
	switch {
	case id == "":
		h.Refuse(w, r, errNoSessionNamed)
	case !h.sessions.end(h.owner(r), id):
		h.Refuse(w, r, errNoSession)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// owner returns the owner of the sessions of a request.
func (h *Handler) owner(r *http.Request) owner {
	if c, ok := edge.Caller(r.Context()); ok {
		return owner{key: c.KeyID, client: "key " + c.KeyID}
	}
	client, ok := edge.ClientScope(r.Context())
	if !ok {
		client, _, _ = net.SplitHostPort(r.RemoteAddr) // "" for an address without a port; such clients count together
	}
	return owner{client: "address " + client}
}

// post serves a message whose body is well-formed JSON.
func (h *Handler) post(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		h.Refuse(w, r, fmt.Errorf("read checked body: %w", err))
		return
	}
	// Refused here, and not by the library, whose sentences name types of Go.
	m, wrong := sniff(body, r.Header)
	direct := h.own && wrong == nil && m.direct(r.Header)
	// The library reads the params of a direct call first.
	if wrong == nil && !direct {
		wrong = m.checkParams(body)
	}
	if wrong == nil {
		wrong = m.missing(h.missing)
	}
	if wrong != nil {
		deny(w, r, m, wrong)
		return
	}
	if scope := m.needs(h.scope); scope != "" && !edge.From(r.Context()).May(scope) {
		h.Refuse(w, r, Insufficient(scope))
		return
	}
	o := h.owner(r)
	x, ok := h.sessionOf(r, m, o)
	if !ok {
		h.Refuse(w, r, errNoSession)
		return
	}
	a := newReply(w, r, m)
	a.stopping = h.stopping
	// A handler that was cancelled may still notify. The writer must not be used by then.
	defer a.end()
	switch {
	case m.cancels() && x == nil:
		// Without a session every client numbers its requests alike, and one
		// could end the calls of another. A call over HTTP is cancelled by
		// closing its connection.
		w.WriteHeader(http.StatusAccepted)
		return
	case m.answers() && x == nil:
		m.ID = nil // it is the id of our question, and not of a request that wants an answer
		deny(w, r, m, wrongf(mcp.INVALID_REQUEST, "this answers nothing that was asked: questions are asked within a session, which Mcp-Session-Id names"))
		return
	case m.answers() && x.questions.answer(m):
		// Answers are accepted with 202 and no body, as the transport of the protocol says.
		w.WriteHeader(http.StatusAccepted)
		return
	case m.answers() && m.named():
		// An id that is a number may belong to a question of the library itself, so such an answer
		// goes on to it below.
		m.ID = nil
		deny(w, r, m, wrongf(mcp.INVALID_REQUEST, "this answers no question that is open: it was answered or withdrawn, or never asked in this session; nothing was sent by it"))
		return
	case m.listens():
		release, heard := h.listen()
		defer release()
		if !heard {
			// The client is answered, and its stream ends at once.
			body, a.due = m.hush(), m.acknowledgement()
		}
	case m.calls():
		if a.place = h.places.enter(o.client); a.place == nil {
			busy(w, r, m, h.tooMany())
			return
		}
		defer a.place.leave()
		if direct {
			if h.call(a, r, m, x, body) {
				return
			}
			if wrong := m.checkParams(body); wrong != nil {
				deny(w, r, m, wrong)
				return
			}
		}
	}
	h.exchange(a, r, m, o, x, body)
}

// sessionOf returns the session that a message belongs to, nil for none. It returns false when
// the message names a session that its sender does not own.
func (h *Handler) sessionOf(r *http.Request, m message, o owner) (*session, bool) {
	id := r.Header.Get(server.HeaderKeySessionID)
	// A modern message has no session, and the message that sets one up cannot belong to one,
	// whatever their headers say.
	if h.sessions == nil || id == "" || m.modern || m.initializes() {
		return nil, true
	}
	return h.sessions.find(o, id)
}

// listen takes one of the places for listeners; heard is false when none is free.
func (h *Handler) listen() (release func(), heard bool) {
	select {
	case h.listeners <- struct{}{}:
		return func() { <-h.listeners }, true
	default:
		return func() {}, false
	}
}

// exchange passes a message to the library, which writes the answer into a.
func (h *Handler) exchange(a *reply, r *http.Request, m message, o owner, x *session, body []byte) {
	// The library reads the visit through the context of the request: see resolver.
	v := &visit{version: r.Header.Get(mcp.HeaderProtocolVersion)}
	ctx, code := withCode(withNotifier(withVisit(r.Context(), v), a))
	a.code, a.modern = code, m.modern
	// The library gets a request that it cannot refuse: it wants this content type, and a
	// session id only where the session is one of ours.
	r = r.Clone(ctx)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Del(server.HeaderKeySessionID)
	r.Body = io.NopCloser(bytes.NewReader(body))
	switch {
	case x != nil:
		v.id = x.id
		r.Header.Set(server.HeaderKeySessionID, x.id)
		if m.request() {
			v.session = x
			if a.streams { // a question needs a stream to be sent on
				a.asked = &x.questions
			}
			leave := x.enter(ctx, h.library, m)
			defer leave(v)
		}
		h.library.ServeHTTP(a, r)
	case h.sessions != nil && m.initializes() && m.request():
		h.open(a, r, m, o, v)
	default:
		h.library.ServeHTTP(a, r)
	}
}

// open passes the message that sets up a connection to the library, and keeps a session for it
// if the library accepts the message.
func (h *Handler) open(a *reply, r *http.Request, m message, o owner, v *visit) {
	// running counts this message, so that left below sees it end like a call.
	x := &session{presence: presence{greeting: clipped(m.Params), running: 1}}
	x.asked = asked(x.greeting)
	x.id, x.nonce = h.sessions.secret.mint(o.key)
	x.mu.Lock() // the client may use the session before the library has handled this message
	defer x.mu.Unlock()
	defer func() { x.left(r.Context(), h.library, v, true) }()
	v.id = x.id
	// Called before the header of the answer is sent, when the library has decided: the client
	// must not learn the id of a session that is not kept.
	a.opened = func(header http.Header) {
		if p, ok := v.peer.(interface{ ProtocolVersion() string }); ok {
			x.version = p.ProtocolVersion()
		}
		// The library has refused the message, or the version could not be agreed on.
		if x.version == "" {
			header.Del(server.HeaderKeySessionID)
			return
		}
		h.sessions.add(o, x)
	}
	h.library.ServeHTTP(a, r)
}
