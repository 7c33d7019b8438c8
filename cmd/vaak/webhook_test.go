package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"vaak/app/deployment"
	"vaak/catalogue"
	"vaak/engine/enginetest"
	"vaak/internal/fault"
	"vaak/store"
	"vaak/store/database/databasetest"
)

// receiver is an endpoint that checks every request with the reference library of Standard Webhooks.
type receiver struct {
	*httptest.Server
	t *testing.T
	// answer decides about a request whose signature is right; false fails it in one of several ways.
	answer func() bool

	mu       sync.Mutex
	verify   []*standardwebhooks.Webhook // by each secret that must sign
	last     map[string]int64            // revision that was accepted last, by dataset
	accepted map[string]int              // how often, by dataset and revision
	ids      map[string]string           // what has an id
	bodies   []received
	failed   int
}

// received is an event that was accepted.
type received struct {
	ID   string
	Type string
	Data struct {
		Dataset  string `json:"dataset_id"`
		Revision int64
		Percent  int `json:"threshold_percent"`
	}
}

func startReceiver(t *testing.T, answer func() bool) *receiver {
	t.Helper()
	r := &receiver{t: t, answer: answer, last: map[string]int64{}, accepted: map[string]int{}, ids: map[string]string{}}
	r.Server = httptest.NewServer(http.HandlerFunc(r.serve))
	t.Cleanup(r.Close)
	return r
}

// expects sets the secrets that must sign.
func (r *receiver) expects(secrets ...string) {
	r.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.verify = nil
	for _, s := range secrets {
		w, err := standardwebhooks.NewWebhook(s)
		if err != nil {
			r.t.Fatal(err)
		}
		r.verify = append(r.verify, w)
	}
}

func (r *receiver) serve(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return // the server that sent it was killed
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, v := range r.verify {
		if err := v.Verify(body, q.Header); err != nil {
			r.t.Errorf("%s by secret %d: %v", body, i, err)
		}
	}
	got := received{ID: q.Header.Get("webhook-id")}
	if err := json.Unmarshal(body, &got); err != nil || q.Header.Get("content-type") != "application/json" {
		r.t.Errorf("body %s: %v", body, err)
	}
	if was, ok := r.ids[got.ID]; ok && was != string(body) {
		r.t.Errorf("%s is %s and %s", got.ID, was, body)
	}
	r.ids[got.ID] = string(body)
	if !r.answer() {
		r.failed++
		switch rand.IntN(3) {
		case 0:
			w.WriteHeader(http.StatusInternalServerError)
		case 1:
			http.Redirect(w, q, "/elsewhere", http.StatusFound)
		default:
			panic(http.ErrAbortHandler) // the connection breaks
		}
		return
	}
	if id := got.Data.Dataset; id != "" {
		if got.Data.Revision < r.last[id] {
			r.t.Errorf("revision %d of %s comes after %d", got.Data.Revision, id, r.last[id])
		}
		r.last[id] = got.Data.Revision
		r.accepted[fmt.Sprint(id, " ", got.Data.Revision)]++
	}
	r.bodies = append(r.bodies, got)
	_, _ = w.Write([]byte("thank you"))
}

// counts returns how many events were accepted, and how many requests there were.
func (r *receiver) counts() (events, accepted, failed int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.accepted), len(r.bodies), r.failed
}

func coin() bool { return rand.IntN(2) == 0 }

// TestLengthyWebhookKills: 1,000 events of 100 datasets go to a receiver that fails half the time, while
// servers are killed with requests on their way. Each event arrives at least once, in the order of
// its dataset, with a signature that the reference library takes.
func TestLengthyWebhookKills(t *testing.T) {
	slow(t)
	for _, tt := range []struct {
		name    string
		servers int
		dsn     func(t *testing.T, dir string) string
	}{
		{"SQLite", 1, func(_ *testing.T, dir string) string { return "sqlite:" + filepath.Join(dir, "vaak.db") }},
		{"PostgreSQL", 2, func(t *testing.T, _ string) string { return databasetest.Postgres(t) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			webhookKills(t, tt.servers, tt.dsn(t, dir), filepath.Join(dir, "secret"))
		})
	}
}

const (
	killDatasets = 100
	killEvents   = 10 // of each
)

