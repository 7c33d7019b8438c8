package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vaak/engine/enginetest"
	"vaak/store"
	"vaak/store/storetest/pgtest"
)

// fleet is several servers on one PostgreSQL.
type fleet struct {
	t       *testing.T
	dsn     string
	cluster *pgtest.Cluster
	org     string

	mu      sync.Mutex
	servers []*server
}

// startFleet starts servers that share a database with one organisation, whose
// plan has no end of characters but is metered.
func startFleet(t *testing.T, n, streams int) *fleet {
	t.Helper()
	cluster := pgtest.Start(t)
	f := &fleet{t: t, cluster: cluster, dsn: cluster.NewDatabase(t)}
	for range n {
		s := &server{t: t, dir: t.TempDir()}
		s.env = append(os.Environ(), "VAAK_ESPEAK_WORKER="+enginetest.Worker(t), "VAAK_DATA_DIR="+s.dir,
			"VAAK_DATABASE="+f.dsn, "VAAK_CACHE_BYTES=0")
		f.servers = append(f.servers, s)
	}
	first := f.servers[0]
	first.vaak("plan", "set", "large", "--characters", "1000000000", "--rpm", "1000000", "--streams", fmt.Sprint(streams))
	f.org = first.vaak("org", "create", "Test", "--plan", "large")
	key := first.vaak("key", "create", "--org", f.org, "--name", "test")
	for _, s := range f.servers {
		s.key = key
		s.serve()
	}
	return f
}

func (f *fleet) any() *server {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.servers[rand.IntN(len(f.servers))]
}

// kill kills a server and starts it again.
func (f *fleet) kill() {
	f.mu.Lock()
	defer f.mu.Unlock()
	i := rand.IntN(len(f.servers))
	old := f.servers[i]
	_ = old.cmd.Process.Signal(syscall.SIGKILL)
	<-old.done
	again := &server{t: f.t, dir: old.dir, env: old.env, key: old.key}
	again.serve()
	f.servers[i] = again
}

// spent adds up what clients saw.
type spent struct{ acknowledged, flying, requests, refused atomic.Int64 }

// load speaks short texts with so many clients until ctx ends.
func (f *fleet) load(ctx context.Context, clients int) (*spent, func()) {
	sum := &spent{}
	var wg sync.WaitGroup
	for range clients {
		wg.Go(func() {
			for ctx.Err() == nil {
				n := int64(f.speakOnce(ctx, sum))
				sum.requests.Add(min(n, 1))
			}
		})
	}
	return sum, wg.Wait
}

