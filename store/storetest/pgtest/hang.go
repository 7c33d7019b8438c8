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
	text, err := os.ReadFile(filepath.Join(c.data(), "postmaster.pid"))
	if err != nil {
		return err
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	first, err := strconv.Atoi(string(line))
	if err != nil {
		return fmt.Errorf("postmaster.pid: %w", err)
	}
	if err := syscall.Kill(first, sig); err != nil {
		return err
	}
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", first))
	for _, list := range lists {
		text, rerr := os.ReadFile(list)
		err = errors.Join(err, rerr)
		for _, field := range strings.Fields(string(text)) {
			if pid, perr := strconv.Atoi(field); perr == nil {
				_ = syscall.Kill(pid, sig) // it may have ended
			}
		}
	}
	return err
}
