package rest

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// previewText returns a request to POST /v1/audio/speech/preview-text.
func previewText(body string, header ...string) *http.Request {
	return request("POST", "/v1/audio/speech/preview-text", body,
		append([]string{"Authorization", "Bearer " + testKey, "Content-Type", "application/json"}, header...)...)
}

func TestPreviewText(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{})
	w := do(h, previewText(`{"input":"500 है","lang":"hi"}`))
	if w.Code != 200 || w.Header().Get("Content-Type") != "application/json" || w.Header().Get("Character-Cost") != "" {
		t.Fatalf("status %d, header %v", w.Code, w.Header())
	}
	var got any
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"language": "hi", "spoken_text": "पाँच <सौ>", "characters": 6.0, "estimated_seconds": 1.3, "dictionary_hits": 0.0,
		"notices": []any{"a notice"},
		"runs":    []any{map[string]any{"language": "hi", "text": "500 है", "spoken": "पाँच <सौ>", "start": 0.0, "end": 6.0}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("preview-text (-want +got):\n%s", diff)
	}
	wantError(t, do(h, previewText(`{"input":"bad"}`)), 400, "invalid_parameter", "lang")
	wantError(t, do(h, request("POST", "/v1/audio/speech/preview-text", `{"input":"x"}`)), 401, "missing_api_key", "")
}
