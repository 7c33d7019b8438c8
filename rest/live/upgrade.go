package live

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"vaak/dictionary"
	"vaak/edge"
	"vaak/internal/fault"
	"vaak/rest/live/message"
	"vaak/speech"
)

// Traced adds the id of the request to the refusals of a handshake as x-trace-id, where clients of
// the dialect look for it. It is for middlewares before a [Handler], which adds it by itself.
func Traced(refuse edge.Refuse) edge.Refuse {
	return func(w http.ResponseWriter, r *http.Request, err error) {
		w.Header().Set("X-Trace-Id", edge.RequestID(r.Context()))
		refuse(w, r, err)
	}
}

// parameters holds what the address of a socket says.
type parameters struct {
	request speech.SessionRequest
	// dictionaries are the pronunciation dictionaries that are asked for.
	dictionaries []dictionary.Locator
	notices      []string // sentences about what is ignored
	words        bool     // the client wants the times of words
}

// kind holds what differs between the three sockets.
type kind struct {
	refuse     edge.Refuse
	rename     func(error, url.Values) error // into the words of its dialect
	parameters func(*http.Request, url.Values) (parameters, error)
	parse      message.Parser
	conduct    func(*connection)
}

// serve checks a handshake, answers it, and serves the socket until it ends.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, k kind) {
	refuse := Traced(k.refuse)
	c := &connection{handler: h, base: r.Context()}
	// First what costs nothing, then the place among the sockets, then the slot, which is held
	// until the socket ends, and last the upgrade: only before it can a refusal be plain HTTP.
	notices, err := h.check(c, r, k)
	if err != nil {
		refuse(w, r, err)
		return
	}
	if !h.enter() {
		refuse(w, r, fault.Down(message.CodeStopping, time.Second, nil, "the server is stopping; try again"))
		return
	}
	// From here on Drain waits for this socket.
	defer h.sockets.Done()
	slot, err := edge.Admit(w, r, h.cfg.Accounts)
	if err != nil {
		refuse(w, r, err)
		return
	}
	c.free = sync.OnceFunc(slot.Release) // once: closing releases the slot early
	defer c.free()
	// The answer 101 has these headers too: upgrade passes them on. A browser cannot read them.
	for _, notice := range notices {
		w.Header().Add("X-Notice", notice)
	}
	// The upgrade may still be refused, for example for a malformed Sec-WebSocket-Key. The headers
	// already count the slot, and the refusal must not.
	giveBack := func(w http.ResponseWriter, r *http.Request, err error) {
		edge.GiveBack(w.Header(), slot)
		refuse(w, r, err)
	}
	// Last of all, so that nothing refuses the handshake of a token that is used up.
	ticket := ticketOf(r.Context())
	if err := ticket.use(r); err != nil {
		giveBack(w, r, err)
		return
	}
	if !c.upgrade(w, r, giveBack) {
		return
	}
	defer c.allow(ticket)()
	// After the upgrade net/http does not see any more that the client leaves, so that this context
	// does not end by it. The reader of the socket sees it: see connection.listen.
	var stop func()
	c.ctx, stop = h.cfg.Accounts.Session(r.Context(), c.caller)
	defer stop()
	c.serve(k.parse, k.conduct)
}

