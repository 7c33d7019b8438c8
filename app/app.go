// Package app builds the application from its settings and runs it: it opens the database,
// the services and their transports, listens, works jobs beside requests, and drains at
// the end. [Open] returns a server that listens; [Server.Run] serves until its context
// ends; [Server.Close] closes what Open opened.
package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"vaak/account"
	"vaak/account/backlog"
	"vaak/account/ledger"
	"vaak/app/certificate"
	"vaak/app/deployment"
	"vaak/app/speaker"
	"vaak/app/usage"
	"vaak/app/work"
	"vaak/audio"
	"vaak/catalogue"
	"vaak/catalogue/export"
	"vaak/console/page"
	"vaak/croissant/badge"
	"vaak/croissant/publish"
	"vaak/dictionary"
	"vaak/edge"
	"vaak/edge/connection"
	"vaak/engine/espeak/form"
	"vaak/enquiry"
	"vaak/idempotency"
	"vaak/identity"
	"vaak/internal/telemetry"
	"vaak/mcp"
	"vaak/oauth"
	"vaak/rest"
	"vaak/rest/frame"
	"vaak/rest/live"
	restoauth "vaak/rest/oauth"
	"vaak/speech"
	"vaak/speech/clip"
	"vaak/store"
	"vaak/store/jobs"
	"vaak/token"
	"vaak/web"
)

// Config holds every setting of a server. Package main reads them from flags, the
// environment and a file, and checks them.
type Config struct {
	Version string
	Place   deployment.Place
	Engine  speaker.Engine
	Voices  speaker.Voices

	Speech    bool // run the speech service
	Catalogue bool // run the catalogue

	Listen       string   // HOST:PORT of the services; port 0 takes a free one
	AdminListen  string   // HOST:PORT of readiness and figures
	AdminHosts   []string // host names that requests to the admin address may use, beside localhost
	PublicURL    string   // address that clients see; "" is the address of the public listener
	TLSCert      string   // file of the certificate chain; "" is plain HTTP, or ACME
	TLSKey       string
	ACME         certificate.ACME // certificates that an authority issues; no domain is none
	ACMEListen   string           // HOST:PORT for challenges of the kind HTTP-01; "" answers TLS-ALPN-01 alone
	Clients      *edge.Clients    // finds the addresses of clients behind proxies
	PublicRate   int              // requests a minute of an address without a key; 0 is no limit
	Connections  int              // of clients, on the public address and the console together; 0 is half of the files that the process may open
	PerAddress   int              // connections of one client address; 0 is half of all
	DrainTimeout time.Duration    // for running requests, once the context of Run has ended
	Pprof        bool             // serve profiles on the admin address

	Demo     bool // serve the page on which a scripted agent talks; it needs Speech
	Console  Console
	Mail     Mail
	Webhooks Webhooks

	CacheBytes     int64 // size of the answer cache; 0 is no cache
	AnswerBytes    int64 // size of the buffers of answers that are made before they are sent
	ClipBytes      int64 // of audio that agents get a link to; 0 gives no links
	RenderPreviews bool  // render the previews of all voices beside the requests
	Preload        bool  // load the tables of all offered languages at the start

	Plans        []Plan        // written to the database when the server starts
	KeepRequests time.Duration // how long records of requests are kept
	DatasetRoot  string        // measure recordings below it for commands on other machines; "" measures none
	// SocketOrigins are the origins whose pages may open sockets, as the file has them.
	// AgentOrigins are the same without a slash at the end.
	SocketOrigins, AgentOrigins []string

	Traces telemetry.Traces
	Logger *slog.Logger
}

// Secure reports whether the server speaks TLS on the public address and the console.
func (c Config) Secure() bool { return c.TLSCert != "" || c.ACME.On() }

// CheckPublicURL returns an error unless text is an http or https URL with a host and
// without a query, a fragment and a user.
func CheckPublicURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return usage.Errorf("--public-url %q is not an address such as https://data.example.org", text)
	}
	return nil
}

// Plan is a plan from the settings. Name identifies its entry in error messages.
type Plan struct {
	ledger.Plan
	Name string
}

// Mail configures how enquiries are delivered and how long they are kept.
type Mail struct {
	Server    string // URL of the mail server; "" writes mails to files
	Plaintext bool   // allow a mail server without TLS
	Addresses enquiry.Addresses
	Policy    enquiry.Policy // what counts as consent over an agent
	Keep      time.Duration  // after which what persons typed is deleted
}

