package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"vaak/account"
	"vaak/dictionary"
	"vaak/dictionary/dictionarytest"
	"vaak/internal/fault"
	"vaak/mcp"
	"vaak/speech"
	"vaak/text/respell"
)

// newDictionaries are dictionaries in memory, none at first.
func newDictionaries(t testing.TB) *dictionary.Service {
	t.Helper()
	s := must(dictionary.New(dictionary.Config{Store: &dictionarytest.Memory{}}))(t)
	t.Cleanup(s.Close)
	return s
}

// makeDictionary makes a dictionary of an organisation and returns its id.
func makeDictionary(t testing.TB, s *dictionary.Service, org string, rules ...respell.Rule) string {
	t.Helper()
	return must(s.Create(t.Context(), org, "key_of_"+org, dictionary.Draft{Name: "Terms of " + org, Rules: rules}))(t).ID
}

// api is a rule for an acronym.
var api = respell.Rule{Term: "API", Respelling: "A P I"}

// wireRule is a rule in a result.
type wireRule struct {
	Term           string   `json:"string_to_replace"`
	Alias          string   `json:"alias"`
	CaseSensitive  bool     `json:"case_sensitive"`
	WordBoundaries *bool    `json:"word_boundaries"`
	Only           []string `json:"only_languages"`
	Except         []string `json:"except_languages"`
}

// dictionaryPage is the structured result of list_pronunciation_dictionaries.
type dictionaryPage struct {
	Dictionaries []struct {
		ID, Name string
		Rules    int
	}
	VersionID   string `json:"version_id"`
	Description string
	Rules       []wireRule
	NextCursor  string
}

const listDictionaries = "list_pronunciation_dictionaries"

func dictionaryPageOf(t testing.TB, url string, args map[string]any) (dictionaryPage, toolResult) {
	t.Helper()
	r := callHTTP(t, url, listDictionaries, args)
	var p dictionaryPage
	if r.IsError {
		t.Fatalf("%s(%v) = %s", listDictionaries, args, r.text())
	}
	if err := json.Unmarshal(r.StructuredContent, &p); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(r.text(), p.NextCursor) {
		t.Errorf("the text does not end in the cursor %s: %s", p.NextCursor, r.text())
	}
	return p, r
}

// heard is a speaker that keeps what it was asked.
type heard struct {
	drone
	requests *[]speech.Request
}

func (h heard) Read(ctx context.Context, req speech.Request) (speech.Reading, error) {
	*h.requests = append(*h.requests, req)
	r, err := h.drone.Read(ctx, req)
	r.Respelled = 3 * len(req.Dictionaries)
	return r, err
}

// TestDictionaryInUse hands the rules of the named dictionary, and no others, to the
// service, and tells in a preview how often they apply.
func TestDictionaryInUse(t *testing.T) {
	t.Parallel()
	words := newDictionaries(t)
	id := makeDictionary(t, words, "org_alpha", api, respell.Rule{Term: "nginx", Respelling: "engine x"})
	var asked []speech.Request
	note := func(_ context.Context, _ account.Caller, req speech.Request) error {
		asked = append(asked, req)
		return nil
	}
	url := serve(t, newServer(t, mcp.Config{Dictionaries: words, Speech: heard{drone{before: note}, &asked}})).URL
	for _, tool := range []string{"synthesize_speech", "preview_spoken_text"} {
		for _, tt := range []struct {
			id       string
			rules    []int
			told     string
			untold   string
			measured any
		}{
			{id, []int{2}, "respelled 3 times", "", 3.0},
			{"", nil, "", "respelled", nil},
		} {
			asked = nil
			r := callHTTP(t, url, tool, map[string]any{"text": "The API is behind nginx.", "pronunciation_dictionary_id": tt.id})
			if r.IsError || len(asked) != 1 {
				t.Fatalf("%s with %q = %s after %d requests", tool, tt.id, r.text(), len(asked))
			}
			var rules []int
			for _, d := range asked[0].Dictionaries {
				rules = append(rules, d.Len())
			}
			if diff := cmp.Diff(tt.rules, rules); diff != "" {
				t.Errorf("%s with %q: rules of each dictionary (-want +got):\n%s", tool, tt.id, diff)
			}
			if tool == "synthesize_speech" {
				continue
			}
			var got map[string]any
			if err := json.Unmarshal(r.StructuredContent, &got); err != nil {
				t.Fatal(err)
			}
			if got["dictionary_hits"] != tt.measured || !strings.Contains(r.text(), tt.told) || tt.untold != "" && strings.Contains(r.text(), tt.untold) {
				t.Errorf("%s with %q: respelled = %v in %s, want %v", tool, tt.id, got["dictionary_hits"], r.text(), tt.measured)
			}
		}
	}
}

