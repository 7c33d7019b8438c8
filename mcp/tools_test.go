package mcp_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"vaak/account"
	"vaak/audio"
	"vaak/mcp"
	"vaak/mcp/speech"
	"vaak/mcp/tool"
)

// listed returns the tools of tools/list by name, as they are on the wire.
func listed(t *testing.T, message []byte) map[string]json.RawMessage {
	t.Helper()
	var m struct {
		Result struct{ Tools []json.RawMessage }
	}
	if err := json.Unmarshal(message, &m); err != nil {
		t.Fatal(err)
	}
	tools := map[string]json.RawMessage{}
	for _, raw := range m.Result.Tools {
		var named struct{ Name string }
		if err := json.Unmarshal(raw, &named); err != nil {
			t.Fatal(err)
		}
		tools[named.Name] = raw
	}
	return tools
}

const listRequest = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

// wholeSpeech is a server that offers all that there is over HTTP.
func wholeSpeech(t testing.TB) *mcp.Server {
	t.Helper()
	return newServer(t, whole(t, mcp.Config{
		Speech: drone{}, Accounts: &ledger{},
		PublicURL: "https://speech.example.org", Clips: noClips{}, Reports: away{}, Dictionaries: newDictionaries(t),
		Formats: []audio.Codec{audio.MP3, audio.Opus, audio.AAC, audio.FLAC, audio.WAV, audio.PCM, audio.ULaw, audio.ALaw},
	}))
}

// whole checks that a server of the speech service has every part that it can have. A part that
// is missing here has tools that no test of all tools would see.
func whole(t testing.TB, cfg mcp.Config) mcp.Config {
	t.Helper()
	elsewhere := []string{"Voices", "Catalogue", "Croissant", "Enquiries", "Log"}
	for field, value := range reflect.ValueOf(cfg).Fields() {
		switch value.Kind() {
		case reflect.Interface, reflect.Pointer:
			if value.IsNil() && !slices.Contains(elsewhere, field.Name) {
				t.Errorf("the whole server has no %s: its tools are not tested", field.Name)
			}
		}
	}
	return cfg
}

// noClips makes links possible, and none.
type noClips struct{ speech.Clips }

// TestToolSnapshots keeps what clients see of each tool under review.
func TestToolSnapshots(t *testing.T) {
	t.Parallel()
	_, overHTTP := post(t, serve(t, wholeSpeech(t)).URL, listRequest, nil)
	overStdio := talk(t, newServer(t, mcp.Config{OutputDir: t.TempDir()}), listRequest)[0]
	for face, message := range map[string][]byte{"http": overHTTP, "stdio": overStdio} {
		for name, raw := range listed(t, message) {
			var b bytes.Buffer
			if err := json.Indent(&b, raw, "", "  "); err != nil {
				t.Fatal(err)
			}
			b.WriteByte('\n')
			golden(t, "tools/"+face+"/"+name+".golden", b.Bytes())
		}
	}
}

// TestBudget keeps the list of tools small: hosts put all of it before their
// model, whether a tool is used or not. English JSON takes about a token for
// every four bytes.
func TestBudget(t *testing.T) {
	t.Parallel()
	const most = 10_600 // 2,500 tokens, of which a list of tools takes one for every 4.3 bytes
	_, body := post(t, serve(t, wholeSpeech(t)).URL, listRequest, nil)
	t.Logf("tools/list: %d bytes", len(body))
	if len(body) > most {
		t.Errorf("tools/list is %d bytes, at most %d are allowed", len(body), most)
	}
}

