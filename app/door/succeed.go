package door

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Succession replaces a running server by a new process of this program.
type Succession struct {
	PID    int       // the running server
	Socket string    // of the supervisor, which hears the number of the new process; see [NotifySocket]
	Out    io.Writer // standard output of the new process
	Err    io.Writer // and its standard error
}

// Run starts the new process with the arguments of the running one and the environment of this
// one, waits until it serves, tells the supervisor, and asks the running one to end. It returns
// the number of the new process. After an error the new process is gone, and the running one
// goes on. Both processes must belong to the user of this one, unless that is root.
func (s Succession) Run(ctx context.Context) (pid int, err error) {
	command, err := s.command()
	if err != nil {
		return 0, err
	}
	dir, err := os.MkdirTemp("", "vaak-takeover-")
	if err != nil {
		return 0, fmt.Errorf("listen for the new process: %w", err)
	}
	defer os.RemoveAll(dir)
	socket := filepath.Join(dir, "notify")
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		return 0, fmt.Errorf("listen for the new process: %w", err)
	}
	defer l.Close()
	command.Env = append(os.Environ(), NotifySocket+"="+socket)
	if err := command.Start(); err != nil {
		return 0, fmt.Errorf("start the new process: %w", err)
	}
	ended := make(chan error, 1)
	go func() {
		ended <- command.Wait()
		_ = l.SetReadDeadline(time.Unix(1, 0)) // wakes the read below
	}()
	stop := context.AfterFunc(ctx, func() { _ = l.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	if err := awaitReady(l); err != nil {
		_ = command.Process.Kill()
		if wrong := <-ended; ctx.Err() == nil {
			err = wrong
		}
		return 0, fmt.Errorf("the new process did not serve, and the old one goes on: %w", errors.Join(ctx.Err(), err))
	}
	pid = command.Process.Pid
	// The supervisor hears of the new process before the old one ends. Otherwise it would take
	// the service for ended.
	if err := Notify(s.Socket, "MAINPID="+strconv.Itoa(pid)); err != nil {
		_ = command.Process.Kill()
		<-ended
		return 0, err
	}
	if err := syscall.Kill(s.PID, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return pid, fmt.Errorf("end process %d: %w", s.PID, err)
	}
	return pid, nil
}

// command returns the command of the new process.
func (s Succession) command() (*exec.Cmd, error) {
	proc := filepath.Join("/proc", strconv.Itoa(s.PID))
	line, err := os.ReadFile(filepath.Join(proc, "cmdline"))
	if err != nil {
		return nil, fmt.Errorf("read the arguments of process %d: %w", s.PID, err)
	}
	args := strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
	if !slices.Contains(args, "serve") {
		return nil, fmt.Errorf("process %d is no server: %.200q", s.PID, args)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	command := exec.Command(self, args[1:]...)
	command.Args[0] = args[0]
	// Arguments may have relative paths.
	if command.Dir, err = os.Readlink(filepath.Join(proc, "cwd")); err != nil {
		return nil, fmt.Errorf("find the directory of process %d: %w", s.PID, err)
	}
	command.Stdout, command.Stderr = s.Out, s.Err
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // what interrupts this process is not meant for the new one
	return command, nil
}

// awaitReady returns when the new process has said that it serves.
func awaitReady(l *net.UnixConn) error {
	for message := make([]byte, 4096); ; {
		n, err := l.Read(message)
		if err != nil {
			return err
		}
		if slices.Contains(strings.Split(string(message[:n]), "\n"), Ready) {
			return nil
		}
	}
}
