// Package server starts the servers that are compared, Vaak and the naive one, and reads
// from the system what their processes use.
package server

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"vaak/audio"
	"vaak/workshop/bench/corpus"
)

// Server is a running speech server, a process of its own.
type Server struct {
	Name   string
	Addr   string       // host and port
	admin  string       // the same of the listener for operators, if it has one
	Pages  string       // the same of the console, if it has one
	Key    string       // of its callers, if it wants one
	Format audio.Format // of its answers, complete
	Header int          // bytes of an answer before the audio

	// Request is the whole HTTP request that has a text spoken.
	Request func(corpus.Sample) []byte
	// requestIn, if set, is the request for an answer in another format.
	requestIn func(corpus.Sample, audio.Codec) []byte
	// HasWorker says that utterances are children of a process that the server
	// has started, not of the server itself.
	HasWorker bool

	Cmd *exec.Cmd
	log string // the file that has its standard error
}

// startTimeout is how long a server may take to say that it is ready.
const startTimeout = 30 * time.Second

// Start runs the command and waits for its line "ready public=http://ADDRESS".
func (s *Server) Start(cmd *exec.Cmd, dir string) error {
	s.log = filepath.Join(dir, s.Name+".log")
	stderr, err := os.Create(s.log)
	if err != nil {
		return err
	}
	defer stderr.Close() // the process has its own copy
	cmd.Stderr = stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", s.Name, err)
	}
	s.Cmd = cmd
	timer := time.AfterFunc(startTimeout, func() { _ = cmd.Process.Kill() }) // ends the read below
	defer timer.Stop()
	r := bufio.NewReader(stdout)
	line, err := r.ReadString('\n')
	if err == nil {
		s.Addr, err = parseReady(line)
		s.admin = readyAddress(line, "admin")
		s.Pages = readyAddress(line, "console")
	}
	if err != nil {
		_ = cmd.Process.Kill() // it did not start
		_ = cmd.Wait()
		return fmt.Errorf("%s did not become ready: %w\n%s", s.Name, err, s.complaint())
	}
	go func() { _, _ = io.Copy(io.Discard, r) }() // ends with the process
	return nil
}

// parseReady returns the address of a line "ready public=http://ADDRESS ...".
func parseReady(line string) (string, error) {
	if addr := readyAddress(line, "public"); addr != "" && strings.HasPrefix(line, "ready ") {
		return addr, nil
	}
	return "", fmt.Errorf("it said %q", strings.TrimSpace(line))
}

// readyAddress returns the address of a listener, or "".
func readyAddress(line, listener string) string {
	for f := range strings.FieldsSeq(line) {
		if addr, ok := strings.CutPrefix(f, listener+"=http://"); ok {
			return addr
		}
	}
	return ""
}

// complaint returns the end of what the server wrote to its standard error.
func (s *Server) complaint() string {
	b, err := os.ReadFile(s.log)
	if err != nil {
		return ""
	}
	return string(b[max(0, len(b)-2000):])
}

// Stop ends the server and waits for it.
func (s *Server) Stop() {
	if s == nil || s.Cmd == nil {
		return
	}
	_ = s.Cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	timer := time.AfterFunc(10*time.Second, func() { _ = s.Cmd.Process.Kill() })
	defer timer.Stop()
	_ = s.Cmd.Wait() // ended by a signal
}

func (s *Server) Pid() int { return s.Cmd.Process.Pid }

// ProcessTime is the user and system time of the server process alone, to the nanosecond.
func (s *Server) ProcessTime() (time.Duration, error) {
	// The clock of another process, as clock_getcpuclockid(3) makes it of its id.
	clock := ^int32(s.Pid())<<3 | 2
	var t unix.Timespec
	if err := unix.ClockGettime(clock, &t); err != nil {
		return 0, fmt.Errorf("clock of process %d: %w", s.Pid(), err)
	}
	return time.Duration(t.Nano()), nil
}

// WarmUp is a request that is answered at once and speaks nothing.
func (s *Server) WarmUp() []byte {
	return fmt.Appendf(nil, "GET /health HTTP/1.1\r\nHost: %s\r\n\r\n", s.Addr)
}

