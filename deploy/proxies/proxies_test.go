package proxies

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vaak/edge"
)

// standIn is a server behind a proxy that shows what reaches it.
type standIn struct {
	taken chan struct{} // gets a value for each piece that the client has read
	left  chan struct{} // is closed when a request ends because its client has left

	unready bool                     // fails the check of health
	ends    atomic.Int32             // how many requests are still to be left without an answer
	asked   map[string]*atomic.Int32 // by path
}

const pieces = 20

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	if n := s.asked[r.URL.Path]; n != nil {
		n.Add(1)
		if s.ends.Add(-1) >= 0 {
			if c, _, err := control.Hijack(); err == nil {
				_ = c.Close() // as a server that ends does
			}
		}
		return
	}
	switch r.URL.Path {
	case "/readyz":
		if s.unready {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	case "/audio", "/events":
		// A piece follows when the client has the one before. A proxy that keeps one back
		// waits for good.
		w.Header().Set("Content-Type", map[string]string{"/audio": "audio/pcm", "/events": "text/event-stream"}[r.URL.Path])
		for i := range pieces {
			_, _ = fmt.Fprintf(w, "data: %d\n", i)
			_ = control.Flush()
			select {
			case <-s.taken:
			case <-r.Context().Done():
				return
			}
		}
	case "/leave":
		w.Header().Set("Content-Type", "audio/pcm")
		_, _ = io.WriteString(w, "first\n")
		_ = control.Flush()
		select {
		case <-r.Context().Done():
			close(s.left)
		case <-time.After(2 * time.Minute):
		}
	case "/body":
		n, err := io.Copy(io.Discard, r.Body)
		_, _ = fmt.Fprint(w, n, err)
	case "/client":
		clients := edge.NewClients([]netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")})
		_, _ = fmt.Fprint(w, clients.Address(r), " ", r.Host)
	}
}

// behind starts a stand-in.
func behind(t *testing.T) (*standIn, upstream) {
	t.Helper()
	s := &standIn{taken: make(chan struct{}), left: make(chan struct{})}
	return s, s.start(t)
}

func (s *standIn) start(t *testing.T) upstream {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	at := strings.TrimPrefix(server.URL, "http://")
	return upstream{public: at, admin: at}
}

// TestLengthyPassing checks what passes through a proxy: pieces of audio and of events one by
// one, the end of a client, long bodies, and the address of a client.
func TestLengthyPassing(t *testing.T) {
	if testing.Short() {
		t.Skip("runs programs")
	}
	each(t, func(t *testing.T, of program) {
		for major := 1; major <= 2; major++ {
			s, at := behind(t)
			p := run(t, of, at, false)
			client := p.client(major, "127.0.0.2")
			t.Cleanup(client.CloseIdleConnections)
			for _, path := range []string{"/audio", "/events"} {
				if err := takePieces(t.Context(), client, path, s.taken); err != nil {
					t.Errorf("HTTP/%d %s: %v", major, path, err)
				}
			}
			if got := ask(t, client, "/body", bytes.Repeat([]byte("x"), 3<<20), nil); got != "3145728 <nil>" {
				t.Errorf("HTTP/%d: of a body of 3 MiB the server has %s", major, got)
			}
			forged := http.Header{"X-Forwarded-For": {"203.0.113.9"}}
			if got := ask(t, client, "/client", nil, forged); got != "127.0.0.2 "+host {
				t.Errorf("HTTP/%d: the server sees the client %s, want 127.0.0.2 %s", major, got, host)
			}
			if err := leave(t.Context(), client, s.left); err != nil {
				t.Errorf("HTTP/%d: %v", major, err)
			}
		}
	})
}

// TestLengthyBalancer checks that the address of a client passes by the PROXY protocol.
func TestLengthyBalancer(t *testing.T) {
	if testing.Short() {
		t.Skip("runs programs")
	}
	each(t, func(t *testing.T, of program) {
		if of.accept == "" {
			t.Skip("its settings have no line for the PROXY protocol")
		}
		_, at := behind(t)
		p := run(t, of, at, true)
		client := p.client(1, "127.0.0.1")
		client.Transport.(*http.Transport).DialContext = p.dial("127.0.0.1", "PROXY TCP4 192.0.2.7 192.0.2.1 4711 443\r\n")
		t.Cleanup(client.CloseIdleConnections)
		if got := ask(t, client, "/client", nil, nil); got != "192.0.2.7 "+host {
			t.Errorf("the server sees the client %s, want 192.0.2.7 %s", got, host)
		}
	})
}

// TestLengthyNobodyReady has no server that is ready, as when their database is away: requests
// reach one nevertheless, which answers what it can. Caddy knows no such rule.
func TestLengthyNobodyReady(t *testing.T) {
	if testing.Short() {
		t.Skip("runs programs")
	}
	each(t, func(t *testing.T, of program) {
		if of.name == "caddy" {
			t.Skip("it sends nothing to servers that are not ready")
		}
		s := &standIn{unready: true}
		p := run(t, of, s.start(t), false)
		client := p.client(1, "127.0.0.2")
		t.Cleanup(client.CloseIdleConnections)
		pass := time.After(3 * time.Second) // HAProxy has noticed after two checks
		for asked := 0; ; asked++ {
			if got := ask(t, client, "/client", nil, nil); got != "127.0.0.2 "+host {
				t.Fatalf("request %d has %q, want the answer of a server", asked, got)
			}
			select {
			case <-pass:
				return
			case <-time.After(50 * time.Millisecond):
			}
		}
	})
}

// TestLengthySentAgain has a server close the connection of a request without an answer, as one
// that ends may: what may happen twice is sent again.
func TestLengthySentAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("runs programs")
	}
	for _, of := range programs {
		if of.name != "haproxy" {
			continue // the settings of the others have one server
		}
		s := &standIn{asked: map[string]*atomic.Int32{}}
		want := map[string]int32{"/v1/audio/speech": 2, "/v1/text-to-speech/sv_x": 2, "/api/catalogue/enquiry": 2, "/v1/pronunciation-dictionaries/add-from-rules": 1}
		for path := range want {
			s.asked[path] = &atomic.Int32{}
		}
		p := run(t, of, s.start(t), false)
		client := p.client(1, "127.0.0.2")
		t.Cleanup(client.CloseIdleConnections)
		for path, times := range want {
			s.ends.Store(1)
			res, err := client.Post("https://"+host+path, "application/json", strings.NewReader("{}"))
			if err == nil {
				_ = res.Body.Close() // it is empty
			}
			if answered := err == nil && res.StatusCode == http.StatusOK; s.asked[path].Load() != times || answered != (times == 2) {
				t.Errorf("%s was sent %d times, answered: %v, want %d times", path, s.asked[path].Load(), answered, times)
			}
		}
	}
}

