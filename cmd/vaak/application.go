package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"vaak/account"
	"vaak/audio"
	"vaak/edge"
	"vaak/engine/espeak"
	"vaak/internal/telemetry"
	"vaak/mcp"
	"vaak/rest"
	"vaak/rest/ws"
	"vaak/speech"
	"vaak/store"
	"vaak/store/jobs"
	"vaak/text/frontend"
	"vaak/web"
)

// application is everything behind the listeners.
type application struct {
	handler   http.Handler
	log       *slog.Logger
	telemetry *telemetry.Telemetry
	dataDir   string
	store     *store.Store // not its own
	accounts  *account.Service
	jobs      *jobs.Engine
	audited   audited
	engine    *espeak.Engine
	kept      kept
	speech    observedSpeech
	mcp       *mcp.Server
	live      *ws.Handler
}

// build opens and connects the parts of the server.
func (c serveCommand) build(ctx context.Context, file *configFile, db *store.Store, publicURL string, log *slog.Logger) (_ *application, err error) {
	app := &application{log: log, dataDir: c.DataDir, store: db}
	defer func() {
		if err != nil {
			err = errors.Join(err, app.close())
		}
	}()
	if app.telemetry, err = c.telemetryFlags.open(log); err != nil {
		return nil, err
	}
	if app.accounts, err = account.New(account.Config{
		Store: app.store, Limits: app.store.Limits(), Lanes: app.store.Lanes(), Logger: log,
	}); err != nil {
		return nil, err
	}
	if err := file.setPlans(ctx, app.accounts); err != nil {
		return nil, err
	}
	if app.engine, err = c.engineFlags.open(log); err != nil {
		return nil, err
	}
	if app.kept, err = c.openCache(app.engine.Version(), log); err != nil {
		return nil, err
	}
	app.speech.telemetry = app.telemetry
	if app.speech.Service, err = newSpeech(app.engine, app.accounts, c.DataDir, file, app.kept, log); err != nil {
		return nil, err
	}
	app.watch()
	if app.mcp, err = newMCP(app.speech, app.accounts, publicURL, "", log); err != nil {
		return nil, err
	}
	if app.live, err = newLive(app.speech, app.accounts, file, log); err != nil {
		return nil, err
	}
	pages, err := newPages(app.speech.Service, app.mcp, publicURL)
	if err != nil {
		return nil, err
	}
	app.accounts.Start(ctx)
	app.jobs, err = jobs.New(jobs.Config{
		Queue: app.store.Queue(), Logger: log,
		Handlers: accountJobs(app.accounts, c.KeepRequests, app.audited.note),
	})
	if err != nil {
		return nil, err
	}
	if err := app.jobs.Start(ctx); err != nil {
		return nil, err
	}
	frontend.Warm() // so that no request waits for the tables of its language
	app.handler, err = rest.New(rest.Config{
		Accounts:   app.accounts,
		Speech:     app.speech,
		MCP:        app.mcp.Handler(),
		Live:       sockets(app.live),
		Pages:      pages,
		Version:    version,
		Clients:    edge.NewClients(c.TrustedProxies),
		PublicRate: c.PublicRate,
		Logger:     log,
		Observer:   app.telemetry,
	})
	return app, err
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
	errs = append(errs, a.kept.answers.Close())
	if a.jobs != nil {
		ctx, cancel := context.WithTimeout(context.Background(), jobsGrace)
		defer cancel()
		errs = append(errs, a.jobs.Close(ctx))
	}
	if a.accounts != nil {
		errs = append(errs, a.accounts.Close(context.Background()))
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

// speaker is the speech service, or what is wrapped around it.
type speaker interface {
	mcp.Speaker
	Health() speech.Health
}

func newMCP(s speaker, accounts mcp.Accounts, publicURL, outputDir string, log *slog.Logger) (*mcp.Server, error) {
	return mcp.New(mcp.Config{
		Speech:    s,
		Accounts:  accounts,
		Formats:   s.Health().Formats,
		Version:   version,
		PublicURL: publicURL,
		OutputDir: outputDir,
		Log:       log,
	})
}

func newPages(s *speech.Service, m *mcp.Server, publicURL string) (*web.Handler, error) {
	health := s.Health()
	cfg := web.Config{
		Version:       version,
		PublicURL:     publicURL,
		Languages:     health.Languages,
		Voices:        health.Voices,
		SampleRates:   audio.SampleRates,
		MaxCharacters: speech.MaxCharacters,
		DefaultVoice:  string(health.DefaultVoice),
	}
	for _, f := range health.Formats {
		cfg.Formats = append(cfg.Formats, string(f))
	}
	for _, t := range m.Tools(mcp.HTTP) {
		cfg.Tools = append(cfg.Tools, t.Name)
	}
	return web.New(cfg)
}
