// Package console serves the pages, on a listener of their own, where people manage
// what an organisation has (keys, dictionaries, usage, a playground) and operators
// manage the service (organisations, plans, people, datasets, enquiries).
//
// Each capability is a package below this one, with its handlers, templates and scripts.
// It is named as in the other transports. This package puts them together on the frame
// that [page] is. Handlers call the methods of the domain services that REST and MCP
// call; nothing is decided here but who may see what. Every route says who that is
// ([page.Access]). The addresses of what belongs to an organisation begin with /o/ and
// its id, so that the check is in one place.
//
// Forms work without scripts: they are posted, and answered with a redirect and a
// notice, or with the same page and what is wrong. Scripts of the pages are files of
// this server; nothing is loaded from elsewhere.
package console

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"vaak/account"
	datasets "vaak/catalogue"
	"vaak/console/audit"
	"vaak/console/catalogue"
	"vaak/console/dictionaries"
	"vaak/console/enquiries"
	"vaak/console/keys"
	"vaak/console/organisations"
	"vaak/console/page"
	"vaak/console/people"
	"vaak/console/plans"
	"vaak/console/signin"
	"vaak/console/speech"
	"vaak/console/system"
	"vaak/console/usage"
	"vaak/console/voices"
	"vaak/dictionary"
	"vaak/edge"
	"vaak/enquiry"
	"vaak/identity"
	"vaak/token"
	"vaak/voice"
)

// Speech speaks, reads and previews. The speech service is the one of the product.
type Speech interface {
	speech.Speech
	voices.Previews
}

// Config is what the console serves.
type Config struct {
	Identity *identity.Service     // required
	Sessions identity.SessionStore // required
	Accounts *account.Service      // required
	// URL is where people reach the console, such as https://console.example.org;
	// required. With https cookies are marked as secure.
	URL string
	// API is where clients reach the services, for examples of code; required.
	API string
	// Speech and Dictionaries are nil where speech does not run.
	Speech       Speech
	Dictionaries *dictionary.Service
	// Tokens are the single-use tokens of organisations; nil leaves them out.
	Tokens *token.Service
	// Voices finds the voices that people name; nil knows the roster and the built-in
	// aliases.
	Voices *voice.Directory
	// Catalogue and Desk are nil where the catalogue does not run.
	Catalogue *datasets.Service
	Desk      *enquiry.Desk
	// Provider is nil without an identity provider; ProviderName is what the button
	// says.
	Provider     signin.Provider
	ProviderName string
	// System tells how the server does; required.
	System func(context.Context) system.State
	// KeepRequests is how long records of requests are kept; 0 says nothing of it.
	KeepRequests time.Duration
	// Clients tells the addresses of clients; nil trusts no proxy.
	Clients *edge.Clients
	Version string       // of the program
	Logger  *slog.Logger // nil discards
	// Observer watches every request; nil watches none.
	Observer edge.Observer
}

// complete checks the settings and fills in those that may be left out.
func (c *Config) complete() error {
	if c.System == nil {
		return errors.New("the console needs System")
	}
	if (c.Speech == nil) != (c.Dictionaries == nil) {
		return errors.New("the console needs Speech and Dictionaries together")
	}
	if (c.Catalogue == nil) != (c.Desk == nil) {
		return errors.New("the console needs Catalogue and Desk together")
	}
	c.URL, c.API = strings.TrimRight(c.URL, "/"), strings.TrimRight(c.API, "/")
	if c.Clients == nil {
		c.Clients = edge.NewClients(nil)
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return nil
}

// New returns the console.
func New(cfg Config) (*page.Site, error) {
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	return page.New(page.Config{
		Identity: cfg.Identity, Sessions: cfg.Sessions, Accounts: cfg.Accounts, URL: cfg.URL,
		Sections: cfg.sections(), Menu: cfg.menu,
		Clients: cfg.Clients, Version: cfg.Version, Logger: cfg.Logger, Observer: cfg.Observer,
	})
}

// sections returns the capabilities that run.
func (c *Config) sections() []page.Section {
	speaks := c.Speech != nil
	all := []page.Section{
		signin.New(signin.Config{Identity: c.Identity, Provider: c.Provider, ProviderName: c.ProviderName}),
		keys.New(keys.Config{Accounts: c.Accounts, Tokens: c.Tokens, API: c.API, Speaks: speaks}),
		usage.New(usage.Config{Accounts: c.Accounts, Voices: c.Voices, API: c.API, Speaks: speaks, KeepRequests: c.KeepRequests}),
		organisations.New(organisations.Config{Accounts: c.Accounts, Identity: c.Identity, Speaks: speaks}),
		plans.New(c.Accounts),
		people.New(people.Config{Identity: c.Identity, Accounts: c.Accounts, URL: c.URL}),
		system.New(system.Config{Accounts: c.Accounts, State: c.System}),
		audit.New(audit.Config{Identity: c.Identity, Accounts: c.Accounts, Dictionaries: speaks, Enquiries: c.Desk != nil}),
	}
	if speaks {
		all = append(all,
			speech.New(speech.Config{Accounts: c.Accounts, Speech: c.Speech, Dictionaries: c.Dictionaries, Voices: c.Voices, API: c.API}),
			voices.New(c.Voices, c.Speech),
			dictionaries.New(dictionaries.Config{Dictionaries: c.Dictionaries, Speech: c.Speech, API: c.API}))
	}
	if c.Catalogue != nil {
		all = append(all,
			catalogue.New(catalogue.Config{Catalogue: c.Catalogue, API: c.API}),
			enquiries.New(c.Desk))
	}
	return all
}

// menu returns the links that the person of a visit has a use for.
func (c *Config) menu(v *page.Visit) []page.Menu {
	var all []page.Menu
	if v.Org.ID != "" {
		links := []page.Link{{Href: v.At(""), Text: "Overview"}, {Href: v.At("keys"), Text: "Keys"}}
		if c.Speech != nil {
			links = append(links,
				page.Link{Href: v.At("playground"), Text: "Playground"}, page.Link{Href: v.At("voices"), Text: "Voices"},
				page.Link{Href: v.At("dictionaries"), Text: "Dictionaries"})
		}
		links = append(links, page.Link{Href: v.At("requests"), Text: "Requests"})
		if v.Person.Operates() {
			links = append(links, page.Link{Href: "/organisations/" + v.Org.ID, Text: "Plan and lots"})
		}
		all = append(all, page.Menu{Title: v.Org.Name, Links: links})
	}
	if v.Person.Operates() {
		links := []page.Link{{Href: "/organisations", Text: "Organisations"}, {Href: "/plans", Text: "Plans"}, {Href: "/people", Text: "People"}}
		if c.Catalogue != nil {
			links = append(links, page.Link{Href: "/datasets", Text: "Datasets"}, page.Link{Href: "/enquiries", Text: "Enquiries"})
		}
		links = append(links, page.Link{Href: "/system", Text: "System"}, page.Link{Href: "/audit", Text: "Audit"})
		all = append(all, page.Menu{Title: "Service", Links: links})
	}
	return all
}