// application is everything behind the listeners. What belongs to a service that
// does not run is nil.
type application struct {
	cfg          Config
	handler      http.Handler
	log          *slog.Logger
	telemetry    *telemetry.Telemetry
	connections  *connection.Pool
	certificates *certificate.Keeper // nil is plain HTTP
	store        *store.Store        // closed by its owner
	backlog      *backlog.Backlog
	accounts     *account.Service
	requests     *idempotency.Service // those that come with a key to be run once
	jobs         *jobs.Engine
	audits       work.Audits
	engines      *speaker.Engines
	speaker      *speaker.Service
	unfollow     func() // stops following the added voices
	kept         speaker.Kept
	speech       observedSpeech
	dictionaries *dictionary.Service
	tokens       *token.Service
	clips        *clip.Service // nil also where there are no links
	formerClips  *clip.Service // those in the directory from before clips were in object storage
	mcp          *mcp.Server
	live         *live.Handler
	catalogue    *catalogue.Service
	croissant    *publish.Service
	exports      *export.Service
	reports      *badge.Links
	sweeps       []jobs.Handler // of the catalogue's files
	mailbox      mailbox
	webhooks     webhooks
	people       *identity.Service // nil without a console
	oauth        *oauth.Service    // nil where applications cannot be connected
	console      *page.Site        // nil without one
}

// build opens and connects the parts of the server. Links begin with publicURL. People reach the
// console at console; "" is none.
func build(ctx context.Context, cfg Config, db *store.Store, publicURL, console string, certificates *certificate.Keeper) (_ *application, err error) {
	log := cfg.Logger
	// A part is opened after all that it calls. close skips what is nil, so it also cleans
	// up after an error halfway.
	app := &application{cfg: cfg, log: log, store: db, connections: cfg.pool(), certificates: certificates}
	defer func() {
		if err != nil {
			err = errors.Join(err, app.close())
		}
	}()
	if app.telemetry, err = telemetry.New(telemetry.Config{Version: cfg.Version, Traces: cfg.Traces, Logger: log}); err != nil {
		return nil, err
	}
	if app.backlog, err = cfg.Place.OpenBacklog(log); err != nil {
		return nil, err
	}
	// A full disk refuses speech and nothing else, so the server starts all the same.
	if err := app.backlog.Ready(1); err != nil {
		log.Error("nothing is spoken while charges could not be kept on disk", "error", err)
	}
	if app.accounts, err = account.New(account.Config{
		Store: db, Limits: db.Limits(), Backlog: app.backlog, Lanes: db.Lanes(), Logger: log,
	}); err != nil {
		return nil, err
	}
	if err := setPlans(ctx, app.accounts, cfg.Plans); err != nil {
		return nil, err
	}
	if app.requests, err = idempotency.New(idempotency.Config{Store: db.Idempotency(), Logger: log}); err != nil {
		return nil, err
	}
	if err := app.openWebhooks(); err != nil {
		return nil, err
	}
	if cfg.Speech {
		if err := app.openSpeech(ctx); err != nil {
			return nil, err
		}
	}
	if cfg.Catalogue {
		if err := app.openCatalogue(ctx, publicURL); err != nil {
			return nil, err
		}
		if err := app.openEnquiries(cfg.linked(publicURL)); err != nil {
			return nil, err
		}
	}
	if err := app.openMCP(cfg.linked(publicURL), console); err != nil {
		return nil, err
	}
	if err := app.openIdentity(strings.TrimRight(publicURL, "/"), console); err != nil {
		return nil, err
	}
	// Telemetry is connected once it is known which services run: it gets no source for
	// those that do not.
	app.watch()
	pages, err := app.pages(ctx, publicURL)
	if err != nil {
		return nil, err
	}
	app.accounts.Start(ctx)
	// Jobs start after the services that they call.
	app.jobs, err = jobs.New(jobs.Config{
		Queue: db.Queue(), Logger: log,
		Handlers: slices.Concat(work.Accounts(app.accounts, cfg.KeepRequests, &app.audits), app.sweeps,
			work.Measure(db, cfg.DatasetRoot), app.mailbox.jobs(), work.Purge(db, cfg.Mail.Keep), work.Identity(db), work.Tokens(db), work.Idempotency(db),
			work.Webhooks(db, app.webhooks.courier), work.Applications(db, app.accounts)),
	})
	if err != nil {
		return nil, err
	}
	if err := app.jobs.Start(ctx); err != nil {
		return nil, err
	}
	served, err := app.served(pages)
	if err != nil {
		return nil, err
	}
	app.handler, err = rest.New(served)
	return app, err
}

