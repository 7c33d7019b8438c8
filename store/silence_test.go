package store

import (
	"io"
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"vaak/internal/fault"
	"vaak/internal/pause"
	"vaak/store/storetest/pgtest"
)

// poolSize is how many connections the pool of PostgreSQL has.
const poolSize = 16

// relay passes connections of a Unix socket on to another, until it is silent:
// then it takes connections and bytes and passes nothing on, like a network
// that swallows everything.
type relay struct {
	listener net.Listener
	to       string
	wg       sync.WaitGroup

	mu     sync.Mutex
	silent bool
	heard  *sync.Cond
	conns  []net.Conn
}

func startRelay(t *testing.T, from, to string) *relay {
	t.Helper()
	l, err := net.Listen("unix", from)
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{listener: l, to: to}
	r.heard = sync.NewCond(&r.mu)
	r.wg.Go(r.accept)
	t.Cleanup(func() {
		r.setSilent(false)
		l.Close()
		r.mu.Lock()
		for _, c := range r.conns {
			c.Close()
		}
		r.mu.Unlock()
		r.wg.Wait()
	})
	return r
}

func (r *relay) setSilent(silent bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.silent = silent
	r.heard.Broadcast()
}

func (r *relay) accept() {
	for {
		near, err := r.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("unix", r.to)
		if err != nil {
			near.Close()
			continue
		}
		r.mu.Lock()
		r.conns = append(r.conns, near, far)
		r.mu.Unlock()
		r.wg.Go(func() { r.pass(far, near) })
		r.wg.Go(func() { r.pass(near, far) })
	}
}

// pass copies until either side is closed; what waited out a silence is passed
// on after it.
func (r *relay) pass(to io.WriteCloser, from io.Reader) {
	defer to.Close()
	b := make([]byte, 4096)
	for {
		n, err := from.Read(b)
		r.mu.Lock()
		for r.silent {
			r.heard.Wait()
		}
		r.mu.Unlock()
		if _, werr := to.Write(b[:n]); err != nil || werr != nil {
			return
		}
	}
}

// TestPostgresSilence checks that a call without a deadline does not wait for
// a server that says nothing, and that the store works when it speaks again.
func TestPostgresSilence(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(pgtest.DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	if q.Get("host") == "" {
		t.Skip("needs a server on a Unix socket")
	}
	const socket = ".s.PGSQL.5432"
	dir := t.TempDir()
	r := startRelay(t, filepath.Join(dir, socket), filepath.Join(q.Get("host"), socket))
	q.Set("host", dir)
	u.RawQuery = q.Encode()
	s := openDSN(t, u.String())
	var wg sync.WaitGroup
	for range 3 * poolSize { // connections that the silence will find in the pool
		wg.Go(func() {
			if err := s.Ping(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	r.setSilent(true)
	for range poolSize {
		wg.Go(func() {
			most, cancel := pause.Within(t.Context(), 3800*time.Millisecond) // twice its patience is 4 s
			defer cancel()
			if err := s.Ping(t.Context()); fault.KindOf(err) != fault.Unavailable || most.Err() != nil {
				t.Errorf("Ping in silence = %v, in time: %v, want Unavailable after 2 s", err, most.Err() == nil)
			}
		})
	}
	wg.Wait()
	r.setSilent(false)
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("Ping after silence: %v", err)
	}
}
