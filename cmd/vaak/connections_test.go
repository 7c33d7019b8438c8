package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// held opens connections that announce a body and never send it.
func (s *server) held(n int, head string) []net.Conn {
	s.t.Helper()
	var all []net.Conn
	for range n {
		c, err := net.Dial("tcp", strings.TrimPrefix(s.public, "http://"))
		if err != nil {
			s.t.Fatal(err)
		}
		s.t.Cleanup(func() { _ = c.Close() })
		_, _ = io.WriteString(c, "POST /v1/audio/speech HTTP/1.1\r\nHost: localhost\r\n"+head+"Content-Length: 10\r\n\r\n") // one that is refused may be closed already
		all = append(all, c)
	}
	return all
}

// clientFrom returns a client at another address of this machine.
func clientFrom(address string) *http.Client {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	return &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DialContext: d.DialContext, DisableKeepAlives: true}}
}

// TestSoakHeldBodies has one address hold as many connections as it can with bodies that
// never come: 4,000 of 4,096 files, 100 without VAAK_SOAK. Others are served, and so are
// those who watch the server.
func TestSoakHeldBodies(t *testing.T) {
	t.Parallel()
	n, total := 100, 60
	if os.Getenv("VAAK_SOAK") != "" {
		n, total = 4000, 2048
	}
	s := start(t, "--max-connections", strconv.Itoa(total), "--max-connections-per-address", strconv.Itoa(total/2))
	s.mayOpen(4096)
	other := clientFrom("127.0.0.2")
	for _, head := range []string{"", "Xi-Api-Key: " + s.key + "\r\n"} { // refused, and waited for
		held := s.held(n, head)
		for range 10 {
			r := s.request(t.Context(), map[string]any{"input": "Good morning.", "response_format": "pcm"})
			resp, err := other.Do(r)
			if err != nil {
				t.Fatalf("another address while %d connections are held: %v", n, err)
			}
			audio, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if err != nil || resp.StatusCode != 200 || len(audio) < 10_000 {
				t.Fatalf("another address while %d connections are held: %d, %d bytes, %v", n, resp.StatusCode, len(audio), err)
			}
			for _, path := range []string{"/livez", "/readyz", "/metrics"} {
				if resp, err := http.Get(s.admin + path); err != nil || resp.StatusCode != 200 {
					t.Fatalf("%s while %d connections are held: %v, %v", path, n, resp, err)
				} else {
					_ = resp.Body.Close()
				}
			}
		}
		for _, c := range held {
			_ = c.SetReadDeadline(time.Now().Add(time.Minute))
			if _, err := io.Copy(io.Discard, c); os.IsTimeout(err) {
				t.Fatal("a connection whose body never comes is held for over a minute")
			}
		}
	}
	if got := s.figure(`vaak_connections_refused_total{reason="address"}`); got < float64(n-total/2) {
		t.Errorf("%v connections were refused, want %d at least", got, n-total/2)
	}
	if !eventually(func() bool { return s.figure("vaak_connections_open") == 0 }) {
		t.Errorf("%v connections are open at the end", s.figure("vaak_connections_open"))
	}
}

// mayOpen sets how many files the server may have open.
func (s *server) mayOpen(files int) {
	s.t.Helper()
	limit := unix.Rlimit{Cur: uint64(files), Max: uint64(files)}
	if err := unix.Prlimit(s.cmd.Process.Pid, unix.RLIMIT_NOFILE, &limit, nil); err != nil {
		s.t.Fatal(err)
	}
}

// TestHeldBodyAtStop stops a server that waits for a body.
func TestHeldBodyAtStop(t *testing.T) {
	t.Parallel()
	s := start(t, "--drain-timeout", "25s")
	held := s.held(1, "Xi-Api-Key: "+s.key+"\r\n")[0]
	if !eventually(func() bool { return s.figure("vaak_http_requests_in_flight") == 1 }) {
		t.Fatal("the request is not there")
	}
	begun := ran()
	s.stop()                                         // in good order
	if took := ran() - begun; took > 8*time.Second { // before the body would be given up
		t.Errorf("the server took %v to stop", took)
	}
	resp, err := http.ReadResponse(bufio.NewReader(held), nil)
	if err != nil || resp.StatusCode != 400 {
		t.Errorf("the request whose body never came is answered with %v, %v", resp, err)
	}
}

