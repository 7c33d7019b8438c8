package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestReadingIsShort: numbers take twenty times as many words, texts may change
// their language at each letter, and of some scripts each byte is a token. Not all
// of such a reading is shown.
func TestReadingIsShort(t *testing.T) {
	t.Parallel()
	w := newWorld(t, deployment{})
	for _, tt := range []struct {
		name, text string
		characters int // of the reading that are shown
		bytes      int // of the result at most
		notice     string
	}{
		{"numbers", strings.Repeat("98,765 ", 700), 3000, 7_000, "Only the first 3000 characters of the reading are shown; send a part of the text"},
		{"scripts that alternate", strings.Repeat("नa", 2500), 100, 5_000, "Only the first "},
		{"a script of many tokens", strings.Repeat("ᱡᱚᱦᱟᱨ ", 800), 1124, 7_000, "Only the first "},
		{"words that alternate", strings.Repeat("नमस्ते hello ", 300), 550, 7_000, "Only the first "},
		{"short", strings.Repeat("नमस्ते hello ", 40), 440, 5_000, ""},
	} {
		r := w.call(t, "alpha", "preview_spoken_text", map[string]any{"text": tt.text})
		var got struct {
			Runs    []struct{ Spoken string }
			Notices []string
		}
		if err := json.Unmarshal(r.StructuredContent, &got); err != nil {
			t.Fatalf("%s: %v in %s", tt.name, err, r.text())
		}
		characters := 0
		for _, run := range got.Runs {
			characters += utf8.RuneCountInString(run.Spoken)
			if !utf8.ValidString(run.Spoken) || run.Spoken == "" {
				t.Errorf("%s: a run is %q", tt.name, run.Spoken)
			}
		}
		n := len(r.StructuredContent) + len(r.text())
		t.Logf("%s: %d runs, %d characters, %d bytes, %q", tt.name, len(got.Runs), characters, n, got.Notices)
		if len(got.Runs) > 100 || n > tt.bytes || characters != tt.characters {
			t.Errorf("%s: %d runs, %d characters and %d bytes; want at most 100 runs, %d characters and at most %d bytes", tt.name, len(got.Runs), characters, n, tt.characters, tt.bytes)
		}
		if told := strings.Contains(r.text(), "Only the first "); told != (tt.notice != "") || !strings.Contains(strings.Join(got.Notices, "\n"), tt.notice) {
			t.Errorf("%s: notices = %q, want %q", tt.name, got.Notices, tt.notice)
		}
	}
}

// TestNothingSpoken tells of audio that says nothing, and not of what is short.
func TestNothingSpoken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, deployment{})
	const notice = "Nothing in the text is spoken: the audio is silence."
	for text, want := range map[string]bool{"😀": true, "a": false} {
		r := w.call(t, "alpha", "synthesize_speech", map[string]any{"text": text, "speed": 0.7})
		if r.IsError || strings.Contains(r.text(), notice) != want || strings.Contains(string(r.StructuredContent), notice) != want {
			t.Errorf("synthesize_speech(%q) = %s, want the notice: %t", text, r.text(), want)
		}
		if !strings.Contains(r.text(), "; 1 character,") {
			t.Errorf("synthesize_speech(%q) = %s, want it to count 1 character", text, r.text())
		}
	}
}