func webhookKills(t *testing.T, count int, dsn, secret string) {
	r := startReceiver(t, coin)
	var servers []*server
	for range count {
		s := &server{t: t, dir: t.TempDir()}
		s.env = append(os.Environ(), "VAAK_ESPEAK_WORKER="+enginetest.Worker(t), "VAAK_DATA_DIR="+s.dir, "VAAK_DATABASE="+dsn, "VAAK_SECRET="+secret,
			"VAAK_CONSOLE_LISTEN=off", "VAAK_SERVICES=catalogue", "VAAK_WEBHOOK_ALLOW=127.0.0.1", "VAAK_WEBHOOK_TIMEOUT=2s",
			"VAAK_WEBHOOK_PAUSES="+strings.TrimSuffix(strings.Repeat("100ms,", maxPauses), ","))
		servers = append(servers, s)
		s.serve()
	}
	made := strings.Split(servers[0].vaak("webhook", "create", r.URL+"/hook"), "\t")
	if len(made) != 2 {
		t.Fatalf("vaak webhook create prints %q", made)
	}
	r.expects(made[1])
	db, err := store.Open(t.Context(), store.Config{DSN: dsn})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	began := time.Now()
	var writing sync.WaitGroup
	writing.Go(func() { writeDatasets(t, db) })
	kills := 0
	for events := 0; events < killDatasets*killEvents; {
		// A kill after each fifth, in turn, while requests are on their way.
		target := min((kills+1)*killDatasets*killEvents/5, killDatasets*killEvents)
		if !arrives(4*time.Minute, func() bool { events, _, _ = r.counts(); return events >= target }) {
			_, accepted, failed := r.counts()
			t.Fatalf("after %v and %d kills %d of %d events have arrived, in %d requests, %d failed; log: %s",
				time.Since(began), kills, events, killDatasets*killEvents, accepted, failed, servers[0].log)
		}
		if events == killDatasets*killEvents {
			break
		}
		s := servers[kills%count]
		_ = s.end(syscall.SIGKILL)
		s.serve()
		kills++
	}
	writing.Wait()
	events, accepted, failed := r.counts()
	t.Logf("%d events in %v over %d kills: %d requests accepted (%d more than once), %d failed", events, time.Since(began), kills, accepted, accepted-events, failed)
	if kills < 3 {
		t.Errorf("only %d kills", kills)
	}
	// What was accepted last is recorded, and nothing waits.
	if !arrives(2*time.Minute, func() bool { st, err := db.Webhooks().Standing(t.Context()); return err == nil && st.Waiting == 0 }) {
		st, err := db.Webhooks().Standing(t.Context())
		t.Errorf("at the end %+v, %v", st, err)
	}
	if out := servers[0].vaak("webhook", "deliveries", made[0], "--state", "failed"); out != "" {
		t.Errorf("given up: %s", out)
	}
}

// arrives waits until ok, and reports whether it came to that in time.
func arrives(limit time.Duration, ok func() bool) bool {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(limit)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			return false
		}
	}
	return true
}

// writeDatasets publishes datasets and changes them, round after round.
func writeDatasets(t *testing.T, db *store.Store) {
	all := make([]catalogue.Stored, killDatasets)
	for i := range all {
		all[i].Dataset = catalogue.Dataset{ID: fmt.Sprintf("ds_%016d", i), Slug: fmt.Sprint("dataset-", i), Status: catalogue.Published}
	}
	for range killEvents {
		for i := range all {
			for {
				revision, err := db.Catalogue().PutDataset(t.Context(), all[i])
				if err == nil {
					all[i].Revision = revision
					break
				}
				if fault.KindOf(err) != fault.Unavailable { // the servers write the same file
					t.Error(err)
					return
				}
			}
		}
	}
}

// webhookAnswer is what the API answers about endpoints and deliveries.
type webhookAnswer struct {
	ID, Secret, State, Type, Problem string
	Enabled                          bool
	Webhooks                         []struct{ ID string }
	Deliveries                       []webhookAnswer
	WebhookID                        string `json:"webhook_id"`
	Status                           *int   `json:"response_status"`
	Response                         string `json:"response_body"`
	OldSecret                        string `json:"old_secret_until"`
	Replayed                         int
}

