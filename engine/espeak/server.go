package espeak

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// forkServer keeps one worker process alive. A worker that was given a voice has loaded it
// and speaks with no other. The listening socket belongs to this process and every worker
// inherits it, so a connection made while a worker is replaced waits for the next one.
type forkServer struct {
	program
	voice      string // "" if the worker speaks with any voice
	listener   *net.UnixListener
	socket     *os.File // a duplicate of the listener, for workers to inherit
	sampleRate int
	version    string
	stop       chan struct{} // closed by close
	stopped    chan struct{} // closed when supervise has returned
	down       atomic.Bool   // the worker has ended and the last attempt to start another failed
	spares     spares

	mu  sync.Mutex // guards cmd
	cmd *exec.Cmd  // the running worker
}

// program tells how to start a worker.
type program struct {
	path, data string
	log        *slog.Logger
}

// startTimeout is how long a worker may take to report that it is ready. It takes about
// 10 ms.
const startTimeout = 5 * time.Second

// endTimeout is how long a worker may take to end.
const endTimeout = time.Second

// start starts a worker, and the goroutine that replaces it when it ends.
func (p program) start(voice string) (*forkServer, error) {
	s := &forkServer{program: p, voice: voice, stop: make(chan struct{}), stopped: make(chan struct{})}
	// An abstract socket leaves no file behind. It has no permissions, but the worker
	// checks that a client belongs to its own user.
	name := "@vaak-espeak-" + rand.Text()
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: name, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("listen for the espeak worker: %w", err)
	}
	s.listener = l
	if s.socket, err = l.File(); err != nil {
		_ = l.Close() // the other error is the one to tell
		return nil, fmt.Errorf("share the espeak worker's socket: %w", err)
	}
	w, err := s.spawn()
	if err != nil {
		_ = l.Close()
		_ = s.socket.Close()
		return nil, err
	}
	s.sampleRate, s.version = w.sampleRate, w.version
	go s.supervise(w)
	s.prepare()
	return s, nil
}

// worker is one process of a fork server.
type worker struct {
	cmd        *exec.Cmd
	life       io.Closer // its standard input; the process ends when it is closed
	sampleRate int
	version    string
}

func (s *forkServer) spawn() (*worker, error) {
	cmd := exec.Command(s.path, s.data, s.voice)
	cmd.ExtraFiles = []*os.File{s.socket}
	cmd.Env = []string{"LC_ALL=C.UTF-8", "PATH=/usr/bin:/bin"} // results must not depend on this process's environment
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	life, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start espeak worker: %w", err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start espeak worker: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start espeak worker: %w", err)
	}
	s.mu.Lock()
	s.cmd = cmd
	s.mu.Unlock()
	w := &worker{cmd: cmd, life: life}
	timer := time.AfterFunc(startTimeout, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	// The worker prints this line once it accepts connections.
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err == nil {
		_, err = fmt.Sscanf(line, "ready %d %s", &w.sampleRate, &w.version)
	}
	if err != nil {
		_ = life.Close()
		_ = cmd.Wait()
		return nil, fmt.Errorf("espeak worker %s did not start: %v: %s", s.path, err, strings.TrimSpace(stderr.String()))
	}
	return w, nil
}

// supervise waits for the worker to end and starts the next one: immediately at first, and
// with growing pauses while that fails or workers end soon.
func (s *forkServer) supervise(w *worker) {
	defer close(s.stopped)
	const shortest, longest = 10 * time.Millisecond, time.Second
	pause := time.Duration(0)
	for {
		began := time.Now()
		died := make(chan struct{})
		go func() { _ = w.cmd.Wait(); close(died) }()
		select {
		case <-died:
		case <-s.stop:
			_ = w.life.Close()
			hangs := time.AfterFunc(endTimeout, s.kill) // a stopped worker does not notice its closed input
			<-died
			hangs.Stop()
			return
		}
		s.log.Warn("espeak worker ended; starting another", "state", w.cmd.ProcessState.String())
		_ = w.life.Close() // the worker has ended, so only the descriptor is left to free
		// This worker has run well for a while, so its successor need not wait.
		if time.Since(began) > 10*time.Second {
			pause = 0
		}
		for {
			if !s.sleep(pause) {
				return
			}
			pause = min(max(2*pause, shortest), longest)
			next, err := s.spawn()
			s.down.Store(err != nil)
			if err == nil {
				w = next
				break
			}
			s.log.Error("espeak worker does not start", "error", err)
			s.rejectWaiting()
		}
	}
}

// rejectWaiting closes the connections that wait for a worker that did not start. Otherwise
// the kernel would keep them until one does. The socket may be in blocking mode: File sets
// that, and only a worker that starts changes it. So poll tells first whether there are any.
func (s *forkServer) rejectWaiting() {
	conn, err := s.listener.SyscallConn()
	if err != nil {
		return // the listener is closed
	}
	_ = conn.Control(func(fd uintptr) { // fails only if the listener is closed
		waits := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		for {
			if n, err := unix.Poll(waits, 0); n < 1 || err != nil {
				return
			}
			one, _, err := unix.Accept4(int(fd), unix.SOCK_CLOEXEC)
			if err != nil {
				return
			}
			_ = unix.Close(one)
		}
	})
}

// sleep reports whether d passed before the server was stopped.
func (s *forkServer) sleep(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-s.stop:
		return false
	}
}

// dial connects to the worker. If it is being replaced, the connection waits for the next
// one, unless the last one did not start.
func (s *forkServer) dial(ctx context.Context) (*net.UnixConn, error) {
	if s.down.Load() {
		return nil, errors.New("it does not start")
	}
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", s.listener.Addr().String())
	if err != nil {
		return nil, err
	}
	return c.(*net.UnixConn), nil
}

// pid returns the process id of the running worker.
func (s *forkServer) pid() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cmd.Process.Pid
}

// busy reports whether the worker or one of its children is busy. Then a slow answer means
// only that the machine is loaded.
func (s *forkServer) busy() bool {
	pid := s.pid()
	// The worker first: if it sleeps, it has made the children of all connections, so
	// they are in the list that is read next.
	if p, ok := readProcess(pid); ok && p.busy() {
		return true
	}
	for _, pid := range childrenOf(pid) {
		if p, ok := readProcess(pid); ok && p.busy() {
			return true
		}
	}
	return false
}

// kill kills the worker, which is then replaced.
func (s *forkServer) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.cmd.Process.Kill() // fails only if it has ended
}

// close stops the worker and waits until it has ended.
func (s *forkServer) close() error {
	s.spares.close()
	close(s.stop)
	<-s.stopped
	return errors.Join(s.socket.Close(), s.listener.Close())
}
