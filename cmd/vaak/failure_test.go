package main

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"vaak/store"
	"vaak/voice"
)

// whisper is a text that no log may hold.
const whisper = "Marmalade zeppelin."

// TestLengthyStoreAway takes PostgreSQL from under a server: what needs no account goes
// on, what does is refused at once and in so many words, a stream that runs comes
// out whole and is charged once, and all is well again soon after.
func TestLengthyStoreAway(t *testing.T) {
	slow(t)
	t.Parallel()
	for _, tt := range []struct {
		name string
		// How soon speech and reading are refused: a server that hangs has to be
		// waited for.
		speech, read time.Duration
		leave        func(*fleet) error
		back         func(*fleet) error
	}{
		{"stopped", time.Second, time.Second, stopped("fast"), started},
		{"crashed", time.Second, time.Second, stopped("immediate"), started},
		{"hung", 2 * time.Second, 4 * time.Second, func(f *fleet) error { return f.cluster.Hang(f.t) }, func(f *fleet) error { return f.cluster.Resume() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := startFleet(t, 1, 100)
			o := &storeOutage{t: t, f: f, s: f.servers[0], speech: tt.speech, read: tt.read, stranger: strangerKey(t)}
			o.before()
			if err := tt.leave(f); err != nil {
				t.Fatal(err)
			}
			o.during()
			if err := tt.back(f); err != nil {
				t.Fatal(err)
			}
			o.after()
		})
	}
}

func stopped(mode string) func(*fleet) error {
	return func(f *fleet) error { return f.cluster.Stop(mode) }
}

func started(f *fleet) error { return f.cluster.Start() }

// strangerKey returns a well-formed key of another database.
func strangerKey(t *testing.T) string {
	s := &server{t: t, dir: t.TempDir()}
	s.env = append(s.env, "VAAK_DATA_DIR="+s.dir)
	return s.vaak("key", "create", "--org", s.vaak("org", "create", "Stranger"))
}

// storeOutage is one time without a database.
type storeOutage struct {
	t        *testing.T
	f        *fleet
	s        *server
	speech   time.Duration
	read     time.Duration
	stranger string

	stream  *http.Response
	charged int64 // characters, so far
	whole   int   // bytes of the stream
}

// before speaks, so that the key is known, and begins a stream.
func (o *storeOutage) before() {
	o.t.Helper()
	body := long(story)
	o.whole = len(o.s.mustSpeak(body))
	o.charged = 2 * int64(utf8.RuneCountInString(body["input"].(string)))
	resp, err := http.DefaultClient.Do(o.s.request(o.t.Context(), body))
	if err != nil {
		o.t.Fatal(err)
	}
	o.t.Cleanup(func() { _ = resp.Body.Close() })
	if _, err := io.ReadFull(resp.Body, make([]byte, 1000)); err != nil {
		o.t.Fatal(err)
	}
	o.stream = resp
}

func (o *storeOutage) during() {
	o.t.Helper()
	o.refuses()
	o.crowd()
	o.tool()
	o.serves()
	began := time.Now()
	rest, err := io.Copy(io.Discard, o.stream.Body)
	if err != nil || int(rest)+1000 != o.whole {
		o.t.Errorf("the running stream ended with %v after %d of %d bytes", err, rest+1000, o.whole)
	}
	o.t.Logf("the running stream came to its end %v after it was read on", time.Since(began).Round(time.Millisecond))
	o.probes()
	o.refuses()
}

// refuses asks for what needs an account.
func (o *storeOutage) refuses() {
	o.t.Helper()
	at := func(ask func() answered, within time.Duration) func() {
		return func() { o.refused(ask(), within) }
	}
	get := func(path, key string) func() {
		return at(func() answered { return o.s.ask(http.MethodGet, path, key, nil) }, o.read)
	}
	var wg sync.WaitGroup
	for _, refused := range []func(){
		at(func() answered { return o.s.say(o.s.key, whisper) }, o.speech),
		at(func() answered { return o.s.say(o.stranger, whisper) }, o.speech),
		at(func() answered { return o.s.ask(http.MethodPost, "/v1/mcp", o.stranger, listTools) }, o.speech),
		get("/v1/usage", o.s.key),
		get("/v1/usage/daily", o.s.key),
		get("/v1/user/subscription", o.stranger),
	} {
		wg.Go(refused)
	}
	wg.Wait()
	o.s.say("sk_live_none", whisper).expect(o.t, http.StatusUnauthorized, "invalid_api_key")
}

// tool speaks over MCP, where a refusal is a result for the agent to read.
func (o *storeOutage) tool() {
	o.t.Helper()
	a := o.s.ask(http.MethodPost, "/v1/mcp", o.s.key, map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": "synthesize_speech", "arguments": map[string]any{"text": whisper}}})
	if a.status != http.StatusOK || !strings.Contains(a.body, `"isError":true`) || !strings.Contains(a.body, "try again") || a.took > o.speech {
		o.t.Errorf("%s = %d after %v, want 200 with an error that says to try again: %.500s", a.what, a.status, a.took, a.body)
	}
}

var listTools = map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}

