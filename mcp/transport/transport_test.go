package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"go.uber.org/goleak"

	"vaak/account"
	"vaak/edge"
	"vaak/rest/frame"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// gate is where the tool "wait" waits.
type gate struct {
	started chan string // what was said, when a call is there
	release chan struct{}
	ended   chan error // why a call that was not released ended
}

func newGate() *gate {
	return &gate{started: make(chan string, 100), release: make(chan struct{}), ended: make(chan error, 100)}
}

// protocol is a server with tools that do what calls can do to a transport.
func protocol(g *gate, options ...server.ServerOption) *server.MCPServer {
	p := server.NewMCPServer("test", "1", append([]server.ServerOption{server.WithToolCapabilities(false), server.WithElicitation(), server.WithLogging()}, options...)...)
	add := func(name string, handle func(context.Context, mcp.CallToolRequest) (string, error)) {
		p.AddTool(mcp.NewTool(name), func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			text, err := handle(ctx, req)
			if err != nil {
				return mcp.NewToolResultError(err.Error()), nil
			}
			return mcp.NewToolResultText(text), nil
		})
	}
	add("say", func(_ context.Context, req mcp.CallToolRequest) (string, error) {
		return strings.Repeat(req.GetString("text", "hi"), req.GetInt("times", 1)), nil
	})
	add("count", func(ctx context.Context, req mcp.CallToolRequest) (string, error) {
		progress := ProgressOf(ctx, req.Params.Meta)
		defer progress.Flush()
		n := req.GetInt("to", 5)
		for i := range n {
			progress.Tell(float64(i+1), float64(n), "step")
		}
		return "counted", nil
	})
	add("wait", func(ctx context.Context, req mcp.CallToolRequest) (string, error) {
		g.started <- req.GetString("text", "")
		select {
		case <-g.release:
			return "released", nil
		case <-ctx.Done():
			g.ended <- ctx.Err()
			return "", ctx.Err()
		}
	})
	add("who", func(ctx context.Context, _ mcp.CallToolRequest) (string, error) {
		s, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo)
		if !ok {
			return "", fmt.Errorf("no session")
		}
		return s.GetClientInfo().Name + " elicits=" + fmt.Sprint(s.GetClientCapabilities().Elicitation != nil), nil
	})
	add("level", func(ctx context.Context, _ mcp.CallToolRequest) (string, error) {
		s, ok := server.ClientSessionFromContext(ctx).(server.SessionWithLogging)
		if !ok {
			return "", fmt.Errorf("no level")
		}
		return string(s.GetLogLevel()), nil
	})
	add("ask", func(ctx context.Context, req mcp.CallToolRequest) (string, error) {
		var question mcp.ElicitationRequest
		question.Params.Message = req.GetString("text", "?")
		question.Params.RequestedSchema = map[string]any{"type": "object", "properties": map[string]any{}}
		answer, err := p.RequestElicitation(ctx, question)
		if err != nil {
			return "", err
		}
		return question.Params.Message + string(answer.Action), nil
	})
	return p
}

func newHandler(t testing.TB, cfg Config) *Handler {
	t.Helper()
	if cfg.Server == nil {
		cfg.Server = protocol(newGate())
	}
	if cfg.Refuse == nil {
		cfg.Refuse = frame.Refuse
	}
	h, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// before stands where the check of keys does: X-Test-Key is the key.
func before(next http.Handler) http.Handler {
	return edge.Chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if key := r.Header.Get("X-Test-Key"); key != "" {
			edge.From(r.Context()).Caller = account.Caller{KeyID: key, OrgID: "org", Plan: "p"}
		}
		next.ServeHTTP(w, r)
	}), edge.Identify, edge.Access(discard, 0))
}

// endpoint is a handler with a network before it.
type endpoint struct {
	t      testing.TB
	url    string
	client *http.Client
}

func listen(t testing.TB, h http.Handler) *endpoint {
	t.Helper()
	srv := httptest.NewServer(before(h))
	tr := &http.Transport{MaxIdleConnsPerHost: 64}
	t.Cleanup(func() {
		tr.CloseIdleConnections()
		srv.Close()
	})
	return &endpoint{t, srv.URL, &http.Client{Transport: tr}}
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	events []string // of a stream, or the one body
}