// setPlans writes the plans that the database does not have yet in this form. A restart
// with the same settings writes nothing.
func setPlans(ctx context.Context, accounts *account.Service, plans []Plan) error {
	if len(plans) == 0 {
		return nil
	}
	there, err := accounts.Plans(ctx)
	if err != nil {
		return err
	}
	for _, p := range plans {
		// Plan is comparable, so this compares all its limits: a plan with one changed
		// limit is written again.
		if slices.Contains(there, p.Plan) {
			continue
		}
		if err := accounts.SetPlan(ctx, p.Plan); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
	}
	return nil
}

// served returns the configuration of the HTTP service: only what belongs to the services
// that run.
func (a *application) served(pages rest.Pages) (rest.Config, error) {
	cfg := rest.Config{
		Accounts:   a.accounts,
		Requests:   a.requests,
		Pages:      pages,
		Version:    a.cfg.Version,
		Clients:    a.cfg.Clients,
		PublicRate: a.cfg.PublicRate,
		Logger:     a.log,
		Observer:   a.telemetry,
		OAuth:      a.oauth,
	}
	if a.engines != nil {
		cfg.Dictionaries, cfg.Tokens, cfg.Webhooks = a.dictionaries, a.tokens, a.webhooks.service
		cfg.Voices = a.speech.Voices()
		cfg.Speech, cfg.SpeechMCP, cfg.Live = a.speech, a.mcp.Handler(mcp.Speech), sockets(a.live)
	}
	if a.clips != nil {
		cfg.Clips = a.clips
	}
	if a.catalogue != nil {
		cfg.Catalogue, cfg.Croissant, cfg.CatalogueMCP = a.catalogue, a.croissant, a.mcp.Handler(mcp.Catalogue)
		cfg.Exports, cfg.Reports = a.exports, a.reports
		cfg.Enquiries = a.mailbox.service
	}
	documents, err := a.mcp.Documents()
	for _, d := range documents {
		cfg.Documents = append(cfg.Documents, rest.Document(d))
	}
	return cfg, err
}

// openCatalogue opens the catalogue and starts to follow changes that other processes make.
func (a *application) openCatalogue(ctx context.Context, publicURL string) error {
	dir, err := a.cfg.Place.OpenFiles()
	if err != nil {
		return err
	}
	if a.catalogue, err = a.cfg.Place.OpenCatalogue(ctx, a.store, dir, publicURL, a.log); err != nil {
		return err
	}
	a.croissant = publish.New(a.catalogue, strings.TrimRight(publicURL, "/"))
	a.exports = export.New(a.catalogue, strings.TrimRight(publicURL, "/"))
	secret, err := a.cfg.Place.OpenSecret()
	if err != nil {
		return err
	}
	a.reports = &badge.Links{By: secret.For("reports on Croissant documents"), Base: strings.TrimRight(publicURL, "/")}
	a.sweeps = work.Catalogue(a.store, dir)
	a.catalogue.Start(ctx)
	return nil
}

// openSpeech opens the parts of the speech service.
func (a *application) openSpeech(ctx context.Context) (err error) {
	cfg := a.cfg
	if a.engines, err = cfg.Engine.Open(a.log); err != nil {
		return err
	}
	room := speaker.Room{
		Place: cfg.Place, Engine: cfg.Engine, Version: cfg.Version, CacheBytes: cfg.CacheBytes, AnswerBytes: cfg.AnswerBytes,
	}
	if a.kept, err = room.Open(a.engines.Embedded.Version(), a.log); err != nil {
		return err
	}
	a.speech.telemetry = a.telemetry
	if a.speaker, err = speaker.New(a.engines, a.accounts, cfg.Voices, a.kept, a.log); err != nil {
		return err
	}
	a.speech.Service = a.speaker.Service
	a.unfollow = a.speaker.Follow(a.log)
	if cfg.ClipBytes > 0 {
		if err := a.openClips(ctx); err != nil {
			return err
		}
	}
	if a.dictionaries, err = dictionary.New(dictionary.Config{Store: a.store.Dictionaries(), Log: a.log}); err != nil {
		return err
	}
	if a.tokens, err = token.New(token.Config{Store: a.store.Tokens(), Keys: a.accounts, Voices: a.speech.Voices(), Logger: a.log}); err != nil {
		return err
	}
	a.live, err = live.New(live.Config{
		Speech:           a.speech,
		Accounts:         a.accounts,
		Dictionaries:     a.dictionaries,
		Refuse:           frame.Refuse,
		RefuseElevenLabs: frame.RefuseElevenLabs,
		Origins:          cfg.SocketOrigins,
		Ended:            frame.Spoken,
		Logger:           a.log,
	})
	return err
}