// speakOnce speaks a text of random length at any server. What was not answered
// whole may have been charged or not.
func (f *fleet) speakOnce(ctx context.Context, sum *spent) int {
	text := strings.Repeat("a word ", 1+rand.IntN(4)) + strconv.Itoa(rand.IntN(1000))
	n := int64(len(text))
	s := f.any()
	resp, err := http.DefaultClient.Do(s.request(context.WithoutCancel(ctx), map[string]any{
		"input": text, "lang": "en", "response_format": "pcm", "stream": rand.IntN(2) == 0,
	}))
	if err != nil {
		sum.flying.Add(n)
		return 0
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	switch {
	case resp.StatusCode != http.StatusOK: // so nothing may be charged
		sum.refused.Add(1)
		return 0
	case err != nil:
		sum.flying.Add(n)
		return 0
	}
	sum.acknowledged.Add(n)
	return 1
}

// charged asks a server what the organisation was charged this month.
func (f *fleet) charged() (n int64) {
	f.t.Helper()
	var u struct {
		Month struct {
			CharactersUsed int64 `json:"characters_used"`
		}
	}
	resp := f.get("/v1/usage")
	defer resp.Body.Close()
	if err := json.NewDecoder(resp.Body).Decode(&u); err != nil {
		f.t.Fatal(err)
	}
	return u.Month.CharactersUsed
}

func (f *fleet) get(path string) *http.Response {
	f.t.Helper()
	return f.getFrom(f.any(), path)
}

// getFrom gets a path from one of the servers.
func (f *fleet) getFrom(s *server, path string) *http.Response {
	f.t.Helper()
	r, err := http.NewRequestWithContext(f.t.Context(), http.MethodGet, s.public+path, nil)
	if err != nil {
		f.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		f.t.Fatal(err)
	}
	if resp.StatusCode != http.StatusOK {
		b, _ := io.ReadAll(resp.Body)
		f.t.Fatalf("GET %s = %d %s", path, resp.StatusCode, b)
	}
	return resp
}

// slots returns how many streams the key runs, as its headers say.
func (f *fleet) slots() int {
	f.t.Helper()
	resp := f.get("/v1/usage")
	_ = resp.Body.Close() // only the headers matter
	limit, err := strconv.Atoi(resp.Header.Get("X-Ratelimit-Limit-Concurrent"))
	if err != nil {
		f.t.Fatal(err)
	}
	left, err := strconv.Atoi(resp.Header.Get("X-Ratelimit-Remaining-Concurrent"))
	if err != nil {
		f.t.Fatal(err)
	}
	return limit - left
}

// free returns when something is 0, and fails when that takes too long.
func (f *fleet) free(what string, within time.Duration, count func() int) {
	f.t.Helper()
	began := ran()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for n := count(); n > 0; n = count() {
		if took := ran() - began; took > within {
			f.t.Errorf("%d %s are taken %v after the last request", n, what, took)
			return
		}
		<-tick.C
	}
	f.t.Logf("all %s free after %.1f s", what, (ran() - began).Seconds())
}

// settled checks the sums when nothing runs any more.
func (f *fleet) settled(sum *spent) {
	f.t.Helper()
	db, err := store.Open(f.t.Context(), store.Config{DSN: f.dsn})
	if err != nil {
		f.t.Fatal(err)
	}
	defer db.Close()
	f.free("slots", 15*time.Second, f.slots)
	f.free("holds", 35*time.Second, func() int {
		a, err := db.Audit(f.t.Context())
		if err != nil || !a.Sound() {
			f.t.Fatalf("audit: %v, %q", err, a.Faults)
		}
		return int(a.OpenHolds)
	})
	got, acknowledged, flying := f.charged(), sum.acknowledged.Load(), sum.flying.Load()
	if got < acknowledged || got > acknowledged+flying {
		f.t.Errorf("%d characters were charged; %d were acknowledged and %d in flight", got, acknowledged, flying)
	}
	f.t.Logf("%d requests: %d characters acknowledged, %d charged, %d in flight; %d requests refused", sum.requests.Load(), acknowledged, got, flying, sum.refused.Load())
}

// TestLengthyReplicas kills servers under load, and the database.
func TestLengthyReplicas(t *testing.T) { testReplicas(t, 3, 1) }

// TestSoakReplicas does so 50 and ten times.
func TestSoakReplicas(t *testing.T) {
	soak(t)
	testReplicas(t, 50, 10)
}

func testReplicas(t *testing.T, kills, restarts int) {
	if testing.Short() {
		t.Skip("waits for leases to run out")
	}
	f := startFleet(t, 3, 100)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	sum, wait := f.load(ctx, 24)
	progress := func(n int64) {
		t.Helper()
		goal := sum.requests.Load() + n
		if !eventually(func() bool { return sum.requests.Load() >= goal }) {
			t.Fatal("the clients do not get on")
		}
	}
	for i := range kills {
		progress(40)
		f.kill()
		if restarts*(i+1)/kills > restarts*i/kills {
			progress(40)
			if err := f.cluster.Stop("immediate"); err != nil {
				t.Fatal(err)
			}
			if err := f.cluster.Start(); err != nil {
				t.Fatal(err)
			}
		}
	}
	progress(40)
	stop()
	wait()
	f.settled(sum)
}

// TestLengthySlotsOfKilledServer kills a server while two streams run on it: another server
// gives their slots to others within the lease of 6 s. The bound is 9 s, so that a busy
// machine does not fail it, and a lease of 15 s, which is renewed every 5 s, does.
func TestLengthySlotsOfKilledServer(t *testing.T) {
	slow(t)
	f := startFleet(t, 2, 2)
	killed := f.servers[0]
	for range 2 {
		resp, err := http.DefaultClient.Do(killed.request(t.Context(), long(story)))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err := io.ReadFull(resp.Body, make([]byte, 1000)); err != nil { // the rest waits for the reader
			t.Fatal(err)
		}
	}
	if n := f.slots(); n != 2 {
		t.Fatalf("%d slots are taken, want 2", n)
	}
	_ = killed.cmd.Process.Signal(syscall.SIGKILL)
	<-killed.done
	f.servers = f.servers[1:]
	f.free("slots", 9*time.Second, f.slots)
	f.servers[0].mustSpeak(map[string]any{"input": "Good morning."})
}

// TestLengthyReplicasShareLimits asks three servers with 64 clients each: together they
// let through what the plan allows, all of it and no more.
func TestLengthyReplicasShareLimits(t *testing.T) {
	slow(t)
	const budget = 500
	f := startFleet(t, 3, 5)
	f.servers[0].vaak("plan", "set", "large", "--characters", "1000000000", "--rpm", strconv.Itoa(budget), "--streams", "5")
	for range 3 {
		asked, passed, refused := f.race(budget)
		if f.countedAlone() {
			t.Logf("the database did not answer in time, so servers counted alone, and %d passed: once more", passed)
			f.anew()
			continue
		}
		// Those that asked before count, too, unless their minute is over.
		if passed > budget || passed < budget-asked || refused == 0 {
			t.Errorf("%d requests passed and %d were refused, want at most %d passed, and %d less the %d before", passed, refused, budget, budget, asked)
		}
		return
	}
	t.Error("servers counted alone each time, so nothing is known of what they share")
}

// countedAlone reports whether a server counted without the others, which it does
// while the database does not answer.
func (f *fleet) countedAlone() bool {
	return slices.ContainsFunc(f.servers, func(s *server) bool { return strings.Contains(s.log.String(), "counted in this process alone") })
}

// anew starts the servers again, with a key that nothing is counted for.
func (f *fleet) anew() {
	f.t.Helper()
	key := f.servers[0].vaak("key", "create", "--org", f.org, "--name", "test")
	for i, old := range f.servers {
		old.stop()
		f.servers[i] = &server{t: f.t, dir: old.dir, env: old.env, key: key}
		f.servers[i].serve()
	}
}

// race sends far more requests than the budget of a minute to all servers at once. It
// returns how many were sent until each server knew the budget, how many of the rest
// passed, and how many were refused.
func (f *fleet) race(budget int) (asked, passed, refused int) {
	f.t.Helper()
	for _, s := range f.servers {
		limited := func() bool {
			asked++
			resp := f.getFrom(s, "/v1/usage")
			_ = resp.Body.Close() // only the header matters
			return resp.Header.Get("X-Ratelimit-Limit-Requests") == strconv.Itoa(budget)
		}
		if !eventually(limited) {
			f.t.Fatal("the change of the plan is not seen")
		}
	}
	var ok, limited atomic.Int64
	var wg sync.WaitGroup
	for _, s := range f.servers {
		for range 64 {
			wg.Go(func() {
				for range 10 {
					switch status := f.statusFrom(s, "/v1/usage"); status {
					case http.StatusOK:
						ok.Add(1)
					case http.StatusTooManyRequests:
						limited.Add(1)
					default:
						f.t.Errorf("status %d", status)
					}
				}
			})
		}
	}
	wg.Wait()
	return asked, int(ok.Load()), int(limited.Load())
}

// statusFrom asks one of the servers, from any goroutine; 0 where nothing came back.
func (f *fleet) statusFrom(s *server, path string) int {
	r, err := http.NewRequestWithContext(f.t.Context(), http.MethodGet, s.public+path, nil)
	if err != nil {
		f.t.Error(err)
		return 0
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		f.t.Error(err)
		return 0
	}
	_ = resp.Body.Close() // only the status matters
	return resp.StatusCode
}
