package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"vaak/edge"
	"vaak/store"
)

type serveCommand struct {
	storeFlags
	engineFlags
	telemetryFlags
	secretFlag
	mailFlags
	consoleFlags
	Listen         string         `help:"Address of the services; port 0 takes a free one. A port alone, such as 8080, is one of 127.0.0.1; 0.0.0.0:8080 is all addresses of this machine. Default: ${default}." default:"${listenDefault}" placeholder:"ADDR"`
	Port           *int           `help:"Port of the services on 127.0.0.1, or on the host that --listen names; 0 takes a free one. It has no environment variable, since Kubernetes sets VAAK_PORT to something else for a Service called vaak; VAAK_LISTEN takes a port alone." env:"-" placeholder:"N"`
	AdminListen    string         `help:"Address of /livez, /readyz and /metrics; keep it private. Default: ${default}." default:"127.0.0.1:8081" placeholder:"ADDR"`
	AdminHosts     []string       `help:"Names by which the admin address may be asked, besides localhost and addresses, such as the name of the service in a cluster. Default: none." placeholder:"NAME,..."`
	PublicURL      string         `help:"Address that clients see, such as https://speech.example.org. Default: the listen address, which nobody can follow when it is all addresses (0.0.0.0)." name:"public-url" placeholder:"URL"`
	Services       []string       `help:"Which services to run: catalogue, speech." default:"catalogue,speech"`
	DatasetRoot    string         `help:"Measure recordings below this directory for those who ingest with --share from elsewhere. Default: none are." placeholder:"DIR" type:"path"`
	TLSCert        string         `help:"Certificate chain for HTTPS." name:"tls-cert" type:"path" placeholder:"FILE"`
	TLSKey         string         `help:"Key of the certificate." name:"tls-key" type:"path" placeholder:"FILE"`
	CacheBytes     int64          `help:"Room on disk for answers that are kept for those who ask the same again; 0 keeps none. Default: ${default}, which is 1 GiB." default:"1073741824" placeholder:"N"`
	AnswerBytes    int64          `help:"Room on disk for answers that are made whole before they are sent, while they are made: half of it for one key, a quarter for one answer; 67108864 (64 MiB) at least. Default: ${default}, which is 1 GiB." default:"1073741824" placeholder:"N"`
	ClipBytes      int64          `help:"Room on disk for audio that agents get a link to, which is kept for a quarter of an hour: 134217728 (128 MiB) at least, or 0, which gives no links. Default: ${default}, which is 1 GiB." default:"1073741824" placeholder:"N"`
	RenderPreviews bool           `help:"Render the previews of all voices that are not kept yet, beside the requests, about 12 MB. Without it each is rendered when somebody asks for it." default:"true" negatable:""`
	DrainTimeout   time.Duration  `help:"How long running requests may take to finish after SIGTERM." default:"60s"`
	TrustedProxies []netip.Prefix `help:"Networks of the proxies in front, whose X-Forwarded-For is believed, such as 10.0.0.0/8,::1/128. Default: none." placeholder:"CIDR,..."`
	PublicRate     int            `help:"Requests a minute that one client address may send to endpoints that need no key; 0 is no limit. Default: ${default}." default:"600" placeholder:"N"`
	connectionFlags
	KeepRequests time.Duration `help:"How long records of requests are kept: time, key, route, counts, never text." default:"720h"`
	Pprof        bool          `help:"Serve profiles at /debug/pprof/ on the admin address."`
}

// minAnswerBytes leaves an answer six minutes of WAV at 24 kHz.
const minAnswerBytes = 64 << 20

// The services that --services names.
const (
	catalogueService = "catalogue"
	speechService    = "speech"
)

func (c serveCommand) runs(service string) bool { return slices.Contains(c.Services, service) }

