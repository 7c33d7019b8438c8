package mcp_test

import (
	"bytes"
	"encoding/base64"
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
