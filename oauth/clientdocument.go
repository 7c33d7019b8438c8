package oauth

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"vaak/internal/fault"
	"vaak/internal/flight"
)

// Limits of documents about clients (draft-ietf-oauth-client-id-metadata-document, which
// recommends 5 kB).
const (
	maxDocument  = 5 << 10
	maxDocuments = 1 << 10 // that are remembered
	documentLife = 10 * time.Minute
	maxFetches   = 4  // at a time
	maxWaiting   = 64 // for these
)

// kept is a document that was read lately.
type kept struct {
	client  Client
	expires time.Time
}

// fetched is the outcome of reading one.
type fetched struct{ client Client }

// documented returns the client that a document at an address is about.
func (s *Service) documented(ctx context.Context, id string) (Client, error) {
	if why := badDocumentAddress(id); why != "" {
		return Client{}, refuse(CodeInvalidClient, "client_id %.100q %s", id, why)
	}
	if s.cfg.Fetch == nil {
		return Client{}, refuse(CodeInvalidClient, "documents about clients are not read here: register the application")
	}
	if c, ok := s.remembered(id); ok {
		return c, nil
	}
	f, err := s.fetching.Do(ctx, id, func(ctx context.Context) (fetched, error) {
		if c, ok := s.remembered(id); ok { // it was read since
			return fetched{c}, nil
		}
		c, err := s.fetch(ctx, id)
		if err == nil {
			s.documents.Put(id, kept{c, s.cfg.Now().Add(documentLife)})
		}
		return fetched{c}, err
	})
	if errors.Is(err, flight.ErrBusy) {
		return Client{}, fault.Down(CodeTemporarily, time.Second, err, "too many documents about clients are being read; try again")
	}
	return f.client, err
}

// remembered returns the client of a document that was read lately.
func (s *Service) remembered(id string) (Client, bool) {
	k, ok := s.documents.Get(id)
	return k.client, ok && s.cfg.Now().Before(k.expires)
}

func (s *Service) fetch(ctx context.Context, id string) (Client, error) {
	body, err := s.cfg.Fetch(ctx, id, maxDocument)
	if err != nil {
		// What went wrong stays in the log: to a stranger it would tell which hosts there are.
		s.cfg.Log.InfoContext(ctx, "a document about a client was not read", "error", err)
		return Client{}, refuse(CodeInvalidClient, "the document at client_id could not be read")
	}
	if len(body) > maxDocument {
		return Client{}, refuse(CodeInvalidClient, "the document at client_id is over %d bytes", maxDocument)
	}
	m, err := read(body)
	if err != nil {
		e, _ := errors.AsType[*fault.Error](err)
		return Client{}, refuse(CodeInvalidClient, "the document at client_id is refused: %s", e.Msg)
	}
	switch {
	case m.ClientID != id:
		return Client{}, refuse(CodeInvalidClient, "the document at client_id is about %.100q; it must name its own address", m.ClientID)
	case m.Secret != "" || !slices.Contains([]string{"", "none"}, m.AuthMethod):
		return Client{}, refuse(CodeInvalidClient, "the document at client_id asks for a way to authenticate; allowed: none")
	}
	if m.Name == "" {
		u, _ := url.Parse(id) // badDocumentAddress has parsed it
		m.Name = u.Host
	}
	return Client{ID: id, Name: m.Name, URI: m.URI, Redirects: m.Redirects}, nil
}

// ReadsDocuments reports whether clients may be known by a document.
func (s *Service) ReadsDocuments() bool { return s.cfg.Fetch != nil }

// badDocumentAddress says what is wrong with the address of a document; "" is nothing.
func badDocumentAddress(id string) string {
	u, err := url.Parse(id)
	switch {
	case err != nil || len(id) > maxAddress || !webAddress(id):
		return "is no https address"
	case u.RawQuery != "" || u.ForceQuery:
		return "has a query"
	case u.Path == "" || u.Path == "/":
		return "has no path"
	case u.Port() != "" && u.Port() != "443":
		return "names a port other than 443"
	}
	if _, err := netip.ParseAddr(u.Hostname()); err == nil || !strings.Contains(u.Hostname(), ".") {
		return "names no host of the public internet"
	}
	for _, segment := range strings.Split(u.EscapedPath(), "/") {
		if s := strings.ToLower(segment); slices.Contains([]string{".", "..", "%2e", "%2e%2e", ".%2e", "%2e."}, s) {
			return "has a segment of dots"
		}
	}
	return ""
}
