package main

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"vaak/voice"
)

// TestVoicesByName asks for a voice by names in every way in: by an alias of the
// operator's, a built-in one and its display name. What is told and kept is its id.
func TestVoicesByName(t *testing.T) {
	t.Parallel()
	tamil := voice.Default("ta")
	file := filepath.Join(t.TempDir(), "vaak.toml")
	if err := os.WriteFile(file, []byte("[voice_aliases]\n\"front-desk\" = \""+string(tamil.ID)+"\"\nonyx = \"\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, "--config", file)
	asked := map[voice.ID]int{}
	builtIn, _ := (*voice.Directory)(nil).Lookup("21m00Tcm4TlvDq8ikWAM")
	for name, want := range map[string]voice.ID{"Front-Desk": tamil.ID, strings.ToUpper(tamil.Name): tamil.ID, "21m00Tcm4TlvDq8ikWAM": builtIn.ID} {
		for path, body := range map[string]object{
			"/v1/audio/speech":                                {"input": "Good day.", "voice": object{"id": name}},
			"/v1/text-to-speech/" + name:                      {"text": "Good day."},
			"/v1/text-to-speech/" + name + "/with-timestamps": {"text": "Good day."},
		} {
			a := s.ask(http.MethodPost, path, s.key, body)
			if a.expect(t, http.StatusOK, ""); a.header.Get("X-Voice-Id") != string(want) {
				t.Errorf("%s by %s is spoken by %q, want %s", path, name, a.header.Get("X-Voice-Id"), want)
			}
			asked[want]++
		}
		for _, kind := range []string{"native", "single", "multi"} {
			at := strings.Replace(s.address(kind, "en"), string(voice.DefaultVoice().ID), name, 1)
			conn, resp, err := websocket.DefaultDialer.DialContext(t.Context(), at, http.Header{"Xi-Api-Key": {s.key}})
			if err != nil {
				t.Fatalf("%s socket by %s: %v, %v", kind, name, err, resp)
			}
			t.Cleanup(func() { _ = conn.Close() })
			c := &socket{Conn: conn, t: t, kind: kind}
			c.say("Good day. ")
			c.end()
			if h := c.listen(); len(h.audio) == 0 || !h.whole() {
				t.Errorf("%s socket by %s: %v", kind, name, h)
			}
			asked[want]++
		}
		a := s.ask(http.MethodPost, "/v1/mcp", s.key, object{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
			"params": object{"name": "synthesize_speech", "arguments": object{"text": "Good day.", "voice_id": name}}})
		if !strings.Contains(a.body, string(want)) {
			t.Errorf("synthesize_speech by %s: %.300s, want %s", name, a.body, want)
		}
		asked[want]++
	}
	s.ask(http.MethodPost, "/v1/audio/speech", s.key, object{"input": "a", "voice": "onyx"}).expect(t, http.StatusNotFound, "voice_not_found")
	s.stop()
	kept := map[voice.ID]int{}
	for _, r := range s.records() {
		if r.Status == http.StatusOK {
			kept[voice.ID(r.Voice)]++
		}
	}
	for id, n := range asked {
		if kept[id] != n {
			t.Errorf("%d records are of %s, want %d", kept[id], id, n)
		}
	}
	if len(kept) != len(asked) {
		t.Errorf("records are of %v, want those of %v", kept, asked)
	}
}

// TestCommandSpeakByName: the command line finds voices as the server does.
func TestCommandSpeakByName(t *testing.T) {
	t.Parallel()
	spoken := func(args ...string) []byte {
		t.Helper()
		cmd, stderr := vaakSpeak(t, append(args, "Good day.")...)
		out, err := cmd.Output()
		if err != nil || len(out) == 0 {
			t.Fatalf("vaak speak %q: %v, %s", args, err, stderr)
		}
		return out
	}
	british, _ := (*voice.Directory)(nil).Lookup("fable")
	want := spoken("--voice", string(british.ID))
	for _, name := range []string{"fable", "FABLE", british.Name, "JBFqnCBsd6RMkjVDRZzb"} {
		if !bytes.Equal(spoken("--voice", name), want) {
			t.Errorf("--voice %s is not %s", name, british.Name)
		}
	}
	if bytes.Equal(spoken("--voice", "echo"), want) {
		t.Error("echo is fable")
	}
	file := filepath.Join(t.TempDir(), "vaak.toml")
	if err := os.WriteFile(file, []byte("builtin_voice_aliases = false\n[voice_aliases]\ndesk = \""+string(british.ID)+"\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(spoken("--config", file, "--voice", "desk"), want) {
		t.Error("--voice desk is not what the file says")
	}
	cmd, stderr := vaakSpeak(t, "--config", file, "--voice", "fable", "Good day.")
	if err := cmd.Run(); err == nil || !strings.Contains(stderr.String(), `"fable" does not exist`) {
		t.Errorf("fable, switched off: %v, %s", err, stderr)
	}
}