// takePieces reads an answer and lets each piece follow the one before.
func takePieces(ctx context.Context, client *http.Client, path string, taken chan<- struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "POST", "https://"+host+path, strings.NewReader("{}"))
	if err != nil {
		return err
	}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	r := bufio.NewReader(res.Body)
	for i := range pieces {
		if line, err := r.ReadString('\n'); err != nil || line != fmt.Sprintf("data: %d\n", i) {
			return fmt.Errorf("piece %d is %q: %w", i, line, err)
		}
		select {
		case taken <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	_, err = r.ReadByte()
	if err != io.EOF {
		return fmt.Errorf("after the last piece: %v, want the end", err)
	}
	return nil
}

// leave ends a request in the middle of its answer, and waits until the server knows.
func leave(ctx context.Context, client *http.Client, left <-chan struct{}) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	asking, stop := context.WithCancel(ctx)
	defer stop()
	req, err := http.NewRequestWithContext(asking, "POST", "https://"+host+"/leave", strings.NewReader("{}"))
	if err != nil {
		return err
	}
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if _, err := bufio.NewReader(res.Body).ReadString('\n'); err != nil {
		return err
	}
	stop()
	select {
	case <-left:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("a minute after its client has left, the server goes on")
	}
}

// ask returns the answer to a POST.
func ask(t *testing.T, client *http.Client, path string, body []byte, header http.Header) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", "https://"+host+path, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range header {
		req.Header[k] = v
	}
	res, err := client.Do(req)
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return ""
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Errorf("%s: %v", path, err)
	}
	return string(b)
}
