// Package s3test runs a server of object storage for tests: VersityGW, which keeps objects as
// files. Requests pass a proxy that can break them.
package s3test

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vaak/internal/needed"
)

// Credentials of the server. [Start] does not set them in the environment, where the product
// reads them: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
const (
	AccessKey = "test-access"
	SecretKey = "test-secret-0123456789"
)

// Name is the bucket of a server, which exists.
const Name = "vaak-test"

// Server is a server of object storage with a proxy in front of it.
type Server struct {
	// Dir is the directory of the bucket: the object a/b is the file a/b in it.
	Dir string
	// Requests counts the requests that came to the proxy.
	Requests atomic.Int64

	endpoint string
	mu       sync.Mutex
	fault    func(http.ResponseWriter, *http.Request) bool
	change   func(*http.Response) error
}

// Start starts a server, which ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	program := needed.S3Server(t)
	// The path of a socket is short on every system, and that of a test's directory is not.
	dir, err := os.MkdirTemp("", "s3")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	s := &Server{Dir: filepath.Join(dir, "data", Name)}
	for _, d := range []string{s.Dir, filepath.Join(dir, "meta")} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	socket := filepath.Join(dir, "socket")
	cmd := exec.Command(program, "--port", socket, "--access", AccessKey, "--secret", SecretKey, "--quiet", "--keep-alive",
		"posix", "--sidecar", filepath.Join(dir, "meta"), filepath.Join(dir, "data"))
	var output strings.Builder
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it keeps nothing that is wanted
		<-ended
	})
	s.await(t, socket, ended, &output)
	s.proxy(t, socket)
	return s
}

// await waits until the server takes connections.
func (s *Server) await(t testing.TB, socket string, ended chan error, output *strings.Builder) {
	t.Helper()
	ticks := time.NewTicker(20 * time.Millisecond)
	defer ticks.Stop()
	limit := time.After(time.Minute)
	for {
		if c, err := net.Dial("unix", socket); err == nil {
			_ = c.Close() // it only asks
			return
		}
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("the server of object storage ended: %v: %s", err, output)
		case <-limit:
			t.Fatal("the server of object storage does not start")
		case <-ticks.C:
		}
	}
}

// proxy starts the proxy.
func (s *Server) proxy(t testing.TB, socket string) {
	to := &http.Transport{MaxIdleConnsPerHost: 32, DisableCompression: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}
	pass := &httputil.ReverseProxy{
		Transport: to,
		ErrorLog:  log.New(io.Discard, "", 0), // the tests break bodies on purpose
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = "http", "storage"
			r.Out.Host = r.In.Host // it is signed
		},
		ModifyResponse: func(r *http.Response) error {
			s.mu.Lock()
			change := s.change
			s.mu.Unlock()
			if change != nil {
				return change(r)
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.Requests.Add(1)
		s.mu.Lock()
		fault := s.fault
		s.mu.Unlock()
		if fault == nil || !fault(w, r) {
			pass.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		to.CloseIdleConnections()
	})
	s.endpoint = server.URL
}

// URL returns the address of the bucket with a prefix, as --objects takes it.
func (s *Server) URL(prefix string) string {
	return "s3://" + Name + "/" + prefix + "?endpoint=" + url.QueryEscape(s.endpoint)
}

// Break calls fault for each request from now on; when it returns true it has answered. Nil ends
// it.
func (s *Server) Break(fault func(http.ResponseWriter, *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = fault
}

// Change calls change for each answer of the server from now on. Nil ends it.
func (s *Server) Change(change func(*http.Response) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.change = change
}

// Error answers as a server of object storage does that refuses a request.
func Error(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	_, _ = w.Write([]byte("<?xml version=\"1.0\"?><Error><Code>" + code + "</Code><Message>of a test</Message></Error>")) // a client that left does not matter
}
