package live

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
)

// logged is a log that a test reads.
type logged struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

func (l *logged) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

// wait returns the log when there is something in it.
func (l *logged) wait(t *testing.T) string {
	t.Helper()
	poll(t, func() bool { return l.String() != "" })
	return l.String()
}

// poll waits until something is so.
func poll(t testing.TB, so func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(time.Minute); !so(); {
		select {
		case <-tick.C:
		case <-end:
			t.Fatal("it did not happen within a minute")
		}
	}
}

var paths = []string{nativePath, singlePath + pcm, multiPath + pcm}

// TestDrain: sockets with nothing open are closed at once, those that have begun
// may finish, and the rest is cut when the time is over.
func TestDrain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, Config{})
		t.Cleanup(pipe(s))
		var idle []*client
		for range 20 {
			for _, path := range paths {
				c := s.client(t, path)
				if path == singlePath+pcm {
					c.send(`{"text":" "}`)
				}
				idle = append(idle, c)
			}
		}
		finishes, lingers := s.client(t, nativePath), s.client(t, multiPath+pcm)
		finishes.send(`{"text":"Hi"}`)
		lingers.send(`{"text":"Hi","context_id":"a"}`)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		drained := make(chan error, 1)
		go func() { drained <- s.Drain(ctx) }()
		synctest.Wait()
		for _, c := range idle {
			if got, want := abbreviate(c.next()), "close 1001 the server is stopping; connect again"; got != want {
				t.Errorf("an idle socket heard %s, want %s", got, want)
			}
		}
		if _, resp, err := s.connect(t.Context(), nativePath); err == nil || resp == nil || resp.StatusCode != 503 {
			t.Errorf("dial while draining = %v, want 503", err)
		}
		finishes.send(`{"text":" you"}`, `{"text":""}`)
		if got := string(finishes.hear()); !strings.HasSuffix(got, "close 1000\n") || !strings.Contains(got, "done") {
			t.Errorf("a socket that had begun heard %s, want it to finish", got)
		}
		time.Sleep(10 * time.Second)
		if err := <-drained; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Drain = %v, want that it waited too long", err)
		}
		want := `{"message":"the server is stopping; connect again","error":"server_stopping","code":1001}` + "\nclose 1001 the server is stopping; connect again\n"
		if got := string(lingers.hear()); got != want {
			t.Errorf("a socket that lingered heard %s, want %s", got, want)
		}
	})
}

// TestDrainContexts: a socket closes with its last context.
func TestDrainContexts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, Config{})
		t.Cleanup(pipe(s))
		c := s.client(t, multiPath+pcm)
		c.send(`{"text":"Hi","context_id":"a"}`)
		synctest.Wait()
		drained := make(chan error, 1)
		go func() { drained <- s.Drain(t.Context()) }()
		synctest.Wait()
		c.send(`{"context_id":"a","flush":true}`, `{"context_id":"a","close_context":true}`)
		want := "audio 4800 samples, \"Hi\" 0-200 ms of a\n" + final("a") + "\nclose 1001 the server is stopping; connect again\n"
		if got := string(c.hear()); got != want {
			t.Errorf("heard %s, want %s", got, want)
		}
		if err := <-drained; err != nil {
			t.Errorf("Drain = %v, want nil", err)
		}
	})
}

// TestRevoked: what runs for a revoked key breaks off.
func TestRevoked(t *testing.T) {
	t.Parallel()
	for _, path := range paths {
		for _, client := range []string{"", `{"text":"stuck.","context_id":"a"}`} {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t, Config{Speech: &fakeSpeaker{before: stuck}})
				t.Cleanup(pipe(s))
				c := s.client(t, path)
				c.perform(client)
				synctest.Wait()
				s.accounts.revoke()
				got := string(c.hear())
				if !strings.Contains(got, `"error":"invalid_api_key"`) || !strings.HasSuffix(got, "close 1008 the API key was revoked or has expired\n") {
					t.Errorf("%s heard %s, want invalid_api_key and 1008", path, got)
				}
			})
		}
	}
}

