package worker

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Process is a worker, which is started again when it ends. It is safe for concurrent use.
type Process struct {
	command func() *exec.Cmd
	log     *slog.Logger
	dir     string
	path    string // of the socket
	// listener stays open while one worker is replaced by another: connections made meanwhile
	// wait for the new one.
	listener *net.UnixListener
	closing  atomic.Bool
	ended    chan struct{}
	restarts atomic.Int64
	failures atomic.Int64 // workers that have ended, or could not be started, since one answered

	mu   sync.Mutex
	pid  int
	stop func()
}

// Start starts a worker. command returns a new command that runs [Main].
func Start(command func() *exec.Cmd, log *slog.Logger) (*Process, error) {
	dir, err := os.MkdirTemp("", "vaak-onnx-")
	if err != nil {
		return nil, err
	}
	p := &Process{command: command, log: log, dir: dir, path: filepath.Join(dir, "jobs"), ended: make(chan struct{})}
	if p.listener, err = net.ListenUnix("unix", &net.UnixAddr{Name: p.path, Net: "unix"}); err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	wait, err := p.launch()
	if err != nil {
		return nil, errors.Join(err, p.listener.Close(), os.RemoveAll(dir))
	}
	go p.watch(wait)
	return p, nil
}

// launch starts a worker and returns what waits for its end.
func (p *Process) launch() (wait func() error, err error) {
	cmd := p.command()
	f, err := p.listener.File()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	cmd.ExtraFiles = []*os.File{f}
	// A pipe that is never written: the worker ends when it is closed, also by a server that
	// was killed.
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	cmd.Stderr = &firstLines{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt at a terminal is for the server, which drains
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the worker of neural voices: %w", err)
	}
	p.mu.Lock()
	p.pid, p.stop = cmd.Process.Pid, func() { _ = in.Close() }
	p.mu.Unlock()
	return func() error {
		err := cmd.Wait()
		if said := cmd.Stderr.(*firstLines).text(); said != "" {
			err = fmt.Errorf("%w: %s", err, said)
		}
		return err
	}, nil
}

// Pauses before another worker is started.
const (
	shortPause = 10 * time.Millisecond
	longPause  = 250 * time.Millisecond
)

// watch starts another worker whenever one ends.
func (p *Process) watch(wait func() error) {
	defer close(p.ended)
	pause := shortPause
	for {
		began := time.Now()
		err := wait()
		if p.closing.Load() {
			return
		}
		logFailure(p.log, err)
		p.restarts.Add(1)
		p.failures.Add(1)
		// One that ends again and again is started less and less often.
		if time.Since(began) > 5*time.Second {
			pause = shortPause
		}
		for {
			time.Sleep(pause)
			pause = min(2*pause, longPause)
			if wait, err = p.launch(); err == nil || p.closing.Load() {
				break
			}
			p.failures.Add(1)
			logFailure(p.log, err)
		}
		if p.closing.Load() {
			p.halt()
			if wait != nil {
				_ = wait()
			}
			return
		}
	}
}

// PID returns the id of the process that runs now.
func (p *Process) PID() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.pid
}

// Restarts returns how many workers have ended by themselves.
func (p *Process) Restarts() int64 { return p.restarts.Load() }

func (p *Process) halt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stop()
}

// grace is how long a worker may take to end.
const grace = 2 * time.Second

// Close ends the worker, and the jobs in it.
func (p *Process) Close() error {
	if p.closing.Swap(true) {
		return nil
	}
	p.halt()
	select {
	case <-p.ended:
	case <-time.After(grace):
		// It hangs, or was stopped.
		_ = syscall.Kill(p.PID(), syscall.SIGKILL)
		<-p.ended
	}
	return errors.Join(p.listener.Close(), os.RemoveAll(p.dir))
}

// firstLines keeps the beginning of what a worker writes when it fails.
type firstLines struct {
	mu   sync.Mutex
	kept []byte
}

const mostLines = 2048

func (f *firstLines) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.kept = append(f.kept, p[:min(len(p), mostLines-len(f.kept))]...)
	return len(p), nil
}

func (f *firstLines) text() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return string(f.kept)
}

// ErrLost is the error of a job whose worker has ended. It may be tried again.
var ErrLost = errors.New("the worker of neural voices has ended")

// Refusal is the error of a worker that cannot do a job.
type Refusal struct {
	Reason string
	Bad    bool // the model is to blame, not the machine
}

func (r *Refusal) Error() string { return r.Reason }

