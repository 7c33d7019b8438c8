package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tenant is an organisation and all that only its own people may see.
type tenant struct {
	org, key string
	secrets  []string // ids, names, labels and numbers
	ids      []string // those that could be asked for
}

// TestLengthyOrganisationsSeeOnlyTheirOwn asks with the key of each of two organisations
// for everything there is, with all ids of the other.
func TestLengthyOrganisationsSeeOnlyTheirOwn(t *testing.T) {
	slow(t)
	t.Parallel()
	onBoth(t, func(t *testing.T, s *server) {
		s.vaak("plan", "set", "crimson", "--name", "Crimson plan", "--characters", "770001", "--rpm", "100000", "--streams", "41")
		s.vaak("plan", "set", "azure", "--name", "Azure plan", "--characters", "880003", "--rpm", "200000", "--streams", "43")
		a := s.tenant("Crimson Works", "crimson", "hi", "नमस्ते दुनिया", 3)
		b := s.tenant("Azure Mills", "azure", "ta", "வணக்கம்", 5)
		for _, tt := range []struct{ mine, other tenant }{{a, b}, {b, a}} {
			s.seesOwn(tt.mine)
			s.seesNothingOf(tt.mine, tt.other)
			s.findsNothingOf(tt.mine, tt.other)
			s.toolsTellNothingOf(tt.mine, tt.other)
		}
	})
}

// tenant makes an organisation that has two keys, bought characters and use.
func (s *server) tenant(name, plan, language, text string, times int) tenant {
	s.t.Helper()
	org, key := s.customer(name, plan)
	spare := s.vaak("key", "create", "--org", org, "--name", name+" spare")
	lot := s.vaak("lot", "grant", "--org", org, "--characters", fmt.Sprint(9100+times), "--source", name+" invoice")
	var voice string
	for range times {
		for _, k := range []string{key, spare} {
			a := s.ask(http.MethodPost, "/v1/audio/speech", k, map[string]any{"input": text, "lang": language, "response_format": "pcm"})
			a.expect(s.t, http.StatusOK, "")
			voice = a.header.Get("X-Voice-Id")
		}
	}
	words := s.dictionary(key, name+" words", name+" term", name+" respelled")
	x := tenant{org: org, key: key, ids: []string{org, lot, plan, voice, words.ID, words.Version}}
	for line := range strings.Lines(s.vaak("key", "list", "--org", org)) {
		id, _, _ := strings.Cut(line, "\t")
		x.ids = append(x.ids, id)
	}
	used := len([]rune(text)) * 2 * times
	granted := s.usage(key).Balance.Granted
	x.secrets = append(slices.Clone(x.ids), name, text, fmt.Sprintf("%q", language), key[len(key)-4:]+`"`,
		fmt.Sprintf(":%d,", used), fmt.Sprintf(":%d}", used), fmt.Sprint(granted), fmt.Sprint(granted-int64(used)))
	return x
}

// accountPaths are where an organisation reads about itself.
var accountPaths = []string{
	"/v1/usage", "/v1/usage/daily", "/v1/usage/daily?by=key", "/v1/usage/daily?by=voice", "/v1/usage/daily?by=language",
	"/v1/user", "/v1/user/subscription", "/v1/pronunciation-dictionaries", "/v1/audio/speech/tokens", "/v1/webhooks",
}

// told is all that an answer tells.
func (a answered) told() string { return fmt.Sprint(a.status, a.header, a.body) }

// seesOwn checks that what is looked for in the other's answers is in one's own:
// else the search would find nothing anywhere.
func (s *server) seesOwn(mine tenant) {
	s.t.Helper()
	var all strings.Builder
	for _, path := range accountPaths {
		all.WriteString(s.ask(http.MethodGet, path, mine.key, nil).told())
	}
	found := 0
	for _, secret := range mine.secrets {
		if strings.Contains(all.String(), secret) {
			found++
		}
	}
	if found < 8 {
		s.t.Errorf("%s finds %d of %q in its own answers, want 8 or more", mine.org, found, mine.secrets)
	}
}

func (s *server) seesNothingOf(mine, other tenant) {
	s.t.Helper()
	for _, path := range accountPaths {
		plain := s.ask(http.MethodGet, path, mine.key, nil)
		plain.expect(s.t, http.StatusOK, "")
		holdsNone(s.t, plain, other, "")
		for _, id := range other.ids {
			for _, name := range []string{"organisation_id", "organization_id", "org", "key", "key_id", "id"} {
				mark := "?"
				if strings.Contains(path, "?") {
					mark = "&"
				}
				if a := s.ask(http.MethodGet, path+mark+name+"="+id, mine.key, nil); a.status != plain.status || a.body != plain.body {
					s.t.Errorf("%s = %d %s, want what it is without the id: %s", a.what, a.status, a.body, plain.body)
				}
			}
		}
	}
}

// holdsNone looks for what is the other's in an answer; asked is what the
// question itself named.
func holdsNone(t testing.TB, a answered, other tenant, asked string) {
	t.Helper()
	for _, secret := range other.secrets {
		if !strings.Contains(asked, secret) && strings.Contains(a.told(), secret) {
			t.Errorf("%s tells %q of the other organisation: %s", a.what, secret, a.told())
		}
	}
}

