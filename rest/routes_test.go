package rest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestNearPaths asks for paths at which nothing is served, as people and clients write
// them. The answer is a 404 that names the path that was meant, and no redirect.
func TestNearPaths(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{
		Catalogue: newCatalogue(t), Live: map[string]http.Handler{"/v1/audio/speech/stream-input": http.NotFoundHandler()},
		Documents: []Document{{Path: "/llms.txt", ContentType: "text/plain", Body: []byte("x")}},
	})
	const none = "/openapi.json lists what there is"
	for _, tt := range []struct{ method, path, says string }{
		{"POST", "/audio/speech", `"/v1/audio/speech" is there and takes POST`},
		{"POST", "/v1/audio/speech/", `"/v1/audio/speech" is there and takes POST`},
		{"POST", "/audio/speech/", `"/v1/audio/speech" is there and takes POST`},
		{"POST", "//v1//audio/speech", `"/v1/audio/speech" is there and takes POST`},
		{"POST", "/text-to-speech/sv_x/stream", `"/v1/text-to-speech/sv_x/stream" is there and takes POST`},
		{"GET", "/audio/speech/stream-input", `"/v1/audio/speech/stream-input" is there and takes GET, HEAD`},
		{"GET", "/voices", `"/v1/voices" is there and takes GET, HEAD`},
		{"HEAD", "/v1/voices/", ``},
		{"GET", "/v1/health", `"/health" is there and takes GET, HEAD`},
		{"GET", "/v1/openapi.json", `"/openapi.json" is there and takes GET, HEAD`},
		{"GET", "/llms.txt/", `"/llms.txt" is there and takes GET, HEAD`},
		{"GET", "/datasets", `"/api/catalogue/datasets" is there and takes GET, HEAD`},
		{"GET", "/v1/datasets/x", `"/api/catalogue/datasets/x" is there and takes GET, HEAD`},
		{"GET", "/api/catalogue/datasets/", `"/api/catalogue/datasets" is there and takes GET, HEAD`},
		{"GET", "/nowhere", none},
		{"GET", "/v1/", none},
		{"POST", "/../..", none},
		{"POST", "/completions", none},
		{"CONNECT", "", none},
	} {
		r := httptest.NewRequest(tt.method, "http://x.test/", nil)
		r.URL.Path = tt.path
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		body := strings.ReplaceAll(w.Body.String(), `\"`, `"`)
		if w.Code != http.StatusNotFound || !strings.Contains(body, tt.says) || w.Header().Get("Location") != "" {
			t.Errorf("%s %s = %d %s; want 404 with %s", tt.method, tt.path, w.Code, body, tt.says)
		}
	}
}
