package browser

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// server is a running `vaak serve`.
type server struct {
	dir     string // its data
	public  string // address of the services
	console string // address of the console
	log     *lockedBuffer
	cmd     *exec.Cmd
	done    chan struct{} // closed when the process has ended
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

var readyLine = regexp.MustCompile(`^ready public=(http://\S+) admin=\S+ console=(http://\S+)\n$`)

// patience is how long a step may take on a busy machine.
const patience = 60 * time.Second

// serve starts a server on a data directory, with more flags, and stops it at the end of the test.
func serve(t testing.TB, dir string, flags ...string) *server {
	t.Helper()
	s := &server{dir: dir, log: &lockedBuffer{}, done: make(chan struct{})}
	s.cmd = exec.Command(program, append([]string{"serve", "--data-dir", dir, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0",
		"--console-listen", "127.0.0.1:0", "--render-previews=false"}, flags...)...)
	s.cmd.Stderr = s.log
	stdout, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(stdout)
	line, err := out.ReadString('\n')
	m := readyLine.FindStringSubmatch(line)
	if err != nil || m == nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
		t.Fatalf("ready line %q, %v; log: %s", line, err, s.log)
	}
	s.public, s.console = m[1], m[2]
	go func() {
		_, _ = io.Copy(io.Discard, out)
		_ = s.cmd.Wait() // how it ended is no matter of these tests
		close(s.done)
	}()
	t.Cleanup(func() { s.stop(t) })
	return s
}

func (s *server) stop(t testing.TB) {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.done:
	case <-time.After(patience):
		_ = s.cmd.Process.Kill()
		t.Errorf("the server did not end; log: %s", s.log)
	}
	for line := range strings.Lines(s.log.String()) {
		// What the end interrupted says so.
		if strings.Contains(line, `"level":"ERROR"`) && !strings.Contains(line, "context canceled") {
			t.Errorf("the server logged %s", line)
		}
	}
}

// token returns the setup token.
func (s *server) token(t testing.TB) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(s.dir, "console-setup-token"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

// vaak runs a command on a data directory and returns its last line.
func vaak(t testing.TB, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, append(args, "--data-dir", dir)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("vaak %s: %v: %s", strings.Join(args, " "), err, &stderr)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

// speak sends a request with a key, as a client does, and returns the status and how
// many bytes came.
func (s *server) speak(t testing.TB, key, text string) (status, size int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.public+"/v1/audio/speech",
		strings.NewReader(fmt.Sprintf(`{"input": %q, "response_format": "wav"}`, text)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	n, err := io.Copy(io.Discard, resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, int(n)
}
