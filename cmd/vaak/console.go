package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"vaak/console"
	"vaak/console/signin"
	"vaak/identity"
	"vaak/identity/oidc"
	"vaak/store"
	"vaak/store/jobs"
)

// consoleFlags say where the console is and who vouches for people.
type consoleFlags struct {
	ConsoleListen string `help:"Address of the console, where people manage keys, dictionaries, datasets and more in a browser; keep it private. off leaves it out. Default: 127.0.0.1:8082, or a free port beside it when that is taken." placeholder:"ADDR"`
	ConsoleURL    string `help:"Address of the console that people see, such as https://console.example.org; with https its cookies are marked as secure. Default: the listen address." name:"console-url" placeholder:"URL"`
	OIDCIssuer    string `help:"OpenID Connect provider that vouches for people, beside their passwords, such as https://login.example.org. People have to be invited all the same." name:"oidc-issuer" placeholder:"URL"`
	OIDCClientID  string `help:"Client id at that provider." name:"oidc-client-id" placeholder:"ID"`
	OIDCSecret    string `help:"File with the client's secret at that provider." name:"oidc-secret-file" type:"path" placeholder:"FILE"`
	OIDCName      string `help:"What the provider is called on the button." name:"oidc-name" default:"single sign-on" placeholder:"NAME"`
}

const (
	// consoleDefault is where the console is unless somebody says otherwise.
	consoleDefault = "127.0.0.1:8082"
	consoleOff     = "off"
	// setupFile holds the setup token, in the data directory.
	setupFile = "console-setup-token"
)

// hasConsole reports whether there is to be a console.
func (f consoleFlags) hasConsole() bool { return f.ConsoleListen != consoleOff }

// consoleNamed reports whether somebody said where the console is to be. Then it has to be
// there, and is told on the ready line.
func (f consoleFlags) consoleNamed() bool { return f.ConsoleListen != "" && f.hasConsole() }

func (f consoleFlags) check() error {
	if f.ConsoleURL != "" {
		if err := checkPublicURL(f.ConsoleURL); err != nil {
			return badUsage("--console-url: %v", err)
		}
		if u, err := url.Parse(f.ConsoleURL); err == nil && strings.Trim(u.Path, "/") != "" {
			return badUsage("--console-url %s: the console is at the root of its address, and cannot be below %s", f.ConsoleURL, u.Path)
		}
	}
	switch given := f.OIDCIssuer != ""; {
	case given != (f.OIDCClientID != ""):
		return badUsage("--oidc-issuer and --oidc-client-id go together")
	case f.OIDCSecret != "" && !given:
		return badUsage("--oidc-secret-file needs --oidc-issuer")
	}
	return nil
}

// listenConsole takes the console's address, as [serveCommand.listen] takes the
// others. When nobody named one and the default is taken, any port of this machine
// does.
func (c serveCommand) listenConsole(ctx context.Context, neighbour func() (bool, error)) (net.Listener, error) {
	if !c.hasConsole() {
		return nil, nil
	}
	l, _, err := take(ctx, cmp.Or(c.ConsoleListen, consoleDefault), neighbour)
	if err != nil && !c.consoleNamed() {
		l, _, err = take(ctx, "127.0.0.1:0", neighbour)
	}
	if err != nil {
		return nil, fmt.Errorf("--console-listen: %w", err)
	}
	if at, ok := l.Addr().(*net.TCPAddr); ok && c.ConsoleURL == "" && at.IP.IsUnspecified() {
		return nil, errors.Join(badUsage("--console-listen %s is all addresses of this machine: name the one that people see with --console-url", c.ConsoleListen), l.Close())
	}
	return l, nil
}

// consoleURL returns where people reach the console.
func (c serveCommand) consoleURL(l net.Listener) string {
	if c.ConsoleURL != "" {
		return strings.TrimRight(c.ConsoleURL, "/")
	}
	return c.scheme() + "://" + l.Addr().String()
}

// openConsole opens the console at an address, and tells who may set it up.
func (a *application) openConsole(ctx context.Context, c serveCommand, here *presence, address, api string) error {
	secret, err := c.openSecret(c.DataDir)
	if err != nil {
		return err
	}
	people, err := identity.New(identity.Config{
		Store: a.store.Identity(), Secret: secret, SetupFile: filepath.Join(c.DataDir, setupFile), Issuer: "Vaak", Log: a.log,
	})
	if err != nil {
		return err
	}
	cfg := console.Config{
		Identity: people, Sessions: a.store.Identity(), Accounts: a.accounts, URL: address, API: api,
		System: (&state{app: a, here: here, started: time.Now()}).system, KeepRequests: c.KeepRequests, Clients: c.clients(), Version: version, Logger: a.log, Observer: a.telemetry,
	}
	if a.engine != nil {
		cfg.Speech, cfg.Dictionaries, cfg.Voices = a.speech, a.dictionaries, a.speech.Voices()
	}
	if a.catalogue != nil {
		cfg.Catalogue, cfg.Desk = a.catalogue, a.mailbox.desk
	}
	if cfg.Provider, err = c.provider(ctx, address); err != nil {
		return err
	}
	cfg.ProviderName = c.OIDCName
	if a.console, err = console.New(cfg); err != nil {
		return err
	}
	token, err := people.SetupToken(ctx)
	if err != nil {
		return err
	}
	if token != "" { // it is good once, and then worth nothing
		a.log.Info("the console is not set up yet: open the page and enter the token", "page", address+"/setup", "token", token,
			"file", filepath.Join(c.DataDir, setupFile))
	}
	return nil
}

// provider returns the identity provider; nil without one.
func (f consoleFlags) provider(ctx context.Context, address string) (signin.Provider, error) {
	if f.OIDCIssuer == "" {
		return nil, nil
	}
	secret := ""
	if f.OIDCSecret != "" {
		b, err := os.ReadFile(f.OIDCSecret)
		if err != nil {
			return nil, badUsage("--oidc-secret-file: %v", err)
		}
		secret = strings.TrimSpace(string(b))
	}
	p, err := oidc.New(ctx, oidc.Config{
		Issuer: f.OIDCIssuer, ClientID: f.OIDCClientID, ClientSecret: secret, RedirectURL: address + signin.AnswerPath,
	})
	if err != nil {
		return nil, badUsage("--oidc-issuer: %v", err)
	}
	return p, nil
}

// Sessions and invitations are forgotten once they have expired, and events after a year.
const identityEvery = time.Hour

// identityJobs forget what has expired: once for all processes, and in any of them.
func identityJobs(db *store.Store) []jobs.Handler {
	return []jobs.Handler{{Kind: "identity.prune", Every: identityEvery, Work: func(ctx context.Context, _ []byte) error {
		_, err := identity.Prune(ctx, db.Identity(), time.Now())
		return err
	}}}
}

// tellConsole says on standard error where the console is when nobody asked for an
// address, since the ready line has it only then.
func (c serveCommand) tellConsole(log *slog.Logger, address string) {
	if !c.consoleNamed() {
		log.Info("console", "address", address)
	}
}
