package main

import (
	"context"
	"log/slog"

	"vaak/app"
	"vaak/app/usage"
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

// Run serves until standard input ends.
func (c mcpCommand) Run(ctx context.Context, s streams, file *configFile) (err error) {
	if c.PublicURL != "" {
		if err := app.CheckPublicURL(c.PublicURL); err != nil {
			return err
		}
	}
	cfg := app.StdioConfig{
		Version: version, Place: c.secretFlag.in(c.place()), Engine: c.engine(c.place()),
		Speech: c.All || c.Speech || !c.Catalogue, Catalogue: c.All || c.Catalogue,
		PublicURL: c.PublicURL, OutputDir: c.OutputDir, Mail: file.mail(), Logger: logger(s, slog.LevelWarn),
	}
	cfg.Mail.Server, cfg.Mail.Keep = c.SMTP, c.KeepEnquiries
	if cfg.Speech {
		added, err := cfg.Engine.Added()
		if err != nil {
			return usage.Errorf("--pools: %v", err)
		}
		if cfg.Voices, err = file.voices(added); err != nil {
			return err
		}
	}
	return app.ServeStdio(ctx, cfg, s.in, s.out)
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
