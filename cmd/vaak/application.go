package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"vaak/account"
	"vaak/audio"
	"vaak/engine/espeak"
	"vaak/mcp"
	"vaak/rest"
	"vaak/speech"
	"vaak/store"
	"vaak/text/frontend"
	"vaak/web"
)

// application is everything behind the listeners.
type application struct {
	handler  http.Handler
	log      *slog.Logger
	store    *store.Store
	accounts *account.Service
	engine   *espeak.Engine
	kept     kept
	speech   *speech.Service
	mcp      *mcp.Server
}

// build opens and connects the parts of the server.
func (c serveCommand) build(ctx context.Context, file *configFile, publicURL string, log *slog.Logger) (_ *application, err error) {
	app := &application{log: log}
	defer func() {
		if err != nil {
			err = errors.Join(err, app.close())
		}
	}()
	if app.store, err = c.storeFlags.open(ctx, log); err != nil {
		return nil, err
	}
	if app.accounts, err = account.New(account.Config{Store: app.store, Logger: log}); err != nil {
		return nil, err
	}
	if app.engine, err = c.engineFlags.open(log); err != nil {
		return nil, err
	}
	if app.kept, err = c.openCache(app.engine.Version(), log); err != nil {
		return nil, err
	}
	if app.speech, err = newSpeech(app.engine, app.accounts, c.DataDir, file, app.kept, log); err != nil {
		return nil, err
	}
	if app.mcp, err = newMCP(app.speech, publicURL, "", log); err != nil {
		return nil, err
	}
	pages, err := newPages(app.speech, app.mcp, publicURL)
	if err != nil {
		return nil, err
	}
	frontend.Warm() // so that no request waits for the tables of its language
	app.handler, err = rest.New(rest.Config{
		Accounts: app.accounts,
		Speech:   app.speech,
		MCP:      app.mcp.Handler(),
		Pages:    pages,
		Version:  version,
		Logger:   log,
	})
	return app, err
}

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
	if a.accounts != nil {
		errs = append(errs, a.accounts.Close(context.Background()))
	}
	if a.store != nil {
		errs = append(errs, a.store.Close())
	}
	return errors.Join(errs...)
}

func newMCP(s *speech.Service, publicURL, outputDir string, log *slog.Logger) (*mcp.Server, error) {
	return mcp.New(mcp.Config{
		Speech:    s,
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