// findsNothingOf puts the ids of the other into every path under /v1 that takes
// one, and where it could be guessed that one does. Voices are everybody's, every id of a
// model is the one model, and types of tokens are no ids.
func (s *server) findsNothingOf(mine, other tenant) {
	s.t.Helper()
	var described struct{ Paths map[string]map[string]any }
	if err := json.Unmarshal([]byte(s.ask(http.MethodGet, "/openapi.json", "", nil).body), &described); err != nil {
		s.t.Fatal(err)
	}
	paths := slices.Sorted(maps.Keys(described.Paths))
	paths = slices.DeleteFunc(paths, func(p string) bool {
		return !strings.Contains(p, "{") || p == "/v1/models/{model_id}" || strings.HasSuffix(p, "/{token_type}")
	})
	if len(paths) == 0 {
		s.t.Error("no path takes an id")
	}
	for _, p := range []string{"usage", "usage/daily", "user", "organisations", "organizations", "keys", "lots", "plans", "subscriptions"} {
		paths = append(paths, "/v1/"+p+"/{id}")
	}
	// ask asks in the way that a path is described to be asked.
	ask := func(path, address string) answered {
		if described.Paths[path]["post"] != nil {
			return s.ask(http.MethodPost, address, mine.key, map[string]any{
				"text": "Hello.", "input": "Hello.", "rules": []any{map[string]any{"string_to_replace": "a", "alias": "b"}}, "rule_strings": []string{"a"},
			})
		}
		if described.Paths[path]["delete"] != nil && described.Paths[path]["get"] == nil {
			return s.ask(http.MethodDelete, address, mine.key, nil)
		}
		return s.ask(http.MethodGet, address, mine.key, nil)
	}
	for _, path := range paths {
		for _, id := range other.ids {
			if strings.HasPrefix(id, "sv_") {
				continue
			}
			a := ask(path, anyParameter.ReplaceAllLiteralString(path, id))
			if a.status != http.StatusNotFound {
				s.t.Errorf("%s = %d, want 404: %s", a.what, a.status, a.body)
			}
			holdsNone(s.t, a, other, id)
		}
	}
	s.speaksByNothingOf(mine, other)
}

// anyParameter is a part of a described path that stands for an id.
var anyParameter = regexp.MustCompile(`\{[^}]*\}`)

// speaksByNothingOf names the ids of the other as dictionaries wherever text is spoken
// over HTTP, and as versions of one's own.
func (s *server) speaksByNothingOf(mine, other tenant) {
	s.t.Helper()
	own := mine.ids[4] // see tenant
	var voice string
	for _, id := range mine.ids {
		if strings.HasPrefix(id, "sv_") {
			voice = id
		}
	}
	say := func(path string, more map[string]any) answered {
		body := map[string]any{"text": "Hello.", "input": "Hello."}
		maps.Copy(body, more)
		return s.ask(http.MethodPost, path, mine.key, body)
	}
	locators := func(id, version string) map[string]any {
		return map[string]any{"pronunciation_dictionary_locators": []any{map[string]any{"pronunciation_dictionary_id": id, "version_id": version}}}
	}
	say("/v1/audio/speech", locators(own, mine.ids[5])).expect(s.t, http.StatusOK, "")
	for _, path := range []string{"/v1/audio/speech", "/v1/audio/speech/preview-text", "/v1/text-to-speech/" + voice, "/v1/text-to-speech/" + voice + "/stream/with-timestamps"} {
		for _, id := range other.ids {
			for _, a := range []answered{
				say(path+"?pronunciation_dictionary_id="+id, nil), say(path, map[string]any{"pronunciation_dictionary_id": id}),
				say(path, locators(id, "")), say(path, locators(own, id)),
			} {
				a.expect(s.t, http.StatusNotFound, "pronunciation_dictionary_not_found")
				holdsNone(s.t, a, other, id)
			}
		}
	}
}

// toolsTellNothingOf calls every tool over MCP with the ids of the other for
// every argument.
func (s *server) toolsTellNothingOf(mine, other tenant) {
	s.t.Helper()
	call := func(method string, params map[string]any) answered {
		a := s.ask(http.MethodPost, "/v1/mcp", mine.key, map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
		a.what += fmt.Sprint(" ", method, " ", params)
		return a
	}
	list := call("tools/list", nil)
	list.expect(s.t, http.StatusOK, "")
	holdsNone(s.t, list, tenant{secrets: []string{other.org, other.ids[1]}}, "")
	var tools struct {
		Result struct {
			Tools []struct {
				Name        string
				InputSchema struct{ Properties map[string]any }
			}
		}
	}
	if err := json.Unmarshal([]byte(list.body), &tools); err != nil || len(tools.Result.Tools) == 0 {
		s.t.Fatalf("%s: %v: %.300s", list.what, err, list.body)
	}
	private := other
	private.secrets = slices.DeleteFunc(slices.Clone(other.secrets), func(secret string) bool {
		return strings.HasPrefix(secret, "sv_") || len(secret) < 6 // voices and languages are everybody's
	})
	for _, tool := range tools.Result.Tools {
		for name := range tool.InputSchema.Properties {
			for _, id := range other.ids {
				holdsNone(s.t, call("tools/call", map[string]any{"name": tool.Name, "arguments": map[string]any{name: id}}), private, id)
			}
		}
	}
	for _, id := range other.ids {
		holdsNone(s.t, call("resources/read", map[string]any{"uri": "usage://" + id}), private, id)
	}
}