// TestWebhooks takes an organisation through all that it can do over HTTP, with use that reaches its
// thresholds.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	r := startReceiver(t, func() bool { return true })
	s := start(t, "--webhook-allow", "127.0.0.1")
	s.vaak("plan", "set", "small", "--characters", "10000", "--rpm", "1000", "--streams", "2")
	s.key = s.vaak("key", "create", "--org", s.vaak("org", "create", "Small", "--plan", "small"))
	call := func(method, path string, body any, status int) (got webhookAnswer) {
		t.Helper()
		a := s.ask(method, path, s.key, body)
		if a.status != status {
			t.Fatalf("%s %s = %d %s, want %d", method, path, a.status, a.body, status)
		}
		if err := json.Unmarshal([]byte(a.body), &got); err != nil {
			t.Fatal(err)
		}
		return got
	}
	made := call("POST", "/v1/webhooks", map[string]any{"url": r.URL, "thresholds": []int{1, 2}}, 200)
	r.expects(made.Secret)
	at := "/v1/webhooks/" + made.ID
	one := func(n int, what string) {
		t.Helper()
		if !eventually(func() bool { _, accepted, _ := r.counts(); return accepted >= n }) {
			t.Fatalf("%s did not arrive; log: %s", what, s.log)
		}
	}
	call("POST", at+"/test", nil, 200)
	one(1, "the test")
	rotated := call("POST", at+"/rotate-secret", map[string]any{}, 200)
	if rotated.OldSecret == "" || rotated.Secret == made.Secret {
		t.Errorf("rotated: %+v", rotated)
	}
	r.expects(rotated.Secret, made.Secret)
	// 10,000 characters a month are the plan's: 1 % is 100 of them.
	s.mustSpeak(map[string]any{"input": strings.Repeat("Good day. ", 12)})
	one(2, "1 % of use")
	s.mustSpeak(map[string]any{"input": strings.Repeat("Good day. ", 12)})
	one(3, "2 % of use")
	r.mu.Lock()
	if got := r.bodies; got[1].Data.Percent != 1 || got[2].Data.Percent != 2 || got[1].Type != "usage.threshold_reached" {
		t.Errorf("received %+v", got)
	}
	r.mu.Unlock()
	var list webhookAnswer
	if !eventually(func() bool {
		list = call("GET", at+"/deliveries?state=delivered", nil, 200)
		return len(list.Deliveries) == 3
	}) {
		t.Fatalf("deliveries %+v", list)
	}
	d := list.Deliveries[0]
	if d.Status == nil || *d.Status != 200 || d.Response != "thank you" || d.Problem != "" {
		t.Errorf("a delivery: %+v", d)
	}
	again := call("POST", at+"/deliveries/"+d.ID+"/replay", nil, 200)
	if again.WebhookID != d.WebhookID || again.State != "waiting" {
		t.Errorf("replayed %+v", again)
	}
	one(4, "the replay")
	if off := call("PATCH", at, map[string]any{"enabled": false, "description": "x"}, 200); off.Enabled || off.State != "disabled" {
		t.Errorf("disabled: %+v", off)
	}
	call("POST", at+"/test", nil, 409)
	call("PATCH", at, map[string]any{"enabled": true}, 200)
	if got := call("POST", at+"/replay-failed", map[string]any{"since": "2020-01-01T00:00:00Z"}, 200); got.Replayed != 0 {
		t.Errorf("nothing failed, and %d were replayed", got.Replayed)
	}
	for _, bad := range []struct {
		method, path string
		body         any
		status       int
	}{
		{"POST", "/v1/webhooks", map[string]any{}, 400},
		{"POST", "/v1/webhooks", map[string]any{"url": "http://example.org/"}, 400},
		{"POST", "/v1/webhooks", map[string]any{"url": "https://10.0.0.1/"}, 400},
		{"POST", "/v1/webhooks", map[string]any{"url": "https://u:p@example.org/"}, 400},
		{"POST", "/v1/webhooks", map[string]any{"url": r.URL, "types": []string{"enquiry.received"}}, 400},
		{"POST", "/v1/webhooks", map[string]any{"url": r.URL, "thresholds": []any{0}}, 400},
		{"POST", "/v1/webhooks", map[string]any{"url": r.URL, "thresholds": []any{1.5}}, 400},
		{"POST", "/v1/webhooks", map[string]any{"url": r.URL, "notice_days": 29}, 400},
		{"POST", "/v1/webhooks", map[string]any{"url": r.URL, "secret": "whsec_short"}, 400},
		{"POST", at + "/rotate-secret", map[string]any{"overlap_seconds": 1 << 52}, 400},
		{"POST", at + "/rotate-secret", map[string]any{"overlap_seconds": -1}, 400},
		{"POST", at + "/replay-failed", map[string]any{"since": "2999-01-01T00:00:00Z"}, 400},
		{"POST", at + "/replay-failed", map[string]any{}, 400},
		{"GET", at + "/deliveries?limit=0", nil, 400},
		{"GET", at + "/deliveries?state=lost", nil, 400},
		{"GET", at + "/deliveries?before=x", nil, 400},
		{"GET", at + "/deliveries/whd_aaaaaaaaaaaaaaaa", nil, 404},
		{"GET", "/v1/webhooks/x", nil, 404},
	} {
		if a := s.ask(bad.method, bad.path, s.key, bad.body); a.status != bad.status {
			t.Errorf("%s %s %v = %d %s, want %d", bad.method, bad.path, bad.body, a.status, a.body, bad.status)
		}
	}
	// Another organisation finds nothing of it.
	other := s.vaak("key", "create", "--org", s.vaak("org", "create", "Other"))
	for _, path := range []string{at, at + "/deliveries", at + "/deliveries/" + d.ID} {
		if a := s.ask("GET", path, other, nil); a.status != 404 {
			t.Errorf("another organisation: GET %s = %d %s", path, a.status, a.body)
		}
	}
	for _, sub := range []string{"/test", "/rotate-secret", "/deliveries/" + d.ID + "/replay"} {
		if a := s.ask("POST", at+sub, other, map[string]any{}); a.status != 404 {
			t.Errorf("another organisation: POST %s = %d %s", sub, a.status, a.body)
		}
	}
	if strings.Contains(s.log.String(), r.URL) || strings.Contains(s.log.String(), "whsec_") {
		t.Error("the log holds the address or a secret")
	}
	call("DELETE", at, nil, 200)
	if list := call("GET", "/v1/webhooks", nil, 200); len(list.Webhooks) != 0 {
		t.Errorf("after the delete: %+v", list)
	}
}

