package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"vaak/lang"
	"vaak/mcp"
	"vaak/voice"
)

type voicePage struct {
	Total      int
	NextCursor string
	Voices     []struct {
		VoiceID    string `json:"voice_id"`
		Language   string
		PreviewURL string `json:"preview_url"`
	}
}

func searchPage(t *testing.T, url string, args map[string]any) voicePage {
	t.Helper()
	r := callHTTP(t, url, "search_voices", args)
	var p voicePage
	if r.IsError {
		t.Fatalf("search_voices(%v) = %s", args, r.text())
	}
	if err := json.Unmarshal(r.StructuredContent, &p); err != nil {
		t.Fatal(err)
	}
	for _, v := range p.Voices {
		if !strings.Contains(r.text(), "\n"+v.VoiceID+"|") {
			t.Errorf("voice %s is not in the text", v.VoiceID)
		}
	}
	if !strings.Contains(r.text(), p.NextCursor) {
		t.Errorf("cursor %s is not in the text", p.NextCursor)
	}
	return p
}

// TestSearchPages walks over the whole roster and finds every voice once.
func TestSearchPages(t *testing.T) {
	t.Parallel()
	url := serve(t, newServer(t, mcp.Config{})).URL
	seen := map[string]bool{}
	args := map[string]any{"limit": 50}
	for pages := 0; ; pages++ {
		p := searchPage(t, url, args)
		if p.Total != len(voice.All()) {
			t.Fatalf("total = %d, want %d", p.Total, len(voice.All()))
		}
		for _, v := range p.Voices {
			if seen[v.VoiceID] {
				t.Errorf("voice %s was found twice", v.VoiceID)
			}
			if v.PreviewURL != "" {
				t.Errorf("a server without an address links %s", v.PreviewURL)
			}
			seen[v.VoiceID] = true
		}
		if p.NextCursor == "" {
			break
		}
		if args["cursor"] = p.NextCursor; pages > len(voice.All()) {
			t.Fatal("the pages do not end")
		}
	}
	if len(seen) != len(voice.All()) {
		t.Errorf("%d voices found, want %d", len(seen), len(voice.All()))
	}
}

func TestSearchVoices(t *testing.T) {
	t.Parallel()
	url := serve(t, newServer(t, mcp.Config{PublicURL: "https://speech.example.org"})).URL
	first := searchPage(t, url, nil)
	if len(first.Voices) != 15 {
		t.Errorf("%d voices on a page, want 15", len(first.Voices))
	}
	v := first.Voices[0]
	if want := "https://speech.example.org/v1/voices/" + v.VoiceID + "/preview"; v.PreviewURL != want {
		t.Errorf("preview = %s, want %s", v.PreviewURL, want)
	}
	if p := searchPage(t, url, map[string]any{"query": v.VoiceID}); p.Total != 1 || p.Voices[0].VoiceID != v.VoiceID {
		t.Errorf("search for %s = %+v", v.VoiceID, p)
	}
	for _, l := range lang.All() {
		p := searchPage(t, url, map[string]any{"language": l.BCP47, "limit": 50})
		if l.NativeVoices != (p.Total > 0) {
			t.Errorf("%s has %d voices, NativeVoices %t", l.Code, p.Total, l.NativeVoices)
		}
		for _, v := range p.Voices {
			if v.Language != string(l.Code) {
				t.Errorf("a voice of %s was found for %s", v.Language, l.Code)
			}
		}
	}
}

// TestCursorBelongsToItsSearch takes a cursor to another search.
func TestCursorBelongsToItsSearch(t *testing.T) {
	t.Parallel()
	url := serve(t, newServer(t, mcp.Config{})).URL
	cursor := searchPage(t, url, map[string]any{"limit": 1}).NextCursor
	r := callHTTP(t, url, "search_voices", map[string]any{"query": "female", "cursor": cursor})
	if !r.IsError || !strings.HasPrefix(r.text(), "invalid_parameter (cursor): ") {
		t.Errorf("result = %+v, want an error about the cursor", r)
	}
}

func TestListLanguages(t *testing.T) {
	t.Parallel()
	url := serve(t, newServer(t, mcp.Config{})).URL
	for _, tt := range []struct {
		query string
		first string // language_id
		count int    // 0 = not counted
	}{
		{"", "", len(lang.All())},
		{"hi", "hi", 1},
		{"हिन्दी", "hi", 1},
		{"hi-IN", "hi", 1},
		{"hind", "hi", 0},
		{"TAMIL", "ta", 1},
	} {
		r := callHTTP(t, url, "list_languages", map[string]any{"query": tt.query})
		var out struct {
			Languages []struct {
				LanguageID string `json:"language_id"`
			}
		}
		if err := json.Unmarshal(r.StructuredContent, &out); err != nil {
			t.Fatal(err)
		}
		if tt.count > 0 && len(out.Languages) != tt.count {
			t.Errorf("list_languages(%q) has %d languages, want %d", tt.query, len(out.Languages), tt.count)
		}
		if tt.first != "" && (len(out.Languages) == 0 || out.Languages[0].LanguageID != tt.first) {
			t.Errorf("list_languages(%q) = %+v, want %s first", tt.query, out.Languages, tt.first)
		}
	}
}

// TestResultBudget keeps default results small: 2,000 tokens are about 5,000
// bytes where ids and addresses are most of them.
func TestResultBudget(t *testing.T) {
	t.Parallel()
	const most = 5000
	url := serve(t, newServer(t, mcp.Config{PublicURL: "https://speech.example.org"})).URL
	for _, tool := range []string{"search_voices", "list_languages"} {
		r := callHTTP(t, url, tool, nil)
		size := len(r.text()) + len(r.StructuredContent)
		t.Logf("%s: text %d bytes, structured %d bytes", tool, len(r.text()), len(r.StructuredContent))
		if size > most {
			t.Errorf("%s: %d bytes, at most %d are allowed", tool, size, most)
		}
	}
}

// TestNoVoiceMatches says what to leave out of what was sent.
func TestNoVoiceMatches(t *testing.T) {
	t.Parallel()
	url := serve(t, newServer(t, mcp.Config{})).URL
	var foreign string // a language without a voice of its own, if there is one
	for _, l := range lang.All() {
		if searchPage(t, url, map[string]any{"language": string(l.Code), "limit": 1}).Total == 0 {
			foreign = string(l.Code)
			break
		}
	}
	for _, tt := range []struct {
		args map[string]any
		want string
	}{
		{map[string]any{"query": "zzzz"}, "No voice matches. Leave out words of query: all must match."},
		{map[string]any{"query": "zzzz", "language": "hi"}, "No voice matches. Leave out query or language: voices of other languages speak it too."},
		{map[string]any{"language": foreign}, "No voice is native to this language. Leave out language: voices of other languages speak it too."},
	} {
		if tt.args["language"] == "" {
			t.Log("every language has a voice")
			continue
		}
		if r := callHTTP(t, url, "search_voices", tt.args); r.text() != tt.want {
			t.Errorf("search_voices(%v) = %q, want %q", tt.args, r.text(), tt.want)
		}
	}
}