// preload loads the tables of the languages that are offered, and the Japanese dictionary last: it
// takes as long as all tables. A request that comes before it is done loads what it needs itself.
func (a *application) preload() {
	a.speech.Preload()
	if a.speech.Health().Offered.Offers("ja") {
		form.Warm()
	}
}

// openClips opens the clips: audio that agents get a link to. Several servers may share the
// directory, or the object storage.
func (a *application) openClips(ctx context.Context) error {
	secret, err := a.cfg.Place.OpenSecret()
	if err != nil {
		return err
	}
	cfg := clip.Config{Dir: a.cfg.Place.In(deployment.Clips), MaxBytes: a.cfg.ClipBytes, Secret: secret, Logger: a.log}
	stored, err := a.cfg.Place.Blobs(deployment.Clips, clip.HeadBytes)
	if err != nil {
		return err
	}
	if stored != nil {
		cfg.Store = stored
		if a.cfg.Place.ObjectLinks {
			cfg.Direct = stored
		}
		a.sweepFormerClips(ctx, cfg)
	}
	if a.clips, err = clip.Open(cfg); err != nil {
		return err
	}
	a.clips.Start(ctx)
	return nil
}

// sweepFormerClips removes the clips in the directory when they expire, if there is one from before
// clips were in object storage: nobody else would, and they hold what was spoken.
func (a *application) sweepFormerClips(ctx context.Context, cfg clip.Config) {
	_, err := os.Stat(cfg.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	cfg.Store, cfg.Direct = nil, nil
	if err == nil {
		a.formerClips, err = clip.Open(cfg)
	}
	if err != nil {
		a.log.Warn("clips in the directory cannot be swept", "error", err)
		return
	}
	a.formerClips.Start(ctx)
}

// sockets returns the handlers of live speech by their paths.
func sockets(live *live.Handler) map[string]http.Handler {
	return map[string]http.Handler{
		"/v1/audio/speech/stream-input":                    http.HandlerFunc(live.Native),
		"/v1/text-to-speech/{voice_id}/stream-input":       http.HandlerFunc(live.StreamInput),
		"/v1/text-to-speech/{voice_id}/multi-stream-input": http.HandlerFunc(live.MultiStreamInput),
	}
}

// drainSockets ends the sockets in good order; see [live.Handler.Drain].
func (a *application) drainSockets(ctx context.Context) error {
	if a.live == nil {
		return nil
	}
	return a.live.Drain(ctx)
}

// jobsGrace is how long a job that runs may take when the server stops. One that is not
// done then is worked again by another process, or by the next.
const jobsGrace = 10 * time.Second

// close closes the parts, each before those that it uses.
func (a *application) close() error {
	var errs []error
	// Tools call every other part, and the engine is in use until the last call has ended.
	if a.mcp != nil {
		errs = append(errs, a.mcp.Close())
	}
	// Requests that run on without their client use the services, too.
	if a.requests != nil {
		a.requests.Close()
	}
	if a.unfollow != nil {
		a.unfollow()
	}
	if a.engines != nil {
		errs = append(errs, a.engines.Close())
	}
	if a.dictionaries != nil {
		a.dictionaries.Close()
	}
	for _, clips := range []*clip.Service{a.clips, a.formerClips} {
		if clips != nil {
			errs = append(errs, clips.Close())
		}
	}
	errs = append(errs, a.kept.Answers.Close())
	if a.catalogue != nil {
		errs = append(errs, a.catalogue.Close())
	}
	// Jobs use the accounts, so they end first. A job that runs past its grace is worked
	// again elsewhere.
	if a.jobs != nil {
		ctx, cancel := context.WithTimeout(context.Background(), jobsGrace)
		defer cancel()
		errs = append(errs, a.jobs.Close(ctx))
	}
	if a.webhooks.client != nil {
		a.webhooks.client.Close()
	}
	if a.accounts != nil {
		// Closing accounts writes the last charges. Those that the database does not take
		// go to the backlog, so the backlog closes after it.
		errs = append(errs, a.accounts.Close(context.Background()))
	}
	if a.backlog != nil {
		errs = append(errs, a.backlog.Close())
	}
	if a.telemetry != nil {
		ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
		defer cancel()
		if err := a.telemetry.Close(ctx); err != nil {
			a.log.Warn("traces are lost", "error", err) // no reason for a failed exit
		}
	}
	return errors.Join(errs...)
}

// openMCP opens the tools of the services that run.
func (a *application) openMCP(publicURL, console string) (err error) {
	cfg := mcp.Config{
		Version: a.cfg.Version, PublicURL: publicURL, Origins: a.cfg.AgentOrigins, Sessions: !a.store.Shared(), Log: a.log,
		Refuse: map[mcp.Service]edge.Refuse{mcp.Speech: frame.Refuse, mcp.Catalogue: frame.RefuseCatalogue},
	}
	if publicURL != "" && console != "" {
		cfg.Metadata = map[mcp.Service]string{}
		for service, path := range mcp.Paths {
			cfg.Metadata[service] = restoauth.ResourceMetadata(strings.TrimRight(publicURL, "/"), path)
		}
	}
	if a.engines != nil {
		cfg.Speech, cfg.Accounts, cfg.Reports = a.speech, a.accounts, a.accounts
		cfg.Formats, cfg.Offered = a.speech.Health().Formats, a.speech.Health().Offered
		cfg.Dictionaries, cfg.Voices = a.dictionaries, a.speech.Voices()
	}
	if a.clips != nil {
		cfg.Clips = a.clips
	}
	if a.catalogue != nil {
		cfg.Catalogue, cfg.Croissant, cfg.Enquiries = a.catalogue, a.croissant, a.mailbox.service
	}
	a.mcp, err = mcp.New(cfg)
	return err
}

// pages returns the handler of the public web pages.
func (a *application) pages(ctx context.Context, publicURL string) (*web.Handler, error) {
	cfg := web.Config{Version: a.cfg.Version, PublicURL: publicURL, Log: a.log}
	if a.catalogue != nil {
		cfg.Catalogue, cfg.Croissant = a.catalogue, a.croissant
		cfg.Enquiries, cfg.Samples = a.mailbox.service, a.mailbox.desk
		cfg.Reports = a.reports.By
	}
	cfg.SpeechTools, cfg.CatalogueTools = a.toolNames(mcp.Speech), a.toolNames(mcp.Catalogue)
	if a.engines == nil {
		return web.New(cfg)
	}
	health := a.speech.Health()
	cfg.Languages, cfg.Voices, cfg.DefaultVoice = health.Languages, health.Voices, string(health.DefaultVoice)
	cfg.SampleRates, cfg.MaxCharacters = audio.SampleRates, speech.MaxCharacters
	for _, f := range health.Formats {
		cfg.Formats = append(cfg.Formats, string(f))
	}
	if a.cfg.Demo {
		tokens, err := a.openDemonstration(ctx)
		if err != nil {
			return nil, err
		}
		cfg.Demo, cfg.RefusePlainly = tokens, frame.RefusePlainly
		cfg.Speaks = health.Offered.Offers
	}
	return web.New(cfg)
}

// toolNames returns the names of the tools that a service offers to agents over HTTP.
func (a *application) toolNames(service mcp.Service) []string {
	var names []string
	for _, t := range a.mcp.Tools(mcp.HTTP, service) {
		names = append(names, t.Name)
	}
	return names
}

// renderPreviews renders the missing previews in the background, until all are rendered,
// ctx ends or stop is called. stop returns when the background work has ended. A preview
// that cannot be rendered is logged; the service tries again when a client asks for it. Object
// storage that was away is tried again every minute.
func (a *application) renderPreviews(ctx context.Context) (stop func()) {
	if a.engines == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() {
		began, rendered := time.Now(), 0
		again := time.NewTicker(time.Minute)
		defer again.Stop()
		for said := false; ; said = true {
			n, err := a.speech.RenderPreviews(ctx)
			rendered += n
			switch {
			case ctx.Err() != nil: // the next server goes on
				return
			case err == nil && rendered > 0:
				a.log.Info("previews are rendered", "rendered", rendered, "took", time.Since(began))
			case err != nil && !said:
				a.log.Warn("previews are not all rendered", "rendered", rendered, "error", err)
			}
			if err == nil || !deployment.InBucket(a.cfg.Place.Objects) {
				return
			}
			select {
			case <-again.C:
			case <-ctx.Done():
			}
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}
