package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vaak/app/deployment"
	"vaak/voice"
)

// processGroup puts processes into a group that may have so many, and no more. It
// reports whether the system has such groups.
func processGroup(t *testing.T, most int, pids ...int) bool {
	t.Helper()
	for _, parent := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/pids"} {
		dir := filepath.Join(parent, fmt.Sprintf("vaak-processes-%d", pids[0]))
		if os.Mkdir(dir, 0o755) != nil {
			continue
		}
		t.Cleanup(func() { _ = os.Remove(dir) })
		joined := set(filepath.Join(dir, "pids.max"), strconv.Itoa(most))
		for _, pid := range pids {
			joined = joined && set(filepath.Join(dir, "cgroup.procs"), strconv.Itoa(pid))
		}
		if joined {
			return true
		}
	}
	return false
}

// asStranger has the server run as a user whom nobody else is, so that nothing but what
// it starts counts against its limits. It may read and write what root may, the files of
// the test among them.
func asStranger(t *testing.T) func(*exec.Cmd) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("becoming another user takes root")
	}
	program, err := exec.LookPath("vaak")
	if err == nil {
		program, err = filepath.EvalSymlinks(program)
	}
	dir := t.TempDir()
	within := filepath.Join(dir, "vaak")
	if err == nil {
		err = errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Link(program, within))
	}
	if err != nil {
		t.Skipf("no program that another user may run: %v", err)
	}
	id := uint32(1<<20 + os.Getpid())
	return func(cmd *exec.Cmd) {
		cmd.Path = within
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Credential:  &syscall.Credential{Uid: id, Gid: id},
			AmbientCaps: []uintptr{unix.CAP_DAC_OVERRIDE},
		}
	}
}

// mayHave sets how many processes the user of the server and of its workers may have.
// Who is somebody else may not, not even root without the right to; so it is their doing.
func (s *server) mayHave(processes int) {
	s.t.Helper()
	for _, pid := range append(s.workers(), s.cmd.Process.Pid) {
		cmd := exec.Command("prlimit", fmt.Sprintf("--nproc=%d:", processes), "--pid", strconv.Itoa(pid))
		s.as(cmd)
		cmd.Path, cmd.Err = exec.LookPath("prlimit")
		if out, err := cmd.CombinedOutput(); err != nil {
			s.t.Fatalf("%v: %s", err, out)
		}
	}
}

// TestNoProcesses takes from a server that runs every process and thread that it could
// still make, and the children that wait for work. What needs one is refused and costs nothing; everything else goes on, and
// so does speech when the limit is lifted.
func TestNoProcesses(t *testing.T) {
	for _, tt := range []struct {
		name       string
		as         func(*testing.T) func(*exec.Cmd)
		take, give func(*testing.T, *server)
	}{
		{"user", asStranger, func(_ *testing.T, s *server) { s.mayHave(1) }, func(_ *testing.T, s *server) { s.mayHave(10_000) }},
		{"group", nil, func(t *testing.T, s *server) {
			if !processGroup(t, 1, append([]int{s.cmd.Process.Pid}, s.workers()...)...) {
				t.Skip("no groups with a limit on processes")
			}
		}, func(_ *testing.T, s *server) {
			for _, parent := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/pids"} {
				set(filepath.Join(parent, fmt.Sprintf("vaak-processes-%d", s.cmd.Process.Pid), "pids.max"), "max")
			}
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			if tt.as != nil {
				s.stop()
				s.as = tt.as(t)
				s.serve()
			}
			s.mustSpeak(map[string]any{"input": "Good morning."})
			before := s.usage(s.key)
			disk := s.hang()
			tt.take(t, s)
			if !eventually(func() bool { // those that wait could still speak
				for _, pid := range s.waiting() {
					_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
				}
				return len(s.waiting()) == 0
			}) {
				t.Fatal("children wait though no others may be made")
			}
			stuck, over := 30, make(chan struct{})
			for range stuck { // each of which holds a thread
				go func() {
					if resp, err := http.Get(disk.address); err == nil {
						_ = resp.Body.Close()
					}
					over <- struct{}{}
				}()
			}
			var refused struct {
				Error struct{ Code string }
			}
			var clients sync.WaitGroup
			var mu sync.Mutex
			var longest time.Duration
			for i := range 60 {
				clients.Go(func() {
					began := time.Now()
					resp, err := http.DefaultClient.Do(s.request(t.Context(), map[string]any{"input": fmt.Sprint("Good morning, ", i), "response_format": "pcm"}))
					if err != nil {
						t.Errorf("speech without processes: %v; log: %s", err, s.log)
						return
					}
					defer resp.Body.Close()
					b, err := io.ReadAll(resp.Body)
					mu.Lock()
					defer mu.Unlock()
					longest = max(longest, time.Since(began))
					if err != nil || resp.StatusCode != 503 && resp.StatusCode != 429 || json.Unmarshal(b, &refused) != nil {
						t.Errorf("speech without processes = %d, %v, %s; want 503 or, of too many at once, 429", resp.StatusCode, err, b)
					}
				})
			}
			clients.Wait()
			for _, address := range []string{s.public + "/health", s.public + "/v1/voices", s.admin + "/livez", s.admin + "/metrics"} {
				if resp, err := http.Get(address); err != nil || resp.StatusCode != 200 {
					t.Errorf("GET %s without processes = %v, %v", address, resp, err)
				} else {
					_ = resp.Body.Close()
				}
			}
			if after := s.usage(s.key); after != before {
				t.Errorf("usage is %+v, and was %+v before what was refused", after, before)
			}
			t.Logf("refused after %v at most, %d threads", longest.Round(time.Millisecond), threads(t, s.cmd.Process.Pid))
			if got := s.readiness(503); got != 503 {
				t.Errorf("/readyz says %d, want 503", got)
			}
			disk.goOn()
			for range stuck {
				<-over
			}
			tt.give(t, s)
			if got := s.readiness(200); got != 200 {
				t.Errorf("/readyz says %d when there are processes again, want 200", got)
			}
			s.mustSpeak(map[string]any{"input": "Good morning."})
			s.stop()
			if text := s.log.String(); strings.Contains(text, "runtime:") || strings.Contains(text, "pthread_create") {
				t.Errorf("the runtime complains: %s", text)
			}
		})
	}
}

