package transport

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

func TestSessionLife(t *testing.T) {
	t.Parallel()
	p := protocol(newGate())
	h := newHandler(t, Config{Server: p, Sessions: true})
	e, other := listen(t, h), listen(t, newHandler(t, Config{Sessions: true}))
	id := e.initialize("X-Test-Key", "alpha")
	if again := e.initialize("X-Test-Key", "alpha", sessionName, id); again == id {
		t.Error("initialize within a session gives the same session")
	}
	if a := e.send(http.MethodPost, call(1, "who", nil), "X-Test-Key", "alpha", sessionName, id); text(a.last()) != "tester elicits=true" {
		t.Errorf("who = %d %s, want what the client said when it connected", a.status, a.last())
	}
	flipped := []byte(id)
	flipped[3] ^= 1
	for _, tt := range []struct {
		name   string
		at     *endpoint
		key    string
		id     string
		status int
	}{
		{"own", e, "alpha", id, 200},
		{"none", e, "alpha", "", 200},
		{"of another key", e, "beta", id, 404},
		{"of nobody", e, "", id, 404},
		{"of the other endpoint", other, "alpha", id, 404},
		{"forged", e, "alpha", string(flipped), 404},
		{"cut", e, "alpha", id[:len(id)-1], 404},
		{"longer", e, "alpha", id + "A", 404},
		{"of the library", e, "alpha", "mcp-session-6ba7b810-9dad-11d1-80b4-00c04fd430c8", 404},
		{"huge", e, "alpha", strings.Repeat("A", 5000), 404},
	} {
		if a := tt.at.send(http.MethodPost, ping, "X-Test-Key", tt.key, sessionName, tt.id); a.status != tt.status {
			t.Errorf("ping with a session id %s = %d %s, want %d", tt.name, a.status, a.last(), tt.status)
		}
	}
	for _, tt := range []struct {
		name, key, id string
		status        int
	}{
		{"no id", "alpha", "", 400},
		{"by another", "beta", id, 404},
		{"forged", "alpha", string(flipped), 404},
		{"own", "alpha", id, 204},
		{"again", "alpha", id, 404},
	} {
		if a := e.send(http.MethodDelete, "", "X-Test-Key", tt.key, sessionName, tt.id); a.status != tt.status {
			t.Errorf("DELETE %s = %d %s, want %d", tt.name, a.status, a.last(), tt.status)
		}
	}
	if a := e.send(http.MethodPost, ping, "X-Test-Key", "alpha", sessionName, id); a.status != http.StatusNotFound || !strings.Contains(a.last(), "session_not_found") {
		t.Errorf("ping after DELETE = %d %s, want 404 session_not_found", a.status, a.last())
	}
	if asked, told := known(h, p); asked != 0 || told != 0 {
		t.Errorf("the library keeps %d and %d sessions while nothing runs", asked, told)
	}
}

func TestFailedInitializeOpensNothing(t *testing.T) {
	t.Parallel()
	p := protocol(newGate())
	h := newHandler(t, Config{Server: p, Sessions: true})
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":7}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":7}}`,
		`{"jsonrpc":"1.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`,
		`{"jsonrpc":"2.0","method":"initialize","params":{"protocolVersion":"2025-06-18"}}`,
		`{"jsonrpc":"2.0","id":null,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`,
	} {
		if a := record(h, http.MethodPost, body); a.header.Get(sessionName) != "" {
			t.Errorf("%s = %d %s, with a session", body, a.status, a.last())
		}
	}
	asked, told := known(h, p)
	if n := h.sessions.Len(); n+asked+told != 0 {
		t.Errorf("%d sessions are kept, %d and %d by the library", n, asked, told)
	}
}