// Run serves until the context ends, then drains.
func (c serveCommand) Run(ctx context.Context, s streams, file *configFile) error {
	if err := c.check(); err != nil {
		return err
	}
	if err := c.checkListen(); err != nil {
		return err
	}
	if err := c.mailFlags.check(file); err != nil {
		return err
	}
	log := logger(s, slog.LevelInfo)
	if err := c.keepThreads(log); err != nil {
		return err
	}
	db, err := c.storeFlags.open(ctx, log)
	if err != nil {
		return err
	}
	return errors.Join(c.serve(ctx, s, file, db, log), db.Close())
}

// serve serves from a database.
func (c serveCommand) serve(ctx context.Context, s streams, file *configFile, db *store.Store, log *slog.Logger) error {
	at, err := c.listen(ctx, db, log)
	if err != nil {
		return err
	}
	defer at.close()
	here, err := appear(ctx, db, address(c.Listen, at.public), log)
	if err != nil {
		return err
	}
	defer here.leave()
	publicURL := c.publicURL(at.public)
	if c.linked(publicURL) == "" {
		log.Warn("no client can follow the server's links, and agents get none: name the address that clients see with --public-url", "links", publicURL)
	}
	app, err := c.build(ctx, file, db, publicURL, log)
	if err != nil {
		return err
	}
	if at.console != nil {
		address := c.consoleURL(at.console)
		if err := app.openConsole(ctx, c, here, address, publicURL); err != nil {
			return errors.Join(err, app.close())
		}
		c.tellConsole(log, address)
	}
	return errors.Join(c.run(ctx, s, app, at, here, log), app.close())
}

// address returns the address that a server was told to listen on, with the port
// it got when it was to take any.
func address(told string, l net.Listener) string {
	if _, port, err := net.SplitHostPort(told); err == nil && port == "0" {
		return l.Addr().String()
	}
	return told
}

func (c serveCommand) check() error {
	for _, name := range c.Services {
		if name != speechService && name != catalogueService {
			return badUsage("--services %s: there are %s and %s", name, catalogueService, speechService)
		}
	}
	if len(c.Services) == 0 {
		return badUsage("--services names no service: there are %s and %s", catalogueService, speechService)
	}
	if c.CacheBytes < 0 {
		return badUsage("--cache-bytes %d is under 0", c.CacheBytes)
	}
	if c.AnswerBytes < minAnswerBytes {
		return badUsage("--answer-bytes %d is under %d", c.AnswerBytes, minAnswerBytes)
	}
	if c.ClipBytes != 0 && c.ClipBytes < minClipBytes {
		return badUsage("--clip-bytes %d is under %d; 0 gives no links", c.ClipBytes, minClipBytes)
	}
	if err := c.traces().Check(); err != nil {
		return badUsage("--otlp-endpoint and --trace-sample: %v", err)
	}
	if c.PublicRate < 0 {
		return badUsage("--public-rate %d is under 0; 0 is no limit", c.PublicRate)
	}
	if c.KeepRequests < 0 {
		return badUsage("--keep-requests %s is under 0", c.KeepRequests)
	}
	if c.PublicURL != "" {
		if err := checkPublicURL(c.PublicURL); err != nil {
			return err
		}
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		return badUsage("--tls-cert and --tls-key go together")
	}
	if err := c.consoleFlags.check(); err != nil {
		return err
	}
	if err := c.connectionFlags.check(); err != nil {
		return err
	}
	return c.checkPaths()
}

// checkPaths refuses paths at which there is nothing, or something else.
func (c serveCommand) checkPaths() error {
	for _, p := range []struct {
		flag, path string
		folder     bool
	}{
		{"--tls-cert", c.TLSCert, false}, {"--tls-key", c.TLSKey, false}, {"--dataset-root", c.DatasetRoot, true},
		{"--oidc-secret-file", c.OIDCSecret, false},
	} {
		if p.path == "" {
			continue
		}
		info, err := os.Stat(p.path)
		switch {
		case err != nil:
			return badUsage("%s: %v", p.flag, err)
		case p.folder && !info.IsDir():
			return badUsage("%s: %s is not a directory", p.flag, p.path)
		case !p.folder && info.IsDir():
			return badUsage("%s: %s is a directory", p.flag, p.path)
		}
	}
	return nil
}

