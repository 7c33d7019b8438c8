package main

import (
	"context"
	"errors"
	"log/slog"

	"vaak/account"
	"vaak/rest"
	"vaak/rest/ws"
)

type mcpCommand struct {
	engineFlags
	Speech    bool   `help:"Offer the speech tools. It is the only service of this build, and the default."`
	OutputDir string `help:"Directory that tools may write audio files to. Default: none is written." placeholder:"DIR" type:"existingdir"`
}

// Run serves until standard input ends.
func (c mcpCommand) Run(ctx context.Context, s streams, file *configFile) error {
	log := logger(s, slog.LevelWarn)
	e, err := c.open(log)
	if err != nil {
		return err
	}
	svc, err := newSpeech(e, account.Unmetered{}, "", file, kept{}, log)
	if err != nil {
		return errors.Join(err, e.Close())
	}
	server, err := newMCP(svc, account.Unmetered{}, "", c.OutputDir, log)
	if err != nil {
		return errors.Join(err, e.Close())
	}
	return errors.Join(server.ServeStdio(ctx, s.in, s.out), server.Close(), e.Close())
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
	text, err := ws.AsyncAPI()
	if err != nil {
		return err
	}
	_, err = s.out.Write(text)
	return err
}
