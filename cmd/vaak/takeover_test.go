package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"vaak/app/door"
)

// takeover runs the command with a supervisor, and returns what it printed, what the supervisor heard,
// and how it ended.
func (s *server) takeover() (out, heard string, err error) {
	s.t.Helper()
	socket := filepath.Join(s.t.TempDir(), "notify")
	supervisor, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		s.t.Fatal(err)
	}
	defer supervisor.Close()
	// A file, not a pipe: the new server goes on writing when the command has ended.
	printed, err := os.Create(filepath.Join(s.t.TempDir(), "out"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer printed.Close()
	cmd := exec.CommandContext(s.t.Context(), "vaak", "takeover", strconv.Itoa(s.cmd.Process.Pid))
	cmd.Env = append(s.env, door.NotifySocket+"="+socket)
	cmd.Stdout, cmd.Stderr = printed, printed
	err = cmd.Run()
	b, wrong := os.ReadFile(printed.Name())
	if wrong != nil {
		s.t.Fatal(wrong)
	}
	// What the command sent is there when it has ended. A deadline that is over would not even read that.
	if err := supervisor.SetReadDeadline(time.Now().Add(250 * time.Millisecond)); err != nil {
		s.t.Fatal(err)
	}
	message := make([]byte, 100)
	n, _ := supervisor.Read(message) // 0 when it heard nothing
	return string(b), string(message[:n]), err
}

func TestTakeover(t *testing.T) {
	t.Parallel()
	first := start(t)
	s := first.successor() // knows its port
	first.stop()
	out, heard, err := s.takeover()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var pid int
	if _, err := fmt.Sscanf(heard, "MAINPID=%d", &pid); err != nil || pid == s.cmd.Process.Pid {
		t.Fatalf("the supervisor heard %q after process %d", heard, s.cmd.Process.Pid)
	}
	defer func() { _ = syscall.Kill(pid, syscall.SIGKILL) }() // it may have ended
	<-s.done
	if s.err != nil {
		t.Errorf("the old server: %v; log: %s", s.err, s.log)
	}
	s.mustSpeak(map[string]any{"input": "Hello."})
	if !strings.Contains(out, "ready public="+s.public) {
		t.Errorf("the new server says %q, and the address is %s", out, s.public)
	}
}

func TestTakeoverThatFailsLeavesTheServer(t *testing.T) {
	t.Parallel()
	first := start(t)
	s := first.successor()
	first.stop()
	s.env = append(s.env, "VAAK_ANSWER_BYTES=1")
	out, heard, err := s.takeover()
	if err == nil || heard != "" || !strings.Contains(out, "answer-bytes") || !strings.Contains(out, "the old one goes on") {
		t.Errorf("err %v, the supervisor heard %q: %s", err, heard, out)
	}
	s.mustSpeak(map[string]any{"input": "Hello."})
	s.stop()
}
