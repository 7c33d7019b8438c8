package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"vaak/app"
	"vaak/app/door"
	"vaak/app/usage"
	"vaak/edge"
	"vaak/lang"
)

type serveCommand struct {
	storeFlags
	engineFlags
	telemetryFlags
	secretFlag
	mailFlags
	consoleFlags
	Listen      string   `help:"Address of the services; port 0 takes a free one. A port alone, such as 8080, is one of 127.0.0.1; 0.0.0.0:8080 is all addresses of this machine. Default: ${default}." default:"${listenDefault}" placeholder:"ADDR"`
	Port        *int     `help:"Port of the services on 127.0.0.1, or on the host that --listen names; 0 takes a free one. It has no environment variable, since Kubernetes sets VAAK_PORT to something else for a Service called vaak; VAAK_LISTEN takes a port alone." env:"-" placeholder:"N"`
	AdminListen string   `help:"Address of /livez, /readyz and /metrics; keep it private. Default: ${default}." default:"127.0.0.1:8081" placeholder:"ADDR"`
	AdminHosts  []string `help:"Names by which the admin address may be asked, besides localhost and addresses, such as the name of the service in a cluster. Default: none." placeholder:"NAME,..."`
	PublicURL   string   `help:"Address that clients see, such as https://speech.example.org. Default: the listen address, which nobody can follow when it is all addresses (0.0.0.0)." name:"public-url" placeholder:"URL"`
	Services    []string `help:"Which services to run: catalogue, speech." default:"catalogue,speech"`
	Languages   []string `help:"Languages that are offered, such as hi,en,ta: no others are detected, and a request that names another is refused. The first is the one of texts that say nothing, such as numbers. Default: all." placeholder:"LANG,..."`
	Fallback    bool     `help:"Let the nearest voice of the roster speak where an added voice cannot, and say so in x-notice. Without it such requests are refused with 503."`
	ObjectLinks bool     `help:"Clients can reach the object storage that --objects names: send those who download a file of a dataset or a clip there, with a link that is signed for five minutes. Without it the server sends the bytes itself."`
	DatasetRoot string   `help:"Measure recordings below this directory for those who ingest with --share from elsewhere. Default: none are." placeholder:"DIR" type:"path"`
	acmeFlags
	TLSCert        string         `help:"Certificate chain for HTTPS, which is read again when the file changes and on SIGHUP." name:"tls-cert" type:"path" placeholder:"FILE"`
	TLSKey         string         `help:"Key of the certificate." name:"tls-key" type:"path" placeholder:"FILE"`
	CacheBytes     int64          `help:"Room on disk for answers that are kept for those who ask the same again; 0 keeps none. Default: ${default}, which is 1 GiB." default:"1073741824" placeholder:"N"`
	AnswerBytes    int64          `help:"Room on disk for answers that are made whole before they are sent, while they are made: half of it for one key, a quarter for one answer; 67108864 (64 MiB) at least. Default: ${default}, which is 1 GiB." default:"1073741824" placeholder:"N"`
	ClipBytes      int64          `help:"Room on disk for audio that agents get a link to, which is kept for a quarter of an hour: 134217728 (128 MiB) at least, or 0, which gives no links. Default: ${default}, which is 1 GiB." default:"1073741824" placeholder:"N"`
	RenderPreviews bool           `help:"Render the previews of all voices that are not kept yet, beside the requests, about 12 MB. Without it each is rendered when somebody asks for it." default:"true" negatable:""`
	Preload        bool           `help:"Load the tables of all languages that are offered right after the start: a second of processor time, 65 MB. Without it each is loaded when it is first spoken, in some milliseconds, and the dictionary of Japanese in 0.6 s." default:"true" negatable:""`
	DrainTimeout   time.Duration  `help:"How long running requests may take to finish after SIGTERM." default:"60s"`
	TrustedProxies []netip.Prefix `help:"Networks of the proxies in front, whose X-Forwarded-For is believed, such as 10.0.0.0/8,::1/128. Default: none." placeholder:"CIDR,..."`
	PublicRate     int            `help:"Requests a minute that one client address may send to endpoints that need no key; 0 is no limit. Default: ${default}." default:"600" placeholder:"N"`
	connectionFlags
	Demo bool `help:"Serve /demo, a page on which a scripted agent talks with everybody who opens it. What it speaks is charged to the organisation \"demonstration\", which is created."`
	webhookFlags
	WebhookTimeout time.Duration   `help:"How long a webhook endpoint has to answer, 1s to 60s." default:"15s"`
	WebhookPauses  []time.Duration `help:"How long to wait after each failed attempt to deliver an event, give or take a tenth; it is given up when the attempt after the last wait fails. Up to 20. Default: 5s,5m,30m,2h,5h,10h,14h,20h,24h." placeholder:"TIME,..."`
	KeepRequests   time.Duration   `help:"How long records of requests are kept: time, key, route, counts, never text." default:"720h"`
	Pprof          bool            `help:"Serve profiles at /debug/pprof/ on the admin address."`
}