// TestSchemas checks the promises that every tool makes.
func TestSchemas(t *testing.T) {
	t.Parallel()
	for _, face := range []mcp.Face{mcp.HTTP, mcp.Stdio} {
		s := wholeSpeech(t)
		if face == mcp.Stdio {
			s = newServer(t, mcp.Config{OutputDir: t.TempDir()})
		}
		tools := s.Tools(face, mcp.Speech)
		if len(tools) == 0 {
			t.Errorf("%s has no tools", face)
		}
		if !slices.IsSortedFunc(tools, func(a, b tool.Tool) int { return bytes.Compare([]byte(a.Name), []byte(b.Name)) }) {
			t.Errorf("tools of %s are not in order", face)
		}
		for _, tool := range tools {
			if tool.Title == "" || tool.Description == "" {
				t.Errorf("%s: no title or description", tool.Name)
			}
			var in, out wireSchema
			if err := json.Unmarshal(tool.Input, &in); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(tool.Output, &out); err != nil {
				t.Fatal(err)
			}
			if in.Type != "object" || in.Additional == nil || *in.Additional {
				t.Errorf("%s: the input schema is not a closed object", tool.Name)
			}
			for name, p := range in.Properties {
				if p.Description == "" {
					t.Errorf("%s: argument %s has no description", tool.Name, name)
				}
			}
			if out.Type != "object" || len(out.Properties) == 0 {
				t.Errorf("%s: no output schema", tool.Name)
			}
		}
	}
}

// fragment matches descriptions that say something only to those who know what they
// belong to, such as "At least." or "Of the format.".
var fragment = regexp.MustCompile(`^(At|Of|As|By|Like|That|With|From|Not|Where|Any of these)\b|^The person's\.$|^\S+$`)

// TestDescriptionsStandAlone reads the descriptions of arguments and results as a model
// does that has nothing else.
func TestDescriptionsStandAlone(t *testing.T) {
	t.Parallel()
	tools := slices.Concat(wholeSpeech(t).Tools(mcp.HTTP, mcp.Speech), newServer(t, mcp.Config{OutputDir: t.TempDir()}).Tools(mcp.Stdio, mcp.Speech), everyTool(t, mcp.Catalogue))
	for _, tool := range tools {
		var in, out wireSchema
		if err := errors.Join(json.Unmarshal(tool.Input, &in), json.Unmarshal(tool.Output, &out)); err != nil {
			t.Fatal(err)
		}
		check := func(at, description string) {
			if fragment.MatchString(description) {
				t.Errorf("%s: %s is described as %q, which means nothing by itself", tool.Name, at, description)
			}
		}
		in.described("arguments", check)
		out.described("result", check)
	}
}

