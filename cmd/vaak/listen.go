package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"vaak/store"
)

// unsent is how many bytes of a connection may wait in the kernel to be sent:
// 1.4 s of pcm, 4 s of mp3. Without a bound the kernel takes minutes of audio off
// the server's hands, which has to be made before anybody needs it.
const unsent = 64 << 10

// listeners are where a server is found.
type listeners struct {
	public, admin net.Listener
	console       net.Listener // nil without a console
	tls           *tls.Config  // of the public one and the console; nil is plain HTTP
	shared        bool         // another server was at the public address before
}

// all lists them.
func (l listeners) all() []net.Listener {
	return slices.DeleteFunc([]net.Listener{l.public, l.admin, l.console}, func(one net.Listener) bool { return one == nil })
}

// close closes all. In a server that drained they are closed already.
func (l listeners) close() {
	for _, one := range l.all() {
		_ = one.Close()
	}
}

// listen takes all addresses. One that is taken may be shared with a server of
// the same database that listens there, which is how a new process takes over
// from an old one; with anything else it may not.
func (c serveCommand) listen(ctx context.Context, db *store.Store, log *slog.Logger) (l listeners, err error) {
	neighbour := func() (bool, error) {
		serving, err := db.Serving(ctx)
		for _, r := range serving {
			if r.Address == c.Listen {
				return true, err
			}
		}
		return false, err
	}
	if l.public, l.shared, err = take(ctx, c.Listen, neighbour); err != nil {
		return l, err
	}
	adminShared := false
	if l.admin, adminShared, err = take(ctx, c.AdminListen, neighbour); err != nil {
		l.close()
		return l, err
	}
	if l.shared || adminShared {
		log.Info("taking over from a server of the same database", "address", c.Listen)
	}
	if l.console, err = c.listenConsole(ctx, neighbour); err != nil {
		l.close()
		return l, err
	}
	if l.tls, err = c.certificate(); err != nil {
		l.close()
	}
	return l, err
}

// take listens on an address, alone when it is free and else beside a neighbour.
func take(ctx context.Context, address string, neighbour func() (bool, error)) (l net.Listener, shared bool, err error) {
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

// prepare sets the options of a listener. That the address can be shared comes
// after it was taken: so it was taken only if nobody was there.
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

// certificate returns what the public listener and the console speak TLS with: nil
// without a certificate.
func (c serveCommand) certificate() (*tls.Config, error) {
	if c.TLSCert == "" {
		return nil, nil
	}
	cert, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey)
	if err != nil {
		return nil, fmt.Errorf("load the certificate: %w", err)
	}
	return &tls.Config{
		MinVersion:   tls.VersionTLS12,
		Certificates: []tls.Certificate{cert},
		NextProtos:   []string{"http/1.1"},
	}, nil
}

// yield asks the kernel to give new connections to the process that came to the
// address last, so that none waits for this one when it closes its listener:
// those would be reset. Without another process it changes nothing.
func yield(l net.Listener) error {
	conn, err := l.(*net.TCPListener).SyscallConn()
	if err != nil {
		return err
	}
	// The kernel numbers those at an address in the order in which they came. A
	// number that there is not leaves the choice to it.
	next := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: 1}
	var failed error
	err = conn.Control(func(fd uintptr) {
		failed = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_REUSEPORT_CBPF, &unix.SockFprog{Len: 1, Filter: &next})
	})
	return errors.Join(err, failed)
}
