package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/account"
	books "vaak/account/ledger"
	"vaak/internal/fault"
	"vaak/lang"
	"vaak/voice"
)

// away are reports that cannot be had.
type away struct{}

func (away) Report(context.Context, string) (account.Report, error) {
	return account.Report{}, fault.Down(fault.CodeStoreUnavailable, time.Second, errors.New("no route"), "the accounts cannot be read")
}

// rest asks the HTTP API of a world.
func (w *world) rest(t testing.TB, method, path, body string) map[string]any {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, w.origin+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("xi-api-key", w.keys["alpha"])
	req.Header.Set("Content-Type", "application/json")
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(b, &doc); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s %s = %d %s (%v)", method, path, resp.StatusCode, b, err)
	}
	return doc
}

// within says where a document has what another has not, or has it otherwise.
func within(t *testing.T, at string, part, whole any) {
	t.Helper()
	p, ok := part.(map[string]any)
	w, also := whole.(map[string]any)
	if !ok || !also {
		if diff := cmp.Diff(whole, part); diff != "" {
			t.Errorf("%s differs (-HTTP +MCP)\n%s", at, diff)
		}
		return
	}
	for name, v := range p {
		within(t, at+"/"+name, v, w[name])
	}
}

// TestUsageIsThatOfHTTP: get_usage tells the numbers of GET /v1/usage under the
// same names, with and without a subscription.
func TestUsageIsThatOfHTTP(t *testing.T) {
	t.Parallel()
	w := newWorld(t, deployment{})
	compare := func(parts ...string) {
		t.Helper()
		r := w.call(t, "alpha", "get_usage", nil)
		var got map[string]any
		if err := json.Unmarshal(r.StructuredContent, &got); err != nil {
			t.Fatalf("%v in %s", err, r.text())
		}
		within(t, "", got, w.rest(t, "GET", "/v1/usage", ""))
		for _, part := range append(parts, "Growth") {
			if !strings.Contains(r.text(), part) {
				t.Errorf("text = %q, want %q in it", r.text(), part)
			}
		}
	}
	compare("0 characters used", "2000000 characters left", "300 requests a minute")
	w.call(t, "alpha", "synthesize_speech", map[string]any{"text": "Alpha beta."})
	org := w.ids["alpha"].OrgID
	if _, err := w.accounts.Grant(t.Context(), org, account.GrantRequest{Characters: 500, Kind: books.Promo, Expires: time.Now().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	if err := w.accounts.Subscribe(t.Context(), org, account.SubscriptionRequest{Plan: "growth", Expires: time.Now().Add(48 * time.Hour), AutoRenew: true, FallsBackTo: "free"}); err != nil {
		t.Fatal(err)
	}
	compare("11 characters used", "500 characters expire", "Subscription growth renews")
	if err := w.accounts.SetPlan(t.Context(), books.Plan{ID: "growth", Name: "Growth", MonthlyCharacters: -1, RequestsPerMinute: -1, MaxStreams: 1}); err != nil {
		t.Fatal(err)
	}
	compare("unlimited characters a month", "1 stream at once")
}

// TestReadingIsThatOfHTTP: preview_spoken_text reads as the HTTP API does, and
// costs nothing.
func TestReadingIsThatOfHTTP(t *testing.T) {
	t.Parallel()
	w := newWorld(t, deployment{})
	for _, text := range []string{
		"On 3 May 2024 we paid $1,234.50.", "नमस्ते दुनिया। Good day. फिर मिलेंगे।", "... !", "Alpha <b>beta</b>.",
		strings.Repeat("One two three four five. ", 30),
	} {
		body, err := json.Marshal(map[string]any{"input": text})
		if err != nil {
			t.Fatal(err)
		}
		want := w.rest(t, "POST", "/v1/audio/speech/preview-text", string(body))
		var r toolResult
		if got := w.charged(t, "alpha", func() { r = w.call(t, "alpha", "preview_spoken_text", map[string]any{"text": text}) }); got != 0 {
			t.Errorf("charged %d characters", got)
		}
		var got struct {
			Language         string
			Characters       float64
			EstimatedSeconds float64 `json:"estimated_seconds"`
			Notices          []any
			Runs             []struct{ Language, Spoken string }
		}
		if err := json.Unmarshal(r.StructuredContent, &got); err != nil {
			t.Fatalf("%v in %s", err, r.text())
		}
		var spoken []string
		for _, run := range got.Runs {
			spoken = append(spoken, run.Spoken)
			if !strings.Contains(r.text(), run.Spoken) {
				t.Errorf("text = %q, want %q in it", r.text(), run.Spoken)
			}
		}
		if got.Language != want["language"] || got.Characters != want["characters"] || got.EstimatedSeconds != want["estimated_seconds"] ||
			strings.Join(spoken, " ") != want["spoken_text"] {
			t.Errorf("preview_spoken_text(%q) = %s, want as %v", text, r.StructuredContent, want)
		}
		if notices, _ := want["notices"].([]any); len(notices) != len(got.Notices) {
			t.Errorf("notices of %q = %q, want %q", text, got.Notices, notices)
		}
	}
}

// TestVoiceResource: a voice is what the HTTP API says of it.
func TestVoiceResource(t *testing.T) {
	t.Parallel()
	w := newWorld(t, deployment{})
	for _, v := range []voice.Voice{voice.DefaultVoice(), voice.Default("ta")} {
		c, failed := w.read(t, "alpha", "voice://"+string(v.ID))
		if failed != "" || c.MIMEType != "application/json" {
			t.Fatalf("reading %s = %+v, %s", v.ID, c, failed)
		}
		want := w.rest(t, "GET", "/v1/voices/"+string(v.ID), "")
		var got map[string]any
		if err := json.Unmarshal([]byte(c.Text), &got); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"voice_id", "name", "description", "labels"} {
			within(t, name, got[name], want[name])
		}
		if got["preview_url"] != "https://speech.example.org"+want["preview_url"].(string) {
			t.Errorf("preview_url = %v, want %v with the origin", got["preview_url"], want["preview_url"])
		}
	}
	for _, id := range []string{"sv_none", "", "a/b", strings.Repeat("x", 500)} {
		if c, failed := w.read(t, "alpha", "voice://"+id); failed == "" || len(failed) > 400 {
			t.Errorf("reading the voice %.20q = %+v, %q; want a short error", id, c, failed)
		}
	}
}

// complete asks for suggestions.
func (w *world) complete(t testing.TB, ref map[string]any, name, typed string) []string {
	t.Helper()
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "completion/complete", "params": map[string]any{
		"ref": ref, "argument": map[string]any{"name": name, "value": typed},
	}})
	if err != nil {
		t.Fatal(err)
	}
	_, body := post(t, w.url, string(b), http.Header{"Authorization": {"Bearer " + w.keys["alpha"]}})
	var m struct {
		Result *struct {
			Completion struct{ Values []string }
		}
	}
	if err := json.Unmarshal(body, &m); err != nil || m.Result == nil {
		t.Fatalf("no result in %s (%v)", body, err)
	}
	return m.Result.Completion.Values
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, deployment{})
	voices := map[string]any{"type": "ref/resource", "uri": "voice://{voice_id}"}
	narrate := map[string]any{"type": "ref/prompt", "name": "narrate"}
	v := voice.Default("ta")
	for _, tt := range []struct {
		ref         map[string]any
		name, typed string
		first       string // "" is no suggestion
		most        int
	}{
		{voices, "voice_id", string(v.ID), string(v.ID), 1},
		{voices, "voice_id", string(v.ID)[:8], string(v.ID), 5},
		{voices, "voice_id", strings.ToUpper(v.Name), string(v.ID), 20},
		{voices, "voice_id", "", string(voice.All()[0].ID), 100},
		{voices, "voice_id", "no such voice", "", 0},
		{narrate, "language", "hi", "hi", 3},
		{narrate, "language", "Tam", "ta", 1},
		{narrate, "language", "தமி", "ta", 1},
		{narrate, "language", "", string(lang.All()[0].Code), 100},
		{narrate, "text", "a", "", 0},
		{narrate, "language", "\u202e", "", 0},
	} {
		got := w.complete(t, tt.ref, tt.name, tt.typed)
		if len(got) > tt.most || tt.first != "" && (len(got) == 0 || got[0] != tt.first) {
			t.Errorf("completion of %s %q = %q, want %q first and at most %d", tt.name, tt.typed, got, tt.first, tt.most)
		}
	}
}

