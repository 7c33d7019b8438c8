package main

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vaak/engine/remote/remotetest"
	"vaak/voice"
)

// poolFile writes a file with a pool of some servers, which have so long to answer, and whose voice
// is nova. rest belongs to the voice.
func poolFile(t testing.TB, path string, all []*remotetest.Server, patience time.Duration, rest ...string) {
	t.Helper()
	var members []string
	for _, s := range all {
		members = append(members, fmt.Sprintf("{ url = %q }", s.URL))
	}
	text := fmt.Sprintf(`[pools.gpu]
kind = "vllm-omni"
members = [%[1]s]
first_audio = %[2]q
stall = %[2]q
queue = "100ms"

[voices.nova]
name = "Nova"
gender = "female"
native = "en-US"
languages = ["hi"]
pool = "gpu"
voice = "vivian"
sampling = { temperature = 0.6 }
%[3]s
`, strings.Join(members, ", "), patience, strings.Join(rest, "\n"))
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

var nova = voice.IDOf("remote/nova")

// served starts a server with a pool of n members.
func served(t testing.TB, n int, o remotetest.Options, patience time.Duration, rest ...string) (*server, []*remotetest.Server, string) {
	t.Helper()
	o.Kind = "vllm-omni"
	var all []*remotetest.Server
	for range n {
		all = append(all, remotetest.Start(t, o))
	}
	path := filepath.Join(t.TempDir(), "pools.toml")
	poolFile(t, path, all, patience, rest...)
	return start(t, "--pools", path, "--public-rate", "0"), all, path
}

// samplesOf returns the samples of PCM.
func samplesOf(body string) []int16 {
	pcm := make([]int16, len(body)/2)
	for i := range pcm {
		pcm[i] = int16(binary.LittleEndian.Uint16([]byte(body[2*i:])))
	}
	return pcm
}

// TestPools speaks with a voice of a model server in every way in.
func TestPools(t *testing.T) {
	t.Parallel()
	s, all, path := served(t, 1, remotetest.Options{Speed: 20}, time.Minute)
	if !s.offers(nova) {
		t.Fatalf("the voice of the pool is not offered; log: %s", s.log)
	}
	const text = "Nova sells 12 apples. All of them are red!"
	said := remotetest.Split("nova sells twelve apples all of them are red")
	for _, stream := range []bool{true, false} {
		a := s.ask(http.MethodPost, "/v1/audio/speech", s.key, object{
			"input": text, "voice": nova, "response_format": "pcm", "sample_rate": 24000, "stream": stream, "top_p": 0.25, "seed": 7,
		})
		a.expect(t, http.StatusOK, "")
		if got := a.header.Get("X-Engine"); got != "remote/gpu" {
			t.Errorf("%s: x-engine %q, want remote/gpu", a.what, got)
		}
		if diff := cmp.Diff(said, remotetest.Words(samplesOf(a.body), 24000, said)); diff != "" {
			t.Errorf("%s: heard (-want +got):\n%s", a.what, diff)
		}
	}
	fields := all[0].Last(t).Fields()
	extra, _ := fields["extra_params"].(map[string]any)
	if fields["seed"] != 7.0 || extra["top_p"] != 0.25 || extra["temperature"] != 0.6 || extra["top_k"] != nil {
		t.Errorf("the server was asked %v", fields)
	}
	for _, format := range []string{"mp3", "opus", "aac", "flac", "wav", "pcm", "ulaw", "alaw"} {
		a := s.ask(http.MethodPost, "/v1/audio/speech", s.key, object{"input": text, "voice": nova, "response_format": format})
		if a.status != http.StatusOK || len(a.body) < 2000 {
			t.Errorf("%s: %d with %d bytes", format, a.status, len(a.body))
		}
	}
	a := s.ask(http.MethodPost, "/v1/text-to-speech/"+string(nova)+"/with-timestamps", s.key, object{"text": text})
	var timed struct {
		Audio     string `json:"audio_base64"`
		Alignment struct {
			Characters []string  `json:"characters"`
			Ends       []float64 `json:"character_end_times_seconds"`
		} `json:"alignment"`
	}
	if err := json.Unmarshal([]byte(a.body), &timed); err != nil || strings.Join(timed.Alignment.Characters, "") != text {
		t.Fatalf("%s: %v, %d %.300s", a.what, err, a.status, a.body)
	}
	if _, err := base64.StdEncoding.DecodeString(timed.Audio); err != nil || slices.Max(timed.Alignment.Ends) < 2 {
		t.Errorf("%s: %v, the last character ends at %.2f s", a.what, err, slices.Max(timed.Alignment.Ends))
	}
	if a := s.ask(http.MethodPost, "/v1/audio/speech", s.key, object{"input": text, "voice": nova, "temperature": 2.5}); a.status != http.StatusBadRequest {
		t.Errorf("%s: %d %.300s", a.what, a.status, a.body)
	}
	s.reloads(all, path)
	s.stop()
}

// reloads checks that SIGHUP has the file read again, and that a wrong one changes nothing.
func (s *server) reloads(all []*remotetest.Server, path string) {
	t := s.t
	poolFile(t, path, all, time.Minute, "[voices.orion]\nnative = \"hi\"\npool = \"gpu\"\nvoice = \"ryan\"")
	_ = s.cmd.Process.Signal(syscall.SIGHUP)
	if !eventually(func() bool { return s.offers(voice.IDOf("remote/orion")) }) {
		t.Errorf("after SIGHUP the new voice is not offered; log: %s", s.log)
	}
	poolFile(t, path, all, time.Minute, "[voices.orion]\npool = \"cpu\"")
	_ = s.cmd.Process.Signal(syscall.SIGHUP)
	if !eventually(func() bool { return strings.Contains(s.log.String(), "the pools stay as they were") }) {
		t.Errorf("a wrong file is not told of; log: %s", s.log)
	}
	if !s.offers(voice.IDOf("remote/orion")) {
		t.Error("a wrong file has taken the voices away")
	}
}

// TestCommandPoolFileWrong: a server with a wrong file does not start, and says all that is wrong.
func TestCommandPoolFileWrong(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pools.toml")
	const wrong = "[pools.a]\nkind = \"openia\"\nmembers = [{ url = \"10.0.0.1\" }]\n[voices.x]\npool = \"b\"\nnative = \"klingon\"\ncolour = \"red\"\n"
	if err := os.WriteFile(path, []byte(wrong), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, dir: t.TempDir(), env: append(os.Environ(), "VAAK_DATA_DIR="+t.TempDir())}
	status, said := s.fails("serve", "--listen", "127.0.0.1:0", "--pools", path)
	if status == 0 {
		t.Error("the server starts")
	}
	for _, want := range []string{`"openia"`, "vllm-omni", `"10.0.0.1"`, `no pool "b"`, "klingon", "voices.x.colour"} {
		if !strings.Contains(said, want) {
			t.Errorf("the refusal does not mention %s: %s", want, said)
		}
	}
}

// TestLengthyPoolFaults has every member meet each fault: what the client sees, that only what was
// heard is charged, and that nothing is held afterwards.
func TestLengthyPoolFaults(t *testing.T) {
	slow(t)
	t.Parallel()
	s, all, _ := served(t, 1, remotetest.Options{Speed: 10}, 3*time.Second)
	s.mustSpeak(map[string]any{"input": "Good day.", "voice": nova}) // what is opened once is there
	idle := descriptors(s.cmd.Process.Pid)
	const text = "The north wind argued with the moon about all and everything. Which of them was the stronger one?"
	for _, tt := range []struct {
		fault  remotetest.Trouble
		status int  // of an answer that is streamed
		broken bool // the answer breaks off, after the status
	}{
		{remotetest.Hang, 503, false}, {remotetest.Error, 503, false}, {remotetest.Empty, 503, false}, {remotetest.WrongRate, 503, false},
		{remotetest.Busy, 503, false}, {remotetest.Overload, 503, false}, {remotetest.Mute, 503, false}, {remotetest.Garbage, 503, false},
		{remotetest.Page, 503, false}, {remotetest.JSON, 503, false}, {remotetest.Denied, 503, false}, {remotetest.Refused, 503, false},
		{remotetest.HangMiddle, 200, true}, {remotetest.ErrorEvent, 200, true}, {remotetest.Reset, 200, true}, {remotetest.Short, 200, true},
	} {
		if !eventually(func() bool { _, err := s.speak(map[string]any{"input": "Yes.", "voice": nova}); return err == nil }) {
			t.Fatalf("before %s the pool does not come back; log: %s", tt.fault, s.log)
		}
		before := s.usage(s.key).Month.Used
		all[0].Break(t, remotetest.Fault{Trouble: tt.fault})
		resp, err := http.DefaultClient.Do(s.request(t.Context(), map[string]any{"input": text, "voice": nova, "stream": true, "response_format": "pcm", "sample_rate": 24000}))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		all[0].Break(t, remotetest.Fault{})
		if resp.StatusCode != tt.status || (err != nil) != tt.broken {
			t.Errorf("%s: status %d, %d bytes, %v; want %d, broken %v", tt.fault, resp.StatusCode, len(body), err, tt.status, tt.broken)
		}
		if tt.status == 503 && resp.Header.Get("Retry-After") == "" {
			t.Errorf("%s: no retry-after: %s", tt.fault, body)
		}
		charged := s.usage(s.key).Month.Used - before
		t.Logf("%s: status %d, %d bytes, broken %v, charged %d of %d", tt.fault, resp.StatusCode, len(body), err != nil, charged, len(text))
		if tt.status != 200 && charged != 0 {
			t.Errorf("%s: %d characters are charged, want none", tt.fault, charged)
		}
		if charged > int64(len(text)) {
			t.Errorf("%s: %d characters are charged of %d", tt.fault, charged, len(text))
		}
	}
	for _, name := range []string{"vaak_holds_open", "vaak_slots_taken"} {
		if !eventually(func() bool { return s.figure(name) == 0 }) {
			t.Errorf("%s = %v at the end, want 0", name, s.figure(name))
		}
	}
	if !eventually(func() bool { return descriptors(s.cmd.Process.Pid) <= idle+4 }) {
		t.Errorf("%d descriptors are open, and %d were before", descriptors(s.cmd.Process.Pid), idle)
	}
	if strings.Contains(s.log.String(), "north wind") {
		t.Error("the log has the text that was to be spoken")
	}
	s.stop()
}