const (
	// minAnswerBytes is the least room for answers: six minutes of WAV at 24 kHz each.
	minAnswerBytes = 64 << 20
	// minClipBytes is the least room for audio with a link. One clip may take a quarter of
	// it, so it holds nearly six minutes of WAV at 48 kHz, about what the longest text takes.
	minClipBytes = 128 << 20
)

// The services that --services names.
const (
	catalogueService = "catalogue"
	speechService    = "speech"
)

func (c serveCommand) runs(service string) bool { return slices.Contains(c.Services, service) }

// Run serves until the context ends, then drains.
func (c serveCommand) Run(ctx context.Context, s streams, file *configFile) error {
	for _, check := range []func() error{c.check, c.checkListen, func() error { return c.mailFlags.check(file) }} {
		if err := check(); err != nil {
			return err
		}
	}
	cfg, err := c.config(file, logger(s, slog.LevelInfo))
	if err != nil {
		return err
	}
	// All that a person can mend on the command line is checked before anything is opened.
	server, err := app.Open(ctx, cfg)
	if err != nil {
		return err
	}
	defer c.follow(server)()
	err = server.Run(ctx, func() error { return c.tellReady(s, server.Addresses()) })
	return errors.Join(err, server.Close())
}

// follow has the server read the files of the pools and of the certificate again on SIGHUP, until
// the returned function is called. Without such files SIGHUP ends the program, as usual.
func (c serveCommand) follow(server *app.Server) (stop func()) {
	if c.Pools == "" && c.TLSCert == "" {
		return func() {}
	}
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGHUP)
	var reading sync.WaitGroup
	reading.Go(func() {
		for range again {
			server.ReloadPools() // both log how it ends
			server.ReloadCertificate()
		}
	})
	return func() {
		signal.Stop(again)
		close(again)
		reading.Wait()
	}
}

// config returns what the flags and the file say as the application takes it.
func (c serveCommand) config(file *configFile, log *slog.Logger) (cfg app.Config, err error) {
	cfg = app.Config{
		Version: version, Place: c.secretFlag.in(c.storeFlags.place()), Engine: c.engine(c.place()),
		Speech: c.runs(speechService), Catalogue: c.runs(catalogueService),
		Listen: c.Listen, AdminListen: c.AdminListen, AdminHosts: c.AdminHosts, PublicURL: c.PublicURL,
		TLSCert: c.TLSCert, TLSKey: c.TLSKey, ACME: c.acme(c.place()), ACMEListen: c.ACMEListen, Clients: edge.NewClients(c.TrustedProxies), PublicRate: c.PublicRate,
		Connections: c.MaxConnections, PerAddress: c.MaxConnectionsPerAddress, DrainTimeout: c.DrainTimeout, Pprof: c.Pprof,
		Demo: c.Demo, Console: c.console(), Mail: c.mail(file),
		Webhooks:   app.Webhooks{Allow: c.WebhookAllow, Timeout: c.WebhookTimeout, Pauses: c.WebhookPauses},
		CacheBytes: c.CacheBytes, AnswerBytes: c.AnswerBytes, ClipBytes: c.ClipBytes, RenderPreviews: c.RenderPreviews, Preload: c.Preload,
		KeepRequests: c.KeepRequests, DatasetRoot: c.DatasetRoot,
		SocketOrigins: file.WSOrigins, AgentOrigins: file.origins(),
		Traces: c.traces(), Logger: log,
	}
	cfg.Place.ObjectLinks = c.ObjectLinks
	if cfg.Plans, err = file.plans(); err != nil {
		return cfg, err
	}
	if cfg.Speech { // a server of the catalogue alone does not read the aliases of voices
		added, wrong := cfg.Engine.Added()
		if wrong != nil {
			return cfg, usage.Errorf("--pools: %v", wrong)
		}
		if cfg.Voices, err = file.voices(added); err == nil {
			cfg.Voices.Languages, err = c.offered()
			cfg.Voices.Fallback = c.Fallback
		}
	}
	return cfg, err
}

// offered returns the languages that --languages names, in its order; none stands for all.
func (c serveCommand) offered() (codes []lang.Code, err error) {
	for _, name := range c.Languages {
		tag, ok := lang.Find(name)
		switch {
		case !ok:
			return nil, usage.Errorf("--languages %s: %.40q is not a supported language; %s", strings.Join(c.Languages, ","), name, lang.Instead(name))
		case tag.IsZero():
			return nil, usage.Errorf("--languages %s: %.40q names no language; leave the flag out to offer all", strings.Join(c.Languages, ","), name)
		case !slices.Contains(codes, tag.Code):
			codes = append(codes, tag.Code)
		}
	}
	return codes, nil
}

