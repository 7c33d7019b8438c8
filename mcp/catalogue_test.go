package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"vaak/catalogue"
	"vaak/catalogue/cataloguetest"
	"vaak/croissant/publish"
	"vaak/edge"
	"vaak/mcp"
)

const catalogueURL = "https://data.example.org"

// typical are the datasets of a catalogue as one might be: titles, domains and
// figures as long as they commonly are.
func typical() []catalogue.Dataset {
	languages := []catalogue.Language{
		{Name: "Hindi", ISO6393: "hin", ISO6391: new("hi"), NativeName: new("हिन्दी"), BCP47: "hi-IN", Script: new("Deva"), Varieties: []string{}},
		{Name: "Tamil", ISO6393: "tam", ISO6391: new("ta"), NativeName: new("தமிழ்"), BCP47: "ta-IN", Script: new("Taml"), Varieties: []string{}},
		{Name: "English", ISO6393: "eng", ISO6391: new("en"), BCP47: "en-IN", Varieties: []string{"Indian English"}},
		{Name: "Telugu", ISO6393: "tel", ISO6391: new("te"), NativeName: new("తెలుగు"), BCP47: "te-IN", Varieties: []string{}},
		{Name: "Bengali", ISO6393: "ben", ISO6391: new("bn"), NativeName: new("বাংলা"), BCP47: "bn-IN", Varieties: []string{}},
	}
	topics := []struct{ slug, title, domain string }{
		{"banking", "call-centre conversations, banking", "banking"},
		{"family", "conversations, family", "family"},
		{"telecom", "call-centre conversations, telecom, telephone band", "telecom"},
		{"healthcare", "helpline conversations, healthcare", "healthcare"},
		{"travel", "conversations about travel, one channel", "travel"},
	}
	var all []catalogue.Dataset
	for i := range 25 {
		l, topic := languages[i%5], topics[(i/5+i)%5]
		d := cataloguetest.Dataset(fmt.Sprintf("%s-%s-dual", strings.ToLower(l.BCP47), topic.slug))
		d.Title = fmt.Sprintf("%s %s", l.Name, topic.title)
		d.Language, d.BCP47, d.Hours, d.Recordings = l, l.BCP47, float64(1200-37*i)+0.25*float64(i%4), 900+i
		d.Channels, d.Collection = new(catalogue.Dual), new(catalogue.CallCentre)
		if i%5 == 1 || i%5 == 4 {
			d.Channels, d.Collection = new(catalogue.Mono), new(catalogue.GeneralConversation)
		}
		d.Domain, d.Domains = new(topic.domain), []string{topic.domain}
		d.Transcribed = i%3 != 0
		if d.Transcribed {
			d.EnglishShare = new(float64(13*i) / 1000)
		}
		all = append(all, d)
	}
	return all
}

// published puts datasets on the list of a new catalogue, the last of them with
// nothing missing.
func published(t testing.TB, all ...catalogue.Dataset) *catalogue.Service {
	t.Helper()
	return publishAt(t, catalogueURL, all...)
}

// publishAt does so in a catalogue whose server has that address, or none.
func publishAt(t testing.TB, publicURL string, all ...catalogue.Dataset) *catalogue.Service {
	t.Helper()
	m := &cataloguetest.Memory{}
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	s, err := catalogue.New(t.Context(), catalogue.Config{Store: m, Files: m, PublicURL: publicURL, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		draft := catalogue.Draft{Dataset: d, Files: []catalogue.DraftFile{cataloguetest.File("recordings.csv", "text/csv", "recording_id\n1\n")}}
		if d.Sample != nil {
			draft.Files = append(draft.Files, cataloguetest.File("sample/sample.wav", "audio/wav", "RIFF0123456789"))
		}
		put, err := s.Put(t.Context(), draft)
		if err == nil {
			_, err = s.Move(t.Context(), put.Slug, catalogue.Published)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// full is a record in which nothing is missing.
func full(slug string) catalogue.Dataset {
	d := cataloguetest.Full(slug)
	d.Title, d.Hours = "Conversations with a sample", 2.5
	return d
}

func newCatalogueServer(t testing.TB, c *catalogue.Service) *mcp.Server {
	t.Helper()
	s, err := mcp.New(mcp.Config{Catalogue: c, Croissant: publish.New(c, catalogueURL), PublicURL: catalogueURL, Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

func serveCatalogue(t testing.TB, s *mcp.Server) string {
	t.Helper()
	srv := httptest.NewServer(edge.Chain(s.Handler(mcp.Catalogue), edge.Identify))
	t.Cleanup(srv.Close)
	return srv.URL
}

// askCatalogue sends messages over standard input and returns the answers.
func askCatalogue(t testing.TB, s *mcp.Server, messages ...string) [][]byte {
	t.Helper()
	var out bytes.Buffer
	if err := s.ServeStdio(t.Context(), strings.NewReader(strings.Join(messages, "\n")), &out, mcp.Catalogue); err != nil {
		t.Fatalf("ServeStdio: %v", err)
	}
	answers := slices.Collect(bytes.Lines(out.Bytes()))
	slices.SortStableFunc(answers, func(a, b []byte) int { return number(a) - number(b) })
	return answers
}

// callCatalogue calls a tool over standard input.
func callCatalogue(t testing.TB, s *mcp.Server, tool string, args any) toolResult {
	t.Helper()
	return decodeResult(t, askCatalogue(t, s, request(1, tool, args))[0])
}

// linksOf are the addresses of the links in a result.
func linksOf(t testing.TB, message []byte) []string {
	t.Helper()
	var m struct {
		Result struct {
			Content []struct{ Type, URI, MIMEType string }
		}
	}
	if err := json.Unmarshal(message, &m); err != nil {
		t.Fatal(err)
	}
	var uris []string
	for _, c := range m.Result.Content {
		if c.Type == "resource_link" {
			uris = append(uris, c.MIMEType+" "+c.URI)
		}
	}
	return uris
}

// validators are the compiled output schemas of the catalogue's tools.
func validators(t testing.TB, s *mcp.Server, face mcp.Face) map[string]*jsonschema.Schema {
	t.Helper()
	out := map[string]*jsonschema.Schema{}
	for _, tool := range s.Tools(face, mcp.Catalogue) {
		for kind, raw := range map[string]json.RawMessage{"": tool.Output, "input ": tool.Input} {
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
			if err != nil {
				t.Fatal(err)
			}
			c := jsonschema.NewCompiler()
			if err := c.AddResource("schema.json", doc); err != nil {
				t.Fatal(err)
			}
			if out[kind+tool.Name], err = c.Compile("schema.json"); err != nil {
				t.Fatalf("%sschema of %s: %v", kind, tool.Name, err)
			}
		}
	}
	return out
}
