// Package live serves live speech over WebSocket: text comes in as it is written,
// audio goes out as it is made.
//
// Three sockets use the same session, [speech.Session]: the native socket and the two of the
// ElevenLabs dialect. Everything that can be refused is refused before the upgrade, as plain HTTP.
//
// Each socket has one goroutine that conducts it, one that reads, and one for each session that
// speaks. The conductor is the goroutine of the HTTP handler and owns all state of the socket.
// Messages, the end of a session, timeouts and the stop of the server reach it through channels.
package live

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"vaak/account"
	"vaak/dictionary"
	"vaak/edge"
	"vaak/rest/live/message"
	"vaak/speech"
	"vaak/text/respell"
)

// Speaker speaks live. [*speech.Service] is the one of the product.
type Speaker interface {
	Open(caller account.Caller, req speech.SessionRequest) (*speech.Session, error)
	Afford(ctx context.Context, caller account.Caller) error
	Run(ctx context.Context, session *speech.Session, w io.Writer) (speech.Result, error)
}

// Accounts says what callers may run. [*account.Service] is the one of the
// product.
type Accounts interface {
	// Admit gives a stream slot; a socket holds it from its upgrade to its close.
	Admit(ctx context.Context, caller account.Caller) (*account.Slot, error)
	// Session returns a context that ends, with a *fault.Error as its cause, when
	// the caller's key is revoked.
	Session(ctx context.Context, caller account.Caller) (_ context.Context, stop func())
}

// Dictionaries finds the pronunciation dictionaries of an organisation.
type Dictionaries interface {
	// Use returns dictionaries made ready, in order. An error is of kind NotFound when
	// one is not there, and Invalid when there are too many.
	Use(ctx context.Context, org string, locators ...dictionary.Locator) (respell.Dictionaries, error)
}

// Config says how sockets are served.
type Config struct {
	Speech   Speaker  // required
	Accounts Accounts // required
	// Refuse answers a handshake of the native socket with an error, and
	// RefuseElevenLabs one of the two others; required.
	Refuse, RefuseElevenLabs edge.Refuse
	// Dictionaries are the pronunciation dictionaries that a session may use; nil is
	// none.
	Dictionaries Dictionaries
	// Origins are further origins, such as "https://example.org", whose pages may open sockets.
	// Pages of the host that is called always may. Clients that are no browsers send no Origin
	// and are always accepted.
	Origins []string
	// Ended is called with the sum of what a socket has spoken, in the context of its request;
	// nil is not called.
	Ended func(context.Context, speech.Result)
	// Logger takes what goes wrong in single contexts; nil discards it.
	Logger *slog.Logger
	// ReaderPause is how long a client may stop reading before its connection is
	// broken; 0 is 10 s.
	ReaderPause time.Duration
}

// Handler serves the three sockets. Requests must have passed through
// [edge.Identify], [edge.Authenticate] and [edge.Enter].
type Handler struct {
	cfg      Config
	origins  map[string]bool
	open     opener
	upgrader *websocket.Upgrader

	draining chan struct{} // closed when no new sockets are taken
	stopping chan struct{} // closed when those that are left must end
	sockets  sync.WaitGroup

	mu     sync.Mutex
	closed bool // draining is
	halted bool // stopping is
}

// New returns a handler. [Handler.Drain] must be called before the program ends.
func New(cfg Config) (*Handler, error) {
	if cfg.Speech == nil || cfg.Accounts == nil || cfg.Refuse == nil || cfg.RefuseElevenLabs == nil {
		return nil, errors.New("ws needs Speech, Accounts, Refuse and RefuseElevenLabs")
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.ReaderPause == 0 {
		cfg.ReaderPause = 10 * time.Second
	}
	origins, err := readOrigins(cfg.Origins)
	if err != nil {
		return nil, err
	}
	h := &Handler{
		cfg:      cfg,
		origins:  origins,
		open:     opening(cfg.Speech),
		upgrader: newUpgrader(new(sync.Pool)),
		draining: make(chan struct{}),
		stopping: make(chan struct{}),
	}
	return h, nil
}

// CheckOrigins returns an error when an entry is no origin, such as "https://example.org".
func CheckOrigins(origins []string) error {
	_, err := readOrigins(origins)
	return err
}

func readOrigins(origins []string) (map[string]bool, error) {
	known := map[string]bool{}
	for _, o := range origins {
		u, err := url.Parse(o)
		if err != nil || u.Host == "" {
			return nil, errors.New("origin " + o + " is not of the shape https://host")
		}
		// Only scheme and host are kept: an Origin header has no path (RFC 6454, section 7).
		known[originOf(u)] = true
	}
	return known, nil
}

// Native serves GET /v1/audio/speech/stream-input: one utterance, binary frames
// of PCM.
func (h *Handler) Native(w http.ResponseWriter, r *http.Request) {
	h.serve(w, r, kind{h.cfg.Refuse, asItIs, nativeParameters, message.ParseNative, func(c *connection) {
		(&single{connection: c, wire: nativeWire{}}).conduct()
	}})
}

// StreamInput serves GET /v1/text-to-speech/{voice_id}/stream-input: one
// utterance in the ElevenLabs dialect.
func (h *Handler) StreamInput(w http.ResponseWriter, r *http.Request) {
	h.serve(w, r, kind{h.cfg.RefuseElevenLabs, inDialect, dialectParameters, message.ParseDialect, func(c *connection) {
		(&single{connection: c, wire: dialectWire{}}).conduct()
	}})
}

// MultiStreamInput serves GET /v1/text-to-speech/{voice_id}/multi-stream-input:
// many utterances, called contexts, on one socket.
func (h *Handler) MultiStreamInput(w http.ResponseWriter, r *http.Request) {
	h.serve(w, r, kind{h.cfg.RefuseElevenLabs, inDialect, dialectParameters, message.ParseDialect, func(c *connection) {
		newMulti(c).conduct()
	}})
}
