package transport

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"vaak/edge"
	"vaak/internal/fault"
)

// TestCancel has clients number their calls alike and cancel them.
func TestCancel(t *testing.T) {
	t.Parallel()
	g := newGate()
	e := listen(t, newHandler(t, Config{Server: protocol(g), Sessions: true}))
	mine, other := e.initialize("X-Test-Key", "alpha"), e.initialize("X-Test-Key", "beta")
	sibling := e.initialize("X-Test-Key", "alpha")
	const cancelled = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
	answers := make(chan answer, 1)
	go func() {
		answers <- e.send(http.MethodPost, call(1, "wait", nil), "X-Test-Key", "alpha", sessionName, mine)
	}()
	receive(t, g.started, "call")
	for _, header := range [][]string{
		{"X-Test-Key", "beta", sessionName, other},
		{"X-Test-Key", "alpha", sessionName, sibling},
		{"X-Test-Key", "alpha"},
		{},
		{"Mcp-Protocol-Version", "2026-07-28", sessionName, mine, "X-Test-Key", "alpha"},
	} {
		if a := e.send(http.MethodPost, cancelled, header...); a.status != http.StatusAccepted {
			t.Errorf("cancellation with %v = %d %s, want 202", header, a.status, a.last())
		}
	}
	if a := e.send(http.MethodPost, cancelled, "X-Test-Key", "beta", sessionName, mine); a.status != http.StatusNotFound {
		t.Errorf("cancellation in the session of another = %d, want 404", a.status)
	}
	select {
	case err := <-g.ended:
		t.Fatalf("the call of another was cancelled: %v", err)
	default:
	}
	if a := e.send(http.MethodPost, cancelled, "X-Test-Key", "alpha", sessionName, mine); a.status != http.StatusAccepted {
		t.Errorf("cancellation = %d, want 202", a.status)
	}
	if err := receive(t, g.ended, "cancellation"); !errors.Is(err, context.Canceled) {
		t.Errorf("the call ended by %v", err)
	}
	if a := receive(t, answers, "answer"); a.status != http.StatusOK {
		t.Errorf("cancelled call = %d %s", a.status, a.last())
	}
}

// TestClientsThatLeave close the connection in mid-call.
func TestClientsThatLeave(t *testing.T) {
	t.Parallel()
	for _, sessions := range []bool{false, true} {
		g := newGate()
		p := protocol(g)
		h := newHandler(t, Config{Server: p, Sessions: sessions})
		e := listen(t, h)
		var header []string
		if sessions {
			header = []string{sessionName, e.initialize()}
		}
		ctx, leave := context.WithCancel(t.Context())
		var clients sync.WaitGroup
		for i := range 10 {
			clients.Go(func() {
				if i%2 == 0 {
					_, _ = e.try(ctx, http.MethodPost, call(i, "wait", nil), header...)
				} else {
					_, _ = e.try(ctx, http.MethodPost, modernCall(i, "wait", nil), modern("wait")...)
				}
			})
		}
		for range 10 {
			receive(t, g.started, "call")
		}
		leave()
		for range 10 {
			receive(t, g.ended, "end of a call")
		}
		clients.Wait()
		if a := e.send(http.MethodPost, ping, header...); a.status != 200 {
			t.Errorf("ping afterwards = %d %s", a.status, a.last())
		}
		waitFor(t, "the library to forget", func() bool {
			asked, told := known(h, p)
			return asked+told == 0
		})
	}
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(30 * time.Second)
	for !done() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waited 30 s for %s", what)
		}
	}
}

