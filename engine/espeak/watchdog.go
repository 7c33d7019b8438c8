package espeak

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// How long to wait for a requested answer.
const (
	// checkInterval is how often the state of the processes is checked while nothing comes.
	checkInterval = 250 * time.Millisecond
	// maxWork is how much processor time a child may use for one frame. The longest text
	// takes less than that in all.
	maxWork = time.Second
	// graceTime is how long to wait after a process was found idle, for a frame that it sent
	// just before.
	graceTime = 20 * time.Millisecond
)

var (
	errIdle    = errors.New("nobody works on the answer")
	errEndless = errors.New("the work on the answer does not end")
)

// watchdog waits for the frames of a child, and kills a process that does not work on them:
// the child, or the worker if it has not made one. It does not kill when the machine is only
// busy. Nothing is requested while there is no room, so a listener who does not read does
// not start the watchdog.
type watchdog struct {
	server *forkServer
	conn   net.Conn
	child  int           // process id of the child; 0 before it greets
	stall  time.Duration // the most time for one frame
}

// next returns the next frame.
func (v *watchdog) next(r *frameReader) (frame, error) {
	var began time.Time
	var spent time.Duration
	for wait := checkInterval; ; wait = checkInterval {
		now := time.Now()
		if began.IsZero() {
			began = now
		}
		why := error(nil)
		// Before the first interval nothing is checked: most frames come within milliseconds.
		if wait == checkInterval && now.Sub(began) >= checkInterval {
			if why = v.check(&spent, now.Sub(began)); why != nil {
				wait = graceTime
			}
		}
		// Not from now: with many children the check takes longer than graceTime.
		if err := v.conn.SetReadDeadline(time.Now().Add(wait)); err != nil {
			return frame{}, err
		}
		f, err := r.next()
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return f, err
		}
		// Looked at twice: a process that a request has just woken was idle the first time, and on a
		// busy machine it may run only after graceTime.
		if why == nil || v.check(&spent, time.Since(began)) == nil || v.readable() {
			continue
		}
		v.end()
		return frame{}, why
	}
}

// readable reports whether there is something to read. A read after its deadline does not
// look, and on a busy machine this goroutine may run only then. A child that has sent its
// frame sleeps until the next demand, so it must not be killed for being idle.
func (v *watchdog) readable() (is bool) {
	c, ok := v.conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return false
	}
	_ = raw.Control(func(fd uintptr) { // fails only if the connection is closed
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		is = n > 0 && err == nil
	})
	return is
}

// check returns why the answer takes waited so long, or nil if a process works on it. spent
// is the processor time that the child had used at the first check.
func (v *watchdog) check(spent *time.Duration, waited time.Duration) error {
	if v.child == 0 {
		if !v.server.busy() {
			return errIdle
		}
	} else {
		p, ok := readProcess(v.child)
		if !ok || !p.busy() {
			return errIdle
		}
		if *spent == 0 {
			*spent = p.cpuTime
		}
		if p.cpuTime-*spent > maxWork {
			return errEndless
		}
	}
	// Last: on a busy machine the first check may come late, and a process that was stopped is lost,
	// whatever its text.
	if waited >= v.stall {
		return errEndless
	}
	return nil
}

// end kills the process that keeps the answer waiting. A worker ends children whose
// connections are closed, but a worker that is stopped cannot.
func (v *watchdog) end() {
	if v.child == 0 {
		v.server.kill()
		return
	}
	// Compare the name, because the process id may have been reused.
	if p, ok := readProcess(v.child); ok && p.name == nameOf(v.server.path) {
		_ = unix.Kill(v.child, unix.SIGKILL) // fails only if it has ended just now
	}
}

// nameOf returns the name that /proc shows for the process of a program: at most 15 bytes.
func nameOf(path string) string {
	name := filepath.Base(path)
	return name[:min(len(name), 15)]
}
