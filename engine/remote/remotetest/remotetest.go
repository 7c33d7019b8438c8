// Package remotetest has model servers for tests: one for each protocol that Vaak speaks, run as
// processes of their own, with faults that can be switched while they run and a record of what
// they were asked.
//
// A test package calls [Main] first in its TestMain. A server is the test binary itself, started
// again with an environment variable, so that there is nothing to build. What a server says is a
// tone for each word, from which [Words] tells which words were said.
package remotetest

import (
	"bufio"
	"bytes"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"
)

// Options tell what a server is like.
type Options struct {
	// Kind is the protocol: "openai", "vllm-omni", "sglang-omni", "kokoro-fastapi", "speaches",
	// "fish", or one that was registered.
	Kind string
	// Address is where it listens; "" is a free port of 127.0.0.1.
	Address string
	// Rate is that of its samples, in Hz; 0 is 24000, for "fish" 44100.
	Rate int
	// Speed is how many seconds of audio are made in a second; 0 makes them as fast as they
	// are read.
	Speed float64
	// First is how long it takes until the first sound is there.
	First time.Duration
	// Chunk is how much audio is made at once; 0 is 100 ms.
	Chunk time.Duration
	// Instant sends 20 ms of audio at once, whatever First, Speed and Chunk say. It is for
	// measuring latency.
	Instant bool
	// Streams is how many requests are spoken at once; more are answered with 503, as by the
	// fault [Overload]. 0 is no limit.
	Streams int
	// Key is the bearer token that requests must have; "" asks for none.
	Key string
	// TLS serves HTTPS, with HTTP/2. The certificate is for localhost, 127.0.0.1 to 127.0.0.4 and the names.
	TLS   bool
	Names []string
	// Voices are the voices that it knows; without any it knows all.
	Voices []string
	// Bare leaves the WAV header out of streams that say they are WAV, as Fish-speech of 2025 does.
	Bare bool
	// NoTimes takes the times of words away from kinds that have them.
	NoTimes bool
	// Fault is there from the start.
	Fault Fault
}

// Server is a server that runs as a process.
type Server struct {
	// URL is the base of requests. Those of kinds that were registered are "http://" or
	// "https://", too, whatever is spoken there.
	URL string

	options Options

	mu      sync.Mutex
	process *process
	first   hello // whose authority later processes have too
}

type process struct {
	cmd   *exec.Cmd
	stdin io.Closer
	hello hello
	ended chan struct{}
}

// hello is what a server tells who started it.
type hello struct {
	Address string `json:"address"`
	Control string `json:"control"`
	CA      []byte `json:"ca,omitempty"` // DER, as is the key
	Key     []byte `json:"key,omitempty"`
	Error   string `json:"error,omitempty"`
}

// The environment of a server has its options, and the authority of the process before it.
const (
	variable  = "VAAK_REMOTETEST"
	authority = "VAAK_REMOTETEST_AUTHORITY"
)

// Main runs a server and does not return, where the process was started for that.
func Main() {
	setting := os.Getenv(variable)
	if setting == "" {
		return
	}
	var o Options
	err := json.Unmarshal([]byte(setting), &o)
	if err == nil {
		err = serve(o)
	}
	if err != nil {
		_ = json.NewEncoder(os.Stdout).Encode(hello{Error: err.Error()}) // the exit code tells too
		os.Exit(1)
	}
	os.Exit(0)
}

// Start starts a server that is killed when the test ends.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	s, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	return s
}

// Run starts a server outside of a test. The caller must kill it; it also ends when the process
// that started it does.
func Run(o Options) (*Server, error) {
	s := &Server{options: o}
	if err := s.start(); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Server) start() error {
	setting, err := json.Marshal(s.options)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(program)
	before, err := json.Marshal(s.first)
	if err != nil {
		return err
	}
	cmd.Env = append(os.Environ(), variable+"="+string(setting), authority+"="+string(before))
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start a server: %w", err)
	}
	p := &process{cmd: cmd, stdin: stdin, ended: make(chan struct{})}
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &p.hello)
	}
	if err == nil && p.hello.Error != "" {
		err = errors.New(p.hello.Error)
	}
	go func() {
		_ = cmd.Wait() // it is killed
		close(p.ended)
	}()
	if err != nil {
		p.kill()
		return fmt.Errorf("start a server of kind %s: %w (does TestMain call remotetest.Main?)", s.options.Kind, err)
	}
	s.options.Address = p.hello.Address
	s.URL = "http://" + p.hello.Address
	if s.options.TLS {
		s.URL = "https://" + p.hello.Address
	}
	s.mu.Lock()
	s.process, s.first = p, p.hello
	s.mu.Unlock()
	return nil
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill() // it may have ended
	<-p.ended
	_ = p.stdin.Close() // nothing is lost
}

