package app

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"

	"vaak/account"
	"vaak/app/deployment"
	"vaak/app/speaker"
	"vaak/croissant/publish"
	"vaak/internal/seal"
	"vaak/mcp"
)

// StdioConfig configures [ServeStdio].
type StdioConfig struct {
	Version   string
	Place     deployment.Place
	Engine    speaker.Engine
	Voices    speaker.Voices
	Speech    bool   // offer the speech tools
	Catalogue bool   // offer the tools of the catalogue
	PublicURL string // of the servers of the data directory; "" gives no links
	OutputDir string // to which tools may write audio; "" writes none
	Mail      Mail   // of the servers: nothing is sent from here
	Logger    *slog.Logger
}

// ServeStdio serves MCP over standard input and output until the input ends. Nobody is
// charged.
func ServeStdio(ctx context.Context, c StdioConfig, in io.Reader, out io.Writer) (err error) {
	cfg := mcp.Config{Version: c.Version, OutputDir: c.OutputDir, PublicURL: c.PublicURL, Log: c.Logger}
	var opened closers
	defer func() { err = errors.Join(err, opened.Close()) }()
	var services []mcp.Service
	if c.Catalogue {
		services = append(services, mcp.Catalogue)
	}
	if c.Speech {
		services = append(services, mcp.Speech)
		if err := c.openSpeech(&cfg, &opened); err != nil {
			return err
		}
	}
	if c.Catalogue {
		if err := c.openCatalogue(ctx, &cfg, &opened); err != nil {
			return err
		}
	}
	server, err := mcp.New(cfg)
	if err != nil {
		return err
	}
	opened = append(opened, server)
	return server.ServeStdio(ctx, in, out, services...)
}

// closers lists what was opened, in the order of opening.
type closers []io.Closer

// Close closes all of them, the last one first.
func (c closers) Close() error {
	var errs []error
	for _, one := range slices.Backward(c) {
		errs = append(errs, one.Close())
	}
	return errors.Join(errs...)
}

// openSpeech adds the speech service.
func (c StdioConfig) openSpeech(cfg *mcp.Config, opened *closers) error {
	e, err := c.Engine.Open(c.Logger)
	if err != nil {
		return err
	}
	*opened = append(*opened, e)
	svc, err := speaker.New(e, account.Unmetered{}, c.Voices, speaker.Kept{}, c.Logger)
	if err != nil {
		return err
	}
	cfg.Voices = svc.Voices()
	cfg.Speech, cfg.Accounts, cfg.Formats = svc.Service, account.Unmetered{}, svc.Health().Formats
	return nil
}

// openCatalogue adds the catalogue of the data directory, and follows what other
// processes change of it. It takes enquiries, whose mails go out when a server runs.
func (c StdioConfig) openCatalogue(ctx context.Context, cfg *mcp.Config, opened *closers) error {
	publicURL := strings.TrimRight(c.PublicURL, "/")
	db, err := c.Place.Existing(ctx, c.Logger)
	if err != nil {
		return err
	}
	*opened = append(*opened, db)
	dir, err := c.Place.OpenFiles()
	if err != nil {
		return err
	}
	datasets, err := deployment.OpenCatalogue(ctx, db, dir, publicURL, c.Logger)
	if err != nil {
		return err
	}
	*opened = append(*opened, datasets)
	datasets.Start(ctx)
	cfg.Catalogue, cfg.Croissant = datasets, publish.New(datasets, publicURL)
	secret, err := c.secret()
	if err != nil {
		return err
	}
	cfg.Enquiries, err = Enquiries{
		Store: db, Catalogue: datasets, Secret: secret, PublicURL: publicURL, Mail: c.Mail, Logger: c.Logger,
	}.Service()
	return err
}

// secret opens the secret of the deployment. It creates the secret only where the first
// server would do so. It does not create one that a flag names, nor one beside a named
// database whose servers have an address: their secret is another, and links that are
// signed with a new one would be dead.
func (c StdioConfig) secret() (*seal.Secret, error) {
	if c.Place.Secret != "" || c.Place.Database != "" && c.PublicURL != "" {
		return c.Place.ExistingSecret()
	}
	return c.Place.OpenSecret()
}