// TestDictionaryOfOthers: what another organisation has is not there, in the words
// in which nothing is there, and nothing is spoken.
func TestDictionaryOfOthers(t *testing.T) {
	t.Parallel()
	words := newDictionaries(t)
	theirs := makeDictionary(t, words, "org_beta", api)
	spoke := false
	url := serve(t, newServer(t, mcp.Config{Dictionaries: words, Speech: drone{before: func(context.Context, account.Caller, speech.Request) error {
		spoke = true
		return nil
	}}})).URL
	for _, id := range []string{theirs, strings.Repeat("0", 8) + theirs[8:], "Terms of org_beta", "*", "../x", "ा\u202e"} {
		for tool, arg := range map[string]string{"synthesize_speech": "pronunciation_dictionary_id", "preview_spoken_text": "pronunciation_dictionary_id", listDictionaries: "id"} {
			args := map[string]any{"text": "API", arg: id}
			if tool == listDictionaries {
				delete(args, "text")
			}
			r := callHTTP(t, url, tool, args)
			want := fmt.Sprintf("pronunciation_dictionary_not_found (%s): there is no pronunciation dictionary %.64q. Call list_pronunciation_dictionaries to find an id.", arg, id)
			if !r.IsError || r.text() != want {
				t.Errorf("%s of %q = %q, want %q", tool, id, r.text(), want)
			}
		}
	}
	if spoke {
		t.Error("it spoke without the dictionary")
	}
	if p, _ := dictionaryPageOf(t, url, nil); len(p.Dictionaries) != 0 {
		t.Errorf("another organisation sees %+v", p.Dictionaries)
	}
}

// TestRecordOfUnknownDictionary: a call that names what is not there is put on record,
// be it a dictionary or a voice.
func TestRecordOfUnknownDictionary(t *testing.T) {
	t.Parallel()
	l := &ledger{}
	noVoice := fault.New(fault.NotFound, fault.CodeVoiceNotFound, "voice", "there is no such voice")
	url := serve(t, newServer(t, mcp.Config{Accounts: l, Dictionaries: newDictionaries(t), Speech: drone{before: func(context.Context, account.Caller, speech.Request) error {
		return noVoice
	}}})).URL
	callHTTP(t, url, "synthesize_speech", map[string]any{"text": "API", "pronunciation_dictionary_id": "nothing"})
	callHTTP(t, url, "synthesize_speech", map[string]any{"text": "API", "voice_id": "sv_nobody"})
	want := account.RequestRecord{OrgID: "org_alpha", KeyID: "key_alpha", Status: 404, Code: dictionary.CodeNotFound}
	other := want
	other.Code = fault.CodeVoiceNotFound
	if diff := cmp.Diff([]account.RequestRecord{want, other}, l.records, cmpopts.IgnoreFields(account.RequestRecord{}, "At", "ID")); diff != "" {
		t.Errorf("records (-want +got)\n%s", diff)
	}
	for _, r := range l.records {
		if r.ID == "" || r.At.IsZero() {
			t.Errorf("record %+v of no request or no time", r)
		}
	}
}

// TestNoDictionaries: where there are none, neither tools nor arguments speak of them.
func TestNoDictionaries(t *testing.T) {
	t.Parallel()
	s := newServer(t, mcp.Config{})
	for _, face := range []mcp.Face{mcp.HTTP, mcp.Stdio} {
		for _, tool := range s.Tools(face, mcp.Speech) {
			if all := tool.Name + string(tool.Input) + string(tool.Output) + tool.Description; strings.Contains(all, "dictionar") || strings.Contains(all, "hits") {
				t.Errorf("%s: %s speaks of dictionaries: %s", face, tool.Name, all)
			}
		}
	}
	url := serve(t, s).URL
	if r := callHTTP(t, url, "preview_spoken_text", map[string]any{"text": "x", "pronunciation_dictionary_id": "x"}); !r.IsError || !strings.Contains(r.text(), "unknown argument") {
		t.Errorf("preview_spoken_text = %s, want an unknown argument", r.text())
	}
}
