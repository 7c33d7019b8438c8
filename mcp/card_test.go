package mcp_test

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"vaak/lang"
	"vaak/mcp"
	"vaak/voice"
)

// TestDocuments holds what is told before a client connects against the rules of
// server cards, and against what the endpoints say themselves.
func TestDocuments(t *testing.T) {
	t.Parallel()
	s := newServer(t, mcp.Config{PublicURL: "https://speech.example.org"})
	documents, err := s.Documents()
	if err != nil {
		t.Fatal(err)
	}
	paths := []string{}
	for _, d := range documents {
		paths = append(paths, d.Path)
		var c struct {
			Schema      string `json:"$schema"`
			Name        string
			Title       string
			Description string
			Version     string
			Remotes     []struct {
				URL      string
				Versions []string `json:"supportedProtocolVersions"`
			}
			Entries []struct{ URL string }
		}
		if err := json.Unmarshal(d.Body, &c); err != nil {
			t.Fatalf("%s: %v", d.Path, err)
		}
		if c.Schema == "" { // the list
			if len(c.Entries) != 1 || c.Entries[0].URL != "https://speech.example.org/v1/mcp/server-card" {
				t.Errorf("%s lists %v", d.Path, c.Entries)
			}
			continue
		}
		if !regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`).MatchString(c.Name) || c.Name != "org.example.speech/vaak-speech" {
			t.Errorf("%s: name %q", d.Path, c.Name)
		}
		if n := utf8.RuneCountInString(c.Description); n == 0 || n > 100 {
			t.Errorf("%s: the description has %d characters, want 1 to 100", d.Path, n)
		}
		if c.Title == "" || c.Version != "test" || len(c.Remotes) != 1 || c.Remotes[0].URL != "https://speech.example.org/v1/mcp" {
			t.Errorf("%s: %+v", d.Path, c)
		}
		if card := d.ContentType == "application/mcp-server-card+json"; card != slices.Contains(c.Remotes[0].Versions, "2026-07-28") {
			t.Errorf("%s: versions %v", d.Path, c.Remotes[0].Versions)
		}
	}
	if want := []string{"/v1/mcp/server-card", "/v1/mcp/server.json", "/.well-known/mcp/catalog.json"}; !slices.Equal(paths, want) {
		t.Errorf("documents at %v, want %v", paths, want)
	}
	if none, err := newServer(t, mcp.Config{}).Documents(); len(none) > 0 || err != nil {
		t.Errorf("without a public address: %v, %v", none, err)
	}
}

// TestDocumentsCountAddedVoices: the card tells of the voices and languages of this server.
func TestDocumentsCountAddedVoices(t *testing.T) {
	t.Parallel()
	directory, err := voice.NewDirectory(voice.Naming{Added: []voice.Voice{{ID: "sv_aaaaaaaaaaaaaaaa", Name: "Amy", Native: "en", Engine: "onnx"}}})
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, mcp.Config{PublicURL: "https://speech.example.org", Voices: directory, Offered: lang.Offering("en", "hi")})
	documents, err := s.Documents()
	if err != nil || !strings.Contains(string(documents[0].Body), "in 2 languages with 321 voices") {
		t.Errorf("the card is %s, %v", documents[0].Body, err)
	}
}

// TestNamesOfHosts has addresses that are no names.
func TestNamesOfHosts(t *testing.T) {
	t.Parallel()
	local := [2]string{"localhost/vaak-speech", "urn:air:localhost:vaak-speech"}
	for address, want := range map[string][2]string{
		"http://127.0.0.1:8080": local, "http://[::1]:80": local, "http://localhost:1": local,
		"https://Vaak.Example.org/base": {"org.example.vaak/vaak-speech", "urn:air:vaak.example.org:vaak-speech"},
	} {
		documents, err := newServer(t, mcp.Config{PublicURL: address}).Documents()
		if err != nil {
			t.Fatal(err)
		}
		var c struct{ Name string }
		var list struct{ Entries []struct{ Identifier string } }
		if err := errors.Join(json.Unmarshal(documents[0].Body, &c), json.Unmarshal(documents[2].Body, &list)); err != nil {
			t.Fatal(err)
		}
		if got := [2]string{c.Name, list.Entries[0].Identifier}; got != want {
			t.Errorf("name and identifier of %s are %q, want %q", address, got, want)
		}
	}
}
