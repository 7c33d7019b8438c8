package demo

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"vaak/edge"
	"vaak/internal/fault"
	"vaak/internal/ui"
	"vaak/lang"
	"vaak/web/site"
)

// maker makes tokens that name what they were made for.
type maker struct{ err error }

func (m maker) Token(_ context.Context, language lang.Code, characters int) (string, error) {
	return string(language) + "-token", m.err
}

func plainly(w http.ResponseWriter, _ *http.Request, err error) {
	status := http.StatusInternalServerError
	switch fault.KindOf(err) {
	case fault.Invalid:
		status = http.StatusBadRequest
	case fault.RateLimited:
		status = http.StatusTooManyRequests
	}
	http.Error(w, err.Error(), status)
}

func open(t *testing.T, cfg Config) (map[string]site.Route, []*ui.Asset) {
	t.Helper()
	cfg.Kit, cfg.Refuse = ui.NewKit(site.StaticPrefix), plainly
	routes, assets, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	byPath := map[string]site.Route{}
	for _, r := range routes {
		byPath[r.Path] = r
	}
	return byPath, assets
}

func TestDialogues(t *testing.T) {
	t.Parallel()
	all, err := readDialogues(func(lang.Code) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 12 {
		t.Errorf("there are dialogues in %d languages, want 12 or more", len(all))
	}
	scripts, seen := map[string]bool{}, map[lang.Code]bool{}
	for _, d := range all {
		if seen[d.Language] {
			t.Errorf("%s has two dialogues", d.Language)
		}
		seen[d.Language] = true
		r, _ := utf8.DecodeRuneInString(d.Other)
		scripts[lang.ScriptOf(r)] = true
		if d.Prompt == "" || len(d.Turns) < 4 {
			t.Errorf("%s has the prompt %q and %d turns, want one and four", d.Language, d.Prompt, len(d.Turns))
		}
		lines := []string{d.Greeting, d.Other}
		for _, turn := range d.Turns {
			lines = append(lines, turn.Say)
			if n := utf8.RuneCountInString(turn.Ask); n == 0 || n > 200 {
				t.Errorf("%s: the question %q has %d characters, want 1 to 200", d.Language, turn.Ask, n)
			}
		}
		for _, line := range lines {
			if n := utf8.RuneCountInString(line); n == 0 || n > MaxCharacters {
				t.Errorf("%s: the line %q has %d characters, want 1 to %d", d.Language, line, n, MaxCharacters)
			}
			// What detection says of a line is what its writer meant.
			if got := (lang.Prior{}).Detect(line); got != d.Language && utf8.RuneCountInString(line) > 60 {
				t.Errorf("%s: the line %q is taken for %s", d.Language, line, got)
			}
		}
	}
	if len(scripts) < 10 {
		t.Errorf("the dialogues are in the scripts %v, want ten or more", scripts)
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	routes, assets := open(t, Config{Tokens: maker{}, Speaks: func(c lang.Code) bool { return c == "hi" || c == "ja" }})
	w := httptest.NewRecorder()
	routes[Path].Page.ServeHTTP(w, httptest.NewRequest(http.MethodGet, Path, nil))
	body, policy := w.Body.String(), w.Header().Get("Content-Security-Policy")
	if w.Code != 200 || !strings.Contains(body, `value="hi"`) || strings.Contains(body, `value="en"`) {
		t.Errorf("GET %s = %d, %s; want the languages that are offered alone", Path, w.Code, body)
	}
	if strings.Contains(policy, "unsafe") || !strings.Contains(policy, "script-src 'self';") || strings.Contains(body, "<script>") {
		t.Errorf("the policy %q lets the page run scripts of its own", policy)
	}
	served := map[string]string{}
	for _, a := range assets {
		w := httptest.NewRecorder()
		a.ServeHTTP(w, httptest.NewRequest(http.MethodGet, a.Path(), nil))
		served[a.Path()] = w.Body.String()
	}
	for _, name := range []string{"demo.js", "index.js", "worklet.js", "player.js", "dialogues.json"} {
		found := ""
		for path, text := range served {
			if strings.HasSuffix(path, "/"+name) {
				found = path
				if strings.HasSuffix(name, ".json") && !json.Valid([]byte(text)) {
					t.Errorf("%s is no JSON", path)
				}
			}
		}
		if found == "" {
			t.Errorf("nobody serves %s", name)
		}
	}
	for line := range strings.Lines(body) {
		for _, attribute := range []string{`src="/static/`, `href="/static/`} {
			if _, rest, ok := strings.Cut(line, attribute); ok {
				path, _, _ := strings.Cut("/static/"+rest, `"`)
				if _, ok := served[path]; !ok && !strings.Contains(path, "vaak.") && !strings.Contains(path, "icon.") {
					t.Errorf("the page loads %s, which nobody serves", path)
				}
			}
		}
	}
}

func ask(h http.Handler, address, form string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, tokenPath, strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.RemoteAddr = netip.AddrPortFrom(netip.MustParseAddr(address), 1).String()
	w := httptest.NewRecorder()
	edge.Chain(h, edge.Identify, edge.Locate(edge.NewClients(nil))).ServeHTTP(w, r)
	return w
}

func TestTokens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		routes, _ := open(t, Config{Tokens: maker{}})
		h := routes[tokenPath].Post
		for form, want := range map[string]int{
			"language=hi": 200, "language=xx": 400, "": 400, "language=%zz": 400, "language=hi&x=" + strings.Repeat("y", maxForm): 400,
		} {
			if w := ask(h, "192.0.2.1", form); w.Code != want || w.Code == 200 && (w.Body.String() != `{"token":"hi-token"}` || w.Header().Get("Cache-Control") != "no-store") {
				t.Errorf("POST %.40q = %d %s, want %d", form, w.Code, w.Body, want)
			}
		}
		for range tokensPerMinute - 1 { // one was made above
			ask(h, "192.0.2.1", "language=en")
		}
		if w := ask(h, "192.0.2.1", "language=en"); w.Code != 429 || !strings.Contains(w.Body.String(), "60 answers a minute") {
			t.Errorf("one token more than a minute has = %d %s, want 429", w.Code, w.Body)
		}
		if w := ask(h, "192.0.2.2", "language=en"); w.Code != 200 {
			t.Errorf("another address gets %d, want 200", w.Code)
		}
		time.Sleep(time.Minute + time.Second)
		if w := ask(h, "192.0.2.1", "language=en"); w.Code != 200 {
			t.Errorf("a minute later = %d, want 200", w.Code)
		}
	})
	broken, _ := open(t, Config{Tokens: maker{err: fault.Down("store_unavailable", time.Second, nil, "the store is down")}})
	if w := ask(broken[tokenPath].Post, "192.0.2.1", "language=en"); w.Code != 500 || strings.Contains(w.Body.String(), "token") {
		t.Errorf("without a store = %d %s", w.Code, w.Body)
	}
	w := httptest.NewRecorder()
	broken[tokenPath].Page.ServeHTTP(w, httptest.NewRequest(http.MethodGet, tokenPath, nil))
	if w.Code != 405 || w.Header().Get("Allow") != "POST" {
		t.Errorf("GET %s = %d, Allow %q", tokenPath, w.Code, w.Header().Get("Allow"))
	}
}