// TestAdminReserve takes all files that the server may open.
func TestAdminReserve(t *testing.T) {
	t.Parallel()
	s := start(t, "--max-connections", "10000", "--max-connections-per-address", "10000")
	if s.figure("vaak_connections_open") != 0 { // and the tables of figures are there
		t.Fatal("there are connections already")
	}
	http.DefaultClient.CloseIdleConnections()
	s.mayOpen(descriptors(s.cmd.Process.Pid) + 10)
	s.held(100, "Xi-Api-Key: "+s.key+"\r\n")
	watch := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	for range 20 {
		for _, path := range []string{"/livez", "/metrics"} {
			resp, err := watch.Get(s.admin + path)
			if err != nil || resp.StatusCode != 200 {
				t.Fatalf("%s without a file to open: %v, %v", path, resp, err)
			}
			if _, err := io.Copy(io.Discard, resp.Body); err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
		}
	}
	_ = s.end(syscall.SIGKILL)
}

func TestAdminHosts(t *testing.T) {
	t.Parallel()
	s := start(t, "--admin-hosts", "vaak-admin,vaak.example.org")
	port := s.admin[strings.LastIndexByte(s.admin, ':'):]
	for host, want := range map[string]int{
		"localhost": 200, "localhost" + port: 200, "127.0.0.1" + port: 200, "[::1]" + port: 200, "10.1.2.3": 200,
		"vaak-admin" + port: 200, "VAAK.example.org": 200,
		"attacker.example": 421, "attacker.example" + port: 421, "127.0.0.1.attacker.example": 421, "localhost.attacker.example": 421,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.admin+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != want || want == 421 && bytes.Contains(body, []byte("vaak_")) {
			t.Errorf("asked as %s: %d, want %d", host, resp.StatusCode, want)
		}
	}
}

// TestUnheard sends what net/http refuses before any handler, and what it takes though
// it must not keep the connection.
func TestUnheard(t *testing.T) {
	t.Parallel()
	s := start(t)
	send := func(request string) (*http.Response, []byte) {
		t.Helper()
		var d net.Dialer
		c, err := d.DialContext(context.Background(), "tcp", strings.TrimPrefix(s.public, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(30 * time.Second))
		_, _ = io.WriteString(c, request)
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(resp.Body)
		return resp, body
	}
	for request, status := range map[string]int{
		"GET /health HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("x", 32<<10) + "\r\n\r\n": 431,
		"GET /health HTTP/3.3\r\nHost: a\r\n\r\n":                                           505,
		"POST /v1/audio/speech HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: br\r\n\r\n":        501,
		"GET /health HTTP/1.1\r\n\r\n":                                                      400,
	} {
		resp, body := send(request)
		var said struct {
			Detail struct{ Status, Message string }
			Error  struct{ Message, Type, Code string }
		}
		if err := json.Unmarshal(body, &said); err != nil || resp.StatusCode != status || resp.Header.Get("X-Request-Id") == "" ||
			said.Detail.Message == "" || said.Error.Message != said.Detail.Message || said.Error.Code == "" {
			t.Errorf("%.40q is answered with %d, %v, %s, %v; want %d", request, resp.StatusCode, resp.Header, body, err, status)
		}
	}
	const text = `{"input":"hello","response_format":"pcm"}`
	resp, _ := send(fmt.Sprintf("POST /v1/audio/speech HTTP/1.1\r\nHost: a\r\nXi-Api-Key: %s\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", s.key, len(text), text))
	if resp.StatusCode != 200 || !resp.Close {
		t.Errorf("a request of two lengths is answered with %d, closes %t; want 200 and the end of the connection", resp.StatusCode, resp.Close)
	}
}
