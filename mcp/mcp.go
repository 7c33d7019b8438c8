// Package mcp offers the services to agents as tools, resources and prompts of the Model Context
// Protocol, over HTTP and over standard input and output.
//
// Each capability has a package below, which makes its part of an offer with package tool. This
// package puts the parts together for each way to reach them.
//
// One address serves all versions of the protocol from 2024-11-05 to 2026-07-28. Each request says
// which version its client speaks.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"

	"vaak/audio"
	"vaak/catalogue"
	"vaak/croissant/publish"
	"vaak/dictionary"
	"vaak/edge"
	"vaak/lang"
	"vaak/mcp/enquiries"
	"vaak/mcp/speech"
	"vaak/mcp/tool"
	"vaak/mcp/transport"
	"vaak/mcp/usage"
	"vaak/voice"
)

// Config says what a [Server] offers.
type Config struct {
	// Speech speaks; nil leaves the speech service out.
	Speech speech.Speaker
	// Voices finds the voices that callers name; nil knows the roster and the built-in
	// aliases.
	Voices *voice.Directory
	// Accounts lets callers speak; required with Speech.
	Accounts speech.Accounts
	// Reports tells callers what is left; nil leaves get_usage out.
	Reports usage.Reports
	// Dictionaries are the pronunciation dictionaries that callers may use, list and
	// make; nil leaves them out.
	Dictionaries *dictionary.Service
	// Clips keeps audio for those who have the link to it, for clients over HTTP;
	// nil makes no links, and neither does a server without a PublicURL.
	Clips speech.Clips
	// Formats are the codecs that this deployment encodes, the only ones that
	// are offered; required with Speech.
	Formats []audio.Codec
	// Offered tells which languages this deployment offers; the zero value is all.
	Offered lang.Prior
	// Catalogue has the datasets; nil leaves the catalogue out. One of the two
	// services is required.
	Catalogue catalogue.Reader
	// Croissant has their documents; required with Catalogue.
	Croissant *publish.Service
	// Enquiries takes what people ask about the datasets; nil leaves send_enquiry out.
	Enquiries enquiries.Enquiries
	// Version is the version of the program as clients see it; "" is "dev".
	Version string
	// PublicURL is the address under which clients reach the service, such as
	// "https://speech.example.org"; "" when there is none, and then results
	// hold no links. Its host is accepted in Host and Origin headers.
	PublicURL string
	// Origins are the further origins that a browser may call from, such as
	// "https://app.example.org".
	Origins []string
	// Sessions keeps sessions of clients over HTTP in this process, so that
	// those of the versions up to 2025-11-25 can be asked in mid-call and can
	// cancel calls. False is for several replicas; see [transport.Config].
	Sessions bool
	// Refuse answers requests that fail before the protocol sees them, in the
	// shape of errors that the service has; a line of text without.
	Refuse map[Service]edge.Refuse
	// Metadata are the addresses of the documents that say where access tokens come from; nil
	// where applications cannot be connected.
	Metadata map[Service]string
	// OutputDir is where tools may write files for a client on standard input
	// and output, and nowhere else. "" means that they write none. Clients
	// over HTTP never cause a file to be written.
	OutputDir string
	// Log takes the log; nil discards it. Arguments and results are never
	// logged.
	Log *slog.Logger
}

// Face is a way to reach the tools. Faces differ in what they offer: only a local client can get a
// file.
type Face string

// The faces.
const (
	HTTP  Face = "http"
	Stdio Face = "stdio"
)

// Service is one of the two services, each of which has an endpoint.
type Service string

// The services.
const (
	Catalogue Service = "catalogue" // needs no key
	Speech    Service = "speech"
)

// Server serves the tools. Its methods may be called concurrently.
type Server struct {
	cfg    Config
	public *url.URL // nil when there is none
	log    *slog.Logger
	output *os.Root // nil when no files are written
	offers map[Face]map[Service]tool.Offer

	handlers map[Service]*transport.Handler
}

