package mcp_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"vaak/croissant"
	"vaak/mcp"
)

// TestNamesThatAreNotThere has clients of every face call what is elsewhere or
// nowhere: they are told where it is, or what there is.
func TestNamesThatAreNotThere(t *testing.T) {
	t.Parallel()
	c := publish(t)
	s := newServer(t, mcp.Config{Catalogue: c, Croissant: croissant.New(c, ""), PublicURL: "https://vaak.example.org"})
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
