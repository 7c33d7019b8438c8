package transport

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"

	"vaak/internal/document"
)

// FuzzMessages holds what we read of a message against what the protocol
// library does with it: a call that runs is ended by no message that was not
// seen to cancel, and nothing that is sent breaks the server.
func FuzzMessages(f *testing.F) {
	for _, seed := range []string{
		hello, ping, call(1, "say", nil), modernCall(1, "say", nil),
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","METHOD":"notifications/c\u0061ncelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","id":null,"Method":"notifications/cancelled","method":"ping","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":null}`,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"Notifications":{"toolsListChanged":true}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":1}}`,
		`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"?"}}`,
		`[]`, `{"id":[],"method":"initialize","params":7}`,
	} {
		f.Add(seed, "")
		f.Add(seed, "2026-07-28")
	}
	g := newGate()
	p := protocol(g)
	h, direct := newHandler(f, Config{Server: p, Sessions: true}), newHandler(f, Config{Server: p, Sessions: true, Own: true})
	f.Fuzz(func(t *testing.T, body, version string) {
		if document.Check("the body", []byte(body)) != nil || strings.Contains(body, `"wait"`) || strings.Contains(body, `"ask"`) {
			return
		}
		m, wrong := sniff([]byte(body), http.Header{"Mcp-Protocol-Version": {version}})
		_ = m.hush()
		_ = clipped(m.Params)
		if wrong == nil && !m.cancels() {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			entries := inflight(p, cancel)
			p.HandleMessage(context.WithoutCancel(ctx), []byte(m.unheard(body)))
			if ctx.Err() != nil {
				t.Errorf("%s ended a call and was not seen to", body)
			}
			entries()
		}
		a := record(h, http.MethodPost, body, "Mcp-Protocol-Version", version)
		if a.status >= 500 || leaks(a.last()) {
			t.Errorf("%s = %d %s", body, a.status, a.last())
		}
		header := []string{"Mcp-Protocol-Version", version, "Mcp-Method", m.Method, "Mcp-Name", "say"}
		a = record(h, http.MethodPost, body, header...)
		diff := differ(a, record(direct, http.MethodPost, body, header...))
		if diff != "" && (m.target == nil || m.target.Name != "level") { // its tool asks the library's session
			t.Errorf("%s (-library +direct):\n%s", body, diff)
		}
		if strings.ContainsAny(body, "\r\n") {
			return // would be several lines
		}
		var out bytes.Buffer
		if err := Stdio(t.Context(), Config{Server: p}, strings.NewReader(body), &out); err != nil || leaks(out.String()) {
			t.Errorf("%s by standard input = %s (%v)", body, out.String(), err)
		}
	})
}

// leaks reports whether an error names parts of our program.
func leaks(answer string) bool {
	for _, word := range []string{"Go struct", "Go value", "json: ", "base64 data", "unparsable", "internal error"} {
		if strings.Contains(answer, `"error"`) && strings.Contains(answer, word) {
			return true
		}
	}
	return false
}

// unheard is a body that does not hold a test up.
func (m message) unheard(body string) string {
	if m.listens() {
		return string(m.hush())
	}
	return body
}

// inflight has the library know calls that could be cancelled.
func inflight(p any, cancel context.CancelFunc) (remove func()) {
	calls := syncMap(p, "inflightCancels")
	for _, id := range []string{":1", ":0", ":2", ":null", ":"} {
		calls.Store(id, cancel)
	}
	return calls.Clear
}