// check refuses everything that can be refused without a stream slot. It returns notices, sentences
// about what will not be done as the client asked.
func (h *Handler) check(c *connection, r *http.Request, k kind) ([]string, error) {
	ticket := ticketOf(r.Context())
	// A token names the origins that it is for. A page without a key or token of its own has
	// nothing to send but what the browser adds by itself, which is what checkOrigin is about.
	if ticket == nil {
		if err := h.checkOrigin(r); err != nil {
			return nil, err
		}
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fault.BadParameter("", "the query of the address is malformed")
	}
	p, err := k.parameters(r, query)
	if err != nil {
		return nil, err
	}
	if ticket != nil {
		if err := ticket.settle(&p); err != nil {
			return nil, err
		}
	}
	c.caller, _ = edge.Caller(r.Context())
	ready, err := h.lookUp(r.Context(), c.caller.OrgID, p.dictionaries)
	if err != nil {
		return nil, err
	}
	c.words = p.words
	c.dictionaries = dictionaries{p.dictionaries, ready}
	p.request.Dictionaries = ready
	// This session is only a check of the parameters. The real one is opened with the first
	// text, because the messages before it may change its settings.
	s, err := h.open(c.caller, p.request)
	if err != nil {
		return nil, k.rename(err, query)
	}
	// The format with its defaults filled in. upgrade sizes the send buffer by it, and every
	// session of the socket then has the same one.
	p.request.Format = s.Format()
	c.request = p.request
	// Late, so that a request that is wrong does not reach the ledger.
	if err := h.cfg.Speech.Afford(r.Context(), c.caller); err != nil {
		return nil, err
	}
	// Last, because a browser does not tell a page why a socket was refused: a page can ask again
	// without an upgrade, and learns what is wrong.
	if !websocket.IsWebSocketUpgrade(r) {
		return nil, errNoHandshake("the request asks for no upgrade")
	}
	return slices.Concat(p.notices, s.Notices()), nil
}

func errNoHandshake(why string) error {
	return fault.New(fault.Invalid, message.CodeUpgradeRequired, "",
		"this address speaks WebSocket, version 13 (RFC 6455): %s", why)
}

// checkOrigin refuses web pages of foreign origins, because a browser sends its user's credentials
// wherever a page tells it to.
func (h *Handler) checkOrigin(r *http.Request) error {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return nil
	}
	if u, err := url.Parse(origin); err == nil && u.Host != "" {
		// The scheme is not compared with that of the request. Behind a proxy that ends TLS the
		// server sees http where the page was loaded by https.
		if strings.EqualFold(u.Host, r.Host) || h.origins[originOf(u)] {
			return nil
		}
	}
	return fault.New(fault.Forbidden, fault.CodeOriginNotAllowed, "", "pages of the origin %.100q may not open sockets here", origin)
}

// originOf is the scheme and host of an address as an Origin header has them.
func originOf(u *url.URL) string { return strings.ToLower(u.Scheme + "://" + u.Host) }

// Sizes of what a connection reads and writes at a time, in bytes.
const (
	// writeBuffer holds a usual frame of audio, so that it leaves in one piece.
	// Buffers are shared: only sockets that are writing have one.
	writeBuffer = 16 << 10
	// handshakeTime is how long the answer to a handshake may take to be sent.
	handshakeTime = 10 * time.Second
)

// newUpgrader returns what answers handshakes; it reads with the buffer of the
// HTTP server, which is there anyway.
func newUpgrader(pool websocket.BufferPool) *websocket.Upgrader {
	return &websocket.Upgrader{
		HandshakeTimeout: handshakeTime,
		WriteBufferSize:  writeBuffer,
		WriteBufferPool:  pool,
		CheckOrigin:      func(*http.Request) bool { return true }, // it was checked
	}
}

// upgrade answers the handshake. When it returns false, it has answered the request with a refusal,
// or the client has left.
func (c *connection) upgrade(w http.ResponseWriter, r *http.Request, refuse edge.Refuse) bool {
	// A copy, because Error belongs to this request.
	up := *c.handler.upgrader
	refused := false
	up.Error = func(w http.ResponseWriter, r *http.Request, status int, reason error) {
		refused = true
		// The writer cannot hand over its connection: a fault of the server, not a bad handshake.
		if status >= http.StatusInternalServerError {
			refuse(w, r, reason)
			return
		}
		refuse(w, r, errNoHandshake(strings.TrimPrefix(reason.Error(), "websocket: ")))
	}
	var err error
	if c.ws, err = up.Upgrade(w, r, w.Header()); err != nil {
		// The connection was taken over and then broke, or the client sent frames before it had the
		// answer. There is nobody to answer any more.
		if !refused {
			edge.Note(r.Context(), gone(err))
		}
		return false
	}
	limitUnsent(c.ws.NetConn(), unsent(c.request.Format))
	return true
}
