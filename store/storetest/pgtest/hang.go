package pgtest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Hang suspends every process of the server, so that connections stay open and nothing answers,
// until [Cluster.Resume] is called or the test ends.
func (c *Cluster) Hang(t testing.TB) error {
	t.Helper()
	t.Cleanup(func() { _ = c.Resume() }) // it may have been stopped since
	return c.signal(syscall.SIGSTOP)
}

// Resume continues the processes that [Cluster.Hang] has suspended.
func (c *Cluster) Resume() error { return c.signal(syscall.SIGCONT) }

// signal sends a signal to the first process, which starts the others, and then to the others.
func (c *Cluster) signal(sig syscall.Signal) error {
	first, err := c.first()
	if err != nil {
		return err
	}
	if err := syscall.Kill(first, sig); err != nil {
		return err
	}
	others, err := started(first)
	for _, pid := range others {
		_ = syscall.Kill(pid, sig) // it may have ended
	}
	return err
}

// first returns the number of the process that starts the others.
func (c *Cluster) first() (int, error) {
	text, err := os.ReadFile(filepath.Join(c.data(), "postmaster.pid"))
	if err != nil {
		return 0, err
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	first, err := strconv.Atoi(string(line))
	if err != nil {
		return 0, fmt.Errorf("postmaster.pid: %w", err)
	}
	return first, nil
}

// started returns the numbers of the processes that a process has started.
func started(first int) (pids []int, err error) {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", first))
	for _, list := range lists {
		text, rerr := os.ReadFile(list)
		err = errors.Join(err, rerr)
		for _, field := range strings.Fields(string(text)) {
			if pid, perr := strconv.Atoi(field); perr == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids, err
}
