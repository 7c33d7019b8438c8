package main

import (
	"net/url"
	"strings"

	"vaak/app"
	"vaak/app/usage"
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

// consoleOff is the address that leaves the console out.
const consoleOff = "off"

// hasConsole reports whether there is to be a console.
func (f consoleFlags) hasConsole() bool { return f.ConsoleListen != consoleOff }

// consoleNamed reports whether --console-listen names an address. The console must listen
// there then, and the ready line shows it.
func (f consoleFlags) consoleNamed() bool { return f.ConsoleListen != "" && f.hasConsole() }

func (f consoleFlags) check() error {
	if f.ConsoleURL != "" {
		if err := app.CheckPublicURL(f.ConsoleURL); err != nil {
			return usage.Errorf("--console-url: %v", err)
		}
		if u, err := url.Parse(f.ConsoleURL); err == nil && strings.Trim(u.Path, "/") != "" {
			return usage.Errorf("--console-url %s: the console is at the root of its address, and cannot be below %s", f.ConsoleURL, u.Path)
		}
	}
	switch given := f.OIDCIssuer != ""; {
	case given != (f.OIDCClientID != ""):
		return usage.Errorf("--oidc-issuer and --oidc-client-id go together")
	case f.OIDCSecret != "" && !given:
		return usage.Errorf("--oidc-secret-file needs --oidc-issuer")
	}
	return nil
}

// console returns what the flags say as the application takes it.
func (f consoleFlags) console() app.Console {
	c := app.Console{
		Off: !f.hasConsole(), URL: f.ConsoleURL,
		OIDCIssuer: f.OIDCIssuer, OIDCClientID: f.OIDCClientID, OIDCSecret: f.OIDCSecret, OIDCName: f.OIDCName,
	}
	if f.consoleNamed() {
		c.Listen = f.ConsoleListen
	}
	return c
}
