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

// forkServer keeps one worker process alive, which has loaded a voice if it was
// given one and then speaks with no other. The listening socket belongs to
// this process and is handed to each worker in turn, so a connection made
// while a worker is being replaced waits for its successor.
type forkServer struct {
	program
	voice      string // "" is any
	listener   *net.UnixListener
	socket     *os.File // the listener, as workers inherit it
	sampleRate int
	version    string
	stop       chan struct{} // closed by close
	stopped    chan struct{} // closed when the supervisor has returned
	down       atomic.Bool   // the worker has ended, and the last attempt to start another failed

	mu  sync.Mutex
	cmd *exec.Cmd // the running worker
}

// program is how a worker is started.
type program struct {
	path, data string
	log        *slog.Logger
}

// startTimeout bounds the time a worker takes to say that it is ready; it
// takes about 10 ms.
const startTimeout = 5 * time.Second

// endTimeout bounds the time that one takes to end.
const endTimeout = time.Second

// start starts a worker and the goroutine that replaces it when it dies.
func (p program) start(voice string) (*forkServer, error) {
	s := &forkServer{program: p, voice: voice, stop: make(chan struct{}), stopped: make(chan struct{})}
	// The abstract namespace leaves no file behind; the worker serves only
	// connections of its own user.
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
	return s, nil
}

// worker is one process of the fork server.
type worker struct {
	cmd        *exec.Cmd
	life       io.Closer // closing it ends the process
	sampleRate int
	version    string
}

func (s *forkServer) spawn() (*worker, error) {
	cmd := exec.Command(s.path, s.data, s.voice)
	cmd.ExtraFiles = []*os.File{s.socket}
	cmd.Env = []string{"LC_ALL=C.UTF-8", "PATH=/usr/bin:/bin"} // results must not depend on ours
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

// supervise waits for the worker's end and starts the next, at once the first
// time and with growing pauses while it keeps failing.
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
			hangs := time.AfterFunc(endTimeout, s.kill)
			<-died
			hangs.Stop()
			return
		}
		s.log.Warn("espeak worker ended; starting another", "state", w.cmd.ProcessState.String())
		_ = w.life.Close()
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
			s.turnAway()
		}
	}
}

// turnAway closes the connections that wait for a worker which did not start: the
// kernel would keep them until one does. The socket blocks, as workers want it, so
// it is asked first whether there are any.
func (s *forkServer) turnAway() {
	conn, err := s.listener.SyscallConn()
	if err != nil {
		return // it is closed
	}
	_ = conn.Control(func(fd uintptr) { // as above
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

// dial connects to the worker, also to one that is just being replaced, but not
// when the last one did not start.
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

// works reports whether the worker, or one of its children, is busy: it may just be
// their turn on this machine.
func (s *forkServer) works() bool {
	pid := s.pid()
	for _, pid := range append(childrenOf(pid), pid) {
		if p, ok := look(pid); ok && p.works() {
			return true
		}
	}
	return false
}

// kill ends the worker, which is replaced.
func (s *forkServer) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.cmd.Process.Kill() // it may have ended by itself
}

// close ends the worker and waits for it.
func (s *forkServer) close() error {
	close(s.stop)
	<-s.stopped
	return errors.Join(s.socket.Close(), s.listener.Close())
}