// TestQuestions asks a client of the older versions two things at the same
// time, in one session, and answers the second first.
func TestQuestions(t *testing.T) {
	t.Parallel()
	p := protocol(newGate())
	h := newHandler(t, Config{Server: p, Sessions: true})
	e := listen(t, h)
	session := e.initialize("X-Test-Key", "alpha")
	begin := func(id int, text string) (question json.RawMessage, rest *bufio.Scanner) {
		resp, err := e.begin(t.Context(), http.MethodPost, call(id, "ask", map[string]any{"text": text}), "X-Test-Key", "alpha", sessionName, session)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		rest = bufio.NewScanner(resp.Body)
		var m struct{ ID json.RawMessage }
		data := nextEvent(t, rest)
		if err := json.Unmarshal([]byte(data), &m); err != nil || !strings.Contains(data, "elicitation/create") || !strings.Contains(data, text) {
			t.Fatalf("question = %s (%v)", data, err)
		}
		return m.ID, rest
	}
	reply := func(id json.RawMessage, header ...string) int {
		return e.send(http.MethodPost, `{"jsonrpc":"2.0","id":`+string(id)+`,"result":{"action":"decline"}}`, header...).status
	}
	first, firstRest := begin(1, "one ")
	second, secondRest := begin(2, "two ")
	for _, header := range [][]string{
		{"X-Test-Key", "beta", sessionName, session},
		{"X-Test-Key", "beta", sessionName, e.initialize("X-Test-Key", "beta")},
		{"X-Test-Key", "alpha", sessionName, e.initialize("X-Test-Key", "alpha")},
		{"X-Test-Key", "alpha"},
	} {
		if status := reply(first, header...); status < 400 || status >= 500 {
			t.Errorf("answer of another = %d, want a refusal", status)
		}
	}
	for _, q := range []struct {
		id   json.RawMessage
		rest *bufio.Scanner
		want string
	}{{first, firstRest, "one decline"}, {second, secondRest, "two decline"}} {
		if status := reply(q.id, "X-Test-Key", "alpha", sessionName, session); status != http.StatusAccepted {
			t.Errorf("answer = %d, want 202", status)
		}
		if got := text(nextEvent(t, q.rest)); got != q.want {
			t.Errorf("result = %s, want %s", got, q.want)
		}
	}
	waitFor(t, "the library to forget", func() bool {
		asked, told := known(h, p)
		return asked+told == 0
	})
}

func nextEvent(t *testing.T, s *bufio.Scanner) string {
	t.Helper()
	for s.Scan() {
		if data, ok := strings.CutPrefix(s.Text(), "data: "); ok {
			return data
		}
	}
	t.Fatalf("the stream ended: %v", s.Err())
	return ""
}

func TestCallsAtOnce(t *testing.T) {
	t.Parallel()
	g := newGate()
	e := listen(t, newHandler(t, Config{Server: protocol(g), Sessions: true, calls: 3}))
	session := e.initialize("X-Test-Key", "alpha")
	var running sync.WaitGroup
	for i := range 3 {
		running.Go(func() {
			if a := e.send(http.MethodPost, call(i, "wait", nil), "X-Test-Key", "alpha", sessionName, session); text(a.last()) != "released" {
				t.Errorf("call %d = %d %s", i, a.status, a.last())
			}
		})
	}
	for range 3 {
		receive(t, g.started, "call")
	}
	a := e.send(http.MethodPost, call("fourth", "say", nil), "X-Test-Key", "alpha")
	if a.status != http.StatusOK || a.header.Get("Retry-After") != "1" || !strings.Contains(a.last(), `"id":"fourth"`) || !strings.Contains(a.last(), "-32000") {
		t.Errorf("a call too many = %d %q %s", a.status, a.header.Get("Retry-After"), a.last())
	}
	if a := e.send(http.MethodPost, ping, "X-Test-Key", "alpha"); !strings.Contains(a.last(), `"result"`) {
		t.Errorf("a ping meanwhile = %d %s, want its answer", a.status, a.last())
	}
	if a := e.send(http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "X-Test-Key", "alpha", sessionName, session); a.status != http.StatusAccepted {
		t.Errorf("a notification meanwhile = %d, want 202", a.status)
	}
	if a := e.send(http.MethodPost, call(5, "say", nil), "X-Test-Key", "beta"); a.status != 200 {
		t.Errorf("a call of another = %d, want 200", a.status)
	}
	close(g.release)
	running.Wait()
	if a := e.send(http.MethodPost, call(6, "say", nil), "X-Test-Key", "alpha"); a.status != 200 {
		t.Errorf("a call afterwards = %d, want 200", a.status)
	}
}

