// Package mcp offers the services to agents as tools of the Model Context
// Protocol, over HTTP and over standard input and output.
//
// A tool is one entry of a registry: a name, a description, an input struct,
// an output struct, hints and a handler. Everything else follows from it: the
// schemas that clients read, the check of arguments, the text beside the
// structured result, the documentation. Handlers call the same services as
// every other transport.
//
// The protocol itself is mcp-go's, which never shows in this package's API. All
// versions from 2024-11-05 to 2026-07-28 are served at one address; which
// one a client speaks is decided request by request.
package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"slices"
	"strings"

	"vaak/account"
	"vaak/audio"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/speech"
	"vaak/voice"
)

// Speaker turns text into audio: it writes the encoded answer to w. The
// service of package speech is one.
type Speaker interface {
	Speak(ctx context.Context, caller account.Caller, req speech.Request, w io.Writer) (speech.Result, error)
}

// Accounts gives callers stream slots and keeps what became of their calls.
// [*account.Service] is the one of the product, [account.Unmetered] that of a
// person's own machine.
type Accounts interface {
	Admit(ctx context.Context, caller account.Caller) (*account.Slot, error)
	// Session returns a context that ends when the caller's key is revoked.
	Session(ctx context.Context, caller account.Caller) (_ context.Context, stop func())
	Record(account.RequestRecord)
}

// Config says what a [Server] offers.
type Config struct {
	// Speech speaks. Required.
	Speech Speaker
	// Accounts lets callers speak. Required.
	Accounts Accounts
	// Formats are the codecs that this deployment encodes, the only ones that
	// are offered. Required.
	Formats []audio.Codec
	// Version is the version of the program as clients see it; "" is "dev".
	Version string
	// PublicURL is the address under which clients reach the service, such as
	// "https://speech.example.org"; "" when there is none, and then results
	// hold no links. Its host is accepted in Host and Origin headers.
	PublicURL string
	// Origins are the further origins that a browser may call from, such as
	// "https://app.example.org".
	Origins []string
	// OutputDir is where tools may write files for a client on standard input
	// and output, and nowhere else. "" means that they write none. Clients
	// over HTTP never cause a file to be written.
	OutputDir string
	// Log takes the log; nil discards it. Arguments and results are never
	// logged.
	Log *slog.Logger
}

// Face is one of the ways to reach the tools. They differ a little in what
// they offer: only a local client can be handed a file.
type Face string

// The faces.
const (
	HTTP  Face = "http"
	Stdio Face = "stdio"
)

// instructions are what a host may show its model about the server as a whole.
func instructions() string {
	return fmt.Sprintf(`Text to speech in %d languages with %d voices.
synthesize_speech turns text into audio; with text alone it finds the language and picks a voice of it.
search_voices finds a voice_id: every voice speaks every language. list_languages gives the language codes.
Send plain text as a person would write it: numbers and dates are read out in the language, SSML and phonemes are not. Texts of several languages need no splitting.
A call that fails says what to change. Only spoken characters are counted; searching is free.`, len(lang.All()), len(voice.All()))
}

// Server serves the tools. Its methods may be called concurrently.
type Server struct {
	cfg     Config
	public  *url.URL // nil when there is none
	origins []string
	log     *slog.Logger
	output  *os.Root // nil when no files are written
	tools   map[Face][]entry
}

// New returns a server of the tools that cfg makes possible. It fails when a
// required field is missing, an address cannot be parsed or OutputDir cannot
// be opened.
func New(cfg Config) (*Server, error) {
	if cfg.Speech == nil {
		return nil, errors.New("the tools need a speaker")
	}
	if cfg.Accounts == nil {
		return nil, errors.New("the tools need accounts")
	}
	if len(cfg.Formats) == 0 {
		return nil, errors.New("the tools need an audio format")
	}
	if cfg.Version == "" {
		cfg.Version = "dev"
	}
	s := &Server{cfg: cfg, log: cfg.Log, tools: map[Face][]entry{}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if err := s.parseAddresses(); err != nil {
		return nil, err
	}
	if cfg.OutputDir != "" {
		root, err := os.OpenRoot(cfg.OutputDir)
		if err != nil {
			return nil, fmt.Errorf("open output directory: %w", err)
		}
		s.output = root
	}
	for _, f := range []Face{HTTP, Stdio} {
		tools, err := s.build(f)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.tools[f] = tools
	}
	return s, nil
}

// Close releases the output directory. Calls must have ended.
func (s *Server) Close() error {
	if s.output == nil {
		return nil
	}
	return s.output.Close()
}

// Tools describes the tools of a face, in the order of their names.
func (s *Server) Tools(f Face) []Tool {
	list := make([]Tool, len(s.tools[f]))
	for i, e := range s.tools[f] {
		list[i] = e.tool
	}
	return list
}

// parseAddresses checks PublicURL and Origins and keeps their parsed forms.
func (s *Server) parseAddresses() error {
	if s.cfg.PublicURL != "" {
		u, err := url.Parse(s.cfg.PublicURL)
		if err != nil || u.Scheme == "" || u.Host == "" {
			return fmt.Errorf("public address %q is not an absolute URL", s.cfg.PublicURL)
		}
		s.public = u
		s.origins = append(s.origins, originOf(u))
	}
	for _, o := range s.cfg.Origins {
		u, err := url.Parse(o)
		if err != nil || u.Scheme == "" || u.Host == "" || u.Path != "" {
			return fmt.Errorf("allowed origin %q is not of the form scheme://host", o)
		}
		s.origins = append(s.origins, originOf(u))
	}
	return nil
}

// build makes the registry of a face.
func (s *Server) build(f Face) ([]entry, error) {
	output := s.output
	if f == HTTP {
		output = nil
	}
	synth, err := newSynthesis(metered{s.cfg.Speech, s.cfg.Accounts}, s.cfg.Formats, output, s.cfg.OutputDir)
	if err != nil {
		return nil, err
	}
	tools := []entry{listLanguages(), searchVoices(s.public), synth.tool()}
	slices.SortFunc(tools, func(a, b entry) int { return strings.Compare(a.tool.Name, b.tool.Name) })
	return tools, nil
}

// errNoKey is the error of a call by nobody.
var errNoKey = fault.New(fault.Unauthenticated, fault.CodeMissingKey, "", "no API key was sent; send it as Authorization: Bearer KEY or as xi-api-key: KEY")

// errInternal is what a client is told of a fault that it cannot act on.
var errInternal = fault.New(fault.Internal, fault.CodeInternal, "", "internal error")