// TestLevel sets the level of the log in sessions of clients that can be asked
// and that cannot.
func TestLevel(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Sessions: true})
	e := listen(t, h)
	for _, hello := range []string{hello, strings.Replace(hello, `"elicitation":{}`, "", 1)} {
		session := e.send(http.MethodPost, hello).header.Get(sessionName)
		other := e.initialize()
		for _, message := range []string{`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"debug"}}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`} {
			if a := e.send(http.MethodPost, message, sessionName, session); a.status >= 300 {
				t.Errorf("%s = %d %s", message, a.status, a.last())
			}
		}
		for id, want := range map[string]string{session: "debug", other: "error"} {
			if a := e.send(http.MethodPost, call(2, "level", nil), sessionName, id); text(a.last()) != want {
				t.Errorf("level = %s, want %s", a.last(), want)
			}
		}
	}
	if n := reflect.ValueOf(h.library).Elem().FieldByName("sessionLogLevels").Elem().FieldByName("logs").Len(); n != 0 {
		t.Errorf("the library keeps %d levels", n)
	}
}

func TestStatelessKeepsNothing(t *testing.T) {
	t.Parallel()
	p := protocol(newGate())
	h := newHandler(t, Config{Server: p})
	if a := record(h, http.MethodPost, hello); a.status != 200 || a.header.Get(sessionName) != "" {
		t.Errorf("initialize = %d, session %q, want none", a.status, a.header.Get(sessionName))
	}
	if a := record(h, http.MethodPost, ping, sessionName, "whatever"); a.status != 200 {
		t.Errorf("ping with a session of another replica = %d %s", a.status, a.last())
	}
	if a := record(h, http.MethodDelete, "", sessionName, "whatever"); a.status != 405 || a.header.Get("Allow") != "POST, OPTIONS" {
		t.Errorf("DELETE = %d, Allow %q", a.status, a.header.Get("Allow"))
	}
	if asked, told := known(h, p); asked != 0 || told != 0 {
		t.Errorf("the library keeps %d and %d sessions", asked, told)
	}
}

// TestAbandonedSessions connects more clients than there is room for, none of
// which says goodbye. TestSoakAbandonedSessions does it with the usual room.
func TestAbandonedSessions(t *testing.T) {
	t.Parallel()
	const most = 1000
	p := protocol(newGate())
	h := newHandler(t, Config{Server: p, Sessions: true, limits: sessionLimits{All: most}})
	var first string
	var clients sync.WaitGroup
	for part := range 4 {
		clients.Go(func() {
			for i := range (most + 200) / 4 {
				a := record(h, http.MethodPost, hello, "X-Test-Key", fmt.Sprintf("key %d %d", part, i%50))
				if id := a.header.Get(sessionName); part == 0 && i == 0 {
					first = id
				}
			}
		})
	}
	clients.Wait()
	if n := h.sessions.Len(); n != most {
		t.Errorf("%d sessions are kept, want %d", n, most)
	}
	if asked, told := known(h, p); asked != 0 || told != 0 {
		t.Errorf("the library keeps %d and %d sessions, want none", asked, told)
	}
	if a := record(h, http.MethodPost, ping, sessionName, first, "X-Test-Key", "key 0 0"); a.status != http.StatusNotFound {
		t.Errorf("the first session of them all = %d, want 404", a.status)
	}
}

func TestOneClientPushesOutNoOther(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Sessions: true, limits: sessionLimits{All: 60, PerClient: 40}})
	e := listen(t, h)
	kept := map[string]string{}
	for i := range 10 {
		key := fmt.Sprint("quiet", i)
		kept[key] = e.initialize("X-Test-Key", key)
	}
	var mine []string
	for range 100 {
		mine = append(mine, e.initialize("X-Test-Key", "greedy"))
	}
	for key, id := range kept {
		if a := e.send(http.MethodPost, ping, "X-Test-Key", key, sessionName, id); a.status != 200 {
			t.Errorf("session of %s = %d, want 200", key, a.status)
		}
	}
	for i, id := range mine {
		want := 404
		if i >= 60 {
			want = 200
		}
		if a := e.send(http.MethodPost, ping, "X-Test-Key", "greedy", sessionName, id); a.status != want {
			t.Errorf("session %d of the greedy client = %d, want %d", i, a.status, want)
		}
	}
}

func TestIdleSessionsEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSessions(sessionLimits{})
		o := owner{client: "a"}
		open := func() string {
			x := &session{}
			x.id, x.nonce = s.secret.mint(o.key)
			s.add(o, x)
			return x.id
		}
		used, idle := open(), open()
		for range 3 {
			time.Sleep(20 * time.Minute) // of the bubble's clock
			if _, ok := s.find(o, used); !ok {
				t.Fatal("a session that is used has ended")
			}
		}
		if _, ok := s.find(o, idle); ok || s.Len() != 1 {
			t.Errorf("idle session is there: %t; %d sessions, want 1", ok, s.Len())
		}
		time.Sleep(30 * time.Minute)
		if _, ok := s.find(o, used); ok || s.Len() != 0 || len(s.clients) != 0 {
			t.Errorf("after 30 min: there %t, %d sessions of %d clients", ok, s.Len(), len(s.clients))
		}
	})
}

// TestSessionsModel holds the sessions against a list of what should be there,
// the one used last in front.
func TestSessionsModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		limits := sessionLimits{All: rapid.IntRange(1, 8).Draw(t, "all"), PerClient: rapid.IntRange(1, 5).Draw(t, "each"), Idle: time.Hour}
		s := newSessions(limits)
		type kept struct {
			o  owner
			id string
		}
		var model, gone []kept
		remove := func(i int) {
			gone = append(gone, model[i])
			model = slices.Delete(model, i, i+1)
		}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			key := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key")
			o := owner{key: key, client: key}
			if len(model) == 0 || rapid.IntRange(0, 2).Draw(t, "step") == 0 {
				own := func() (n, last int) {
					for i, k := range model {
						if k.o == o {
							n, last = n+1, i
						}
					}
					return n, last
				}
				if n, last := own(); n >= limits.PerClient {
					remove(last)
				} else if len(model) >= limits.All {
					remove(len(model) - 1)
				}
				x := &session{}
				x.id, x.nonce = s.secret.mint(key)
				s.add(o, x)
				model = slices.Insert(model, 0, kept{o, x.id})
				continue
			}
			i := rapid.IntRange(0, len(model)-1).Draw(t, "which")
			k := model[i]
			if k.o != o {
				if _, ok := s.find(o, k.id); ok {
					t.Fatalf("%s finds a session of %s", key, k.o.key)
				}
			} else if rapid.Bool().Draw(t, "ends") {
				if !s.end(o, k.id) {
					t.Fatal("a session that is kept cannot be ended")
				}
				remove(i)
			} else {
				if _, ok := s.find(o, k.id); !ok {
					t.Fatal("a session that should be kept is not")
				}
				model = slices.Insert(slices.Delete(model, i, i+1), 0, k)
			}
		}
		for _, k := range gone {
			if _, ok := s.find(k.o, k.id); ok {
				t.Fatal("a session that should be gone is kept")
			}
		}
		if s.Len() != len(model) {
			t.Fatalf("%d sessions, want %d", s.Len(), len(model))
		}
	})
}

func TestGreetingIsClipped(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 100_000)
	for _, params := range []string{
		`{"protocolVersion":"` + long + `","capabilities":{"elicitation":{"x":"` + long + `"},"experimental":{"y":"` + long + `"}},"clientInfo":{"name":"` + long + `","title":"` + long + `","version":"` + long + `"}}`,
		`{}`, `7`, `null`, ``, `{"capabilities":7}`, `{"capabilities":{"roots":null}}`, `{"clientInfo":[]}`,
	} {
		if kept := clipped([]byte(params)); len(kept) > 2000 {
			t.Errorf("%d bytes are kept of %.40s", len(kept), params)
		}
	}
	want := `{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"n","version":"1"}}`
	if got := string(clipped([]byte(want))); got != want {
		t.Errorf("clipped(%s) = %s", want, got)
	}
}

func FuzzSessionID(f *testing.F) {
	s := newSecret()
	id, _ := s.mint("key")
	for _, seed := range []string{id, id[:10], id + "=", "", "mcp-session-1", strings.Repeat("A", idChars)} {
		f.Add(seed, "key")
	}
	f.Fuzz(func(t *testing.T, text, owner string) {
		n, ok := s.read(text, owner)
		if ok && (text != id || owner != "key") {
			t.Errorf("read(%q, %q) = %x: an id that was never made", text, owner, n)
		}
	})
}