// TestResultsConform calls every tool in several ways and holds the structured
// results against the output schemas. A client must refuse a result without
// one when the tool has a schema.
func TestResultsConform(t *testing.T) {
	t.Parallel()
	words := newDictionaries(t)
	s := newServer(t, mcp.Config{PublicURL: "https://speech.example.org", OutputDir: t.TempDir(), Dictionaries: words})
	url := serve(t, s).URL
	known := makeDictionary(t, words, account.Local.OrgID, api)
	ours := makeDictionary(t, words, "org_alpha", api)
	calls := []struct {
		tool string
		args any
	}{
		{"list_languages", nil},
		{"list_languages", map[string]any{}},
		{"list_languages", map[string]any{"query": "hindi"}},
		{"list_languages", map[string]any{"query": "no such thing"}},
		{"search_voices", nil},
		{"search_voices", map[string]any{"language": "hi", "limit": 1}},
		{"search_voices", map[string]any{"query": "no such thing"}},
		{"synthesize_speech", map[string]any{"text": "Good morning."}},
		{"synthesize_speech", map[string]any{"text": "Good morning.", "format": "pcm", "sample_rate": 8000.0, "speed": 1, "voice_id": nil}},
		{"synthesize_speech", map[string]any{"text": "Good morning.", "delivery": "inline"}},
		{"preview_spoken_text", map[string]any{"text": "Good morning."}},
		{"list_pronunciation_dictionaries", nil},
		{"create_pronunciation_dictionary", map[string]any{"name": "Terms", "rules": []any{map[string]any{"string_to_replace": "API", "alias": "A P I"}}}},
	}
	named := []struct {
		tool string
		args func(id string) any
	}{
		{"list_pronunciation_dictionaries", func(id string) any { return map[string]any{"id": id} }},
		{"synthesize_speech", func(id string) any {
			return map[string]any{"text": "Good morning.", "pronunciation_dictionary_id": id}
		}},
		{"preview_spoken_text", func(id string) any {
			return map[string]any{"text": "Good morning.", "pronunciation_dictionary_id": id}
		}},
	}
	schemas := map[mcp.Face]map[string]wireSchema{}
	for _, face := range []mcp.Face{mcp.HTTP, mcp.Stdio} {
		schemas[face] = map[string]wireSchema{}
		for _, tool := range s.Tools(face, mcp.Speech) {
			var out wireSchema
			if err := json.Unmarshal(tool.Output, &out); err != nil {
				t.Fatal(err)
			}
			schemas[face][tool.Name] = out
		}
	}
	check := func(face mcp.Face, tool string, args any, r toolResult) {
		t.Helper()
		if r.IsError || r.text() == "" {
			t.Errorf("%s %s(%v) = %+v, want a result with text", face, tool, args, r)
			return
		}
		if err := schemas[face][tool].conforms(r.StructuredContent); err != nil {
			t.Errorf("%s %s(%v): %v in %s", face, tool, args, err, r.StructuredContent)
		}
	}
	for _, c := range calls {
		check(mcp.HTTP, c.tool, c.args, callHTTP(t, url, c.tool, c.args))
		check(mcp.Stdio, c.tool, c.args, decodeResult(t, talk(t, s, request(1, c.tool, c.args))[0]))
	}
	for _, c := range named {
		check(mcp.HTTP, c.tool, c.args(ours), callHTTP(t, url, c.tool, c.args(ours)))
		check(mcp.Stdio, c.tool, c.args(known), decodeResult(t, talk(t, s, request(1, c.tool, c.args(known)))[0]))
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	good := mcp.Config{Speech: drone{}, Formats: []audio.Codec{audio.WAV}}
	for name, spoil := range map[string]func(*mcp.Config){
		"no speaker":         func(c *mcp.Config) { c.Speech = nil },
		"no formats":         func(c *mcp.Config) { c.Formats = nil },
		"unknown format":     func(c *mcp.Config) { c.Formats = []audio.Codec{"ogg"} },
		"relative address":   func(c *mcp.Config) { c.PublicURL = "speech.example.org" },
		"origin with a path": func(c *mcp.Config) { c.Origins = []string{"https://app.example.org/"} },
		"no such directory":  func(c *mcp.Config) { c.OutputDir = filepath.Join(t.TempDir(), "none") },
	} {
		cfg := good
		spoil(&cfg)
		if _, err := mcp.New(cfg); err == nil {
			t.Errorf("%s: New made a server", name)
		}
	}
}

// TestDefaultFormat prefers mp3, which is the smallest that plays everywhere.
func TestDefaultFormat(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		formats []audio.Codec
		want    string
	}{
		{[]audio.Codec{audio.WAV, audio.PCM}, "wav"},
		{[]audio.Codec{audio.PCM, audio.WAV, audio.Opus, audio.MP3}, "mp3"},
		{[]audio.Codec{audio.ULaw, audio.PCM}, "ulaw"},
	} {
		for _, tool := range newServer(t, mcp.Config{Formats: tt.formats}).Tools(mcp.HTTP, mcp.Speech) {
			var in struct {
				Properties struct{ Format struct{ Default string } }
			}
			if err := json.Unmarshal(tool.Input, &in); err != nil {
				t.Fatal(err)
			}
			if got := in.Properties.Format.Default; tool.Name == "synthesize_speech" && got != tt.want {
				t.Errorf("default of %v = %q, want %q", tt.formats, got, tt.want)
			}
		}
	}
}
