package mcp_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/croissant/publish"
	"vaak/mcp"
	"vaak/rest"
)

// strangers are accounts of which there are none: whoever reads the catalogue needs
// no key, and counts to no limit.
type strangers struct{ rest.Accounts }

// TestCatalogueParity holds what the tools answer against what REST does: both are
// ways into one service.
func TestCatalogueParity(t *testing.T) {
	t.Parallel()
	c := published(t, append(typical(), full("with-a-sample"))...)
	s := newCatalogueServer(t, c)
	docs := publish.New(c, catalogueURL)
	api, err := rest.New(rest.Config{Accounts: strangers{}, Catalogue: c, Croissant: docs, CatalogueMCP: s.Handler(mcp.Catalogue)})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, target, body string) []byte {
		t.Helper()
		w := httptest.NewRecorder()
		api.ServeHTTP(w, httptest.NewRequest(method, target, strings.NewReader(body)))
		return w.Body.Bytes()
	}
	get := func(target string) []byte { return ask(http.MethodGet, target, "") }
	for _, slug := range []string{"with-a-sample", "hi-in-banking-dual"} {
		got := callCatalogue(t, s, "get_dataset", map[string]any{"slug": slug}).StructuredContent
		if diff := cmp.Diff(decoded(t, get("/api/catalogue/datasets/"+slug)), decoded(t, got)); diff != "" {
			t.Errorf("get_dataset of %s differs from REST (-rest +tool):\n%s", slug, diff)
		}
		for _, version := range []string{"1.0", "1.1"} {
			var out struct{ Croissant json.RawMessage }
			if err := json.Unmarshal(callCatalogue(t, s, "get_croissant", map[string]any{"slug": slug, "version": version}).StructuredContent, &out); err != nil {
				t.Fatal(err)
			}
			want := get("/catalogue/datasets/" + slug + "/croissant.json?version=" + version)
			if len(want) > 20_000 {
				continue
			}
			if diff := cmp.Diff(decoded(t, want), decoded(t, out.Croissant)); diff != "" {
				t.Errorf("get_croissant %s of %s differs from REST (-rest +tool):\n%s", version, slug, diff)
			}
		}
	}
	doc := `{"@type":"sc:Dataset","name":7}`
	got := callCatalogue(t, s, "validate_croissant", map[string]any{"document": json.RawMessage(doc)}).StructuredContent
	if diff := cmp.Diff(decoded(t, ask(http.MethodPost, "/api/catalogue/croissant/validate", doc)), decoded(t, got)); diff != "" {
		t.Errorf("validate_croissant differs from REST (-rest +tool):\n%s", diff)
	}
	compareLists(t, s, get)
}

// compareLists holds the pages of a search against those of REST.
func compareLists(t *testing.T, s *mcp.Server, get func(string) []byte) {
	t.Helper()
	for _, q := range []struct {
		query string
		args  map[string]any
	}{
		{"limit=20", map[string]any{}},
		{"limit=7&q=conversations+telecom", map[string]any{"q": "conversations telecom", "limit": 7}},
		{"limit=2&language=hi,ta-IN&transcribed=true&channels=dual", map[string]any{"language": []string{"hi", "ta-IN"}, "transcribed": true, "channels": "dual", "limit": 2}},
		{"limit=3&collection=general-conversation&min_hours=500", map[string]any{"collection": "general-conversation", "min_hours": 500, "limit": 3}},
		{"limit=3&sample=true", map[string]any{"sample": true, "limit": 3}},
		{"limit=2&domain=telecom,banking&sort=title&min_speakers=1", map[string]any{"domain": []string{"telecom", "banking"}, "sort": "title", "min_speakers": 1, "limit": 2}},
		{"limit=2&similar=hi-in-banking-dual&language=bangla,ta", map[string]any{"similar": "hi-in-banking-dual", "language": []string{"bangla", "ta"}, "limit": 2}},
		{"limit=2&license=CC+BY+4.0&sample_rate=8000", map[string]any{"license": []string{"CC BY 4.0"}, "sample_rate": []int{8000}, "limit": 2}},
	} {
		cursor := ""
		for pages := range 10 {
			want := decoded(t, get("/api/catalogue/datasets?"+q.query+"&cursor="+cursor)).(map[string]any)
			q.args["cursor"] = cursor
			got := decoded(t, callCatalogue(t, s, "search_datasets", q.args).StructuredContent).(map[string]any)
			if got["count"] != want["count"] || got["totalHours"] != want["totalHours"] || got["nextCursor"] != want["next"] {
				t.Errorf("%s, page %d: %v, want %v", q.query, pages, got, want)
			}
			leaner(t, want["datasets"].([]any), got["datasets"].([]any))
			if cursor, _ = want["next"].(string); cursor == "" {
				break
			}
		}
	}
}

// leaner checks that each brief of a tool is that of REST without what is dropped.
func leaner(t *testing.T, rest, tool []any) {
	t.Helper()
	for _, b := range rest {
		brief := b.(map[string]any)
		for name, value := range brief {
			if value == nil || slices.Contains([]string{"id", "language", "url", "record", "croissant"}, name) {
				delete(brief, name)
			}
		}
	}
	if diff := cmp.Diff(rest, tool); diff != "" {
		t.Errorf("datasets differ from REST (-rest +tool):\n%s", diff)
	}
}

func decoded(t *testing.T, doc []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(doc, &v); err != nil {
		t.Fatalf("%v: %.300s", err, doc)
	}
	return v
}