func TestNarrate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, deployment{})
	ask := func(arguments map[string]string) string {
		b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "prompts/get", "params": map[string]any{"name": "narrate", "arguments": arguments}})
		if err != nil {
			t.Fatal(err)
		}
		_, body := post(t, w.url, string(b), http.Header{"Authorization": {"Bearer " + w.keys["alpha"]}})
		return string(body)
	}
	for _, tt := range []struct {
		arguments map[string]string
		want      []string
	}{
		{map[string]string{"text": "Bring 3 kumquats.", "language": "Tamil"}, []string{"Bring 3 kumquats.", "Tamil (language ta)", "synthesize_speech"}},
		{map[string]string{"text": "x", "language": "en-IN"}, []string{"English (language en-IN)", "(language: en)"}},
		{map[string]string{"text": "x"}, []string{"the language that it is in"}},
		{map[string]string{"text": "x", "language": "Klingon"}, []string{"invalid_parameter (language)", "list_languages"}},
		{map[string]string{"language": "hi"}, []string{"text is required"}},
		{map[string]string{"text": "x", "voice": "y"}, []string{"unknown argument"}},
	} {
		got := ask(tt.arguments)
		for _, part := range tt.want {
			if !strings.Contains(got, part) {
				t.Errorf("narrate(%v) = %s, want %q in it", tt.arguments, got, part)
			}
		}
	}
}

