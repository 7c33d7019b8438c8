package mcp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"vaak/account"
	"vaak/edge"
	"vaak/enquiry"
	"vaak/mcp"
	"vaak/oauth"
)

// connectedTo is the endpoint of a service, called by an application that may do what scopes say.
func connectedTo(s *mcp.Server, service mcp.Service, scopes []string) http.Handler {
	h := s.Handler(service)
	return edge.Chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := edge.From(r.Context())
		x.Caller, x.Scopes = account.Caller{OrgID: "org_a", KeyID: "key_a", Plan: "free"}, scopes
		h.ServeHTTP(w, r)
	}), edge.Identify)
}

// scoped has the scope that each tool and each resource needs. docs/mcp.md has the tools.
var scoped = map[mcp.Service]map[string]string{
	mcp.Catalogue: {
		"search_datasets": oauth.CatalogueRead, "get_dataset": oauth.CatalogueRead, "compare_datasets": oauth.CatalogueRead,
		"get_croissant": oauth.CatalogueRead, "validate_croissant": oauth.CatalogueRead, "send_enquiry": oauth.EnquiriesWrite,
		"catalogue://filters": oauth.CatalogueRead, "catalogue://enquiry-terms": oauth.CatalogueRead,
		"dataset://a-slug": oauth.CatalogueRead, "dataset://a-slug/croissant": oauth.CatalogueRead,
	},
	mcp.Speech: {
		"synthesize_speech": oauth.Speech, "preview_spoken_text": oauth.Speech, "search_voices": oauth.VoicesRead, "list_languages": oauth.VoicesRead,
		"list_pronunciation_dictionaries": oauth.DictionariesRead, "create_pronunciation_dictionary": oauth.DictionariesWrite, "get_usage": oauth.UsageRead,
		"voice://sv_aaaaaaaaaaaaaaaa": oauth.VoicesRead, "speech://audio/x": oauth.Speech,
	},
}

// TestScopes calls every tool and reads every resource with each scope, and with all others, in the
// versions of the protocol with a handshake and without: only the scope that it needs lets it
// through, and any other is told which one is missing.
func TestScopes(t *testing.T) {
	t.Parallel()
	servers := map[mcp.Service]*mcp.Server{mcp.Speech: wholeSpeech(t), mcp.Catalogue: newEnquiries(t, enquiry.AllowAttested).tools}
	var all []string
	for _, s := range oauth.All() {
		all = append(all, s.Name)
	}
	for service, s := range servers {
		for _, tool := range s.Tools(mcp.HTTP, service) {
			if scoped[service][tool.Name] == "" {
				t.Errorf("no scope is written down for %s", tool.Name)
			}
		}
		for name, needed := range scoped[service] {
			for _, scope := range all {
				without := slices.DeleteFunc(slices.Clone(all), func(s string) bool { return s == scope })
				for _, granted := range [][]string{{scope}, without} {
					may := slices.Contains(granted, needed)
					for _, modern := range []bool{false, true} {
						w := httptest.NewRecorder()
						connectedTo(s, service, granted).ServeHTTP(w, scopedRequest(t, name, modern))
						challenge := w.Header().Get("WWW-Authenticate")
						if refused := w.Code == http.StatusForbidden; refused == may || !may && strings.Contains(w.Body.String(), `"result"`) {
							t.Errorf("%s with %v (modern %v): %d %s", name, granted, modern, w.Code, w.Body)
						}
						want := fmt.Sprintf(`error="insufficient_scope", error_description="the application needs the scope %s for this, which the person has not allowed it", scope="%s %s"`, needed, strings.Join(granted, " "), needed)
						if !may && !strings.Contains(challenge, want) {
							t.Errorf("%s with %v: WWW-Authenticate %s, want %s", name, granted, challenge, want)
						}
					}
				}
			}
		}
	}
}

// scopedRequest calls a tool without arguments, or reads a resource.
func scopedRequest(t *testing.T, name string, modern bool) *http.Request {
	t.Helper()
	method, params := "tools/call", fmt.Sprintf(`"name":%q,"arguments":{}`, name)
	if strings.Contains(name, "://") {
		method, params = "resources/read", fmt.Sprintf(`"uri":%q`, name)
	}
	header := http.Header{}
	if modern {
		params += `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
		header.Set("Mcp-Protocol-Version", "2026-07-28")
		header.Set("Mcp-Method", method)
		header.Set("Mcp-Name", name)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/", strings.NewReader(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, params)))
	r.Header = header
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	return r
}

// TestNoScope: lists, and what no tool does, need no scope; and whoever has a key may do all.
func TestNoScope(t *testing.T) {
	t.Parallel()
	s := wholeSpeech(t)
	list := func(scopes []string, body string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		connectedTo(s, mcp.Speech, scopes).ServeHTTP(w, r)
		return w
	}
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"prompts/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/templates/list"}`,
	} {
		if w := list([]string{oauth.UsageRead}, body); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"result"`) {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
	complete := `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"voice://{voice_id}"},"argument":{"name":"voice_id","value":"sv"}}}`
	if w := list([]string{oauth.UsageRead}, complete); w.Code != http.StatusForbidden {
		t.Errorf("completion without its scope: %d %s", w.Code, w.Body)
	}
	if w := list(nil, complete); w.Code != http.StatusOK {
		t.Errorf("completion with a key: %d %s", w.Code, w.Body)
	}
}
