package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// presence is a session as the protocol library sees it. The library keeps some 12 kB for each
// session that it knows. So the transport makes a session known to it only while calls run in
// which the client may be asked: it sends the library the client's initialize again before the
// first such call, and ends the session after the last. Every other message has a temporary
// session, which gets what the client said about itself.
type presence struct {
	greeting []byte // the params of its initialize, clipped
	version  string // of the protocol, as it was agreed on
	asked    bool   // the client can be asked during a call

	questions questions // the questions that calls of the session wait for

	mu      sync.Mutex
	running int
	level   mcp.LoggingLevel // the level that the client set, "" for none
}

// meet gives the library's session of a message what is known about the client.
func (x *session) meet(peer server.ClientSession) {
	var greeting struct {
		Capabilities mcp.ClientCapabilities `json:"capabilities"`
		ClientInfo   mcp.Implementation     `json:"clientInfo"`
	}
	if s, ok := peer.(server.SessionWithClientInfo); ok && json.Unmarshal(x.greeting, &greeting) == nil {
		s.SetClientInfo(greeting.ClientInfo)
		s.SetClientCapabilities(greeting.Capabilities)
	}
	// The library has this method, but no interface that names it.
	if s, ok := peer.(interface{ SetProtocolVersion(string) }); ok {
		s.SetProtocolVersion(x.version)
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if s, ok := peer.(server.SessionWithLogging); ok && x.level != "" {
		s.SetLogLevel(x.level)
	}
}

// enter makes the session known to the library for a message, until leave.
func (x *session) enter(ctx context.Context, library http.Handler, m message) (leave func(*visit)) {
	// Only a call can ask, and only of a client that can be asked. All other messages do without
	// the 12 kB.
	calls := x.asked && m.Method == string(mcp.MethodToolsCall)
	x.mu.Lock()
	defer x.mu.Unlock()
	if calls {
		x.running++
		// Under the lock, so that a second call does not begin before the library knows the
		// session.
		if x.running == 1 {
			x.whisper(ctx, library, http.MethodPost, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":`+string(x.greeting)+`}`)
		}
	}
	return func(v *visit) {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.left(ctx, library, v, calls)
	}
}

// left notes the end of a message. called says that it was one of the calls for which the
// library knows the session.
func (x *session) left(ctx context.Context, library http.Handler, v *visit, called bool) {
	if called {
		x.running--
	}
	levelled := false
	// error is the level that the library gives a new session, so it stands for none.
	if s, ok := v.peer.(server.SessionWithLogging); ok && s.GetLogLevel() != mcp.LoggingLevelError {
		x.level, levelled = s.GetLogLevel(), true // the library keeps it by session
	}
	// The last call has ended, or the library keeps the session only for its level.
	if x.running == 0 && (called || levelled) {
		x.whisper(ctx, library, http.MethodDelete, "")
	}
}

// whisper sends a message of the transport to the library, and ignores the answer.
func (x *session) whisper(ctx context.Context, library http.Handler, method, body string) {
	// Without the cancellation of the message: the library must forget the session even when the
	// client has left.
	r, err := http.NewRequestWithContext(withVisit(context.WithoutCancel(ctx), &visit{id: x.id}), method, "/", strings.NewReader(body))
	if err != nil {
		panic(err) // cannot be: method and address are constants
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(server.HeaderKeySessionID, x.id)
	library.ServeHTTP(deaf{}, r)
}

// deaf is a response writer that ignores the answer.
type deaf struct{}

func (deaf) Header() http.Header         { return http.Header{} }
func (deaf) WriteHeader(int)             {}
func (deaf) Write(p []byte) (int, error) { return len(p), nil }

// Bounds of what is kept of a greeting, in bytes.
const (
	maxName         = 128
	maxCapabilities = 1024
)

// asked reports whether a client with this greeting can be asked during a call.
func asked(greeting []byte) bool {
	var g struct {
		Capabilities mcp.ClientCapabilities `json:"capabilities"`
	}
	err := json.Unmarshal(greeting, &g)
	return err == nil && (g.Capabilities.Elicitation != nil || g.Capabilities.Sampling != nil || g.Capabilities.Roots != nil)
}

// clipped returns the params of an initialize without what could take much memory: long names
// are cut, and capabilities that no handler needs are left out.
func clipped(params json.RawMessage) []byte {
	type capabilities struct {
		Roots       json.RawMessage `json:"roots,omitempty"`
		Sampling    json.RawMessage `json:"sampling,omitempty"`
		Elicitation json.RawMessage `json:"elicitation,omitempty"`
	}
	var greeting struct {
		ProtocolVersion string          `json:"protocolVersion"`
		Capabilities    json.RawMessage `json:"capabilities,omitempty"`
		ClientInfo      struct {
			Name    string `json:"name"`
			Title   string `json:"title,omitempty"`
			Version string `json:"version"`
		} `json:"clientInfo"`
	}
	_ = json.Unmarshal(params, &greeting) // the library has accepted it; what cannot be read is left out
	greeting.ProtocolVersion = clip(greeting.ProtocolVersion)
	info := &greeting.ClientInfo
	info.Name, info.Title, info.Version = clip(info.Name), clip(info.Title), clip(info.Version)
	var all capabilities
	if err := json.Unmarshal(greeting.Capabilities, &all); err != nil {
		all = capabilities{}
	}
	for _, c := range []*json.RawMessage{&all.Roots, &all.Sampling, &all.Elicitation} {
		// null names no capability, so it is not worth its bytes.
		if len(*c) > maxCapabilities/3 || bytes.Equal(*c, []byte("null")) {
			*c = nil
		}
	}
	greeting.Capabilities, _ = json.Marshal(all) // pieces of JSON are always encoded
	kept, err := json.Marshal(greeting)
	if err != nil {
		panic(err) // cannot be: strings, and pieces of JSON
	}
	return kept
}

// clip shortens a name, and copies it, so that it does not keep the whole message in memory.
func clip(s string) string {
	return strings.Clone(strings.ToValidUTF8(s[:min(len(s), maxName)], ""))
}
