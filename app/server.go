package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vaak/app/certificate"
	"vaak/app/door"
	"vaak/app/threads"
	"vaak/store"
)

// Server is an application that listens.
type Server struct {
	cfg       Config
	db        *store.Store
	at        listeners
	here      *door.Presence
	app       *application
	publicURL string
}

// Open opens the database, takes the addresses and builds the application. The server
// accepts connections from then on, and answers them once it runs. It must be closed.
func Open(ctx context.Context, cfg Config) (_ *Server, err error) {
	// Before anything else is opened: threads of other parts would count as used, and the
	// room that is left would look too small.
	if err := threads.Keep(cfg.Speech, cfg.Logger); err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg}
	if s.db, err = cfg.Place.Open(ctx, cfg.Logger); err != nil {
		return nil, err
	}
	if err := s.open(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// open takes the addresses, registers the server in the database and builds the
// application.
func (s *Server) open(ctx context.Context) (err error) {
	cfg, log := s.cfg, s.cfg.Logger
	// The addresses come first. A server that cannot have them must not appear in the
	// database or start jobs.
	if s.at, err = cfg.listen(ctx, s.db); err != nil {
		return err
	}
	// Appear follows listen: a server that is registered is one that a successor may share
	// the address with.
	if s.here, err = door.Appear(ctx, s.db, address(cfg.Listen, s.at.public), cfg.Version, log); err != nil {
		return err
	}
	s.publicURL = strings.TrimRight(cfg.PublicURL, "/")
	if s.publicURL == "" {
		s.publicURL = s.url(s.at.public)
		if cfg.ACME.On() { // the one name that the certificate is for
			s.publicURL = named(cfg.ACME.Domains[0], s.at.public)
		}
	}
	if cfg.linked(s.publicURL) == "" {
		log.Warn("no client can follow the server's links, and agents get none: name the address that clients see with --public-url", "links", s.publicURL)
	}
	console := ""
	if s.at.console != nil {
		if console = strings.TrimRight(cfg.Console.URL, "/"); console == "" {
			console = s.url(s.at.console)
		}
	}
	if s.app, err = build(ctx, cfg, s.db, s.publicURL, console, s.at.certificates); err != nil {
		return err
	}
	if console == "" {
		return nil
	}
	if err := s.app.openConsole(ctx, s.here, console, s.publicURL); err != nil {
		return err
	}
	if cfg.Console.Listen == "" { // nobody asked for an address, so nobody knows it
		log.Info("console", "address", console)
	}
	return nil
}

// Close closes what Open has opened, each part before those that it uses. The database is
// last.
func (s *Server) Close() error {
	var errs []error
	if s.app != nil {
		errs = append(errs, s.app.close())
	}
	if s.here != nil {
		s.here.Leave()
	}
	s.at.close()
	return errors.Join(append(errs, s.db.Close())...)
}

// ReloadPools reads the file of the pools of model servers again. What is wrong with it is logged, and
// the server goes on with what it was.
func (s *Server) ReloadPools() {
	log := s.cfg.Logger.With("file", s.cfg.Engine.Pools)
	if s.app.engines == nil || s.app.engines.Remote == nil {
		return
	}
	if err := s.app.speaker.Reload(s.cfg.Engine.Pools); err != nil {
		log.Error("the pools stay as they were", "error", err)
		return
	}
	log.Info("the pools were read again", "voices", len(s.app.engines.Remote.Voices()))
}

// Addresses are the URLs at which a server listens.
type Addresses struct {
	Public, Admin string
	Console       string // "" without a console
}

// Addresses returns where the server listens.
func (s *Server) Addresses() Addresses {
	a := Addresses{Public: s.url(s.at.public), Admin: "http://" + s.at.admin.Addr().String()}
	if s.at.console != nil {
		a.Console = s.url(s.at.console)
	}
	return a
}

// url is the URL of the public listener or the console, where no proxy stands before it.
func (s *Server) url(l net.Listener) string {
	if s.cfg.Secure() {
		return "https://" + l.Addr().String()
	}
	return "http://" + l.Addr().String()
}

// named is the URL of a listener that speaks TLS, by a name of it.
func named(host string, l net.Listener) string {
	if at, ok := l.Addr().(*net.TCPAddr); ok && at.Port != 443 {
		host = net.JoinHostPort(host, strconv.Itoa(at.Port))
	}
	return "https://" + host
}

// address returns the listen address of the settings, or the actual one where the settings
// ask for a free port.
func address(asked string, l net.Listener) string {
	if _, port, err := net.SplitHostPort(asked); err == nil && port == "0" {
		return l.Addr().String()
	}
	return asked
}

// linked returns the address with which links for agents begin. It is "" if the server
// listens on all addresses and the settings do not name the one that clients see.
func (c Config) linked(publicURL string) string {
	if c.PublicURL != "" {
		return publicURL
	}
	if u, err := url.Parse(publicURL); err == nil {
		// 0.0.0.0 and :: are addresses to listen on. As a destination they mean the
		// client's own machine, or nothing.
		if at, err := netip.ParseAddr(u.Hostname()); err == nil && at.IsUnspecified() {
			return ""
		}
	}
	return publicURL
}

// Run serves until ctx ends or a listener fails, and then drains: it gives way to the
// process that takes over, if there is one, and waits for running requests until the drain
// timeout has passed. It calls ready once it serves. It may be called once.
func (s *Server) Run(ctx context.Context, ready func() error) error {
	app, log := s.app, s.cfg.Logger
	// Requests go on after ctx has ended. Bodies that have not arrived when the drain begins
	// are not waited for, so they have a context of their own.
	bodies, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	secure := s.tls()
	front := door.New(bodies, app.connections.Listener(s.at.public, secure), app.handler, log)
	admin, err := app.reserve(s.at.admin)
	if err != nil {
		return err
	}
	// The side doors drain after the services: readiness is asked for until the end.
	side := []*door.Door{door.New(bodies, admin, app.admin(front.Draining()), log)}
	if s.at.console != nil {
		side = append(side, door.New(bodies, app.connections.Listener(s.at.console, secure), app.console, log))
	}
	if s.at.challenges != nil {
		side = append(side, door.New(bodies, app.connections.Listener(s.at.challenges, nil), s.at.certificates.HTTP(toHTTPS(s.publicURL)), log))
	}
	// The channel has room for every door, so that no goroutine blocks on it after Run has
	// returned.
	failed := make(chan error, 1+len(side))
	for _, d := range append(side, front) {
		go func() { failed <- d.Serve() }()
	}
	if err := ready(); err != nil {
		return err
	}
	if s.cfg.Speech && s.cfg.Preload {
		go app.preload() // after the start, which would share the processors with it; it ends by itself within seconds
	}
	if s.at.certificates != nil {
		// After the doors are open, through which an authority asks.
		defer s.at.certificates.Watch()()
	}
	if s.cfg.RenderPreviews {
		defer app.renderPreviews(ctx)()
	}
	select {
	// A door returns before the drain only when its listener failed. A server that is deaf
	// at one address is of no use, so it ends.
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	log.Info("draining", "timeout", s.cfg.DrainTimeout)
	app.mcp.StopAsking() // requests that wait for a person get a link instead
	// ctx has ended already. The drain has its own deadline, which covers all that follows.
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.DrainTimeout)
	defer cancel()
	front.StopAccepting() // /readyz says so from here on
	abandon()
	// Giving way comes before the listeners close: the kernel resets connections that wait
	// in the queue of a socket that closes.
	if !s.here.Alone(drain) {
		door.GiveWay(drain, log, s.at.all()...)
	}
	var sockets error
	// Sockets are taken over from the HTTP server (hijacked), so Shutdown does not see
	// them. They drain beside the requests: one after the other could take twice the
	// timeout.
	left := make(chan struct{})
	go func() {
		defer close(left)
		sockets = app.drainSockets(drain)
	}()
	errs := []error{front.Drain(drain)}
	<-left
	drained := make(chan error)
	for _, d := range side {
		go func() { drained <- d.Drain(drain) }()
	}
	for range side {
		errs = append(errs, <-drained)
	}
	return errors.Join(append(errs, sockets)...)
}

// listeners are the listeners of a server.
type listeners struct {
	public, admin net.Listener
	console       net.Listener        // nil without a console
	challenges    net.Listener        // for HTTP-01; nil without
	certificates  *certificate.Keeper // of the public one and the console; nil is plain HTTP
}

// all lists them.
func (l listeners) all() []net.Listener {
	return slices.DeleteFunc([]net.Listener{l.public, l.admin, l.console, l.challenges}, func(one net.Listener) bool { return one == nil })
}

// close closes all. Those of a server that has drained are closed already.
func (l listeners) close() {
	for _, one := range l.all() {
		_ = one.Close()
	}
}

// listen takes all addresses. It shares an address that is in use only with a server of the
// same database, which is how a new process takes over from an old one.
func (c Config) listen(ctx context.Context, db *store.Store) (l listeners, err error) {
	defer func() {
		if err != nil {
			l.close()
			l = listeners{}
		}
	}()
	// The console and the admin address ask for the public address as well, since servers
	// register under that one alone.
	neighbour := func() (bool, error) {
		serving, err := db.Serving(ctx)
		for _, r := range serving {
			if r.Address == c.Listen {
				return true, err
			}
		}
		return false, err
	}
	var shared, adminShared bool
	if l.public, shared, err = door.Take(ctx, c.Listen, neighbour); err != nil {
		return l, err
	}
	if l.admin, adminShared, err = door.Take(ctx, c.AdminListen, neighbour); err != nil {
		return l, err
	}
	if shared || adminShared {
		c.Logger.Info("taking over from a server of the same database", "address", c.Listen)
	}
	if l.console, err = c.Console.listen(ctx, neighbour); err != nil {
		return l, err
	}
	if c.ACMEListen != "" {
		if l.challenges, _, err = door.Take(ctx, c.ACMEListen, neighbour); err != nil {
			return l, fmt.Errorf("--acme-listen: %w", err)
		}
	}
	if c.Secure() {
		l.certificates, err = certificate.Open(certificate.Config{Cert: c.TLSCert, Key: c.TLSKey, ACME: c.ACME, Logger: c.Logger})
	}
	return l, err
}

// tls returns the TLS configuration of the public listener and the console, or nil without a
// certificate.
func (s *Server) tls() *tls.Config {
	if s.at.certificates == nil {
		return nil
	}
	return s.at.certificates.TLS()
}

// ReloadCertificate reads the files of the certificate again. What is wrong with them is logged,
// and the server goes on with what it was.
func (s *Server) ReloadCertificate() {
	if s.at.certificates != nil {
		s.at.certificates.Reload()
	}
}

// toHTTPS sends those who call the address of challenges to the one that clients see.
func toHTTPS(publicURL string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.Error(w, "use HTTPS", http.StatusBadRequest) // the body came in the clear already
			return
		}
		http.Redirect(w, r, publicURL+r.URL.RequestURI(), http.StatusFound)
	})
}
