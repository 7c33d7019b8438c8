package transport

import (
	"context"
	"net/http"
	"testing"
	"time"
)

// TestListenByGET has clients of older versions hold streams open: each one of its
// own session, as many as there are places, and the place is free when they leave.
func TestListenByGET(t *testing.T) {
	t.Parallel()
	p := protocol(newGate())
	h := newHandler(t, Config{Server: p, Sessions: true, Listeners: 1})
	e := listen(t, h)
	hold := func(ctx context.Context, session string) *http.Response {
		resp, err := e.begin(ctx, http.MethodGet, "", "X-Test-Key", "alpha", "Accept", eventStream, sessionName, session)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = resp.Body.Close() }) // read or left
		return resp
	}
	mine := e.initialize("X-Test-Key", "alpha")
	for name, tt := range map[string]struct {
		header []string
		status int
	}{
		"no session":         {[]string{"X-Test-Key", "alpha"}, http.StatusBadRequest},
		"session of another": {[]string{"X-Test-Key", "beta", sessionName, mine}, http.StatusNotFound},
		"version without":    {[]string{"X-Test-Key", "alpha", sessionName, mine, "Mcp-Protocol-Version", "2026-07-28"}, http.StatusMethodNotAllowed},
	} {
		if a := e.send(http.MethodGet, "", tt.header...); a.status != tt.status {
			t.Errorf("%s: %d %s, want %d", name, a.status, a.last(), tt.status)
		}
	}
	for round := range 3 {
		ctx, leave := context.WithCancel(t.Context())
		stream := hold(ctx, mine)
		if stream.StatusCode != http.StatusOK || stream.Header.Get("Content-Type") != eventStream {
			t.Fatalf("round %d: %s, %s", round, stream.Status, stream.Header.Get("Content-Type"))
		}
		if second := hold(t.Context(), mine); second.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("round %d: a second stream is answered %s, want 503", round, second.Status)
		}
		if a := e.send(http.MethodPost, call(1, "say", nil), "X-Test-Key", "alpha", sessionName, mine); a.status != http.StatusOK {
			t.Errorf("round %d: a call meanwhile is answered %d %s", round, a.status, a.last())
		}
		leave()
		_ = stream.Body.Close() // it is gone
		eventually(t, "a place", func() bool { return len(h.listeners) == 0 })
	}
	eventually(t, "the library to forget", func() bool {
		asked, told := known(h, p)
		return asked+told == 0
	})
	none := listen(t, newHandler(t, Config{Server: protocol(newGate()), Sessions: true}))
	if a := none.send(http.MethodGet, "", "X-Test-Key", "alpha", sessionName, none.initialize("X-Test-Key", "alpha")); a.status != http.StatusMethodNotAllowed {
		t.Errorf("where nothing is to be heard: %d, want 405", a.status)
	}
}

// eventually waits for what happens soon.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	ticks := time.NewTicker(5 * time.Millisecond)
	defer ticks.Stop()
	for deadline := time.After(30 * time.Second); !done(); {
		select {
		case <-ticks.C:
		case <-deadline:
			t.Fatalf("waited too long for %s", what)
		}
	}
}
