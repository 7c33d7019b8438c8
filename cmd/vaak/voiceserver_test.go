package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"vaak/engine/onnx/collection"
	"vaak/internal/needed"
	"vaak/voice"
)

// neural is a tiny neural voice of Piper's kind and where its files are.
type neural struct {
	library string // of ONNX Runtime
	dir     string
	id      voice.ID
}

func newNeural(t testing.TB) neural {
	t.Helper()
	n := neural{library: needed.ONNXRuntime(t), dir: t.TempDir()}
	if err := writeNeural(n.dir, "piper"); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(neuralFiles("piper")["en_US-tiny-medium.onnx"])
	n.id = collection.IDOf(hex.EncodeToString(sum[:]), "0")
	return n
}

// offers reports whether a server lists a voice.
func (s *server) offers(id voice.ID) bool {
	return strings.Contains(s.ask(http.MethodGet, "/v1/voices", "", nil).body, string(id))
}

// TestAddedVoice adds a voice while a server runs, and speaks with it in every way in. It removes
// it again.
func TestAddedVoice(t *testing.T) {
	t.Parallel()
	n := newNeural(t)
	s := start(t, "--console-listen", "127.0.0.1:0", "--public-rate", "0", "--onnxruntime", n.library)
	if s.offers(n.id) {
		t.Fatal("the voice is there before it was added")
	}
	line := s.vaak("voice", "add", "--onnxruntime", n.library, "--license", "CC0", n.dir)
	if !strings.HasPrefix(line, string(n.id)+"\t") {
		t.Fatalf("vaak voice add prints %q, want the id %s", line, n.id)
	}
	if !eventually(func() bool { return s.offers(n.id) }) {
		t.Fatalf("a server that runs does not offer the voice; log: %s", s.log)
	}
	s.listsAdded(n)
	s.speaksAdded(n)
	s.vaak("voice", "remove", string(n.id))
	if !eventually(func() bool { return !s.offers(n.id) }) {
		t.Fatal("a server that runs still offers the voice that was removed")
	}
	for path, body := range map[string]object{
		"/v1/audio/speech":                   {"input": "Good day.", "voice": n.id},
		"/v1/text-to-speech/" + string(n.id): {"text": "Good day."},
	} {
		a := s.ask(http.MethodPost, path, s.key, body)
		if a.status != http.StatusNotFound || !strings.Contains(a.body, "does not exist") {
			t.Errorf("after its removal %s = %d %.300s", a.what, a.status, a.body)
		}
	}
	s.mustSpeak(map[string]any{"input": "Good day."})
	s.stop()
}

// listsAdded checks that an added voice is in every list.
func (s *server) listsAdded(n neural) {
	t := s.t
	for _, path := range []string{
		"/v1/voices", "/v1/voices/" + string(n.id), "/v2/voices?category=custom", "/v2/voices?search=tiny", "/v1/audio/voices",
	} {
		a := s.ask(http.MethodGet, path, s.key, nil)
		if a.status != http.StatusOK || !strings.Contains(a.body, string(n.id)) || path != "/v1/audio/voices" && !strings.Contains(a.body, `"custom"`) {
			t.Errorf("%s has no %s: %d %.300s", a.what, n.id, a.status, a.body)
		}
	}
	if a := s.ask(http.MethodGet, "/v2/voices?category=premade&page_size=100", s.key, nil); strings.Contains(a.body, string(n.id)) {
		t.Error("an added voice is among the premade ones")
	}
	one := s.ask(http.MethodGet, "/v1/voices/"+string(n.id), s.key, nil)
	for _, label := range []string{`"engine":"onnx"`, `"license":"CC0"`, `"quality":"medium"`} {
		if !strings.Contains(strings.ReplaceAll(one.body, ": ", ":"), label) {
			t.Errorf("the voice has no label %s: %s", label, one.body)
		}
	}
	if a := s.ask(http.MethodGet, "/v1/voices/"+string(n.id)+"/preview", "", nil); a.status != http.StatusOK || len(a.body) < 1000 {
		t.Errorf("%s = %d with %d bytes", a.what, a.status, len(a.body))
	}
	if a := s.callTool("search_voices", object{"query": "tiny"}); !strings.Contains(a.body, string(n.id)) || !strings.Contains(a.body, "in medium quality") {
		t.Errorf("search_voices: %.300s", a.body)
	}
	read := s.ask(http.MethodPost, "/v1/mcp", s.key, object{"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": object{"uri": "voice://" + string(n.id)}})
	if !strings.Contains(read.body, `\"quality\":\"medium\"`) {
		t.Errorf("the resource of the voice: %.600s", read.body)
	}
	v := visit(t.(*testing.T), s)
	v.setUp(s)
	_, _, body := v.get("/organisations")
	org := regexp.MustCompile(`/o/org_[a-z2-7]{16}`).FindString(body)
	if _, status, body := v.get(org + "/voices?search=tiny&category=custom&quality=medium"); status != http.StatusOK || !strings.Contains(body, string(n.id)) || !strings.Contains(body, "real time") {
		t.Errorf("the console lists no %s: %d", n.id, status)
	}
}

