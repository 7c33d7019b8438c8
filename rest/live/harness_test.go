package live

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"vaak/account"
	"vaak/edge"
	"vaak/internal/fault"
	"vaak/internal/ratelimit"
	"vaak/rest/live/message"
	"vaak/speech"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testKey = "sk_live_test"

// accounts knows one key, which it can revoke.
type accounts struct {
	admit   error
	held    atomic.Int64 // slots
	mu      sync.Mutex
	revoked []context.CancelCauseFunc
}

func (a *accounts) Authenticate(_ context.Context, secret string) (account.Caller, error) {
	if secret != testKey {
		return account.Caller{}, fault.New(fault.Unauthenticated, fault.CodeInvalidKey, "", "the API key is not valid")
	}
	return account.Local, nil
}

func (a *accounts) Enter(context.Context, account.Caller) (account.Allowance, error) {
	return account.Allowance{Requests: ratelimit.Decision{Allowed: true, Limit: -1, Remaining: -1}, Streams: -1}, nil
}

func (a *accounts) Admit(ctx context.Context, c account.Caller) (*account.Slot, error) {
	if a.admit != nil {
		return nil, a.admit
	}
	return account.Unmetered{}.Admit(ctx, c)
}

func (a *accounts) Session(ctx context.Context, _ account.Caller) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.revoked = append(a.revoked, cancel)
	a.held.Add(1)
	return ctx, func() { a.held.Add(-1); cancel(nil) }
}

func (a *accounts) revoke() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, cancel := range a.revoked {
		cancel(fault.New(fault.Unauthenticated, fault.CodeInvalidKey, "", "the API key was revoked or has expired"))
	}
}

// site is a server with the three sockets, and what it was given.
type site struct {
	*Handler
	http     http.Handler
	accounts *accounts
	dial     func(context.Context, string, string) (net.Conn, error) // nil: as usual
	address  string
	ended    chan speech.Result
}

// statuses are enough of the table of package rest for a test.
var statuses = map[fault.Kind]int{
	fault.Invalid: 400, fault.Unauthenticated: 401, fault.QuotaExceeded: 402, fault.Forbidden: 403,
	fault.NotFound: 404, fault.RateLimited: 429, fault.TooManyStreams: 429, fault.Unavailable: 503,
}

func refuseWith(invalid int) edge.Refuse {
	return func(w http.ResponseWriter, r *http.Request, err error) {
		edge.Note(r.Context(), err)
		f, ok := errors.AsType[*fault.Error](err)
		if !ok {
			f = message.ErrInternal
		}
		status := statuses[f.Kind]
		switch {
		case f.Code == fault.CodeInvalidParameter:
			status = invalid
		case status == 0:
			status = 500
		}
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]string{"code": f.Code, "message": f.Msg, "param": f.Field})
	}
}

// newSite returns a site that is not served yet. With a fake as its Speaker the
// sessions are fakes too.
func newSite(t testing.TB, cfg Config, log ...edge.Middleware) *site {
	t.Helper()
	s := &site{accounts: &accounts{}, ended: make(chan speech.Result, 1000)}
	if cfg.Speech == nil {
		cfg.Speech = &fakeSpeaker{}
	}
	if cfg.Accounts == nil {
		cfg.Accounts = s.accounts
	} else {
		s.accounts = cfg.Accounts.(*accounts)
	}
	cfg.Refuse, cfg.RefuseElevenLabs = refuseWith(400), refuseWith(422)
	cfg.Ended = func(_ context.Context, r speech.Result) { s.ended <- r }
	h, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if fake, ok := cfg.Speech.(*fakeSpeaker); ok {
		h.open = fake.open
	}
	s.Handler = h
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/audio/speech/stream-input", h.Native)
	mux.HandleFunc("GET /v1/text-to-speech/{voice_id}/stream-input", h.StreamInput)
	mux.HandleFunc("GET /v1/text-to-speech/{voice_id}/multi-stream-input", h.MultiStreamInput)
	refuse := Traced(refuseWith(400))
	if len(log) == 0 {
		log = []edge.Middleware{edge.Access(h.cfg.Logger, 0)}
	}
	ms := append([]edge.Middleware{edge.Identify}, log...)
	ms = append(ms, edge.Authenticate(s.accounts, refuse), edge.Enter(s.accounts, refuse))
	s.http = edge.Chain(mux, ms...)
	return s
}

// serve serves a site on the loopback interface until the test ends.
func serve(t testing.TB, s *site) *site {
	t.Helper()
	server := httptest.NewServer(s.http)
	s.address = "ws" + server.URL[len("http"):]
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = s.Drain(ctx) // sockets that a test left open are closed
		server.Close()
	})
	return s
}

// pipe serves a site on pipes in memory, whose time a synctest bubble can tell.
// Stop must be called before the bubble ends.
func pipe(s *site) (stop func()) {
	l := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := &http.Server{Handler: s.http}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(l) // until it is closed
	}()
	s.address, s.dial = "ws://pipe", l.dial
	return func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = s.Drain(ctx)
		_ = server.Close()
		<-served
	}
}

// pipes is a listener in memory.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.conns <- there:
		return here, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { p.once.Do(func() { close(p.closed) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// client is a client of a socket; a goroutine of its own reads.
type client struct {
	t      testing.TB
	ws     *websocket.Conn
	frames chan received // pongs too, in the order in which they came
	heard  []received    // those that hear has taken
}

// received is a message, or the end of the connection.
type received struct {
	kind int
	data []byte
	err  error
}

const (
	nativePath = "/v1/audio/speech/stream-input"
	singlePath = "/v1/text-to-speech/sv_test/stream-input"
	multiPath  = "/v1/text-to-speech/sv_test/multi-stream-input"
	pcm        = "?output_format=pcm_24000"
)

func (s *site) connect(ctx context.Context, path string, header ...string) (*websocket.Conn, *http.Response, error) {
	h := http.Header{"Xi-Api-Key": {testKey}, "X-Request-Id": {"req-1"}}
	for i := 0; i+1 < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	d := websocket.Dialer{NetDialContext: s.dial, HandshakeTimeout: time.Minute}
	return d.DialContext(ctx, s.address+path, h)
}

func (s *site) client(t testing.TB, path string) *client {
	t.Helper()
	conn, _, err := s.connect(t.Context(), path)
	if err != nil {
		t.Fatalf("dial %s: %v", path, err)
	}
	c := &client{t: t, ws: conn, frames: make(chan received, 4096)}
	conn.SetPongHandler(func(p string) error {
		c.frames <- received{kind: websocket.PongMessage, data: []byte(p)}
		return nil
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			kind, data, err := conn.ReadMessage()
			c.frames <- received{kind, data, err}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() { _ = conn.Close(); <-done })
	return c
}

func (c *client) send(frames ...string) {
	c.t.Helper()
	for _, f := range frames {
		if err := c.ws.WriteMessage(websocket.TextMessage, []byte(f)); err != nil {
			c.t.Fatalf("send %s: %v", f, err)
		}
	}
}

// next returns the next message, or fails.
func (c *client) next() received {
	c.t.Helper()
	select {
	case r := <-c.frames:
		return r
	case <-time.After(time.Minute):
		c.t.Fatal("no message within a minute")
		return received{}
	}
}