// hungDisk is where a server waits for the disk.
type hungDisk struct {
	address, file string
}

// hang puts something in the place of a preview that nobody can open until there is
// somebody at its other end, as it is with files of a disk that hangs.
func (s *server) hang() hungDisk {
	s.t.Helper()
	d := hungDisk{address: s.public + "/v1/voices/" + string(voice.DefaultVoice().ID) + "/preview"}
	resp, err := http.Get(d.address)
	if err != nil || resp.StatusCode != 200 {
		s.t.Fatalf("GET %s = %v, %v", d.address, resp, err)
	}
	_ = resp.Body.Close()
	files, err := filepath.Glob(filepath.Join(s.dir, deployment.Previews, "*"))
	if err != nil || len(files) != 1 {
		s.t.Fatalf("%d previews, %v, want one", len(files), err)
	}
	d.file = files[0]
	if err := errors.Join(os.Remove(d.file), unix.Mkfifo(d.file, 0o600)); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(d.goOn)
	return d
}

// goOn lets everybody go on who waits, and takes the hindrance away.
func (d hungDisk) goOn() {
	f, err := os.OpenFile(d.file, os.O_RDWR, 0)
	if err != nil {
		return // it has gone already
	}
	_ = os.Remove(d.file)
	_ = f.Close()
}

// readiness waits until /readyz answers with a status, and returns the last.
func (s *server) readiness(want int) (got int) {
	s.t.Helper()
	for deadline := time.Now().Add(time.Minute); got != want && time.Now().Before(deadline); {
		if resp, err := http.Get(s.admin + "/readyz"); err == nil {
			got = resp.StatusCode
			_ = resp.Body.Close()
		}
	}
	return got
}

// threads returns how many threads a process has.
func threads(t *testing.T, pid int) int {
	t.Helper()
	all, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		t.Error(err)
	}
	return len(all)
}

// TestServeWithoutRoom starts a server where it could not go on.
func TestServeWithoutRoom(t *testing.T) {
	t.Parallel()
	as := asStranger(t)
	cmd := exec.Command("vaak")
	as(cmd)
	cmd.Args = []string{"prlimit", "--nproc=30:", cmd.Path, "serve", "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--data-dir", t.TempDir()}
	cmd.Path, cmd.Err = exec.LookPath("prlimit")
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 1 ||
		!strings.HasPrefix(string(out), "vaak: the user may have 30 processes and threads") || strings.Count(string(out), "\n") != 1 {
		t.Errorf("serve with 30 processes = %v, %q; want 1 and one line that names the limit", err, out)
	}
}