// callTool calls a tool of MCP.
func (s *server) callTool(name string, arguments object) answered {
	s.t.Helper()
	return s.ask(http.MethodPost, "/v1/mcp", s.key, object{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": object{"name": name, "arguments": arguments}})
}

// speaksAdded speaks with an added voice in every way in.
func (s *server) speaksAdded(n neural) {
	t := s.t
	for format, magic := range map[string]string{"wav": "RIFF", "mp3": "", "opus": "OggS"} {
		a := s.ask(http.MethodPost, "/v1/audio/speech", s.key, object{"input": "Good day to you.", "voice": n.id, "response_format": format})
		if a.status != http.StatusOK || len(a.body) < 2000 || !strings.HasPrefix(a.body, magic) || a.header.Get("X-Voice-Id") != string(n.id) {
			t.Errorf("%s in %s = %d with %d bytes by %q", a.what, format, a.status, len(a.body), a.header.Get("X-Voice-Id"))
		}
	}
	// The seed moves the noise, and is no ignored parameter.
	say := func(seed int) answered {
		return s.ask(http.MethodPost, "/v1/audio/speech", s.key, object{"input": "Good day.", "voice": n.id, "seed": seed, "top_k": 5})
	}
	one, again, other := say(1), say(1), say(2)
	if one.status != http.StatusOK || one.body != again.body || one.body == other.body {
		t.Errorf("seeds: %d, the same seed gives the same bytes: %v, another gives the same: %v", one.status, one.body == again.body, one.body == other.body)
	}
	if got := one.header.Get("X-Ignored-Parameters"); got != "top_k" {
		t.Errorf("ignored are %q, want top_k", got)
	}
	if notice := one.header.Get("X-Notice"); !strings.Contains(notice, "sampled with temperature and seed alone") {
		t.Errorf("x-notice is %q", notice)
	}
	timed := s.ask(http.MethodPost, "/v1/text-to-speech/"+string(n.id)+"/with-timestamps?output_format=pcm_22050", s.key, object{"text": "Good day to you."})
	var stamps struct {
		Audio     string `json:"audio_base64"`
		Alignment struct {
			Characters []string
			Ends       []float64 `json:"character_end_times_seconds"`
		}
	}
	if err := json.Unmarshal([]byte(timed.body), &stamps); err != nil || strings.Join(stamps.Alignment.Characters, "") != "Good day to you." {
		t.Fatalf("%s = %d, %v: %.300s", timed.what, timed.status, err, timed.body)
	}
	audio, err := base64.StdEncoding.DecodeString(stamps.Audio)
	length := float64(len(audio)) / 2 / 22050
	if last := stamps.Alignment.Ends[len(stamps.Alignment.Ends)-1]; err != nil || length < 0.5 || last <= 0 || last > length+0.01 {
		t.Errorf("%.3f s of audio, the last character ends at %.3f s; %v", length, last, err)
	}
	for _, kind := range kinds {
		at := strings.Replace(s.address(kind, "en"), string(voice.DefaultVoice().ID), string(n.id), 1)
		if kind == "native" {
			at += "&mode=sentence"
		}
		conn, resp, err := websocket.DefaultDialer.DialContext(t.Context(), at, http.Header{"Xi-Api-Key": {s.key}})
		if err != nil {
			t.Fatalf("%s socket: %v, %v", kind, err, resp)
		}
		t.Cleanup(func() { _ = conn.Close() })
		c := &socket{Conn: conn, t: t, kind: kind}
		c.say("Good day to you. ")
		c.end()
		if h := c.listen(); len(h.audio) < 10000 || !h.whole() {
			t.Errorf("%s socket: %v", kind, h)
		}
	}
	if a := s.callTool("synthesize_speech", object{"text": "Good day.", "voice_id": n.id}); !strings.Contains(a.body, string(n.id)) || strings.Contains(a.body, `"isError":true`) {
		t.Errorf("synthesize_speech: %.300s", a.body)
	}
	if f := s.figure(`vaak_engine_audio_seconds_total{engine="onnx"}`); f <= 0 {
		t.Errorf("%v s of audio are counted", f)
	}
}

// TestAddedVoiceByName: the file names an added voice. Where ONNX Runtime is missing the server
// starts, and speaks with the other voices.
func TestAddedVoiceByName(t *testing.T) {
	t.Parallel()
	n := newNeural(t)
	voices := t.TempDir()
	file := filepath.Join(t.TempDir(), "vaak.toml")
	text := "[voice_aliases]\ndesk = \"" + string(n.id) + "\"\n[default_voices]\nen = \"" + string(n.id) + "\"\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t)
	s.stop()
	s.vaak("voice", "add", "--onnxruntime", n.library, "--voice-dir", voices, n.dir)
	s.serve("--config", file, "--voice-dir", voices, "--onnxruntime", n.library)
	for what, body := range map[string]object{
		"alias": {"input": "Good day.", "voice": "Desk"}, "default": {"input": "Good day.", "lang": "en"}, "name": {"input": "Good day.", "voice": "Tiny"},
	} {
		a := s.ask(http.MethodPost, "/v1/audio/speech", s.key, body)
		if a.status != http.StatusOK || a.header.Get("X-Voice-Id") != string(n.id) {
			t.Errorf("by its %s: %d by %q: %.300s", what, a.status, a.header.Get("X-Voice-Id"), a.header.Get("X-Notice"))
		}
	}
	// What the voice does not speak, another does, and the answer says so.
	a := s.ask(http.MethodPost, "/v1/audio/speech", s.key, object{"input": "今天天气很好。", "lang": "zh", "voice": "Desk"})
	if notice := a.header.Get("X-Notice"); a.status != http.StatusOK || !strings.Contains(notice, "does not speak Chinese") {
		t.Errorf("in Chinese: %d with the notice %q", a.status, notice)
	}
	s.stop()

	missing := filepath.Join(t.TempDir(), "nonexistent")
	s.serve("--config", file, "--voice-dir", voices, "--onnxruntime", missing)
	if s.offers(n.id) {
		t.Error("a voice is offered that cannot speak")
	}
	a = s.ask(http.MethodPost, "/v1/audio/speech", s.key, object{"input": "Good day.", "voice": voice.DefaultVoice().ID})
	a.expect(t, http.StatusOK, "")
	if log := s.log.String(); !strings.Contains(log, "added voices are left out") || !strings.Contains(log, missing) {
		t.Errorf("the log does not say why: %s", log)
	}
	a = s.ask(http.MethodPost, "/v1/audio/speech", s.key, object{"input": "Good day.", "lang": "en"})
	if a.status != http.StatusOK || a.header.Get("X-Voice-Id") != string(voice.Default("en").ID) {
		t.Errorf("while the default voice is away: %d by %q: %.300s", a.status, a.header.Get("X-Voice-Id"), a.body)
	}
	a = s.ask(http.MethodPost, "/v1/audio/speech", s.key, object{"input": "Good day.", "voice": "desk"})
	a.expect(t, http.StatusNotFound, "voice_not_found")
	s.stop()
}
