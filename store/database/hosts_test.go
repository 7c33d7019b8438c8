package database

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vaak/internal/pause"
	"vaak/store/jobs"
	"vaak/store/storetest/pgtest"
)

// TestEachHost divides DSNs of several hosts, whose fallbacks with and without TLS stay together.
func TestEachHost(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		dsn   string
		hosts string
		ways  int // of connecting with the first
		write bool
	}{
		{"postgres://u:p@a/db", "a", 2, false},
		{"postgres://u:p@a/db?sslmode=disable", "a", 1, false},
		{"postgres://u:p@a:1,b:2/db", "a b", 2, true},
		{"postgres://u:p@/db?host=a,b,c&port=1,2,3&sslmode=disable", "a b c", 1, true},
		{"postgres://u:p@/db?host=a,a&port=1,2&sslmode=disable", "a a", 1, true},
		{"postgres://u:p@/db?host=/x,/y&target_session_attrs=primary", "/x /y", 1, true},
	} {
		cfg, _, err := postgresConfig(tt.dsn)
		if err != nil {
			t.Errorf("%s: %v", tt.dsn, err)
			continue
		}
		var names []string
		all := eachHost(cfg)
		for _, one := range all {
			names = append(names, one.Host)
		}
		if got := strings.Join(names, " "); got != tt.hosts || 1+len(all[0].Fallbacks) != tt.ways || (all[0].ValidateConnect != nil) != tt.write {
			t.Errorf("%s: hosts %s with %d ways, checked for writing: %v, want %s, %d, %v",
				tt.dsn, got, 1+len(all[0].Fallbacks), all[0].ValidateConnect != nil, tt.hosts, tt.ways, tt.write)
		}
	}
}

// silent returns a directory with the socket of a server that takes connections and says nothing.
func silent(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "db")
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = l.Close() // which removes the socket
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// behind puts a host before those of a DSN.
func behind(t *testing.T, dsn, host string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("host", host+","+q.Get("host"))
	u.RawQuery = q.Encode()
	return u.String()
}

// TestSilentHost has a first host that does not answer: who waits for a short time only reaches
// the second one, and nobody waits for the first one again.
func TestSilentHost(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Start(t).NewDatabase(t)
	cfg, _, err := postgresConfig(behind(t, dsn, silent(t)))
	if err != nil {
		t.Fatal(err)
	}
	h := newHosts(cfg)
	for i, most := range []time.Duration{connectTimeout, connectTimeout / 2} { // the silent host has half of the time
		ctx, cancel := pause.Within(t.Context(), most)
		c, err := h.Connect(ctx)
		cancel()
		if err != nil {
			t.Fatalf("attempt %d = %v, want a connection within %v", i+1, err, most)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	h = newHosts(cfg)
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	if _, err := h.Connect(ctx); !errors.Is(err, context.DeadlineExceeded) || postgresCause(err) != away {
		t.Errorf("without time = %v, want that the store is away", err)
	}
	if n := h.first.Load(); n != 1 {
		t.Errorf("the next attempt begins with host %d, want 1", n)
	}
}

// TestLengthyFailover has the machine of a database fall silent, and its standby promoted: writes,
// jobs and news of changes go on there.
func TestLengthyFailover(t *testing.T) {
	if testing.Short() {
		t.Skip("waits until connections are given up")
	}
	t.Parallel()
	primary := pgtest.Start(t)
	dsn := primary.NewDatabase(t)
	standby := primary.Standby(t)
	db, err := Open(t.Context(), Config{DSN: primary.Either(dsn, standby)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	// More lanes than the jobs have connections: each fetches jobs of its own.
	const lanes = 6
	worked := make(chan struct{}, 100)
	var handlers []jobs.Handler
	var all []jobs.Job
	for i := range lanes {
		kind, lane := fmt.Sprint("test", i), strings.Repeat("l", i)
		all = append(all, jobs.Job{Kind: kind, Lane: lane})
		handlers = append(handlers, jobs.Handler{Kind: kind, Lane: lane, Work: func(context.Context, []byte) error {
			worked <- struct{}{}
			return nil
		}})
	}
	engine, err := jobs.New(jobs.Config{Queue: db.Queue(), Handlers: handlers})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := engine.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	ctx, stop := context.WithCancel(t.Context())
	begun, heard, watching := make(chan struct{}), make(chan string, 100), make(chan error, 1)
	go func() { watching <- db.Watch(ctx, func() { close(begun) }, func(_ Topic, id string) { heard <- id }) }()
	t.Cleanup(func() { stop(); <-watching })
	<-begun

	// Each step is done again until it succeeds, as callers do.
	goes := func(what string, within time.Duration) {
		t.Helper()
		began := time.Now()
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		write := func() error {
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			return db.Transact(ctx, func(ctx context.Context, tx *Tx) error {
				if err := tx.Enqueue(ctx, all...); err != nil {
					return err
				}
				return tx.Changed(ctx, Change{Topic: "test", ID: what})
			})
		}
		for err := write(); err != nil; err = write() {
			if time.Since(began) > within {
				t.Fatalf("%s: no write within %v: %v", what, within, err)
			}
			<-tick.C
		}
		written := time.Since(began)
		late := time.After(within - written)
		for n := range all {
			select {
			case <-worked:
			case <-late:
				t.Fatalf("%s: %d of %d jobs are worked within %v", what, n, len(all), within)
			}
		}
		done := time.Since(began)
		for {
			select {
			case id := <-heard:
				// It may be written while nobody listens, so that only its topic is told.
				if id != what && id != "" {
					continue
				}
			case <-late:
				t.Fatalf("%s: the change is not heard within %v", what, within)
			}
			t.Logf("%s: written after %v, jobs worked after %v, heard after %v at most", what, written.Round(time.Millisecond), done.Round(time.Millisecond), time.Since(began).Round(time.Millisecond))
			return
		}
	}
	goes("before", 10*time.Second)
	if err := primary.Hang(t); err != nil {
		t.Fatal(err)
	}
	if err := standby.Promote(); err != nil {
		t.Fatal(err)
	}
	goes("after", 25*time.Second)
	// At last changes are heard by their names again.
	tick, late := time.NewTicker(100*time.Millisecond), time.After(20*time.Second)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			err := db.Transact(t.Context(), func(ctx context.Context, tx *Tx) error { return tx.Changed(ctx, Change{Topic: "test", ID: "later"}) })
			if err != nil {
				t.Fatal(err)
			}
		case id := <-heard:
			if id == "later" {
				return
			}
		case <-late:
			t.Fatal("nothing is heard by its name within 20s")
		}
	}
}
