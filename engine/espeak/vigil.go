package espeak

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// How long an answer is waited for that there is room for.
const (
	// patience is after how long it is looked at who keeps it waiting, and again.
	patience = 250 * time.Millisecond
	// mostWork is how much time of a processor a child may use for one frame: the
	// longest text takes less than that in all.
	mostWork = time.Second
	// lastLook is how long a frame may take to come that was sent just before it was
	// found that nobody works on it.
	lastLook = 20 * time.Millisecond
)

var (
	errIdle    = errors.New("nobody works on the answer")
	errEndless = errors.New("the work on the answer does not end")
)

// vigil waits for the frames of a child and ends what does not work on them: the child,
// or the worker that has not made one. A machine that is busy is waited for. Nobody is
// told to work when there is no room for more, so a listener who does not read keeps no
// vigil.
type vigil struct {
	server  *forkServer
	conn    net.Conn
	child   int           // its process; 0 before it has said hello
	longest time.Duration // for one frame
}

// next reads the next frame.
func (v *vigil) next(r *frameReader) (frame, error) {
	var began time.Time
	var spent time.Duration
	for wait := patience; ; wait = patience {
		now := time.Now()
		if began.IsZero() {
			began = now
		}
		why := error(nil)
		if wait == patience && now.Sub(began) >= patience {
			if why = v.look(&spent, now.Sub(began)); why != nil {
				wait = lastLook
			}
		}
		if err := v.conn.SetReadDeadline(now.Add(wait)); err != nil {
			return frame{}, err
		}
		f, err := r.next()
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return f, err
		}
		if why != nil {
			v.end()
			return frame{}, why
		}
	}
}

// look finds out why nothing came for so long; nil is that somebody works. Spent is
// what the child had used of a processor when it was looked at first.
func (v *vigil) look(spent *time.Duration, waited time.Duration) error {
	if waited >= v.longest {
		return errEndless
	}
	if v.child == 0 {
		if v.server.works() {
			return nil
		}
		return errIdle
	}
	p, ok := look(v.child)
	if !ok || !p.works() {
		return errIdle
	}
	if *spent == 0 {
		*spent = p.spent
	}
	if p.spent-*spent > mostWork {
		return errEndless
	}
	return nil
}

// end ends who keeps the answer waiting. A worker ends the children whose connections
// are closed, but one that is stopped does not, and its children outlive it.
func (v *vigil) end() {
	if v.child == 0 {
		v.server.kill()
		return
	}
	if p, ok := look(v.child); ok && p.name == nameOf(v.server.path) {
		_ = unix.Kill(v.child, unix.SIGKILL) // it may have ended just now
	}
}

// nameOf returns how the system names the process of a program.
func nameOf(path string) string {
	name := filepath.Base(path)
	return name[:min(len(name), 15)]
}