func (c serveCommand) check() error {
	for _, name := range c.Services {
		if name != speechService && name != catalogueService {
			return usage.Errorf("--services %s: there are %s and %s", name, catalogueService, speechService)
		}
	}
	if len(c.Services) == 0 {
		return usage.Errorf("--services names no service: there are %s and %s", catalogueService, speechService)
	}
	if c.Demo && !c.runs(speechService) {
		return usage.Errorf("--demo needs the service %s, and --services names %s", speechService, strings.Join(c.Services, ","))
	}
	if _, err := c.offered(); err != nil {
		return err
	}
	if c.CacheBytes < 0 {
		return usage.Errorf("--cache-bytes %d is under 0", c.CacheBytes)
	}
	if c.AnswerBytes < minAnswerBytes {
		return usage.Errorf("--answer-bytes %d is under %d", c.AnswerBytes, minAnswerBytes)
	}
	if c.ClipBytes != 0 && c.ClipBytes < minClipBytes {
		return usage.Errorf("--clip-bytes %d is under %d; 0 gives no links", c.ClipBytes, minClipBytes)
	}
	if err := c.traces().Check(); err != nil {
		return usage.Errorf("--otlp-endpoint and --trace-sample: %v", err)
	}
	if c.MaxNeuralMemory < 0 {
		return usage.Errorf("--max-neural-memory %d is under 0; 0 is no limit", c.MaxNeuralMemory)
	}
	if c.PublicRate < 0 {
		return usage.Errorf("--public-rate %d is under 0; 0 is no limit", c.PublicRate)
	}
	if c.KeepRequests < 0 {
		return usage.Errorf("--keep-requests %s is under 0", c.KeepRequests)
	}
	if c.PublicURL != "" {
		if err := app.CheckPublicURL(c.PublicURL); err != nil {
			return err
		}
	}
	if (c.TLSCert == "") != (c.TLSKey == "") {
		return usage.Errorf("--tls-cert and --tls-key go together")
	}
	if err := c.acmeFlags.check(c.TLSCert != ""); err != nil {
		return err
	}
	if err := c.consoleFlags.check(); err != nil {
		return err
	}
	if err := c.connectionFlags.check(); err != nil {
		return err
	}
	if err := c.checkWebhooks(); err != nil {
		return err
	}
	return c.checkPaths()
}

// maxPauses is how many waits --webhook-pauses takes.
const maxPauses = 20

func (c serveCommand) checkWebhooks() error {
	if c.WebhookTimeout < time.Second || c.WebhookTimeout > time.Minute {
		return usage.Errorf("--webhook-timeout %s is outside 1s to 60s", c.WebhookTimeout)
	}
	if len(c.WebhookPauses) > maxPauses {
		return usage.Errorf("--webhook-pauses names %d waits; there are %d at most", len(c.WebhookPauses), maxPauses)
	}
	for _, d := range c.WebhookPauses {
		if d < 0 || d > 7*24*time.Hour {
			return usage.Errorf("--webhook-pauses: %s is outside 0s to 168h", d)
		}
	}
	return c.webhookFlags.check()
}

// checkPaths refuses paths at which there is nothing, or something else.
func (c serveCommand) checkPaths() error {
	for _, p := range []struct {
		flag, path string
		folder     bool
	}{
		{"--tls-cert", c.TLSCert, false}, {"--tls-key", c.TLSKey, false}, {"--acme-ca", c.ACMECA, false}, {"--dataset-root", c.DatasetRoot, true},
		{"--oidc-secret-file", c.OIDCSecret, false},
	} {
		if p.path == "" {
			continue
		}
		info, err := os.Stat(p.path)
		switch {
		case err != nil:
			return usage.Errorf("%s: %v", p.flag, err)
		case p.folder && !info.IsDir():
			return usage.Errorf("%s: %s is not a directory", p.flag, p.path)
		case !p.folder && info.IsDir():
			return usage.Errorf("%s: %s is a directory", p.flag, p.path)
		}
	}
	return nil
}

// tellReady prints the one line that says where the server listens, and tells the supervisor
// that it serves. The console is on the line only where somebody named its address.
func (c serveCommand) tellReady(s streams, at app.Addresses) error {
	line := fmt.Sprintf("ready public=%s admin=%s", at.Public, at.Admin)
	if at.Console != "" && c.consoleNamed() {
		line += " console=" + at.Console
	}
	if _, err := fmt.Fprintln(s.out, line); err != nil {
		return err
	}
	return door.Notify(os.Getenv(door.NotifySocket), door.Ready)
}