// TestLinkedResultsConform holds the results of a whole deployment against what
// tools/list says of them there.
func TestLinkedResultsConform(t *testing.T) {
	t.Parallel()
	w := newWorld(t, deployment{})
	_, body := post(t, w.url, listRequest, http.Header{"Authorization": {"Bearer " + w.keys["alpha"]}})
	tools := listed(t, body)
	called := map[string]bool{}
	for _, c := range []struct {
		tool string
		args map[string]any
	}{
		{"list_languages", nil},
		{"search_voices", nil},
		{"get_usage", nil},
		{"list_pronunciation_dictionaries", nil},
		{"create_pronunciation_dictionary", map[string]any{"name": "Terms", "rules": map[string]any{"string_to_replace": "API", "alias": "A P I", "word_boundaries": false}}},
		{"list_pronunciation_dictionaries", map[string]any{"limit": 1}},
		{"preview_spoken_text", map[string]any{"text": "3 kg of <b>फल</b>"}},
		{"preview_spoken_text", map[string]any{"text": "!"}},
		{"synthesize_speech", map[string]any{"text": "Alpha <b>beta</b>."}},
		{"synthesize_speech", map[string]any{"text": "Alpha.", "delivery": "inline", "format": "wav"}},
		{"synthesize_speech", map[string]any{"text": strings.Repeat("abcdefghi ", 15), "delivery": "inline", "format": "wav"}},
	} {
		var tool struct{ OutputSchema wireSchema }
		if err := json.Unmarshal(tools[c.tool], &tool); err != nil {
			t.Fatalf("%s: %v", c.tool, err)
		}
		r := w.call(t, "alpha", c.tool, c.args)
		if r.IsError || r.text() == "" {
			t.Errorf("%s(%v) = %+v, want a result with text", c.tool, c.args, r)
		} else if err := tool.OutputSchema.conforms(r.StructuredContent); err != nil {
			t.Errorf("%s(%v): %v in %s", c.tool, c.args, err, r.StructuredContent)
		}
		called[c.tool] = true
	}
	if len(called) != len(tools) {
		t.Errorf("%d tools were called, there are %d", len(called), len(tools))
	}
}
