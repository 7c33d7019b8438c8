package server

import (
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Settled waits until no stream has gone on to the next part of its text, and
// so to another process, for two seconds.
func (s *Server) Settled() error {
	var last []int
	for since, began := time.Now(), time.Now(); time.Since(since) < 2*time.Second; Nap(100 * time.Millisecond) {
		now, err := s.Utterances()
		if err != nil {
			return err
		}
		slices.Sort(now)
		if !slices.Equal(now, last) {
			last, since = now, time.Now()
		}
		if time.Since(began) > time.Minute {
			return errors.New("streams do not settle")
		}
	}
	return nil
}

// process is a process by its descriptor, which no later one can take over.
type process int

// Newcomer returns a process that speaks and is not among the others, or none.
// Its descriptor belongs to the caller.
func (s *Server) Newcomer(others []int) (process, error) {
	now, err := s.Utterances()
	if err != nil {
		return None, err
	}
	for _, pid := range now {
		if slices.Contains(others, pid) {
			continue
		}
		fd, err := unix.PidfdOpen(pid, 0)
		if errors.Is(err, unix.ESRCH) {
			continue
		}
		if err != nil {
			return None, fmt.Errorf("pidfd of %d: %w", pid, err)
		}
		return process(fd), nil
	}
	return None, nil
}

// Await returns when the process has ended, whether or not its parent knows
// it yet, and closes its descriptor.
func (p process) Await() error {
	defer unix.Close(int(p))
	fds := []unix.PollFd{{Fd: int32(p), Events: unix.POLLIN}}
	for {
		n, err := unix.Poll(fds, int(Patience.Milliseconds()))
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err == nil && n == 0 {
			err = errors.New("a process speaks on after its client has left")
		}
		return err
	}
}

func (s *Server) KillWorkers() error {
	workers, err := s.workers()
	if err != nil {
		return err
	}
	if len(workers) == 0 {
		return errors.New("there is no worker to kill")
	}
	for _, pid := range workers {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			return fmt.Errorf("kill the worker: %w", err)
		}
	}
	return nil
}

// None is no process.
const None process = -1