// clients tells the addresses of clients.
func (c serveCommand) clients() *edge.Clients { return edge.NewClients(c.TrustedProxies) }

func (c serveCommand) publicURL(l net.Listener) string {
	if c.PublicURL != "" {
		return strings.TrimRight(c.PublicURL, "/")
	}
	return c.scheme() + "://" + l.Addr().String()
}

// scheme is that of the services and the console where no proxy stands before them.
func (c serveCommand) scheme() string {
	if c.TLSCert != "" {
		return "https"
	}
	return "http"
}

// linked returns the address that agents are given links with: "" where the server
// listens on all addresses and was not told which of them clients see.
func (c serveCommand) linked(publicURL string) string {
	if c.PublicURL != "" {
		return publicURL
	}
	if u, err := url.Parse(publicURL); err == nil {
		if at, err := netip.ParseAddr(u.Hostname()); err == nil && at.IsUnspecified() {
			return ""
		}
	}
	return publicURL
}

// run serves on both listeners until ctx ends or one of them fails.
func (c serveCommand) run(ctx context.Context, s streams, app *application, at listeners, here *presence, log *slog.Logger) error {
	// What drains has a time of its own; bodies that have not arrived by then have none.
	drains, begin := context.WithCancel(context.WithoutCancel(ctx))
	defer begin()
	front := newDoor(drains, app.handler, log)
	side := []*door{newDoor(drains, c.adminHandler(app, front.open), log)} // what ends with the services
	admin, err := app.reserve(at.admin)
	if err != nil {
		return err
	}
	behind := []net.Listener{admin}
	if at.console != nil {
		side, behind = append(side, newDoor(drains, app.console, log)), append(behind, app.connections.Listener(at.console, at.tls))
	}
	failed := make(chan error, 1+len(side))
	go func() { failed <- front.serve(app.connections.Listener(at.public, at.tls)) }()
	for i, d := range side {
		go func() { failed <- d.serve(behind[i]) }()
	}
	if err := c.tellReady(s, at); err != nil {
		return err
	}
	if c.RenderPreviews {
		defer app.renderPreviews(ctx)()
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	log.Info("draining", "timeout", c.DrainTimeout)
	app.mcp.StopAsking() // no request waits for a person; there is a link instead
	// ctx has ended; what drains has a time of its own.
	drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.DrainTimeout)
	defer cancel()
	close(front.open) // not ready any more
	begin()
	if !here.alone(drain) {
		giveWay(drain, log, at.all()...)
	}
	var sockets error
	left := make(chan struct{})
	go func() {
		defer close(left)
		sockets = app.drainSockets(drain)
	}()
	errs := []error{front.drain(drain)}
	<-left
	for _, d := range side {
		errs = append(errs, d.drain(drain))
	}
	return errors.Join(append(errs, sockets)...)
}

// tellReady prints the one line that says where the server listens. The console is on
// it where somebody named its address.
func (c serveCommand) tellReady(s streams, at listeners) error {
	line := fmt.Sprintf("ready public=%s://%s admin=http://%s", c.scheme(), at.public.Addr(), at.admin.Addr())
	if at.console != nil && c.consoleNamed() {
		line += fmt.Sprintf(" console=%s://%s", c.scheme(), at.console.Addr())
	}
	_, err := fmt.Fprintln(s.out, line)
	return err
}

// giveWay leaves new connections to the process that takes over, and waits until
// those that came before have been accepted.
func giveWay(ctx context.Context, log *slog.Logger, at ...net.Listener) {
	for _, l := range at {
		if err := yield(l); err != nil {
			log.Warn("connections may be lost to the process that takes over", "error", err)
		}
	}
	select {
	case <-time.After(settle):
	case <-ctx.Done():
	}
}
