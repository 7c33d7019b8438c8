package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mark3labs/mcp-go/mcp"
)

// errNobodyListens is the error of a notification that cannot be sent, because the client
// accepts no stream or has its answer already.
var errNobodyListens = errors.New("the client takes no notifications with this call")

// notifier sends a client notifications before the answer to its call. It returns when a
// notification is written, so that the answer cannot overtake it.
type notifier interface {
	notify(method string, params map[string]any) error
}

type notifierKey struct{}

func withNotifier(ctx context.Context, n notifier) context.Context {
	return context.WithValue(ctx, notifierKey{}, n)
}

// Notify sends a notification to the client whose call ctx belongs to. It returns when the
// notification is written, before the answer. It fails when the client accepts none with this
// call; the handler may go on.
func Notify(ctx context.Context, method string, params map[string]any) error {
	n, ok := ctx.Value(notifierKey{}).(notifier)
	if !ok {
		return errNobodyListens
	}
	return n.notify(method, params)
}

// notification is the form in which a notification is written.
type notification struct {
	JSONRPC string         `json:"jsonrpc"`
	Method  string         `json:"method"`
	Params  map[string]any `json:"params,omitempty"`
}

// eventStream is the content type of an answer in several events.
const eventStream = "text/event-stream"

// reply is the answer to one message over HTTP. The protocol library queues notifications and
// sometimes loses the last one, so handlers write theirs here. The first notification turns the
// answer into a stream of events, and the library's answer becomes the last event.
type reply struct {
	header   http.Header // the library's, which may set it while a handler notifies
	streams  bool        // the client takes a stream of events
	opened   func(http.Header)
	place    *place          // the place of a call while its handler works; nil for other messages
	id       json.RawMessage // of the request, nil for none
	asked    *questions      // of the client, nil when it cannot be asked with this call
	stopping *stop
	code     *atomic.Int32 // of an error that a handler returns; nil before a handler can
	modern   bool          // the request is of version 2026-07-28 or later

	mu     sync.Mutex
	w      http.ResponseWriter
	begun  bool
	events bool // the answer has begun as a stream
	wraps  bool // the library writes JSON, which must become an event of the stream
	over   bool
	failed bool   // the library says in plain text what is wrong
	due    []byte // an event to write before the library's answer; nil for none
}

func newReply(w http.ResponseWriter, r *http.Request, m message) *reply {
	// A copy, because the library sets headers without the lock under which notify writes them.
	a := &reply{w: w, header: maps.Clone(w.Header()), streams: takesEvents(r.Header)}
	if m.request() {
		a.id = m.ID
	}
	return a
}

// takesEvents reports whether a client accepts a stream of events. A client without an Accept
// header accepts anything.
func takesEvents(h http.Header) bool {
	accept := strings.ToLower(strings.Join(h.Values("Accept"), ","))
	return accept == "" || strings.Contains(accept, eventStream) || strings.Contains(accept, "*/*") || strings.Contains(accept, "text/*")
}

// Header returns the headers that the library sets.
func (a *reply) Header() http.Header { return a.header }

// WriteHeader begins the answer, unless a notification has begun it.
func (a *reply) WriteHeader(status int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.begin(status)
}

func (a *reply) begin(status int) {
	// Once, and before the header goes out: see Handler.open.
	if a.opened != nil {
		a.opened(a.header)
		a.opened = nil
	}
	events := a.header.Get("Content-Type") == eventStream
	if a.place != nil && !events { // the library may still ask in a stream of its own, but JSON is the answer
		a.place.leave()
	}
	if a.begun {
		// A notification has begun a stream. The status of the library comes too late and is
		// dropped; an error is told in the event.
		a.wraps = a.events && !events
		return
	}
	if status >= http.StatusBadRequest && strings.HasPrefix(a.header.Get("Content-Type"), "text/plain") {
		a.failed = true
		a.header.Set("Content-Type", "application/json")
		status = min(status, http.StatusNotFound) // the library answers mistakes of clients as errors of the server
	}
	if a.modern && a.code != nil && a.code.Load() != 0 {
		status = http.StatusBadRequest // this version has this status for both codes
	}
	// After this the header is sent.
	maps.Copy(a.w.Header(), a.header)
	a.begun, a.events = true, events
	a.w.WriteHeader(status)
}

// Write writes the library's answer: one event of a stream, or the whole answer.
func (a *reply) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	// The library must hear that all of p was written, although other bytes are.
	said := len(p)
	if a.code != nil {
		p = recode(p, int(a.code.Load()))
	}
	if !a.begun {
		a.begin(http.StatusOK)
	}
	if a.due != nil && a.events {
		due := a.due
		a.due = nil
		// The protocol asks that the acknowledgement is the first event of the stream.
		if !bytes.Contains(p, []byte(methodAcknowledged)) { // the library has lost its own
			if err := a.event(due); err != nil {
				return 0, err
			}
		}
	}
	if a.failed {
		writeFailed(a.w, a.id, p)
		return said, nil
	}
	// One event is one line of data, so the line feed of an encoder must go.
	if a.wraps {
		return said, a.event(bytes.TrimSpace(p))
	}
	_, err := a.w.Write(p)
	return said, err
}

// maxSentence is the most bytes of a sentence of the library that are sent, because it may
// quote a header.
const maxSentence = 200

// writeFailed sends an error that the library wrote as plain text in the form of the protocol.
func writeFailed(w http.ResponseWriter, id json.RawMessage, text []byte) {
	said := strings.ToValidUTF8(string(bytes.TrimSpace(text[:min(len(text), maxSentence)])), "")
	_ = json.NewEncoder(w).Encode(newFailed(id, wrongf(mcp.INVALID_REQUEST, "%s", said))) // a client that left needs no answer
}

// Flush sends what was written.
func (a *reply) Flush() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.flush()
}

func (a *reply) flush() {
	_ = http.NewResponseController(a.w).Flush() // the next write returns the error
}

// Unwrap lets [http.ResponseController] find the connection.
func (a *reply) Unwrap() http.ResponseWriter { return a.w }

func (a *reply) notify(method string, params map[string]any) error {
	b, err := json.Marshal(notification{"2.0", method, params})
	if err != nil {
		return fmt.Errorf("encode notification: %w", err)
	}
	return a.stream(b)
}

// stream writes a message as an event before the answer, which becomes a stream.
func (a *reply) stream(message []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	// An answer in JSON has begun, and nothing can come before it any more.
	if a.over || !a.streams || a.begun && !a.events {
		return errNobodyListens
	}
	if !a.begun {
		h := a.w.Header()
		h.Set("Content-Type", eventStream)
		h.Set("Cache-Control", "no-cache")
		h.Set("X-Accel-Buffering", "no") // a proxy must not hold events back
		a.begun, a.events = true, true
		a.w.WriteHeader(http.StatusOK)
	}
	if err := a.event(message); err != nil {
		return err
	}
	a.flush()
	return nil
}

// comment writes a comment, which clients ignore, into an open stream, so that proxies do not
// close the stream while it is silent.
func (a *reply) comment() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.over || !a.begun || !a.events {
		return
	}
	_, _ = io.WriteString(a.w, ": waiting\n\n") // on failure the client left, and the context ends
	a.flush()
}

// event writes an event; data is one line.
func (a *reply) event(data []byte) error {
	for _, part := range [][]byte{[]byte("event: message\ndata: "), data, []byte("\n\n")} {
		if _, err := a.w.Write(part); err != nil {
			return fmt.Errorf("write event: %w", err)
		}
	}
	return nil
}

// end makes later writes fail, because the answer is complete.
func (a *reply) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
}
