package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"vaak/engine/enginetest"
)

// server is a running `vaak serve`, as an operator would start it.
type server struct {
	t       testing.TB
	dir     string
	env     []string
	as      func(*exec.Cmd) // says who it runs as; nil is who tests
	cmd     *exec.Cmd
	public  string
	admin   string
	console string // "" without one
	key     string
	log     *lockedBuffer
	out     *lockedBuffer // standard output after the ready line
	done    chan struct{} // closed when the process has ended
	err     error         // of its end
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

var readyLine = regexp.MustCompile(`^ready public=(https?://(?:127\.0\.0\.1|\[::\]):\d+) admin=(http://127\.0\.0\.1:\d+)(?: console=(https?://127\.0\.0\.1:\d+))?\n$`)

// start starts a server on a new data directory with an organisation and a
// key, and stops it at the end of the test.
func start(t testing.TB, flags ...string) *server {
	t.Helper()
	return startOn(t, "", flags...)
}

// startOn does the same with a database; "" is that of the data directory.
func startOn(t testing.TB, database string, flags ...string) *server {
	t.Helper()
	s := &server{t: t, dir: t.TempDir()}
	s.env = append(os.Environ(), "VAAK_ESPEAK_WORKER="+enginetest.Worker(t), "VAAK_DATA_DIR="+s.dir,
		"VAAK_CACHE_BYTES=0",         // an answer that is made twice must be made twice
		"VAAK_PRELOAD=false",         // most tests speak one language
		"VAAK_CONSOLE_LISTEN=off",    // tests of the console name its address
		"VAAK_RENDER_PREVIEWS=false") // which would be what most tests spend their time on
	if database != "" {
		s.env = append(s.env, "VAAK_DATABASE="+database)
	}
	org := s.inProcess(database, "org", "create", "Test")
	s.key = s.inProcess(database, "key", "create", "--org", org, "--name", "test")
	s.serve(flags...)
	return s
}

// inProcess runs a command in this process, which costs less than to start one, and returns
// its output without the line end.
func (s *server) inProcess(database string, args ...string) string {
	s.t.Helper()
	args = append(args, "--data-dir", s.dir)
	if database != "" {
		args = append(args, "--database", database)
	}
	var out, stderr bytes.Buffer
	if status := run(s.t.Context(), args, nil, &out, &stderr); status != 0 {
		s.t.Fatalf("vaak %s: status %d: %s", strings.Join(args, " "), status, &stderr)
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// vaak runs a command and returns its output without the line end.
func (s *server) vaak(args ...string) string {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), "vaak", args...)
	cmd.Env = s.env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("vaak %s: %v: %s", strings.Join(args, " "), err, &stderr)
	}
	return strings.TrimSuffix(string(out), "\n")
}

func (s *server) serve(flags ...string) {
	s.t.Helper()
	args := append([]string{"serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"}, flags...)
	s.cmd = exec.Command("vaak", args...)
	s.cmd.Env = s.env
	if s.as != nil {
		s.as(s.cmd)
	}
	s.log, s.out, s.done = &lockedBuffer{}, &lockedBuffer{}, make(chan struct{})
	s.cmd.Stderr = s.log
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	r := bufio.NewReader(stdout)
	line, err := r.ReadString('\n')
	m := readyLine.FindStringSubmatch(line)
	if err != nil || m == nil {
		_ = s.cmd.Process.Kill()
		s.t.Fatalf("ready line = %q, %v; it ended with %v; log: %s", line, err, s.cmd.Wait(), s.log)
	}
	s.public, s.admin = strings.Replace(m[1], "[::]", "127.0.0.1", 1), m[2]
	s.console = m[3]
	go func() {
		_, _ = io.Copy(s.out, r)
		s.err = s.cmd.Wait()
		close(s.done)
	}()
	s.t.Cleanup(func() { s.end(syscall.SIGKILL) })
}

// end sends a signal and waits for the process to end.
func (s *server) end(sig syscall.Signal) error {
	_ = s.cmd.Process.Signal(sig) // it may have ended
	select {
	case <-s.done:
	case <-time.After(2 * time.Minute):
		_ = s.cmd.Process.Kill()
		<-s.done
		return errors.New("it did not end within two minutes")
	}
	return s.err
}