// New returns a server that offers what cfg provides for. It fails when a required field is
// missing, an address cannot be parsed or OutputDir cannot be opened.
func New(cfg Config) (*Server, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	if cfg.Version == "" {
		cfg.Version = "dev"
	}
	s := &Server{cfg: cfg, log: cfg.Log, offers: map[Face]map[Service]tool.Offer{}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if cfg.PublicURL != "" {
		u, err := url.Parse(cfg.PublicURL)
		if err != nil || u.Scheme == "" || u.Host == "" {
			return nil, fmt.Errorf("public address %q is not an absolute URL", cfg.PublicURL)
		}
		s.public = u
	}
	if cfg.OutputDir != "" {
		root, err := os.OpenRoot(cfg.OutputDir)
		if err != nil {
			return nil, fmt.Errorf("open output directory: %w", err)
		}
		s.output = root
	}
	for _, f := range []Face{HTTP, Stdio} {
		if err := s.build(f); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	if err := s.open(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (c Config) check() error {
	switch {
	case c.Speech == nil && c.Catalogue == nil:
		return errors.New("the tools need a service")
	case c.Speech != nil && c.Accounts == nil:
		return errors.New("the speech tools need accounts")
	case c.Speech != nil && len(c.Formats) == 0:
		return errors.New("the speech tools need an audio format")
	case c.Catalogue != nil && c.Croissant == nil:
		return errors.New("the tools of the catalogue need its documents")
	}
	return nil
}

// build makes the offers of a face.
func (s *Server) build(f Face) (err error) {
	offers := map[Service]tool.Offer{}
	if s.cfg.Catalogue != nil {
		if offers[Catalogue], err = s.offerCatalogue(f); err != nil {
			return err
		}
	}
	if s.cfg.Speech != nil {
		if offers[Speech], err = s.offerSpeech(f); err != nil {
			return err
		}
	}
	s.offers[f] = offers
	return nil
}

// offer returns what a client of services finds on a face. A service that is not configured adds
// nothing.
func (s *Server) offer(f Face, services ...Service) tool.Offer {
	var offers []tool.Offer
	for _, name := range services {
		if o, ok := s.offers[f][name]; ok {
			offers = append(offers, o)
		}
	}
	return tool.Join(offers...)
}

// Close releases the output directory. Calls must have ended.
func (s *Server) Close() error {
	if s.output == nil {
		return nil
	}
	return s.output.Close()
}

// Tools describes the tools of services on a face, in the order of their names.
func (s *Server) Tools(f Face, services ...Service) []tool.Tool {
	entries := s.offer(f, services...).Tools
	list := make([]tool.Tool, len(entries))
	for i, e := range entries {
		list[i] = e.Tool
	}
	return list
}

func (s *Server) runner() tool.Runner { return tool.Runner{Version: s.cfg.Version, Log: s.log} }

// open makes the handlers of the services.
func (s *Server) open() error {
	s.handlers = map[Service]*transport.Handler{}
	for name, o := range s.offers[HTTP] {
		h, err := transport.New(transport.Config{
			Server:    s.runner().Protocol(tool.Join(o)),
			PublicURL: s.cfg.PublicURL,
			Origins:   s.cfg.Origins,
			NeedsKey:  name == Speech,
			Sessions:  s.cfg.Sessions,
			Own:       true,
			Missing:   s.missing(HTTP, name),
			Scope:     needs(o),
			Metadata:  s.cfg.Metadata[name],
			Refuse:    s.cfg.Refuse[name],
			Log:       s.log,
		})
		if err != nil {
			return err
		}
		s.handlers[name] = h
	}
	return nil
}

// Handler returns the handler of a service over HTTP, for one address; nil when the service is
// not configured. The middlewares of package edge must stand before it, except the one that
// reads bodies, and must refuse with its method Refuse. The handler of the speech service
// refuses requests without a caller.
func (s *Server) Handler(service Service) *transport.Handler { return s.handlers[service] }

// StopAsking withdraws the questions over HTTP that people have not answered yet, and asks no
// more. A server calls it before it stops, because it would otherwise wait for people.
func (s *Server) StopAsking() {
	for _, h := range s.handlers {
		h.StopAsking()
	}
}

// ServeStdio serves one local client, which needs no key, as [transport.Stdio]
// says.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer, services ...Service) error {
	return transport.Stdio(ctx, transport.Config{
		Server: s.runner().Protocol(s.offer(Stdio, services...)), Missing: s.missing(Stdio, services...), Log: s.log,
	}, in, out)
}
