package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"vaak/account"
	"vaak/account/backlog"
	"vaak/audio"
	"vaak/catalogue"
	"vaak/console/page"
	"vaak/croissant/publish"
	"vaak/dictionary"
	"vaak/edge"
	"vaak/edge/connection"
	"vaak/engine/espeak"
	"vaak/internal/telemetry"
	"vaak/mcp"
	"vaak/rest"
	"vaak/rest/frame"
	"vaak/rest/live"
	"vaak/speech"
	"vaak/speech/clip"
	"vaak/store"
	"vaak/store/jobs"
	"vaak/text/frontend"
	"vaak/web"
)

// application is everything behind the listeners. What belongs to a service that
// does not run is nil.
type application struct {
	handler      http.Handler
	log          *slog.Logger
	telemetry    *telemetry.Telemetry
	connections  *connection.Pool
	dataDir      string
	store        *store.Store // not its own
	backlog      *backlog.Backlog
	accounts     *account.Service
	jobs         *jobs.Engine
	audited      audited
	engine       *espeak.Engine
	kept         kept
	speech       observedSpeech
	dictionaries *dictionary.Service
	clips        *clip.Service // nil also where there are no links
	mcp          *mcp.Server
	live         *live.Handler
	catalogue    *catalogue.Service
	croissant    *publish.Service
	sweeps       []jobs.Handler // of the catalogue's files
	mailbox      mailbox
	console      *page.Site // nil without one
}

// build opens and connects the parts of the server.
func (c serveCommand) build(ctx context.Context, file *configFile, db *store.Store, publicURL string, log *slog.Logger) (_ *application, err error) {
	app := &application{log: log, dataDir: c.DataDir, store: db, connections: c.connections(log)}
	defer func() {
		if err != nil {
			err = errors.Join(err, app.close())
		}
	}()
	if app.telemetry, err = c.telemetryFlags.open(log); err != nil {
		return nil, err
	}
	if app.backlog, err = c.openBacklog(log); err != nil {
		return nil, err
	}
	if err := app.backlog.Ready(1); err != nil {
		log.Error("nothing is spoken while charges could not be kept on disk", "error", err)
	}
	if app.accounts, err = account.New(account.Config{
		Store: app.store, Limits: app.store.Limits(), Backlog: app.backlog, Lanes: app.store.Lanes(), Logger: log,
	}); err != nil {
		return nil, err
	}
	if err := file.setPlans(ctx, app.accounts); err != nil {
		return nil, err
	}
	if c.runs(speechService) {
		if err := app.openSpeech(ctx, c, file, publicURL, log); err != nil {
			return nil, err
		}
	}
	if c.runs(catalogueService) {
		if err := app.openCatalogue(ctx, c, publicURL, log); err != nil {
			return nil, err
		}
		if err := app.openEnquiries(c, file, c.linked(publicURL)); err != nil {
			return nil, err
		}
	}
	if err := app.openMCP(c.linked(publicURL), file.origins()); err != nil {
		return nil, err
	}
	app.watch()
	pages, err := newPages(app, publicURL)
	if err != nil {
		return nil, err
	}
	app.accounts.Start(ctx)
	app.jobs, err = jobs.New(jobs.Config{
		Queue: app.store.Queue(), Logger: log,
		Handlers: slices.Concat(accountJobs(app.accounts, c.KeepRequests, app.audited.note), app.sweeps,
			measureJobs(db, c.DatasetRoot), app.mailbox.jobs(), purgeJobs(db, c.KeepEnquiries), identityJobs(db)),
	})
	if err != nil {
		return nil, err
	}
	if err := app.jobs.Start(ctx); err != nil {
		return nil, err
	}
	cfg, err := app.serves(c, pages)
	if err != nil {
		return nil, err
	}
	app.handler, err = rest.New(cfg)
	return app, err
}

// serves says what is served.
func (a *application) serves(c serveCommand, pages rest.Pages) (rest.Config, error) {
	cfg := rest.Config{
		Accounts:   a.accounts,
		Pages:      pages,
		Version:    version,
		Clients:    c.clients(),
		PublicRate: c.PublicRate,
		Logger:     a.log,
		Observer:   a.telemetry,
	}
	if a.engine != nil {
		cfg.Dictionaries = a.dictionaries
		cfg.Voices = a.speech.Voices()
		cfg.Speech, cfg.SpeechMCP, cfg.Live = a.speech, a.mcp.Handler(mcp.Speech), sockets(a.live)
	}
	if a.clips != nil {
		cfg.Clips = a.clips
	}
	if a.catalogue != nil {
		cfg.Catalogue, cfg.Croissant, cfg.CatalogueMCP = a.catalogue, a.croissant, a.mcp.Handler(mcp.Catalogue)
		cfg.Enquiries = a.mailbox.service
	}
	documents, err := a.mcp.Documents()
	for _, d := range documents {
		cfg.Documents = append(cfg.Documents, rest.Document(d))
	}
	return cfg, err
}