func (o *storeOutage) refused(a answered, within time.Duration) {
	o.t.Helper()
	a.expect(o.t, http.StatusServiceUnavailable, "store_unavailable")
	if a.header.Get("Retry-After") != "1" {
		o.t.Errorf("%s: Retry-After %q, want 1", a.what, a.header.Get("Retry-After"))
	}
	if a.took > within {
		o.t.Errorf("%s took %v, want at most %v", a.what, a.took, within)
	}
	o.t.Logf("%s: %d after %v", a.what, a.status, a.took.Round(time.Millisecond))
}

// crowd asks for much at once.
func (o *storeOutage) crowd() {
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() { o.refused(o.s.say(o.s.key, whisper), o.speech) })
	}
	wg.Wait()
}

// serves asks for what needs no account.
func (o *storeOutage) serves() {
	o.t.Helper()
	for _, path := range []string{
		"/v1/voices", "/v1/languages", "/v1/models", "/v1/models/x", "/health", "/",
		"/v1/voices/" + string(voice.DefaultVoice().ID) + "/preview",
	} {
		a := o.s.ask(http.MethodGet, path, "", nil)
		a.expect(o.t, http.StatusOK, "")
		if a.took > time.Second {
			o.t.Errorf("%s took %v", a.what, a.took)
		}
		// A key that comes along makes no difference.
		o.s.ask(http.MethodGet, path, o.stranger, nil).expect(o.t, http.StatusOK, "")
	}
}

// probes asks as what watches over the server does.
func (o *storeOutage) probes() {
	o.t.Helper()
	if status, body := o.s.get("/livez"); status != http.StatusOK {
		o.t.Errorf("/livez = %d %s, want 200", status, body)
	}
	status, body := o.s.get("/readyz")
	var ready struct {
		Checks []struct {
			Name string
			OK   bool
		}
	}
	if err := json.Unmarshal([]byte(body), &ready); err != nil || status != http.StatusServiceUnavailable {
		o.t.Errorf("/readyz = %d %s, %v; want 503", status, body, err)
	}
	for _, c := range ready.Checks {
		if c.OK != (c.Name != "store") {
			o.t.Errorf("/readyz has check %s ok %v: %s", c.Name, c.OK, body)
		}
	}
}

func (o *storeOutage) after() {
	o.t.Helper()
	back := ran()
	works := func() bool {
		a := o.s.say(o.s.key, whisper)
		if a.status == http.StatusOK {
			o.charged += int64(len(whisper))
		}
		status, _ := o.s.get("/readyz")
		return a.status == http.StatusOK && status == http.StatusOK
	}
	if !eventually(works) || ran()-back > 5*time.Second {
		o.t.Errorf("the server does not work %v after the database is back", ran()-back)
	}
	o.t.Logf("works %v after the database is back", (ran() - back).Round(time.Millisecond))
	o.s.ask(http.MethodGet, "/v1/usage/daily", o.s.key, nil).expect(o.t, http.StatusOK, "")
	o.s.ask(http.MethodPost, "/v1/mcp", o.s.key, listTools).expect(o.t, http.StatusOK, "")
	o.s.say(o.stranger, whisper).expect(o.t, http.StatusUnauthorized, "invalid_api_key")
	o.settled()
	o.s.stop()
	quiet(o.t, o.s)
}

// settled checks that all that was heard was charged once.
func (o *storeOutage) settled() {
	o.t.Helper()
	db, err := store.Open(o.t.Context(), store.Config{DSN: o.f.dsn})
	if err != nil {
		o.t.Fatal(err)
	}
	defer db.Close()
	o.f.free("holds", 5*time.Second, func() int {
		a, err := db.Audit(o.t.Context())
		if err != nil || !a.Sound() {
			o.t.Fatalf("audit: %v, %q", err, a.Faults)
		}
		return int(a.OpenHolds)
	})
	if u := o.s.usage(o.s.key); u.Month.Used != o.charged || u.Balance.Remaining != u.Balance.Granted-o.charged {
		o.t.Errorf("after %d characters: %+v", o.charged, u)
	}
}

// quiet checks that the log of a server holds no key and no text, and no fault
// of it but that the store was not there.
func quiet(t *testing.T, s *server) {
	t.Helper()
	log := s.log.String()
	for _, never := range []string{"Marmalade", "zeppelin", "lighthouse", s.key, s.key[8:30]} {
		if strings.Contains(log, never) {
			t.Errorf("the log holds %q", never)
		}
	}
	var l struct {
		Msg    string
		Status int
	}
	for d := json.NewDecoder(strings.NewReader(log)); ; l.Status = 0 {
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("the log is no JSON: %v", err)
		}
		if l.Msg == "request" && l.Status >= 500 && l.Status != http.StatusServiceUnavailable {
			t.Errorf("the log tells of status %d: %s", l.Status, log)
			return
		}
	}
}