// Seconds returns how long so many bytes of audio sound, of a server whose
// samples have two bytes each.
func (s *Server) Seconds(bytes int64) float64 {
	return float64(bytes) / 2 / float64(s.Format.SampleRate)
}

// In returns the server as one that answers in another format. It is the same
// process.
func (s *Server) In(f audio.Format) *Server {
	other := *s
	other.Format, other.Header = f, 0
	if f.Codec == audio.WAV {
		other.Header = WavHeader
	}
	other.Request = func(t corpus.Sample) []byte { return s.requestIn(t, f.Codec) }
	return &other
}

// WavHeader is how many bytes of a WAV come before its samples.
const WavHeader = 44

// workers returns the processes that the server has fork utterances.
func (s *Server) workers() ([]int, error) {
	if !s.HasWorker {
		return nil, nil
	}
	return children(s.Pid())
}

// Utterances returns the processes that speak at this moment.
func (s *Server) Utterances() ([]int, error) {
	speak, _, err := s.forked()
	return speak, err
}

// idleName is the name of a child of a worker that waits for something to speak; see
// engine/espeak/worker/protocol.h.
const idleName = "vaak-idle-child"

// forked returns the processes that speak, and those that wait for something to speak.
func (s *Server) forked() (speak, wait []int, err error) {
	if !s.HasWorker {
		speak, err = children(s.Pid())
		return speak, nil, err
	}
	workers, err := s.workers()
	if err != nil {
		return nil, nil, err
	}
	for _, w := range workers {
		found, err := children(w)
		if err != nil {
			return nil, nil, err
		}
		for _, pid := range found {
			if st, err := ReadStat(pid); err == nil && st.comm == idleName {
				wait = append(wait, pid)
			} else {
				speak = append(speak, pid)
			}
		}
	}
	return speak, wait, nil
}

// ReapedCPU is the processor time of the server, its workers, and all
// utterances that have ended. With none running it is all there is.
func (s *Server) ReapedCPU() (time.Duration, error) {
	workers, err := s.workers()
	if err != nil {
		return 0, err
	}
	total := time.Duration(0)
	for _, pid := range append(workers, s.Pid()) {
		st, err := ReadStat(pid)
		if err != nil {
			return 0, err
		}
		total += st.Own + st.reaped
	}
	return total, nil
}

// RunningCPU is reapedCPU with the utterances that run at this moment. It looks
// again until none has ended between two looks.
func (s *Server) RunningCPU() (time.Duration, error) {
	for range 1000 {
		before, err := s.Utterances()
		if err != nil {
			return 0, err
		}
		total, err := s.ReapedCPU()
		if err != nil {
			return 0, err
		}
		var gone error
		for _, pid := range before {
			used, err := runTime(pid)
			gone = errors.Join(gone, err)
			total += used
		}
		after, err := s.Utterances()
		if err != nil {
			return 0, err
		}
		if gone == nil && slices.Equal(before, after) {
			return total, nil
		}
	}
	return 0, fmt.Errorf("utterances of %s end too fast to take their processor time", s.Name)
}

// WaitIdle returns when the server speaks nothing.
func (s *Server) WaitIdle() error {
	deadline := time.Now().Add(Patience)
	for {
		pids, err := s.Utterances()
		if err != nil {
			return err
		}
		if len(pids) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s still speaks %d texts", s.Name, len(pids))
		}
		Nap(200 * time.Microsecond)
	}
}

// Nap sleeps in the kernel: the runtime's own timers are too coarse for
// fractions of a millisecond on an idle machine.
func Nap(d time.Duration) {
	t := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&t, nil) // a signal that cuts it short does no harm
}

// Command runs a program to its end and returns its one line of output.
func Command(ctx context.Context, path string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, path, args...).Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("%s %s: %w: %s", filepath.Base(path), args[0], err, exit.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}

// Pause waits, but not longer than the context lives.
func Pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// Patience is how long a server may say nothing.
const Patience = 60 * time.Second