// TestErasTogether has clients of both eras call at one address at once.
func TestErasTogether(t *testing.T) {
	t.Parallel()
	p := protocol(newGate())
	h := newHandler(t, Config{Server: p, Sessions: true})
	e := listen(t, h)
	var clients sync.WaitGroup
	for c := range 8 {
		clients.Go(func() {
			key := fmt.Sprint("key", c)
			header, make := append(modern("count"), "X-Test-Key", key), modernCall
			if c%2 == 0 {
				header, make = []string{"X-Test-Key", key, sessionName, e.initialize("X-Test-Key", key)}, call
			}
			for i := range 30 {
				a := e.send(http.MethodPost, make(i, "count", map[string]any{"to": 3}), header...)
				if err := checkCount(a.events, i, 3); a.status != 200 || err != nil {
					t.Errorf("client %d, call %d = %d: %v", c, i, a.status, err)
				}
				if c%2 != 0 && a.header.Get(sessionName) != "" {
					t.Error("a client of 2026-07-28 was given a session")
				}
			}
		})
	}
	clients.Wait()
	if n := h.sessions.Len(); n != 4 {
		t.Errorf("%d sessions, want 4", n)
	}
	if asked, told := known(h, p); asked+told != 0 {
		t.Errorf("the library keeps %d and %d sessions", asked, told)
	}
}

// TestSlowReader has a client ask for much and read nothing. Little fits into
// the buffers between the two.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	const buffer = 32 << 10
	h := newHandler(t, Config{})
	served := make(chan struct{}, 1)
	srv := httptest.NewUnstartedServer(edge.Chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() { served <- struct{}{} }()
		h.ServeHTTP(w, r)
	}), edge.Identify, edge.Access(discard, 200*time.Millisecond)))
	srv.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		_ = c.(*net.TCPConn).SetWriteBuffer(buffer) // a larger one makes the test weaker
		return ctx
	}
	srv.Start()
	defer srv.Close()
	tr := &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err == nil {
			_ = c.(*net.TCPConn).SetReadBuffer(buffer)
		}
		return c, err
	}}
	defer tr.CloseIdleConnections()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL, strings.NewReader(call(1, "say", map[string]any{"text": strings.Repeat("x", 1<<19), "times": 8})))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := tr.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	receive(t, served, "end of the request of a client that does not read")
	if n, err := io.Copy(io.Discard, resp.Body); err == nil {
		t.Errorf("the whole answer of %d bytes was sent", n)
	}
}

