package mcp_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"vaak/croissant/publish"
	"vaak/mcp"
)

// TestNamesThatAreNotThere has clients of every face call what is elsewhere or
// nowhere: they are told where it is, or what there is.
func TestNamesThatAreNotThere(t *testing.T) {
	t.Parallel()
	c := published(t)
	s := newServer(t, mcp.Config{Catalogue: c, Croissant: publish.New(c, ""), PublicURL: "https://vaak.example.org"})
	url := serve(t, s).URL
	for _, tt := range []struct{ method, name, want string }{
		{"tools/call", "search_datasets", "search_datasets is a tool of catalogue, which is at /api/catalogue/mcp of this server; here are list_languages"},
		{"tools/call", "Sing", `there is no tool "Sing"; there are list_languages, `},
		{"tools/call", strings.Repeat("x", 100_000), `there is no tool "xxx`},
		{"prompts/get", "sing", `there is no prompt "sing"; there are narrate`},
	} {
		body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": tt.method, "params": map[string]any{"name": tt.name}})
		if err != nil {
			t.Fatal(err)
		}
		resp, answer := post(t, url, string(body), nil)
		answers := map[string][]byte{"http": answer}
		answers["stdio"] = talk(t, s, string(body))[0]
		for face, answer := range answers {
			var got struct {
				Error struct {
					Code    int
					Message string
				}
			}
			want := tt.want
			if face == "stdio" && strings.Contains(want, " is a tool of ") {
				want = `there is no tool "search_datasets"; there are list_languages`
			}
			if err := json.Unmarshal(answer, &got); err != nil || got.Error.Code != -32602 || !strings.HasPrefix(got.Error.Message, want) || len(answer) > 1000 {
				t.Errorf("%s of %.20q over %s = %.300s, want -32602 and %q", tt.method, tt.name, face, answer, want)
			}
		}
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s of %.20q: status %d, want 200 as clients of this version have it", tt.method, tt.name, resp.StatusCode)
		}
	}
}

// TestCodesOfErrors has clients of both sorts of versions, over both faces, send
// arguments of prompts that are wrong and addresses of resources that are not there.
func TestCodesOfErrors(t *testing.T) {
	t.Parallel()
	s := newCatalogueServer(t, published(t, typical()...))
	handler := s.Handler(mcp.Catalogue)
	for _, tt := range []struct {
		method, params, name string
		older, newer         int
		says                 string
	}{
		{"prompts/get", `"name":"find_training_data"`, "find_training_data", -32602, -32602, "brief is required"},
		{"prompts/get", `"name":"find_training_data","arguments":{"brief":"x","more":"y"}`, "find_training_data", -32602, -32602, `unknown argument \"more\"`},
		{"prompts/get", `"name":"compare_datasets","arguments":{"slugs":" "}`, "compare_datasets", -32602, -32602, "slugs is required"},
		{"resources/read", `"uri":"dataset://nothing"`, "dataset://nothing", -32002, -32602, "there is no dataset"},
		{"resources/read", `"uri":"dataset://nothing/croissant"`, "dataset://nothing/croissant", -32002, -32602, "there is no dataset"},
		{"resources/read", `"uri":"nowhere://x"`, "nowhere://x", -32002, -32602, `there is no resource \"nowhere://x\"; there are catalogue://filters, dataset://{slug}, `},
		{"resources/read", `"uri":"dataset://` + strings.Repeat("x/", 5000) + `"`, "dataset://" + strings.Repeat("x/", 5000), -32002, -32602, "there is no resource"},
	} {
		older := `{"jsonrpc":"2.0","id":"\"error\":{\"code\":-32603","method":"` + tt.method + `","params":{` + tt.params + `}}`
		newer := strings.TrimSuffix(older, "}}") + `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
			`"io.modelcontextprotocol/clientInfo":{"name":"new","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
		answers := map[string]int{string(askCatalogue(t, s, older)[0]): tt.older, string(askCatalogue(t, s, newer)[0]): tt.newer}
		for version, body := range map[string]string{"2025-06-18": older, "2026-07-28": newer} {
			r := modernRequest(body)
			r.Header.Set("Mcp-Protocol-Version", version)
			r.Header.Set("Mcp-Method", tt.method)
			r.Header.Set("Mcp-Name", tt.name)
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			answers[w.Body.String()] = tt.older
			status := http.StatusOK // as clients of this version have it
			if body == newer {
				answers[w.Body.String()], status = tt.newer, http.StatusBadRequest
			}
			if w.Code != status {
				t.Errorf("%s of %.60s in %s: status %d, want %d", tt.method, tt.params, version, w.Code, status)
			}
		}
		for answer, want := range answers {
			if len(answer) > 1000 || !strings.Contains(answer, fmt.Sprintf(`"error":{"code":%d,`, want)) || !strings.Contains(answer, tt.says) {
				t.Errorf("%s of %.60s = %.400s, want the code %d and %s", tt.method, tt.params, answer, want, tt.says)
			}
		}
	}
}
