package mcp_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"vaak/account"
	"vaak/account/accounttest"
	"vaak/dictionary"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/internal/seal"
	"vaak/mcp"
	mcpspeech "vaak/mcp/speech"
	"vaak/mcp/usage"
	"vaak/rest"
	"vaak/speech"
	"vaak/speech/cache"
	"vaak/speech/clip"
)

// world is a whole deployment in memory, behind the product's own HTTP: an
// engine that hums, accounts of two organisations, kept answers and clips.
type world struct {
	accounts *account.Service
	store    *accounttest.Store
	clips    *clip.Service
	words    *dictionary.Service
	clipDir  string
	tools    *mcp.Server
	url      string // of the tools
	origin   string
	keys     map[string]string // secrets by name
	ids      map[string]account.Key
}

// deployment is what a test changes of a world.
type deployment struct {
	before  func(context.Context, engine.Utterance) error
	clips   func(mcpspeech.Clips) mcpspeech.Clips
	room    int64 // of clips; 0 is 64 MiB
	reports usage.Reports
}

func newWorld(t testing.TB, d deployment) *world {
	t.Helper()
	w := &world{store: accounttest.New(nil), clipDir: t.TempDir(), keys: map[string]string{}, ids: map[string]account.Key{}}
	w.openAccounts(t)
	answers := must(cache.Open(cache.Config{Dir: t.TempDir(), MaxBytes: 16 << 20}))(t)
	closed(t, answers.Close)
	svc := must(speech.New(speech.Config{Engines: engine.Set{&enginetest.Tone{Before: d.before}}, Ledger: w.accounts, PreviewDir: t.TempDir(), Cache: answers}))(t)
	w.clips = must(clip.Open(clip.Config{Dir: w.clipDir, MaxBytes: cmp.Or(d.room, 64<<20), Secret: seal.New(bytes.Repeat([]byte{1}, seal.MinBytes))}))(t)
	closed(t, w.clips.Close)
	clips := mcpspeech.Clips(w.clips)
	if d.clips != nil {
		clips = d.clips(clips)
	}
	w.words = newDictionaries(t)
	if d.reports == nil {
		d.reports = w.accounts
	}
	tools := must(mcp.New(whole(t, mcp.Config{
		Speech: svc, Accounts: w.accounts, Reports: d.reports, Clips: clips, Formats: svc.Health().Formats, PublicURL: "https://speech.example.org",
		Dictionaries: w.words,
	})))(t)
	closed(t, tools.Close)
	w.tools = tools
	srv := httptest.NewServer(must(rest.New(rest.Config{Accounts: w.accounts, Speech: svc, SpeechMCP: tools.Handler(mcp.Speech)}))(t))
	t.Cleanup(srv.Close)
	w.origin, w.url = srv.URL, srv.URL+"/v1/mcp"
	return w
}

// openAccounts makes the accounts, with two organisations that have a key each.
func (w *world) openAccounts(t testing.TB) {
	t.Helper()
	w.accounts = must(account.New(account.Config{Store: w.store}))(t)
	closed(t, func() error { return w.accounts.Close(context.Background()) })
	for _, name := range []string{"alpha", "beta"} {
		o := must(w.accounts.CreateOrganisation(t.Context(), name, "growth"))(t)
		secret, key, err := w.accounts.CreateKey(t.Context(), o.ID, account.KeyRequest{Label: name})
		if err != nil {
			t.Fatal(err)
		}
		w.keys[name], w.ids[name] = secret, key
	}
}

// must returns what was made, or ends the test.
func must[T any](made T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
}

// closed closes something with the test.
func closed(t testing.TB, end func() error) {
	t.Cleanup(func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	})
}

// call calls a tool with a key.
func (w *world) call(t testing.TB, key, tool string, args any) toolResult {
	t.Helper()
	_, body := post(t, w.url, request(1, tool, args), map[string][]string{"Authorization": {"Bearer " + w.keys[key]}})
	return decodeResult(t, body)
}

// read reads a resource with a key: its content, or the error's sentence.
func (w *world) read(t testing.TB, key, uri string) (resourceContent, string) {
	t.Helper()
	b, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": map[string]any{"uri": uri}})
	if err != nil {
		t.Fatal(err)
	}
	_, body := post(t, w.url, string(b), map[string][]string{"Authorization": {"Bearer " + w.keys[key]}})
	return decodeResource(t, body)
}

type resourceContent struct {
	URI, MIMEType, Text string
	Blob                []byte
}

func decodeResource(t testing.TB, body []byte) (resourceContent, string) {
	t.Helper()
	var m struct {
		Result struct{ Contents []resourceContent }
		Error  struct{ Message string }
	}
	if err := json.Unmarshal(body, &m); err != nil || len(m.Result.Contents) != 1 && m.Error.Message == "" {
		t.Fatalf("no content and no error in %s (%v)", body, err)
	}
	if m.Error.Message != "" {
		return resourceContent{}, m.Error.Message
	}
	return m.Result.Contents[0], ""
}

// report is how an organisation stands.
func (w *world) report(t testing.TB, key string) account.Report {
	t.Helper()
	r, err := w.accounts.Report(t.Context(), w.ids[key].OrgID)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// charged is what an organisation was charged for a while.
func (w *world) charged(t testing.TB, key string, during func()) int64 {
	t.Helper()
	before := w.report(t, key).Characters
	during()
	return w.report(t, key).Characters - before
}

// files is how many files the clips have.
func (w *world) files(t testing.TB) int {
	t.Helper()
	list, err := os.ReadDir(w.clipDir)
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// spoken is the structured result of synthesize_speech.
type spoken struct {
	Delivery            string
	AudioURL            string    `json:"audio_url"`
	ExpiresAt           time.Time `json:"expires_at"`
	MIMEType            string    `json:"mime_type"`
	Bytes               int64
	Characters          int
	CharactersRemaining *int64 `json:"characters_remaining"`
	Notices             []string
}

func spokenOf(t testing.TB, r toolResult) spoken {
	t.Helper()
	if r.IsError {
		t.Fatalf("result is the error %s", r.text())
	}
	var s spoken
	if err := json.Unmarshal(r.StructuredContent, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// all reads what can be read.
func all(t testing.TB, r io.ReadCloser) []byte {
	t.Helper()
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