// openCatalogue opens the catalogue, and follows what other processes change.
func (a *application) openCatalogue(ctx context.Context, c serveCommand, publicURL string, log *slog.Logger) error {
	dir, err := openFiles(c.DataDir)
	if err != nil {
		return err
	}
	if a.catalogue, err = openCatalogue(ctx, a.store, dir, publicURL, log); err != nil {
		return err
	}
	a.croissant = publish.New(a.catalogue, strings.TrimRight(publicURL, "/"))
	a.sweeps = catalogueJobs(a.store, dir)
	a.catalogue.Start(ctx)
	return nil
}

// openSpeech opens the parts of the speech service.
func (a *application) openSpeech(ctx context.Context, c serveCommand, file *configFile, publicURL string, log *slog.Logger) (err error) {
	if a.engine, err = c.engineFlags.open(log); err != nil {
		return err
	}
	if a.kept, err = c.openCache(a.engine.Version(), log); err != nil {
		return err
	}
	if a.kept.whole, err = c.openAnswers(); err != nil {
		return err
	}
	if a.kept.previews, err = c.openPreviews(a.engine.Version()); err != nil {
		return err
	}
	a.speech.telemetry = a.telemetry
	if a.speech.Service, err = newSpeech(a.engine, a.accounts, file, a.kept, log); err != nil {
		return err
	}
	if a.clips, err = c.openClips(log); err != nil {
		return err
	}
	if a.clips != nil {
		a.clips.Start(ctx)
	}
	if a.dictionaries, err = dictionary.New(dictionary.Config{Store: a.store.Dictionaries(), Log: log}); err != nil {
		return err
	}
	if a.live, err = newLive(a.speech, a.accounts, a.dictionaries, file, log); err != nil {
		return err
	}
	frontend.Warm() // so that no request waits for the tables of its language
	return nil
}

// jobsGrace is how long a job that runs may take when the server stops; what is
// not done then is done by another process, or the next.
const jobsGrace = 10 * time.Second

// close closes the parts, users first.
func (a *application) close() error {
	var errs []error
	if a.mcp != nil {
		errs = append(errs, a.mcp.Close())
	}
	if a.engine != nil {
		errs = append(errs, a.engine.Close())
	}
	if a.dictionaries != nil {
		a.dictionaries.Close()
	}
	if a.clips != nil {
		errs = append(errs, a.clips.Close())
	}
	errs = append(errs, a.kept.answers.Close())
	if a.catalogue != nil {
		errs = append(errs, a.catalogue.Close())
	}
	if a.jobs != nil {
		ctx, cancel := context.WithTimeout(context.Background(), jobsGrace)
		defer cancel()
		errs = append(errs, a.jobs.Close(ctx))
	}
	if a.accounts != nil {
		errs = append(errs, a.accounts.Close(context.Background()))
	}
	if a.backlog != nil {
		errs = append(errs, a.backlog.Close())
	}
	if a.telemetry != nil {
		ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
		defer cancel()
		if err := a.telemetry.Close(ctx); err != nil {
			a.log.Warn("traces are lost", "error", err) // no reason to fail
		}
	}
	return errors.Join(errs...)
}

// openMCP opens the tools of the services that run.
func (a *application) openMCP(publicURL string, origins []string) (err error) {
	cfg := mcp.Config{
		Version: version, PublicURL: publicURL, Origins: origins, Sessions: !a.store.Shared(), Log: a.log,
		Refuse: map[mcp.Service]edge.Refuse{mcp.Speech: frame.Refuse, mcp.Catalogue: frame.RefuseCatalogue},
	}
	if a.engine != nil {
		cfg.Speech, cfg.Accounts, cfg.Reports, cfg.Formats = a.speech, a.accounts, a.accounts, a.speech.Health().Formats
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

func newPages(a *application, publicURL string) (*web.Handler, error) {
	cfg := web.Config{Version: version, PublicURL: publicURL, Log: a.log}
	if a.catalogue != nil {
		cfg.Catalogue, cfg.Croissant = a.catalogue, a.croissant
		cfg.Enquiries, cfg.Samples = a.mailbox.service, a.mailbox.desk
	}
	cfg.SpeechTools, cfg.CatalogueTools = a.toolNames(mcp.Speech), a.toolNames(mcp.Catalogue)
	if a.engine == nil {
		return web.New(cfg)
	}
	health := a.speech.Health()
	cfg.Languages, cfg.Voices, cfg.DefaultVoice = health.Languages, health.Voices, string(health.DefaultVoice)
	cfg.SampleRates, cfg.MaxCharacters = audio.SampleRates, speech.MaxCharacters
	for _, f := range health.Formats {
		cfg.Formats = append(cfg.Formats, string(f))
	}
	return web.New(cfg)
}

// toolNames are the names of what a service offers agents.
func (a *application) toolNames(service mcp.Service) []string {
	var names []string
	for _, t := range a.mcp.Tools(mcp.HTTP, service) {
		names = append(names, t.Name)
	}
	return names
}