// TestStalledReader: a client that stops reading is broken off after the pause,
// and holds nothing up for longer.
func TestStalledReader(t *testing.T) {
	t.Parallel()
	for _, path := range paths {
		synctest.Test(t, func(t *testing.T) {
			s := newSite(t, Config{})
			t.Cleanup(pipe(s))
			conn, _, err := s.connect(t.Context(), path) // which nobody reads
			if err != nil {
				t.Fatal(err)
			}
			c := &client{t: t, ws: conn}
			c.send(`{"text":"Hi.","context_id":"a"}`)
			time.Sleep(9 * time.Second)
			if n := s.accounts.held.Load(); n != 1 {
				t.Errorf("%s: %d sockets after 9 s, want 1", path, n)
			}
			time.Sleep(2 * time.Second)
			synctest.Wait()
			if n := s.accounts.held.Load(); n != 0 {
				t.Errorf("%s: %d sockets after 11 s, want none", path, n)
			}
			_ = conn.Close()
		})
	}
}

// TestStalledReaderIsCut: a revocation waits a second for such a client.
func TestStalledReaderIsCut(t *testing.T) {
	t.Parallel()
	for _, path := range paths {
		synctest.Test(t, func(t *testing.T) {
			s := newSite(t, Config{})
			t.Cleanup(pipe(s))
			conn, _, err := s.connect(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			c := &client{t: t, ws: conn}
			c.send(`{"text":"Hi.","context_id":"a"}`)
			synctest.Wait()
			s.accounts.revoke()
			time.Sleep(1100 * time.Millisecond)
			synctest.Wait()
			if n := s.accounts.held.Load(); n != 0 {
				t.Errorf("%s: %d sockets after 1.1 s, want none", path, n)
			}
			_ = conn.Close()
		})
	}
}

// TestSection9Row14: a client that goes away, politely or not, while it is spoken
// to or not, leaves nothing behind.
func TestSection9Row14(t *testing.T) {
	t.Parallel()
	s := serve(t, newSite(t, Config{Speech: &fakeSpeaker{before: func(ctx context.Context, word string) error {
		if word == "stuck." {
			return stuck(ctx, word)
		}
		return nil
	}}}))
	for i := range 90 {
		conn, _, err := s.connect(t.Context(), paths[i%3])
		if err != nil {
			t.Fatal(err)
		}
		c := &client{t: t, ws: conn}
		switch i / 3 % 3 {
		case 0:
			c.send(`{"text":"stuck.","context_id":"a"}`)
		case 1:
			c.send(`{"text":"Hi. And then some more. And more.","context_id":"a"}`)
		}
		if i%2 == 0 {
			c.perform("close")
		}
		if tcp, ok := conn.NetConn().(*net.TCPConn); ok && i%5 == 0 {
			_ = tcp.SetLinger(0) // a reset
		}
		_ = conn.Close()
	}
	poll(t, func() bool { return s.accounts.held.Load() == 0 })
}

// TestSection9Row15: pings are answered while a long text is spoken.
func TestSection9Row15(t *testing.T) {
	t.Parallel()
	for _, path := range paths {
		synctest.Test(t, func(t *testing.T) {
			s := newSite(t, Config{Speech: &fakeSpeaker{before: func(context.Context, string) error {
				time.Sleep(10 * time.Minute)
				return nil
			}}})
			t.Cleanup(pipe(s))
			c := s.client(t, path)
			c.send(`{"text":"slow and long","context_id":"a","flush":true}`)
			for range 5 {
				time.Sleep(20 * time.Second)
				c.perform("ping")
				synctest.Wait()
				select {
				case r := <-c.frames:
					if got := abbreviate(r); got != "pong are you there" {
						t.Errorf("%s: heard %s, want a pong", path, got)
					}
				default:
					t.Errorf("%s: a ping was not answered", path)
				}
			}
		})
	}
}

// TestSlowEnd: a client that reads no faster than it plays hears the close frame
// long after the last audio was made.
func TestSlowEnd(t *testing.T) {
	t.Parallel()
	for _, path := range []string{nativePath, singlePath + pcm} {
		synctest.Test(t, func(t *testing.T) {
			s := newSite(t, Config{})
			t.Cleanup(pipe(s))
			conn, _, err := s.connect(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			(&client{t: t, ws: conn}).send(`{"text":"Hi."}`, `{"text":""}`)
			for err == nil {
				time.Sleep(8 * time.Second)
				_, _, err = conn.ReadMessage()
			}
			if !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
				t.Errorf("%s ended with %v, want close 1000", path, err)
			}
		})
	}
}
