package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"

	"vaak/account"
	"vaak/croissant/publish"
	"vaak/internal/seal"
	"vaak/mcp"
	"vaak/rest"
	"vaak/rest/live/asyncapi"
)

type mcpCommand struct {
	storeFlags
	engineFlags
	secretFlag
	keepFlag
	Speech    bool   `help:"Offer the speech tools. The default, unless --catalogue is given."`
	Catalogue bool   `help:"Offer the tools of the catalogue."`
	All       bool   `help:"Offer both."`
	PublicURL string `help:"Address of the server that serves this data directory: links to pages, samples, documents and previews begin with it. Default: no links are given, and addresses in records are paths." name:"public-url" placeholder:"URL"`
	SMTP      string `help:"Mail server of the servers of this database, as vaak serve has it; the file of --config may name it. Nothing is sent from here, but with it a person whose host cannot ask gets a link by mail from a server. Default: the form of the site alone." name:"smtp" placeholder:"URL"`
	OutputDir string `help:"Directory that tools may write audio files to. Default: none is written." placeholder:"DIR" type:"existingdir"`
}

// services are those that the flags name.
func (c mcpCommand) services() []mcp.Service {
	switch {
	case c.All || c.Catalogue && c.Speech:
		return []mcp.Service{mcp.Catalogue, mcp.Speech}
	case c.Catalogue:
		return []mcp.Service{mcp.Catalogue}
	}
	return []mcp.Service{mcp.Speech}
}

// Run serves until standard input ends.
func (c mcpCommand) Run(ctx context.Context, s streams, file *configFile) (err error) {
	if c.PublicURL != "" {
		if err := checkPublicURL(c.PublicURL); err != nil {
			return err
		}
	}
	log := logger(s, slog.LevelWarn)
	services := c.services()
	cfg := mcp.Config{Version: version, OutputDir: c.OutputDir, PublicURL: c.PublicURL, Log: log}
	var opened parts
	defer func() { err = errors.Join(err, opened.Close()) }()
	if slices.Contains(services, mcp.Speech) {
		if err := c.openSpeech(&cfg, &opened, file); err != nil {
			return err
		}
	}
	if slices.Contains(services, mcp.Catalogue) {
		if err := c.openCatalogue(ctx, &cfg, &opened, file); err != nil {
			return err
		}
	}
	server, err := mcp.New(cfg)
	if err != nil {
		return err
	}
	opened = append(opened, server)
	return server.ServeStdio(ctx, s.in, s.out, services...)
}

// parts are what was opened, in that order.
type parts []io.Closer

// Close closes all of them, what was opened last first.
func (p parts) Close() error {
	var errs []error
	for _, part := range slices.Backward(p) {
		errs = append(errs, part.Close())
	}
	return errors.Join(errs...)
}

// openSpeech adds the speech service, which counts nothing here.
func (c mcpCommand) openSpeech(cfg *mcp.Config, opened *parts, file *configFile) error {
	e, err := c.engineFlags.open(cfg.Log)
	if err != nil {
		return err
	}
	*opened = append(*opened, e)
	svc, err := newSpeech(e, account.Unmetered{}, file, kept{}, cfg.Log)
	if err != nil {
		return err
	}
	cfg.Voices = svc.Voices()
	cfg.Speech, cfg.Accounts, cfg.Formats = svc, account.Unmetered{}, svc.Health().Formats
	return nil
}

// openCatalogue adds the catalogue of the data directory, and follows what other
// processes change of it. It takes enquiries, whose mails go out when a server runs.
func (c mcpCommand) openCatalogue(ctx context.Context, cfg *mcp.Config, opened *parts, file *configFile) error {
	publicURL := strings.TrimRight(c.PublicURL, "/")
	if c.PublicURL != "" {
		if err := checkPublicURL(publicURL); err != nil {
			return err
		}
	}
	db, err := c.existing(ctx, cfg.Log)
	if err != nil {
		return err
	}
	*opened = append(*opened, db)
	dir, err := openFiles(c.DataDir)
	if err != nil {
		return err
	}
	datasets, err := openCatalogue(ctx, db, dir, publicURL, cfg.Log)
	if err != nil {
		return err
	}
	*opened = append(*opened, datasets)
	datasets.Start(ctx)
	cfg.Catalogue, cfg.Croissant = datasets, publish.New(datasets, publicURL)
	secret, err := c.openSecret()
	if err != nil {
		return err
	}
	cfg.Enquiries, err = enquiries{
		db: db, datasets: datasets, secret: secret, addresses: file.addresses(),
		publicURL: publicURL, policy: file.ConsentPolicy, keep: c.KeepEnquiries, links: c.SMTP != "", log: cfg.Log,
	}.service()
	return err
}

// openSecret opens the secret, which is made where the first server would make it. A
// secret that a flag names, and that of servers elsewhere whose links are given, is
// not made here.
func (c mcpCommand) openSecret() (*seal.Secret, error) {
	if c.Secret != "" || c.Database != "" && c.PublicURL != "" {
		return c.existingSecret(c.DataDir)
	}
	return c.secretFlag.openSecret(c.DataDir)
}

type openapiCommand struct {
	Service string `help:"speech describes both services as /openapi.json does, catalogue the catalogue alone." default:"speech" enum:"speech,catalogue"`
}

// Run prints the description.
func (c openapiCommand) Run(s streams) error {
	describe := rest.OpenAPI
	if c.Service == catalogueService {
		describe = rest.CatalogueOpenAPI
	}
	text, err := describe()
	if err != nil {
		return err
	}
	_, err = s.out.Write(text)
	return err
}

type asyncapiCommand struct{}

// Run prints the description.
func (asyncapiCommand) Run(s streams) error {
	text, err := asyncapi.Document()
	if err != nil {
		return err
	}
	_, err = s.out.Write(text)
	return err
}