// ErrDown is the error of a job when no worker answers, although one should run.
var ErrDown = errors.New("no worker of neural voices answers")

// patience is how long a worker may take to answer that it is there. One that was just started
// opens the library first, which takes a second on a busy machine.
const patience = 10 * time.Second

// mostFailures is how many workers may end in a row without an answer, before jobs wait only a
// second for the next.
const mostFailures = 3

// glance is how often a waiting job looks whether workers fail.
const glance = 200 * time.Millisecond

// Version returns the version of ONNX Runtime, or why there is none.
func (p *Process) Version(ctx context.Context) (string, error) {
	t, err := p.dial(ctx, Job{})
	if err != nil {
		return "", err
	}
	defer t.Close()
	return t.first.Version, nil
}

// Facts loads the model of a job and returns what it is like.
func (p *Process) Facts(ctx context.Context, j Job) (Facts, error) {
	j.IDs = nil
	t, err := p.dial(ctx, j)
	if err != nil {
		return Facts{}, err
	}
	defer t.Close()
	return t.first.Facts, nil
}

// Take is a job under way.
type Take struct {
	conn  net.Conn
	x     exchange
	first reply
	stop  func() bool
	busy  time.Duration
	pcm   []int16
}

// Do begins a job. The result must be closed. Its error is [ErrLost], [ErrDown], a *[Refusal], or
// the cause of ctx.
func (p *Process) Do(ctx context.Context, j Job) (*Take, error) { return p.dial(ctx, j) }

func (p *Process) dial(ctx context.Context, j Job) (*Take, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", p.path)
	if err != nil {
		return nil, lost(ctx, err)
	}
	t := &Take{conn: conn, x: newExchange(conn)}
	// The caller does not wait for the worker: that ends the computation by itself.
	t.stop = context.AfterFunc(ctx, func() { _ = conn.Close() })
	if err := t.x.enc.Encode(j); err != nil {
		t.Close()
		return nil, lost(ctx, err)
	}
	if err = p.meet(ctx, conn); err == nil {
		t.first, err = t.next(ctx)
	}
	if err != nil {
		t.Close()
		return nil, err
	}
	return t, nil
}

// meet waits until a worker has the job.
func (p *Process) meet(ctx context.Context, conn net.Conn) error {
	began := time.Now()
	for {
		if err := conn.SetReadDeadline(time.Now().Add(glance)); err != nil {
			return lost(ctx, err)
		}
		var hello [1]byte
		_, err := conn.Read(hello[:])
		waited := time.Since(began)
		switch {
		case err == nil:
			p.failures.Store(0)
			return conn.SetReadDeadline(time.Time{})
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return lost(ctx, err)
		case waited > patience || waited > time.Second && p.failures.Load() >= mostFailures:
			return fmt.Errorf("%w within %v", ErrDown, waited.Round(time.Second))
		}
	}
}

// lost returns the error of a connection that has failed.
func lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("%w: %w", ErrLost, err)
}

func (t *Take) next(ctx context.Context) (r reply, err error) {
	if err := t.x.dec.Decode(&r); err != nil {
		return r, lost(ctx, err)
	}
	t.busy += r.Busy
	if r.Err != "" {
		return r, &Refusal{r.Err, r.Bad}
	}
	return r, nil
}

// Ends returns, for each id, the sample at which its sound ends.
func (t *Take) Ends() []int { return t.first.Ends }

// Busy returns how long the worker has computed so far.
func (t *Take) Busy() time.Duration { return t.busy }

// Chunk is a part of the sound of a job.
type Chunk struct {
	Before, After bool    // it is sound before the body, or behind it
	PCM           []int16 // valid until the next chunk
}

// Chunk returns the next chunk; ok is false after the last one.
func (t *Take) Chunk(ctx context.Context) (c Chunk, ok bool, err error) {
	if err := t.x.enc.Encode(demand{}); err != nil {
		return c, false, lost(ctx, err)
	}
	r, err := t.next(ctx)
	if err != nil || r.Done {
		return c, false, err
	}
	t.pcm = t.pcm[:0]
	for i := 0; i+1 < len(r.PCM); i += 2 {
		t.pcm = append(t.pcm, int16(binary.LittleEndian.Uint16(r.PCM[i:])))
	}
	return Chunk{Before: r.Part == lead, After: r.Part == trail, PCM: t.pcm}, true, nil
}

// Close ends the job.
func (t *Take) Close() {
	t.stop()
	_ = t.conn.Close()
}