// TestCommandWebhook takes the operator through the commands.
func TestCommandWebhook(t *testing.T) {
	t.Parallel()
	s := &server{t: t, dir: t.TempDir()}
	org := s.inProcess("", "org", "create", "Test")
	var out, stderr strings.Builder
	if status := run(t.Context(), []string{"webhook", "create", "https://example.org/hook", "--data-dir", s.dir}, nil, &out, &stderr); status != 2 || !strings.Contains(stderr.String(), "no secret") {
		t.Errorf("create without the secret of a server: status %d, %s", status, &stderr)
	}
	if _, err := (deployment.Place{DataDir: s.dir}).OpenSecret(); err != nil {
		t.Fatal(err)
	}
	made := strings.Split(s.inProcess("", "webhook", "create", "https://example.org/hook", "--types", "dataset.published,enquiry.received", "--description", "Desk"), "\t")
	if len(made) != 2 || !strings.HasPrefix(made[0], "whe_") || !strings.HasPrefix(made[1], "whsec_") {
		t.Fatalf("create prints %q", made)
	}
	id := made[0]
	s.inProcess("", "webhook", "create", "https://example.org/hook", "--org", org, "--thresholds", "90", "--notice-days", "3")
	if out := s.inProcess("", "webhook", "list"); !strings.Contains(out, id+"\tenabled\t-\t-\t") || strings.Count(out, "\n") != 0 || !strings.HasSuffix(out, "\thttps://example.org/hook\tenquiry.received,dataset.published\tDesk") {
		t.Errorf("list prints %q", out)
	}
	if out := s.inProcess("", "webhook", "list", "--org", org); strings.Contains(out, id) || !strings.Contains(out, "\tall\t") {
		t.Errorf("list --org prints %q", out)
	}
	s.inProcess("", "webhook", "change", id, "--disable", "--url", "https://example.org/other")
	if out := s.inProcess("", "webhook", "show", id); !strings.Contains(out, "state\tdisabled\n") || !strings.Contains(out, "url\thttps://example.org/other\n") || strings.Contains(out, "whsec_") {
		t.Errorf("show prints %s", out)
	}
	s.inProcess("", "webhook", "change", id, "--enable")
	if out := s.inProcess("", "webhook", "rotate", id); !strings.HasPrefix(out, "whsec_") || out == made[1] {
		t.Errorf("rotate prints %q", out)
	}
	delivery := s.inProcess("", "webhook", "test", id)
	if out := s.inProcess("", "webhook", "deliveries", id); !strings.HasPrefix(out, delivery+"\tmsg_") || !strings.Contains(out, "\twebhook.test\twaiting\t0\t0\t") {
		t.Errorf("deliveries prints %q", out)
	}
	if out := s.inProcess("", "webhook", "replay", id, "--failed-since", "2020-01-01T00:00:00Z"); out != "0" {
		t.Errorf("replay --failed-since prints %q", out)
	}
	out.Reset()
	if status := run(t.Context(), []string{"webhook", "types"}, nil, &out, &stderr); status != 0 || !strings.Contains(out.String(), "usage.threshold_reached\teverybody\t") || !strings.Contains(out.String(), "enquiry.received\toperator\t") {
		t.Errorf("types: status %d, %s", status, &out)
	}
	for _, bad := range [][]string{
		{"create", "http://example.org/"},
		{"create", "https://localhost/"},
		{"create", "https://example.org/", "--types", "no.such"},
		{"create", "https://example.org/", "--org", org, "--types", "dataset.published"},
		{"create", "https://example.org/", "--webhook-allow", "a b"},
		{"rotate", id, "--overlap", "169h"},
		{"replay", id},
		{"deliveries", id, "--limit", "101"},
	} {
		var out, stderr strings.Builder
		if status := run(t.Context(), append(append([]string{"webhook"}, bad...), "--data-dir", s.dir), nil, &out, &stderr); status != 2 {
			t.Errorf("webhook %q: status %d, %s, want 2", bad, status, &stderr)
		}
	}
	s.inProcess("", "webhook", "delete", id)
	if out := s.inProcess("", "webhook", "list"); out != "" {
		t.Errorf("after the delete list prints %q", out)
	}
}
