package main

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"vaak/account/backlog"
	"vaak/store"
)

// TestLengthyKilledWhileAway has ten streams come to their end while PostgreSQL hangs, then kills
// the server: all that clients were answered is charged when the next server is there,
// and doctor and /metrics tell of it meanwhile.
func TestLengthyKilledWhileAway(t *testing.T) {
	slow(t)
	t.Parallel()
	f := startFleet(t, 1, 100)
	s := f.servers[0]
	text := strings.Repeat(story, 4)
	const streams = 10
	var bodies []*http.Response
	for range streams {
		resp, err := http.DefaultClient.Do(s.request(t.Context(), long(text)))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err := io.ReadFull(resp.Body, make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
		bodies = append(bodies, resp)
	}
	if err := f.cluster.Hang(t); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, resp := range bodies {
		wg.Go(func() {
			if _, err := io.Copy(io.Discard, resp.Body); err != nil {
				t.Errorf("a stream that ended without the database: %v", err)
			}
		})
	}
	wg.Wait()
	if got := s.figure("vaak_charges_waiting"); got != streams {
		t.Errorf("vaak_charges_waiting = %v, want %d", got, streams)
	}
	_ = s.cmd.Process.Signal(syscall.SIGKILL)
	<-s.done
	found, err := backlog.Inspect(s.dir + "/charges")
	if err != nil || found.Charges != streams {
		t.Errorf("%+v is on disk when the server is killed, %v; want %d charges", found, err, streams)
	}
	if err := f.cluster.Resume(); err != nil {
		t.Fatal(err)
	}
	again := &server{t: t, dir: s.dir, env: s.env, key: s.key}
	again.serve()
	f.servers[0] = again
	want := int64(streams * utf8.RuneCountInString(long(text)["input"].(string)))
	if !eventually(func() bool { return f.charged() == want }) {
		t.Errorf("%d characters are charged, want the %d that were acknowledged", f.charged(), want)
	}
	if got := again.figure("vaak_charges_waiting"); got != 0 {
		t.Errorf("vaak_charges_waiting = %v when all is posted, want 0", got)
	}
	sum := &spent{}
	sum.acknowledged.Store(want)
	f.settled(sum)
}

// TestLengthyPausedStore stops PostgreSQL by a signal for 5 s while 12 clients speak on a
// metered and on an unlimited plan: what was acknowledged is charged to the character,
// what was refused is not.
func TestLengthyPausedStore(t *testing.T) { pausedStore(t, 1) }

// TestSoakPausedStore stops it twelve times.
func TestSoakPausedStore(t *testing.T) {
	soak(t)
	pausedStore(t, 12)
}

func pausedStore(t *testing.T, pauses int) {
	slow(t)
	metered := startFleet(t, 1, 100)
	s := metered.servers[0]
	org := s.vaak("org", "create", "Unlimited", "--plan", "unlimited")
	key := s.vaak("key", "create", "--org", org, "--name", "test")
	// The same server, asked with another key.
	counted := &fleet{t: t, dsn: metered.dsn, cluster: metered.cluster, org: org, servers: []*server{
		{t: t, dir: s.dir, env: s.env, key: key, public: s.public, admin: s.admin},
	}}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var sums []*spent
	var waits []func()
	for _, f := range []*fleet{metered, counted} {
		sum, wait := f.load(ctx, 6)
		sums, waits = append(sums, sum), append(waits, wait)
	}
	progress := func() {
		t.Helper()
		for _, sum := range sums {
			goal := sum.requests.Load() + 20
			if !eventually(func() bool { return sum.requests.Load() >= goal }) {
				t.Fatal("the clients do not get on")
			}
		}
	}
	for range pauses {
		progress()
		if err := metered.cluster.Hang(t); err != nil {
			t.Fatal(err)
		}
		<-time.After(5 * time.Second) // what the pause is
		if err := metered.cluster.Resume(); err != nil {
			t.Fatal(err)
		}
	}
	progress()
	stop()
	for _, wait := range waits {
		wait()
	}
	if !eventually(func() bool { return s.figure("vaak_charges_waiting") == 0 }) {
		t.Errorf("%v charges wait still", s.figure("vaak_charges_waiting"))
	}
	for i, f := range []*fleet{metered, counted} {
		if sums[i].flying.Load() > 0 {
			t.Errorf("%d characters are in flight, though nothing was killed", sums[i].flying.Load())
		}
		if got, want := f.charged(), sums[i].acknowledged.Load(); got != want {
			t.Errorf("%s: %d characters are charged, want the %d that were acknowledged", f.org, got, want)
		}
		t.Logf("%s: %d characters in %d requests acknowledged, %d requests refused",
			f.org, sums[i].acknowledged.Load(), sums[i].requests.Load(), sums[i].refused.Load())
	}
	db, err := store.Open(t.Context(), store.Config{DSN: metered.dsn})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if a, err := db.Audit(t.Context()); err != nil || !a.Sound() {
		t.Errorf("audit: %v, %q", err, a.Faults)
	}
}
