package door

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// unsent is how many bytes of a connection may wait in the kernel to be sent: 1.4 s of
// pcm, 4 s of mp3. Without a bound the kernel would buffer minutes of audio, which the
// server would have to make long before a listener needs it.
const unsent = 64 << 10

// Take listens on an address. When the address is in use and neighbour reports that it is
// a server of the same database that listens there, Take shares the address with it:
// that is how a new process takes over from an old one.
func Take(ctx context.Context, address string, neighbour func() (bool, error)) (l net.Listener, shared bool, err error) {
	var config net.ListenConfig
	config.SetMultipathTCP(false) // its listeners do not hand options on to connections
	l, err = config.Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		if there, nerr := neighbour(); nerr != nil || !there {
			return nil, false, errors.Join(err, nerr)
		}
		config.Control = func(_, _ string, conn syscall.RawConn) error {
			return setOption(conn, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
		}
		l, err = config.Listen(ctx, "tcp", address)
		shared = true
	}
	if err != nil {
		return nil, false, err
	}
	if err := prepare(l); err != nil {
		return nil, false, errors.Join(err, l.Close())
	}
	return l, shared, nil
}

// prepare sets the options of a listener. SO_REUSEPORT comes after the address was taken.
// Set before, it would let two servers that know nothing of each other share the address.
func prepare(l net.Listener) error {
	conn, err := l.(*net.TCPListener).SyscallConn()
	if err != nil {
		return err
	}
	return errors.Join(
		setOption(conn, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1),
		setOption(conn, unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, unsent)) // connections inherit it
}

func setOption(conn syscall.RawConn, level, option, value int) (failed error) {
	err := conn.Control(func(fd uintptr) { failed = unix.SetsockoptInt(int(fd), level, option, value) })
	return errors.Join(err, failed)
}

// GiveWay leaves new connections to the process that takes over, and waits until those
// that came before have been accepted.
func GiveWay(ctx context.Context, log *slog.Logger, at ...net.Listener) {
	for _, l := range at {
		if err := yield(l); err != nil {
			log.Warn("connections may be lost to the process that takes over", "error", err)
		}
	}
	select {
	case <-time.After(settle):
	case <-ctx.Done():
	}
	// On a busy machine some still wait in the queues, and when processes follow each other fast the
	// kernel may give this one more.
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for until := time.Now().Add(queueLimit); time.Now().Before(until) && slices.ContainsFunc(at, queued); {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// queueLimit is how long [GiveWay] waits for queues that do not become empty.
const queueLimit = 2 * time.Second

// queued reports whether connections wait to be accepted.
func queued(l net.Listener) (some bool) {
	conn, err := l.(*net.TCPListener).SyscallConn()
	if err != nil {
		return false
	}
	err = conn.Control(func(fd uintptr) {
		// Of a socket that listens the kernel tells the length of its queue here.
		info, err := unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO)
		some = err == nil && info.Unacked > 0
	})
	return some && err == nil
}

// yield asks the kernel to give new connections to the process that came to the
// address last, so that none waits for this one when it closes its listener:
// those would be reset. Without another process it changes nothing.
func yield(l net.Listener) error {
	conn, err := l.(*net.TCPListener).SyscallConn()
	if err != nil {
		return err
	}
	// The program that is attached returns the number of the socket that gets the next
	// connection. The kernel numbers the sockets at an address in the order in which they
	// came, so 1 is the second; a number without a socket leaves the choice to the kernel.
	next := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: 1}
	var failed error
	err = conn.Control(func(fd uintptr) {
		failed = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_REUSEPORT_CBPF, &unix.SockFprog{Len: 1, Filter: &next})
	})
	return errors.Join(err, failed)
}