// stop drains the server and checks that it ends well.
func (s *server) stop() {
	s.t.Helper()
	if err := s.end(syscall.SIGTERM); err != nil {
		s.t.Errorf("after SIGTERM: %v; log: %s", err, s.log)
	}
	if out := s.out.String(); out != "" {
		s.t.Errorf("standard output has more than the ready line: %q", out)
	}
}

// request returns a POST /v1/audio/speech of body.
func (s *server) request(ctx context.Context, body map[string]any) *http.Request {
	s.t.Helper()
	return s.requestTo(ctx, "/v1/audio/speech", s.key, body)
}

// requestTo returns a POST of body with a key.
func (s *server) requestTo(ctx context.Context, path, key string, body map[string]any) *http.Request {
	s.t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		s.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.public+path, bytes.NewReader(b))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+key)
	return r
}

// speak posts body and returns the audio.
func (s *server) speak(body map[string]any) ([]byte, error) {
	resp, err := http.DefaultClient.Do(s.request(s.t.Context(), body))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %s", resp.StatusCode, b)
	}
	return b, err
}

func (s *server) mustSpeak(body map[string]any) []byte {
	s.t.Helper()
	b, err := s.speak(body)
	if err != nil {
		s.t.Fatalf("speak: %v", err)
	}
	return b
}

// workers returns the process ids of the fork servers.
func (s *server) workers() []int { return children(s.cmd.Process.Pid) }

// speaking returns the process ids of the children that speak.
func (s *server) speaking() []int { return slices.DeleteFunc(s.forked(), idle) }

// waiting returns the process ids of the children that wait for something to speak.
func (s *server) waiting() []int {
	return slices.DeleteFunc(s.forked(), func(pid int) bool { return !idle(pid) })
}

// idle reports whether a child waits for something to speak, or has ended.
func idle(pid int) bool {
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	return err != nil || strings.TrimSpace(string(name)) == "vaak-idle-child"
}

// forked returns the process ids of the children of the fork servers.
func (s *server) forked() []int {
	var pids []int
	for _, w := range s.workers() {
		pids = append(pids, children(w)...)
	}
	return pids
}

// children returns the process ids of a process's children.
func children(pid int) []int {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	var pids []int
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			continue // the thread has ended
		}
		for _, w := range strings.Fields(string(b)) {
			if n, err := strconv.Atoi(w); err == nil {
				pids = append(pids, n)
			}
		}
	}
	return pids
}

// eventually waits until ok, for up to a minute, and reports whether it came to that.
func eventually(ok func() bool) bool {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	deadline := time.After(time.Minute)
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			return false
		}
	}
	return true
}

// running reports whether a process is there, and not only to be collected.
func running(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(b), ") Z ")
}

// descriptors returns how many files and sockets a process holds.
func descriptors(pid int) int {
	files, _ := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	return len(files)
}

// fails runs a command that is to fail and returns its status and what it says.
func (s *server) fails(args ...string) (status int, stderr string) {
	s.t.Helper()
	cmd := exec.CommandContext(s.t.Context(), "vaak", args...)
	cmd.Env = s.env
	var said bytes.Buffer
	cmd.Stderr = &said
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), said.String()
	}
	s.t.Errorf("vaak %s = %v, want an exit", strings.Join(args, " "), err)
	return 0, said.String()
}

// standstills notices when this process does not run for a tenth of a second or more, as the whole
// machine may not.
type standstills struct{ ran, ended atomic.Int64 } // when it ran last, and when it went on after one; nanoseconds

const leastStandstill = 100 * time.Millisecond

// watchStandstills notices them until the test ends.
func watchStandstills(t *testing.T) *standstills {
	var s standstills
	s.ran.Store(time.Now().UnixNano())
	tick := time.NewTicker(leastStandstill / 10)
	go func() {
		defer tick.Stop()
		for t.Context().Err() == nil {
			<-tick.C
			s.look()
		}
	}()
	return &s
}

// look notes that the process runs.
func (s *standstills) look() {
	now := time.Now().UnixNano()
	if now-s.ran.Swap(now) >= int64(leastStandstill) {
		s.ended.Store(now)
	}
}

// stoppedWithin reports whether one has ended within d.
func (s *standstills) stoppedWithin(d time.Duration) bool {
	s.look()
	return time.Now().UnixNano()-s.ended.Load() < int64(d)
}

// slow skips a test that takes several servers some time when little is wanted.
func slow(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("several servers, for some time: go test without -short runs it")
	}
}
