package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

type serveCommand struct {
	storeFlags
	engineFlags
	Listen       string        `help:"Address of the services; port 0 takes a free one." default:"127.0.0.1:8080"`
	AdminListen  string        `help:"Address of /livez and /readyz; keep it private." default:"127.0.0.1:8081"`
	PublicURL    string        `help:"Address that clients see, such as https://speech.example.org. Default: the listen address." name:"public-url" placeholder:"URL"`
	Services     []string      `help:"Which services to run: speech." default:"speech"`
	TLSCert      string        `help:"Certificate chain for HTTPS." name:"tls-cert" type:"existingfile" placeholder:"FILE"`
	TLSKey       string        `help:"Key of the certificate." name:"tls-key" type:"existingfile" placeholder:"FILE"`
	CacheBytes   int64         `help:"Room on disk for answers that are kept for those who ask the same again; 0 keeps none." default:"1073741824" placeholder:"N"`
	DrainTimeout time.Duration `help:"How long running requests may take to finish after SIGTERM." default:"60s"`
	Pprof        bool          `help:"Serve profiles at /debug/pprof/ on the admin address."`
}

// Run serves until the context ends, then drains.
func (c serveCommand) Run(ctx context.Context, s streams, file *configFile) error {
	if err := c.check(); err != nil {
		return err
	}
	log := logger(s, slog.LevelInfo)
	public, err := c.listen(ctx)
	if err != nil {
		return err
	}
	defer public.Close() // closed long before when all goes well
	admin, err := net.Listen("tcp", c.AdminListen)
	if err != nil {
		return err
	}
	defer admin.Close()

	app, err := c.build(ctx, file, c.publicURL(public), log)
	if err != nil {
		return err
	}
	err = c.run(ctx, s, app, public, admin, log)
	return errors.Join(err, app.close())
}

func (c serveCommand) check() error {
	for _, name := range c.Services {
		if name != "speech" {
			return badUsage("--services %s: this build has speech only", name)
		}
	}
	if c.CacheBytes < 0 {
		return badUsage("--cache-bytes %d is under 0", c.CacheBytes)
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		return badUsage("--tls-cert and --tls-key go together")
	}
	return nil
}

// unsent is how many bytes of a connection may wait in the kernel to be sent:
// 1.4 s of pcm, 4 s of mp3. Without a bound the kernel takes minutes of audio off
// the server's hands, which has to be made before anybody needs it.
const unsent = 64 << 10

func (c serveCommand) listen(ctx context.Context) (net.Listener, error) {
	config := net.ListenConfig{Control: func(_, _ string, conn syscall.RawConn) error {
		var failed error
		err := conn.Control(func(fd uintptr) { // connections inherit it
			failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_NOTSENT_LOWAT, unsent)
		})
		return errors.Join(err, failed)
	}}
	config.SetMultipathTCP(false) // its listeners do not hand the option on
	l, err := config.Listen(ctx, "tcp", c.Listen)
	if err != nil || c.TLSCert == "" {
		return l, err
	}
	cert, err := tls.LoadX509KeyPair(c.TLSCert, c.TLSKey)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("load the certificate: %w", err), l.Close())
	}
	return tls.NewListener(l, &tls.Config{
		MinVersion:   tls.VersionTLS12,
		Certificates: []tls.Certificate{cert},
		NextProtos:   []string{"http/1.1"},
	}), nil
}

func (c serveCommand) publicURL(l net.Listener) string {
	if c.PublicURL != "" {
		return strings.TrimRight(c.PublicURL, "/")
	}
	scheme := "http"
	if c.TLSCert != "" {
		scheme = "https"
	}
	return scheme + "://" + l.Addr().String()
}

// run serves on both listeners until ctx ends or one of them fails.
func (c serveCommand) run(ctx context.Context, s streams, app *application, public, admin net.Listener, log *slog.Logger) error {
	door := newDoor(app.handler, log)
	back := newDoor(adminHandler(app, door.open, c.Pprof), log)
	failed := make(chan error, 2)
	go func() { failed <- door.serve(public) }()
	go func() { failed <- back.serve(admin) }()

	scheme, _, _ := strings.Cut(c.publicURL(public), ":")
	if c.PublicURL != "" {
		scheme = "http"
		if c.TLSCert != "" {
			scheme = "https"
		}
	}
	if _, err := fmt.Fprintf(s.out, "ready public=%s://%s admin=http://%s\n", scheme, public.Addr(), admin.Addr()); err != nil {
		return err
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	log.Info("draining", "timeout", c.DrainTimeout.String())
	// ctx has ended; what drains has a time of its own.
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.DrainTimeout)
	defer cancel()
	return errors.Join(door.drain(drain), back.drain(drain))
}

// door is an HTTP server that can be shut without dropping a request.
type door struct {
	server  *http.Server
	open    chan struct{} // closed when draining begins
	stopped chan struct{} // closed when Serve has returned
	l       net.Listener
}

// Limits of a connection. There is no write timeout: streams set their own,
// write by write.
const (
	readHeaderTimeout = 5 * time.Second
	idleTimeout       = 60 * time.Second
	maxHeaderBytes    = 16 << 10
)

func newDoor(h http.Handler, log *slog.Logger) *door {
	return &door{
		server: &http.Server{
			Handler:           h,
			ReadHeaderTimeout: readHeaderTimeout,
			IdleTimeout:       idleTimeout,
			MaxHeaderBytes:    maxHeaderBytes,
			// OPTIONS * is answered by the handler, as everything is.
			DisableGeneralOptionsHandler: true,
			ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		},
		open:    make(chan struct{}),
		stopped: make(chan struct{}),
	}
}

func (d *door) serve(l net.Listener) error {
	defer close(d.stopped)
	d.l = l
	err := d.server.Serve(l)
	select {
	case <-d.open:
		return nil // it was asked to stop
	default:
		return err
	}
}

// settle is how long a request whose connection was accepted just before the
// listener closed has to send its headers. A server that is shut down drops
// requests that it has not read yet.
const settle = 300 * time.Millisecond

// drain closes the listener first, so that no request arrives that would be
// dropped, then waits for the running ones until ctx ends.
func (d *door) drain(ctx context.Context) error {
	close(d.open)
	d.server.SetKeepAlivesEnabled(false)
	_ = d.l.Close() // Serve returns its error
	<-d.stopped
	select {
	case <-time.After(settle):
	case <-ctx.Done():
	}
	if err := d.server.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("requests were still running after the drain timeout: %w", err), d.server.Close())
	}
	return nil
}

// closed reports whether a channel is closed.
func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