// Kill ends the process at once, as a crash would. It may be called again.
func (s *Server) Kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process != nil {
		s.process.kill()
		s.process = nil
	}
}

// Restart kills the process if it runs and starts another at the same address, which has no record
// and the faults of the options.
func (s *Server) Restart() error {
	s.Kill()
	return s.start()
}

// PID is the number of the process, 0 when it was killed.
func (s *Server) PID() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process == nil {
		return 0
	}
	return s.process.cmd.Process.Pid
}

// Address is where the server listens, such as "127.0.0.1:40123".
func (s *Server) Address() string { return s.options.Address }

// CA is who signed the server's certificate, nil without TLS. It stays over restarts.
func (s *Server) CA() *x509.CertPool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first.CA == nil {
		return nil
	}
	cert, err := x509.ParseCertificate(s.first.CA)
	if err != nil {
		return nil
	}
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	return pool
}

// control asks the process. Each call has a connection of its own, so that tests that look for
// forgotten goroutines see none of it.
func (s *Server) control(method, path string, in, out any) error {
	s.mu.Lock()
	p := s.process
	s.mu.Unlock()
	if p == nil {
		return errors.New("the server was killed")
	}
	var body bytes.Buffer
	if in != nil {
		if err := json.NewEncoder(&body).Encode(in); err != nil {
			return err
		}
	}
	req, err := http.NewRequest(method, "http://"+p.hello.Control+path, &body)
	if err != nil {
		return err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 1000)) // only for the message
		return fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, text)
	}
	if out == nil {
		return nil
	}
	return json.NewDecoder(resp.Body).Decode(out)
}

// Break gives the server a fault; the zero Fault takes it away.
func (s *Server) Break(t testing.TB, f Fault) {
	t.Helper()
	if err := s.control(http.MethodPut, "/fault", f, nil); err != nil {
		t.Fatal(err)
	}
}

// Requests returns what the server was asked for, oldest first: the last 10,000.
func (s *Server) Requests(t testing.TB) []Request {
	t.Helper()
	var all []Request
	if err := s.control(http.MethodGet, "/requests", nil, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// Last returns the newest request for speech.
func (s *Server) Last(t testing.TB) Request {
	t.Helper()
	all := s.Requests(t)
	slices.Reverse(all)
	i := slices.IndexFunc(all, func(r Request) bool { return r.Text != "" })
	if i < 0 {
		t.Fatal("the server was not asked to speak")
	}
	return all[i]
}

// Settled waits until the server speaks for nobody and returns what it was asked for.
func (s *Server) Settled(t testing.TB) []Request {
	t.Helper()
	var all []Request
	if err := s.control(http.MethodGet, "/settled", nil, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// Count returns how the server fares.
func (s *Server) Count() (Count, error) {
	var c Count
	err := s.control(http.MethodGet, "/count", nil, &c)
	return c, err
}

// Protocol serves a protocol until the listener is closed. The listener has TLS already where the
// options ask for it; HTTP/2 is offered.
type Protocol func(l net.Listener, v *Voice) error

var (
	registered   = map[string]Protocol{}
	registeredMu sync.Mutex
)

// Register adds a protocol under the name of a kind. It is called before [Main].
func Register(kind string, p Protocol) {
	registeredMu.Lock()
	defer registeredMu.Unlock()
	registered[kind] = p
}

func protocol(kind string) (Protocol, bool) {
	if slices.Contains(kinds, kind) {
		return serveHTTP, true
	}
	registeredMu.Lock()
	defer registeredMu.Unlock()
	p, ok := registered[kind]
	return p, ok
}
