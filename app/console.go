package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"time"

	"vaak/app/deployment"
	"vaak/app/door"
	"vaak/app/usage"
	"vaak/console"
	"vaak/console/signin"
	"vaak/identity"
	"vaak/identity/oidc"
)

// ConsoleDefault is the default listen address of the console.
const ConsoleDefault = "127.0.0.1:8082"

// Console configures the console and the identity provider.
type Console struct {
	Off bool
	// Listen is HOST:PORT. "" is [ConsoleDefault], or a free port of this machine where
	// that one is taken.
	Listen       string
	URL          string // that people see; "" is the listen address
	OIDCIssuer   string // "" is no provider
	OIDCClientID string
	OIDCSecret   string // file with the client's secret at the provider; "" sends none
	OIDCName     string // what the provider is called on the button
}

// listen takes the address of the console; nil without a console.
func (c Console) listen(ctx context.Context, neighbour func() (bool, error)) (net.Listener, error) {
	if c.Off {
		return nil, nil
	}
	l, _, err := door.Take(ctx, cmp.Or(c.Listen, ConsoleDefault), neighbour)
	// Nobody asked for the default port, so a program that has it is no reason to refuse to
	// start.
	if err != nil && c.Listen == "" {
		l, _, err = door.Take(ctx, "127.0.0.1:0", neighbour)
	}
	if err != nil {
		return nil, fmt.Errorf("--console-listen: %w", err)
	}
	// The redirect URL of the identity provider begins with this address, so it must be one
	// that a browser can open.
	if at, ok := l.Addr().(*net.TCPAddr); ok && c.URL == "" && at.IP.IsUnspecified() {
		return nil, errors.Join(usage.Errorf("--console-listen %s is all addresses of this machine: name the one that people see with --console-url", c.Listen), l.Close())
	}
	return l, nil
}

// openConsole opens the console at an address. If the console was not set up yet,
// openConsole logs the token that allows it.
func (a *application) openConsole(ctx context.Context, here *door.Presence, address, api string) error {
	c := a.cfg
	secret, err := c.Place.OpenSecret()
	if err != nil {
		return err
	}
	people, err := identity.New(identity.Config{
		Store: a.store.Identity(), Secret: secret, SetupFile: c.Place.In(deployment.Setup), Issuer: "Vaak", Log: a.log,
	})
	if err != nil {
		return err
	}
	cfg := console.Config{
		Identity: people, Sessions: a.store.Identity(), Accounts: a.accounts, URL: address, API: api,
		System: (&state{app: a, here: here, started: time.Now()}).system, KeepRequests: c.KeepRequests, Clients: c.Clients, Version: c.Version, Logger: a.log, Observer: a.telemetry,
	}
	if a.engines != nil {
		cfg.Speech, cfg.Dictionaries, cfg.Voices, cfg.Tokens = a.speech, a.dictionaries, a.speech.Voices(), a.tokens
	}
	if a.catalogue != nil {
		cfg.Catalogue, cfg.Desk = a.catalogue, a.mailbox.desk
	}
	if cfg.Provider, err = c.Console.provider(ctx, address, a.log); err != nil {
		return err
	}
	cfg.ProviderName = c.Console.OIDCName
	if a.console, err = console.New(cfg); err != nil {
		return err
	}
	token, err := people.SetupToken(ctx)
	if err != nil {
		return err
	}
	if token != "" { // it may be logged: it works once
		a.log.Info("the console is not set up yet: open the page and enter the token", "page", address+"/setup", "token", token,
			"file", c.Place.In(deployment.Setup))
	}
	return nil
}

// provider returns the identity provider; nil without one.
func (c Console) provider(ctx context.Context, address string, log *slog.Logger) (signin.Provider, error) {
	if c.OIDCIssuer == "" {
		return nil, nil
	}
	secret := ""
	if c.OIDCSecret != "" {
		var open bool
		var err error
		if secret, open, err = deployment.ReadSecret(c.OIDCSecret); err != nil {
			return nil, usage.Errorf("--oidc-secret-file: %v", err)
		}
		if open {
			log.Warn("every user of this machine may read a file with a secret; chmod o= mends it", "setting", "--oidc-secret-file", "file", c.OIDCSecret)
		}
	}
	p, err := oidc.New(ctx, oidc.Config{
		Issuer: c.OIDCIssuer, ClientID: c.OIDCClientID, ClientSecret: secret, RedirectURL: address + signin.AnswerPath,
	})
	if err != nil {
		return nil, usage.Errorf("--oidc-issuer: %v", err)
	}
	return p, nil
}
