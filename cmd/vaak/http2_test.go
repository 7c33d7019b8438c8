package main

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// over returns a client of a protocol, "h2" or "http/1.1".
func over(t *testing.T, protocol string, roots *x509.CertPool) *http.Client {
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, Protocols: new(http.Protocols)}
	transport.Protocols.SetHTTP1(protocol != "h2")
	transport.Protocols.SetHTTP2(protocol == "h2")
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// streams begins to stream a text, and returns the answer and when its first audio came.
func (s *server) streams(client *http.Client, voice, text string) (resp *http.Response, first time.Duration) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), "POST", s.public+"/v1/text-to-speech/"+voice+"/stream?output_format=pcm_24000", strings.NewReader(`{"text":"`+text+`"}`))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("xi-api-key", s.key)
	began := time.Now()
	resp, err = client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = resp.Body.Close() })
	if _, err := io.ReadFull(resp.Body, make([]byte, 1)); err != nil || resp.StatusCode != 200 {
		s.t.Fatalf("a stream is answered with %d, %v", resp.StatusCode, err)
	}
	return resp, time.Since(began)
}

// TestHTTP2 streams over HTTP/2 beside HTTP/1.1.
func TestHTTP2(t *testing.T) {
	t.Parallel()
	cert, key, roots := selfSigned(t)
	s := start(t, "--tls-cert", cert, "--tls-key", key)
	h1, h2 := over(t, "http/1.1", roots), over(t, "h2", roots)
	voice := s.voice(h2)
	long := strings.Repeat("This sentence is one of many. ", 150)

	// One stream that nobody reads must not hold up another of the same connection.
	stalled, _ := s.streams(h2, voice, long)
	if stalled.ProtoMajor != 2 {
		t.Fatalf("the client speaks %s", stalled.Proto)
	}
	var firsts [2][]time.Duration
	for range 31 {
		for i, client := range []*http.Client{h1, h2} {
			resp, first := s.streams(client, voice, "Hello there.")
			rest, err := io.ReadAll(resp.Body)
			if err != nil || len(rest) < 10000 || resp.TLS == nil {
				t.Errorf("%s: %d bytes, %v", resp.Proto, len(rest), err)
			}
			firsts[i] = append(firsts[i], first)
		}
	}
	median := func(all []time.Duration) time.Duration {
		slices.Sort(all)
		return all[len(all)/2]
	}
	one, two := median(firsts[0]), median(firsts[1])
	t.Logf("first audio, median: HTTP/1.1 %v, HTTP/2 %v", one, two)
	if two > 2*one+50*time.Millisecond {
		t.Errorf("first audio over HTTP/2 comes after %v, over HTTP/1.1 after %v", two, one)
	}

	// A socket of the same server, by a client that offers both protocols to no socket.
	d := websocket.Dialer{TLSClientConfig: &tls.Config{RootCAs: roots}}
	conn, resp, err := d.DialContext(t.Context(), s.address("native", "en"), http.Header{"Xi-Api-Key": {s.key}})
	if err != nil {
		t.Fatalf("a socket: %v, %v", err, resp)
	}
	_ = conn.Close()

	// A drain lets streams of HTTP/2 end.
	running, _ := s.streams(h2, voice, long)
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	for name, resp := range map[string]*http.Response{"stalled": stalled, "running": running} {
		if n, err := io.Copy(io.Discard, resp.Body); err != nil || n < 5_000_000 {
			t.Errorf("the %s stream ended after %d bytes, %v", name, n, err)
		}
	}
	s.stop()
}

// TestNoH2C sends the preface of HTTP/2 to a server without TLS.
func TestNoH2C(t *testing.T) {
	t.Parallel()
	s := start(t)
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.public, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "HTTP/1.1 505") && !strings.HasPrefix(line, "HTTP/1.1 4") {
		t.Errorf("the preface is answered with %q, %v", line, err)
	}
	s.stop()
}

// serial returns the serial number of the certificate that a server shows for a name.
func (s *server) serial(name string) string {
	s.t.Helper()
	conn, err := tls.Dial("tcp", strings.TrimPrefix(s.public, "https://"), &tls.Config{ServerName: name, InsecureSkipVerify: true})
	if err != nil {
		s.t.Fatal(err)
	}
	defer conn.Close()
	return conn.ConnectionState().PeerCertificates[0].SerialNumber.String() + conn.ConnectionState().PeerCertificates[0].NotAfter.String()
}

// figures returns the metrics of a server.
func (s *server) figures() string {
	s.t.Helper()
	resp, err := http.Get(s.admin + "/metrics")
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// until waits until done is true.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); !done(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("still not after a minute: %s", what)
		}
	}
}

// TestCertificateReload changes the certificate of a server that speaks.
func TestCertificateReload(t *testing.T) {
	t.Parallel()
	cert, key, roots := selfSigned(t)
	s := start(t, "--tls-cert", cert, "--tls-key", key)
	client := over(t, "http/1.1", roots)
	running, _ := s.streams(client, s.voice(client), strings.Repeat("This sentence is one of many. ", 150))
	was := s.serial("")
	move := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	cert2, key2, _ := selfSigned(t)
	move(cert2, cert)
	move(key2, key)
	until(t, "the new certificate is shown", func() bool { return s.serial("") != was })
	now := s.serial("")
	if err := os.WriteFile(key, []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Process.Signal(syscall.SIGHUP)
	until(t, "the log says that the pair is broken", func() bool { return strings.Contains(s.log.String(), "the certificate stays as it was") })
	if got := s.serial(""); got != now {
		t.Error("a broken pair has replaced a good one")
	}
	if n, err := io.Copy(io.Discard, running.Body); err != nil || n < 5_000_000 {
		t.Errorf("the stream that ran ended after %d bytes, %v", n, err)
	}
	metrics := s.figures()
	for _, line := range []string{"vaak_tls_certificate_end_timestamp_seconds{name=\"file\"} ", "vaak_tls_certificate_failures_total 1"} {
		if !strings.Contains(metrics, line) {
			t.Errorf("the metrics have no %s", line)
		}
	}
	s.stop()
}
