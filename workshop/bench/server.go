package main

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
)

// server is a running speech server, a process of its own.
type server struct {
	name   string
	addr   string       // host and port
	admin  string       // the same of the listener for operators, if it has one
	key    string       // of its callers, if it wants one
	format audio.Format // of its answers, complete
	header int          // bytes of an answer before the audio

	// request is the whole HTTP request that has a text spoken.
	request func(sample) []byte
	// requestIn, if set, is the request for an answer in another format.
	requestIn func(sample, audio.Codec) []byte
	// hasWorker says that utterances are children of a process that the server
	// has started, not of the server itself.
	hasWorker bool

	cmd *exec.Cmd
	log string // the file that has its standard error
}

// startTimeout is how long a server may take to say that it is ready.
const startTimeout = 30 * time.Second

// start runs the command and waits for its line "ready public=http://ADDRESS".
func (s *server) start(cmd *exec.Cmd, dir string) error {
	s.log = filepath.Join(dir, s.name+".log")
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
		return fmt.Errorf("start %s: %w", s.name, err)
	}
	s.cmd = cmd
	timer := time.AfterFunc(startTimeout, func() { _ = cmd.Process.Kill() }) // ends the read below
	defer timer.Stop()
	r := bufio.NewReader(stdout)
	line, err := r.ReadString('\n')
	if err == nil {
		s.addr, err = parseReady(line)
		s.admin = readyAddress(line, "admin")
	}
	if err != nil {
		_ = cmd.Process.Kill() // it did not start
		_ = cmd.Wait()
		return fmt.Errorf("%s did not become ready: %w\n%s", s.name, err, s.complaint())
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
func (s *server) complaint() string {
	b, err := os.ReadFile(s.log)
	if err != nil {
		return ""
	}
	return string(b[max(0, len(b)-2000):])
}

// stop ends the server and waits for it.
func (s *server) stop() {
	if s == nil || s.cmd == nil {
		return
	}
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	timer := time.AfterFunc(10*time.Second, func() { _ = s.cmd.Process.Kill() })
	defer timer.Stop()
	_ = s.cmd.Wait() // ended by a signal
}

func (s *server) pid() int { return s.cmd.Process.Pid }

// warmUp is a request that is answered at once and speaks nothing.
func (s *server) warmUp() []byte {
	return fmt.Appendf(nil, "GET /health HTTP/1.1\r\nHost: %s\r\n\r\n", s.addr)
}

// seconds returns how long so many bytes of audio sound, of a server whose
// samples have two bytes each.
func (s *server) seconds(bytes int64) float64 {
	return float64(bytes) / 2 / float64(s.format.SampleRate)
}

// in returns the server as one that answers in another format. It is the same
// process.
func (s *server) in(f audio.Format) *server {
	other := *s
	other.format, other.header = f, 0
	if f.Codec == audio.WAV {
		other.header = wavHeader
	}
	other.request = func(t sample) []byte { return s.requestIn(t, f.Codec) }
	return &other
}

// wavHeader is how many bytes of a WAV come before its samples.
const wavHeader = 44

// workers returns the processes that the server has fork utterances.
func (s *server) workers() ([]int, error) {
	if !s.hasWorker {
		return nil, nil
	}
	return children(s.pid())
}

// utterances returns the processes that speak at this moment.
func (s *server) utterances() ([]int, error) {
	if !s.hasWorker {
		return children(s.pid())
	}
	workers, err := s.workers()
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, w := range workers {
		found, err := children(w)
		if err != nil {
			return nil, err
		}
		pids = append(pids, found...)
	}
	return pids, nil
}

// reapedCPU is the processor time of the server, its workers, and all
// utterances that have ended. With none running it is all there is.
func (s *server) reapedCPU() (time.Duration, error) {
	workers, err := s.workers()
	if err != nil {
		return 0, err
	}
	total := time.Duration(0)
	for _, pid := range append(workers, s.pid()) {
		st, err := readStat(pid)
		if err != nil {
			return 0, err
		}
		total += st.own + st.reaped
	}
	return total, nil
}

// runningCPU is reapedCPU with the utterances that run at this moment. It looks
// again until none has ended between two looks.
func (s *server) runningCPU() (time.Duration, error) {
	for range 1000 {
		before, err := s.utterances()
		if err != nil {
			return 0, err
		}
		total, err := s.reapedCPU()
		if err != nil {
			return 0, err
		}
		var gone error
		for _, pid := range before {
			used, err := runTime(pid)
			gone = errors.Join(gone, err)
			total += used
		}
		after, err := s.utterances()
		if err != nil {
			return 0, err
		}
		if gone == nil && slices.Equal(before, after) {
			return total, nil
		}
	}
	return 0, fmt.Errorf("utterances of %s end too fast to take their processor time", s.name)
}

// waitIdle returns when the server speaks nothing.
func (s *server) waitIdle() error {
	deadline := time.Now().Add(patience)
	for {
		pids, err := s.utterances()
		if err != nil {
			return err
		}
		if len(pids) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s still speaks %d texts", s.name, len(pids))
		}
		nap(200 * time.Microsecond)
	}
}

// nap sleeps in the kernel: the runtime's own timers are too coarse for
// fractions of a millisecond on an idle machine.
func nap(d time.Duration) {
	t := unix.NsecToTimespec(int64(d))
	_ = unix.Nanosleep(&t, nil) // a signal that cuts it short does no harm
}

// command runs a program to its end and returns its one line of output.
func command(ctx context.Context, path string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, path, args...).Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("%s %s: %w: %s", filepath.Base(path), args[0], err, exit.Stderr)
	}
	return strings.TrimSpace(string(out)), err
}