// last is the answer to the message itself.
func (a answer) last() string {
	if len(a.events) == 0 {
		return ""
	}
	return a.events[len(a.events)-1]
}

// send sends a message; header holds pairs of names and values.
func (e *endpoint) send(method, body string, header ...string) answer {
	e.t.Helper()
	a, err := e.try(e.t.Context(), method, body, header...)
	if err != nil {
		e.t.Fatal(err)
	}
	return a
}

func (e *endpoint) try(ctx context.Context, method, body string, header ...string) (answer, error) {
	resp, err := e.begin(ctx, method, body, header...)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return answer{resp.StatusCode, resp.Header, events(resp.Header, b)}, err
}

func (e *endpoint) begin(ctx context.Context, method, body string, header ...string) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, e.url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	setHeaders(r, header)
	return e.client.Do(r)
}

func setHeaders(r *http.Request, header []string) {
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
}

func events(h http.Header, body []byte) (all []string) {
	if h.Get("Content-Type") != eventStream {
		return []string{string(bytes.TrimSpace(body))}
	}
	for event := range strings.SplitSeq(string(body), "\n\n") {
		if data, ok := strings.CutPrefix(event, "event: message\ndata: "); ok {
			all = append(all, data)
		}
	}
	return all
}

// record has a handler answer without a network.
func record(h http.Handler, method, body string, header ...string) answer {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, "/", strings.NewReader(body))
	setHeaders(r, header)
	before(h).ServeHTTP(w, r)
	return answer{w.Code, w.Header(), events(w.Header(), w.Body.Bytes())}
}

const (
	hello       = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"tester","version":"1"}}}`
	ping        = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	sessionName = server.HeaderKeySessionID
)

// call is a call of a tool as clients up to 2025-11-25 send it.
func call(id any, tool string, args map[string]any) string {
	return encode(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": map[string]any{
		"name": tool, "arguments": args, "_meta": map[string]any{"progressToken": id}}})
}

// modernCall is one of 2026-07-28, and modern are its headers.
func modernCall(id any, tool string, args map[string]any) string {
	return encode(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": map[string]any{
		"name": tool, "arguments": args, "_meta": map[string]any{"progressToken": id, "io.modelcontextprotocol/protocolVersion": "2026-07-28",
			"io.modelcontextprotocol/clientInfo": map[string]any{"name": "modern", "version": "1"}, "io.modelcontextprotocol/clientCapabilities": map[string]any{}}}})
}

func modern(tool string) []string {
	return []string{"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", tool}
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// initialize sets up a connection and returns the id of its session.
func (e *endpoint) initialize(header ...string) string {
	e.t.Helper()
	a := e.send(http.MethodPost, hello, header...)
	id := a.header.Get(sessionName)
	if a.status != http.StatusOK || id == "" {
		e.t.Fatalf("initialize = %d %s, session %q", a.status, a.last(), id)
	}
	return id
}

// known counts the sessions that the library keeps: those that may be asked,
// and those that may be told.
func known(h *Handler, p *server.MCPServer) (asked, told int) {
	return entries(h.library, "activeSessions"), entries(p, "sessions")
}

// entries counts the entries of a field of the library.
func entries(of any, field string) (n int) {
	syncMap(of, field).Range(func(any, any) bool { n++; return true })
	return n
}

// syncMap returns a field of a struct of the library, which does not show it.
func syncMap(of any, field string) *sync.Map {
	v := reflect.ValueOf(of).Elem().FieldByName(field)
	return (*sync.Map)(unsafe.Pointer(v.UnsafeAddr()))
}

// text is the text of a result.
func text(message string) string {
	var m struct {
		Result struct {
			Content []struct{ Text string }
		}
	}
	if json.Unmarshal([]byte(message), &m) != nil || len(m.Result.Content) == 0 {
		return message
	}
	return m.Result.Content[0].Text
}

// receive waits for what must come.
func receive[T any](t testing.TB, c <-chan T, what string) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(30 * time.Second):
		t.Fatalf("no %s within 30 s", what)
	}
	return v
}