// TestListeners has clients wait for changes.
func TestListeners(t *testing.T) {
	t.Parallel()
	body := func(id int) string {
		return encode(map[string]any{"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": map[string]any{
			"notifications": map[string]any{"toolsListChanged": true},
			"_meta":         map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": map[string]any{}}}})
	}
	header := []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen"}
	for _, listeners := range []int{0, 1} {
		p := protocol(newGate(), withChanges())
		e := listen(t, newHandler(t, Config{Server: p, Listeners: listeners}))
		var held *bufio.Scanner
		ctx, leave := context.WithCancel(t.Context())
		for range listeners {
			resp, err := e.begin(ctx, http.MethodPost, body(1), header...)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			held = bufio.NewScanner(resp.Body)
			if got := nextEvent(t, held); !strings.Contains(got, `"toolsListChanged":true`) {
				t.Errorf("acknowledgement = %s", got)
			}
		}
		if a := e.send(http.MethodPost, body(2), header...); a.status != 200 || !strings.Contains(a.last(), `"id":2`) || strings.Contains(strings.Join(a.events, ""), "toolsListChanged") {
			t.Errorf("%d listeners: one too many = %d %q, want an end at once", listeners, a.status, a.events)
		}
		if held != nil {
			p.DeleteTools("say")
			if got := nextEvent(t, held); !strings.Contains(got, "list_changed") {
				t.Errorf("event = %s", got)
			}
		}
		leave()
		waitFor(t, "the listener to leave", func() bool { return entries(p, "listenSessions") == 0 })
	}
}

// stuck is a connection that takes nothing of the answer.
type stuck struct {
	header http.Header
	writes chan struct{} // told once for each write
	free   chan struct{}
}

func (s *stuck) Header() http.Header { return s.header }
func (s *stuck) WriteHeader(int)     {}
func (s *stuck) Write(p []byte) (int, error) {
	s.writes <- struct{}{}
	<-s.free
	return len(p), nil
}

// TestUnreadAnswersHoldNoPlace has as many clients as may call at once not read
// what they asked for, with progress before it and without.
func TestUnreadAnswersHoldNoPlace(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{calls: 2})
	conn := &stuck{header: http.Header{}, writes: make(chan struct{}, 100), free: make(chan struct{})}
	var clients sync.WaitGroup
	for i := range 2 {
		clients.Go(func() {
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(call(i, "say", nil)))
			setHeaders(r, []string{"X-Test-Key", "alpha"})
			w := *conn
			w.header = http.Header{}
			before(h).ServeHTTP(&w, r)
		})
	}
	for range 2 {
		receive(t, conn.writes, "answer")
	}
	if a := record(h, http.MethodPost, call(3, "say", nil), "X-Test-Key", "alpha"); text(a.last()) != "hi" {
		t.Errorf("a call while two are not read = %d %s", a.status, a.last())
	}
	close(conn.free)
	clients.Wait()
	for i := range 3 { // with progress the answer is an event
		if a := record(h, http.MethodPost, call(i, "count", nil), "X-Test-Key", "alpha"); text(a.last()) != "counted" || len(a.events) < 2 {
			t.Errorf("count %d = %d %q", i, a.status, a.events)
		}
	}
	if n := h.places.running.Running("key alpha"); n != 0 {
		t.Errorf("%d places are taken when nobody calls", n)
	}
}

// TestOverTheMinute has a middleware refuse messages that are over a rate.
func TestOverTheMinute(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Sessions: true})
	f := fault.New(fault.RateLimited, fault.CodeRateLimited, "", "too many requests")
	f.RetryAfter = 1500 * time.Millisecond
	over := h.Guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.Refuse(w, r, f) }))
	for name, tt := range map[string]struct {
		method, body string
		status       int
		says         string
	}{
		"call":         {"POST", call("mine", "say", nil), 200, `{"jsonrpc":"2.0","id":"mine","error":{"code":-32000,"message":"too many requests"`},
		"initialize":   {"POST", hello, 200, `"id":0,"error"`},
		"notification": {"POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, 429, "rate_limit_exceeded"},
		"no message":   {"POST", "{", 429, "rate_limit_exceeded"},
		"bad id":       {"POST", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, 429, "rate_limit_exceeded"},
		"large":        {"POST", call(1, "say", map[string]any{"x": strings.Repeat("x", 2<<20)}), 429, "rate_limit_exceeded"},
		"no post":      {"DELETE", "", 429, "rate_limit_exceeded"},
	} {
		a := record(over, tt.method, tt.body)
		if a.status != tt.status || !strings.Contains(a.last(), tt.says) || a.header.Get("Retry-After") != "2" || a.header.Get("Retry-After-Ms") != "1500" {
			t.Errorf("%s = %d %s, Retry-After %q (%q ms), want %d with %s", name, a.status, a.last(), a.header.Get("Retry-After"), a.header.Get("Retry-After-Ms"), tt.status, tt.says)
		}
	}
}

// TestAcknowledgement has clients listen where there is nothing to hear: each is
// told so first, and once.
func TestAcknowledgement(t *testing.T) {
	t.Parallel()
	const body = `{"jsonrpc":"2.0","id":"a","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` +
		`"Notifications":{"promptsListChanged":true},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	e := listen(t, newHandler(t, Config{Server: protocol(newGate(), withChanges())}))
	for i := range 100 {
		a := e.send(http.MethodPost, body, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen")
		all := strings.Join(a.events, "\n")
		if a.status != 200 || len(a.events) != 2 || !strings.Contains(a.events[0], methodAcknowledged) || !strings.Contains(a.events[0], `"notifications":{}`) ||
			!strings.Contains(a.events[0], `"a"`) || strings.Count(all, methodAcknowledged) != 1 || !strings.Contains(a.last(), `"id":"a"`) {
			t.Fatalf("listening %d = %d %s", i, a.status, all)
		}
	}
}
