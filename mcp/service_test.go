package mcp_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"strings"
	"testing"

	"vaak/account"
	"vaak/audio"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/mcp"
	"vaak/speech"
)

// TestSpeaksWithTheService holds the audio of a call against that of the
// service itself: both ways in share one core.
func TestSpeaksWithTheService(t *testing.T) {
	t.Parallel()
	svc, err := speech.New(speech.Config{Engines: engine.Set{&enginetest.Tone{}}, Ledger: account.Unmetered{}, PreviewDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s := newServer(t, mcp.Config{Speech: svc, Formats: svc.Health().Formats})
	var want bytes.Buffer
	format := audio.Format{Codec: audio.WAV, SampleRate: 16000}
	if _, err := svc.Speak(t.Context(), account.Local, speech.Request{Text: "नमस्ते", Format: format, Speed: 1.2}, &want); err != nil {
		t.Fatal(err)
	}
	call := func(args map[string]any) toolResult {
		return decodeResult(t, talk(t, s, request(1, "synthesize_speech", args))[0])
	}
	r := call(map[string]any{"text": "नमस्ते", "format": "wav", "sample_rate": 16000, "speed": 1.2})
	if r.IsError || len(r.Content) != 2 {
		t.Fatalf("synthesize_speech = %s", r.text())
	}
	got, err := base64.StdEncoding.DecodeString(r.Content[1].Data)
	if err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("audio of the tool is %d bytes (%v), that of the service %d", len(got), err, want.Len())
	}
	for _, args := range []map[string]any{{"text": "x", "voice_id": "sv_none"}, {"text": "x", "language": "Klingon"}, {"text": " "}} {
		if r := call(args); !r.IsError {
			t.Errorf("synthesize_speech(%v) is no error", args)
		} else {
			t.Logf("%v: %s", args, r.text())
		}
	}
}

// TestNamesOfREST calls the tools of speech with the names that their arguments have in
// REST: they mean the same, and are told of nowhere.
func TestNamesOfREST(t *testing.T) {
	t.Parallel()
	got := make(chan speech.Request, 1)
	s := newServer(t, mcp.Config{Speech: drone{before: func(_ context.Context, _ account.Caller, req speech.Request) error {
		got <- req
		return nil
	}}})
	url := serve(t, s).URL
	for _, args := range []map[string]any{
		{"text": "Guten Tag", "voice_id": droneVoice, "language": "de", "format": "pcm"},
		{"input": "Guten Tag", "voice": droneVoice, "lang": "de", "response_format": "pcm"},
		{"input": "Guten Tag", "voice": droneVoice, "language_code": "de", "response_format": "pcm", "sample_rate": 24000, "speed": 1},
	} {
		r := callHTTP(t, url, "synthesize_speech", args)
		if r.IsError {
			t.Errorf("synthesize_speech(%v) = %s, want audio", args, r.text())
			continue
		}
		req := <-got
		if req.Text != "Guten Tag" || req.Voice != droneVoice || req.Language != "de" || req.Format.Codec != audio.PCM {
			t.Errorf("synthesize_speech(%v) asks for %+v", args, req)
		}
	}
	if r := callHTTP(t, url, "preview_spoken_text", map[string]any{"input": "Guten Tag", "lang": "de"}); r.IsError {
		t.Errorf("preview_spoken_text = %s, want a reading", r.text())
	}
	a, b := callHTTP(t, url, "search_voices", map[string]any{"lang": "de"}), callHTTP(t, url, "search_voices", map[string]any{"language": "de"})
	if a.IsError || a.text() != b.text() {
		t.Errorf("search_voices with lang = %s, want what it is with language: %s", a.text(), b.text())
	}
	if r := callHTTP(t, url, "synthesize_speech", map[string]any{"text": "a", "input": "b"}); !r.IsError || !strings.Contains(r.text(), "send text alone") {
		t.Errorf("synthesize_speech with two texts = %s, want a refusal", r.text())
	}
	if r := callHTTP(t, url, "synthesize_speech", map[string]any{"input": "a", "sing": true}); strings.Contains(r.text(), "response_format") {
		t.Errorf("synthesize_speech = %s, want no aliases told of", r.text())
	}
	for _, tool := range s.Tools(mcp.HTTP, mcp.Speech) {
		if in := string(tool.Input); strings.Contains(in, `"input"`) || strings.Contains(in, `"lang"`) || strings.Contains(in, `"response_format"`) {
			t.Errorf("%s lists aliases: %s", tool.Name, in)
		}
	}
}
