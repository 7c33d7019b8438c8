package rest

import (
	"strings"
	"testing"
)

// A text of which nothing is read is refused on every route, in the shape of its dialect.
func TestNothingToSay(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Speech: hum(t)})
	for _, tt := range []struct {
		text, code, says string
		native           int
	}{
		{"...", "invalid_parameter", "nothing to say", 400},
		{"🙂", "invalid_parameter", "nothing to say", 400},
		{"สวัสดี", "script_not_supported", "Thai script", 422},
	} {
		w := do(h, speak(`{"input":"`+tt.text+`"}`))
		if w.Code != tt.native || !strings.Contains(w.Body.String(), tt.code) || !strings.Contains(w.Body.String(), tt.says) {
			t.Errorf("%q: %d %s", tt.text, w.Code, w.Body)
		}
		for _, path := range ttsPaths {
			w := do(h, tts(path, `{"text":"`+tt.text+`"}`))
			if w.Code != 422 || !strings.Contains(w.Body.String(), tt.code) || !strings.Contains(w.Body.String(), `"detail":[{`) {
				t.Errorf("%s %q: %d %s", path, tt.text, w.Code, w.Body)
			}
		}
	}
}

// What is left out of Markdown is told in a header, and the settings are checked.
func TestStyleOfText(t *testing.T) {
	t.Parallel()
	h := newHandler(t, Config{Speech: hum(t)})
	const text = "## Title\\n\\nSee [this](https://x.org).\\n\\n```\\ncode\\n```\\n"
	w := do(h, speak(`{"input":"`+text+`"}`))
	if got := w.Header().Get("X-Notice"); w.Code != 200 || got != "not read: 1 code block, the address of 1 link" {
		t.Errorf("%d, x-notice %q", w.Code, got)
	}
	if w := do(h, speak(`{"input":"`+text+`","markdown":false,"emoji":"named","urls":"full"}`)); w.Code != 200 || w.Header().Get("X-Notice") != "" {
		t.Errorf("as plain text: %d, x-notice %q", w.Code, w.Header().Get("X-Notice"))
	}
	for _, body := range []string{`"emoji":"loud"`, `"urls":"none"`, `"markdown":"yes"`} {
		if w := do(h, speak(`{"input":"a",`+body+`}`)); w.Code != 400 {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
		if w := do(h, tts("", `{"text":"a",`+body+`}`)); w.Code != 422 {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
}
