package mcp

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// Paths are where the services are served.
var Paths = map[Service]string{Catalogue: "/api/catalogue/mcp", Speech: "/v1/mcp"}

// Document is a file about the endpoints that programs read before they connect.
type Document struct {
	Path        string
	ContentType string
	Body        []byte // JSON
}

// The specifications of the documents.
const (
	cardType       = "application/mcp-server-card+json"
	cardSchema     = "https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json"
	manifestSchema = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
)

// card is a server card, and with the other schema a manifest for registries.
type card struct {
	Schema      string   `json:"$schema"`
	Name        string   `json:"name"`
	Title       string   `json:"title"`
	Description string   `json:"description"` // at most 100 characters
	Version     string   `json:"version"`
	WebsiteURL  string   `json:"websiteUrl"`
	Remotes     []remote `json:"remotes"`
}

type remote struct {
	Type     string       `json:"type"`
	URL      string       `json:"url"`
	Headers  []cardHeader `json:"headers,omitempty"`
	Versions []string     `json:"supportedProtocolVersions,omitempty"`
}

type cardHeader struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	IsRequired  bool   `json:"isRequired"`
	IsSecret    bool   `json:"isSecret"`
}

// index lists the cards of a host.
type index struct {
	SpecVersion string       `json:"specVersion"`
	Entries     []indexEntry `json:"entries"`
}

type indexEntry struct {
	Identifier  string `json:"identifier"`
	DisplayName string `json:"displayName"`
	Type        string `json:"type"`
	URL         string `json:"url"`
}

// Documents returns the server card of each endpoint, its manifest for registries of servers, and
// the list of the cards. Without a public address it returns none.
func (s *Server) Documents() ([]Document, error) {
	if s.public == nil {
		return nil, nil
	}
	var all []Document
	list := index{SpecVersion: "draft", Entries: []indexEntry{}}
	for _, name := range []Service{Catalogue, Speech} {
		if s.handlers[name] == nil {
			continue
		}
		c := s.card(name)
		documents, err := c.documents(Paths[name])
		if err != nil {
			return nil, fmt.Errorf("describe the endpoint of %s: %w", name, err)
		}
		all = append(all, documents...)
		list.Entries = append(list.Entries, indexEntry{
			Identifier:  "urn:air:" + hostOf(s.public) + ":vaak-" + string(name),
			DisplayName: c.Title, Type: cardType, URL: c.Remotes[0].URL + "/server-card",
		})
	}
	body, err := json.Marshal(list)
	return append(all, Document{"/.well-known/mcp/catalog.json", "application/json", body}), err
}

// documents returns the card and the manifest of an endpoint.
func (c card) documents(path string) ([]Document, error) {
	asCard, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	c.Schema, c.Remotes = manifestSchema, slices.Clone(c.Remotes)
	c.Remotes[0].Versions = nil // the manifest has no place for them
	asManifest, err := json.Marshal(c)
	return []Document{{path + "/server-card", cardType, asCard}, {path + "/server.json", "application/json", asManifest}}, err
}

// card describes the endpoint of a service.
func (s *Server) card(name Service) card {
	base := strings.TrimRight(s.public.String(), "/")
	c := card{
		Schema: cardSchema, Name: reversed(hostOf(s.public)) + "/vaak-" + string(name),
		Title: s.offers[HTTP][name].Title, Version: s.cfg.Version, WebsiteURL: base,
		Remotes: []remote{{Type: "streamable-http", URL: base + Paths[name], Versions: mcp.ValidProtocolVersions}},
	}
	switch name {
	case Catalogue:
		c.Description = "Find, compare and hear speech datasets that can be licensed. No key is needed."
	case Speech:
		c.Description = fmt.Sprintf("Turn text into speech in %d languages with %d voices.", len(s.cfg.Offered.Languages()), s.cfg.Voices.Len())
		c.Remotes[0].Headers = []cardHeader{{"Authorization", "Bearer, a space, and an API key of this server.", true, true}}
	}
	return c
}

// hostOf returns the host in the name of a server: "localhost" for a server that has only an IP
// address.
func hostOf(u *url.URL) string {
	host := strings.ToLower(u.Hostname())
	if _, err := netip.ParseAddr(host); err == nil {
		return "localhost"
	}
	return host
}

// reversed returns a host with its most general part first, as names of servers have it.
func reversed(host string) string {
	parts := strings.Split(host, ".")
	slices.Reverse(parts)
	return strings.Join(parts, ".")
}
