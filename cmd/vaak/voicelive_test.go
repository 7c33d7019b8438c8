package main

import (
	"bytes"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"vaak/internal/needed"
	"vaak/voice"
)

// added returns a server with voices of all kinds that an operator can add, and their ids by kind.
func added(t *testing.T, more ...string) (*server, map[string]voice.ID) {
	t.Helper()
	library := needed.ONNXRuntime(t)
	s := start(t)
	s.stop()
	ids := map[string]voice.ID{}
	for _, kind := range []string{"piper", "speakers", "kokoro"} {
		dir := filepath.Join(t.TempDir(), kind)
		if err := writeNeural(dir, kind); err != nil {
			t.Fatal(err)
		}
		id, _, _ := strings.Cut(s.vaak("voice", "add", "--onnxruntime", library, dir), "\t")
		ids[kind] = voice.ID(id)
	}
	s.serve(append([]string{"--onnxruntime", library}, more...)...)
	return s, ids
}

// hearBy speaks on a new socket with a voice; "more" is added to its address.
func (s *server) hearBy(id voice.ID, kind, more string, fragments ...string) (*heard, http.Header) {
	s.t.Helper()
	at := strings.Replace(s.address(kind, "en"), string(voice.DefaultVoice().ID), string(id), 1) + more
	conn, resp, err := websocket.DefaultDialer.DialContext(s.t.Context(), at, http.Header{"Xi-Api-Key": {s.key}})
	if err != nil {
		s.t.Fatalf("%s socket: %v, %v", kind, err, resp)
	}
	s.t.Cleanup(func() { _ = conn.Close() })
	c := &socket{Conn: conn, t: s.t, kind: kind}
	for _, f := range fragments {
		c.say(f)
	}
	c.end()
	h := c.listen()
	if !h.whole() || len(h.audio) < 10_000 {
		s.t.Errorf("%s socket%s: %v", kind, more, h)
	}
	return h, resp.Header
}

// TestAddedVoiceLive speaks live with an added voice of each kind: the same text gives the same
// bytes, sentence by sentence however it is cut into messages, and a sentence those of HTTP.
func TestAddedVoiceLive(t *testing.T) {
	t.Parallel()
	s, ids := added(t)
	const sentence = "The keeper of the lighthouse counts 42 ships."
	const text = sentence + " Is Dr. Smith here? The meeting begins at 10:30 in room 4, and it costs $5 million."
	for kind, id := range ids {
		t.Run(kind, func(t *testing.T) {
			over := func(input string) []byte {
				return s.mustSpeak(object{"input": input, "lang": "en", "response_format": "pcm", "stream": true, "voice": id})
			}
			one := over(sentence)
			for _, socket := range kinds {
				more := ""
				if socket == "native" {
					more = "&mode=sentence"
				}
				if got, _ := s.hearBy(id, socket, more, sentence); !sameButForPause(got.audio, one) {
					t.Errorf("%s: a sentence is %s, want the %d bytes of HTTP", socket, got, len(one))
				}
			}
			whole := over(text)
			for mode, more := range map[string]string{"sentence": "&mode=sentence", "eager": "&mode=eager&chunk_words=3&max_chunk_words=3"} {
				want, _ := s.hearBy(id, "native", more, text)
				// The pause between sentences is the same, whether they are spoken one by one or not.
				// Kokoro speaks several at once, and makes the pauses between them itself.
				most := 24_000 / 50
				if kind == "kokoro" {
					most = 2 * 24_000 * 3 / 10
				}
				if more := (len(want.audio) - len(whole)) / 2; mode == "sentence" && (more < -24_000/50 || more > most) {
					t.Errorf("sentence by sentence three of them last %d samples longer than over HTTP", more)
				}
				cuts := map[string][]string{"again": {text}}
				if mode == "sentence" { // an eager chunk is spoken with what is known to follow by then
					cuts["words"], cuts["letters"] = strings.SplitAfter(text, " "), strings.Split(text, "")
				}
				for cut, fragments := range cuts {
					if got, _ := s.hearBy(id, "native", more, fragments...); !bytes.Equal(got.audio, want.audio) {
						t.Errorf("%s, %s: %d bytes, which are not the same as the %d at first", mode, cut, len(got.audio), len(want.audio))
					}
				}
			}
		})
	}
	t.Cleanup(s.stop)
}

// TestLengthyAddedVoiceLiveSeed: a seed in the address of a socket moves the noise of a voice, and one that
// is none is ignored by the sockets of the ElevenLabs dialect.
func TestLengthyAddedVoiceLiveSeed(t *testing.T) {
	slow(t)
	t.Parallel()
	s, ids := added(t)
	const text = "Good day to you."
	for _, kind := range kinds {
		say := func(seed int) []byte {
			h, header := s.hearBy(ids["piper"], kind, "&seed="+strconv.Itoa(seed), text)
			if notice := header.Get("X-Notice"); notice != "" {
				t.Errorf("%s with a seed: %q", kind, notice)
			}
			return h.audio
		}
		if one, again, other := say(1), say(1), say(2); !sameButForPause(one, again) || sameButForPause(one, other) {
			t.Errorf("%s: the same seed gives the same: %t, another too: %t", kind, sameButForPause(one, again), sameButForPause(one, other))
		}
	}
	over := s.ask(http.MethodPost, "/v1/text-to-speech/"+string(ids["piper"])+"?output_format=pcm_24000", s.key, object{"text": text, "language_code": "en", "seed": 7})
	if got, _ := s.hearBy(ids["piper"], "single", "&seed=7", text); !sameButForPause(got.audio, []byte(over.body)) {
		t.Errorf("with a seed a socket says %s, want the %d bytes of HTTP", got, len(over.body))
	}
	none, _ := s.hearBy(ids["piper"], "single", "", text)
	strange, header := s.hearBy(ids["piper"], "single", "&seed=4294967296", text)
	if notice := header.Get("X-Notice"); !sameButForPause(none.audio, strange.audio) || !strings.Contains(notice, `seed "4294967296" is not a whole number from 0 to 4294967295; it is ignored`) {
		t.Errorf("a seed that is none: %v, notice %q", strange, notice)
	}
	if _, header := s.hearBy(voice.DefaultVoice().ID, "multi", "&seed=3", text); !strings.Contains(header.Get("X-Notice"), "is not sampled: seed") {
		t.Errorf("a seed for a voice of the roster: %q", header.Get("X-Notice"))
	}
	s.stop()
}

// TestAddedVoiceBackup restores a backup of a running server in a fresh directory, where the added
// voices speak as they did.
func TestAddedVoiceBackup(t *testing.T) {
	t.Parallel()
	library := needed.ONNXRuntime(t)
	s, ids := added(t)
	say := func(id voice.ID) string {
		return string(s.mustSpeak(object{"input": "The keeper of the lighthouse counts 42 ships.", "lang": "en", "voice": id}))
	}
	before := map[string]string{}
	for kind, id := range ids {
		before[kind] = say(id)
	}
	file := filepath.Join(t.TempDir(), "backup.tar.gz")
	s.vaak("backup", file)
	dir := filepath.Join(t.TempDir(), "new")
	s.vaak("restore", file, "--data-dir", dir)
	s.stop()
	s.env = append(slices.Clone(s.env), "VAAK_DATA_DIR="+dir)
	s.serve("--onnxruntime", library)
	for kind, id := range ids {
		if after := say(id); after != before[kind] {
			t.Errorf("%s: after the restore %d bytes, which are not the %d before", kind, len(after), len(before[kind]))
		}
	}
	s.stop()
}

// TestLengthyAddedVoiceDemo has an added voice speak the demonstration datasets of its language, which are
// then under its licence.
func TestLengthyAddedVoiceDemo(t *testing.T) {
	slow(t)
	t.Parallel()
	library := needed.ONNXRuntime(t)
	dir := t.TempDir()
	if err := writeNeural(dir, "hindi"); err != nil {
		t.Fatal(err)
	}
	s := start(t)
	s.vaak("voice", "add", "--onnxruntime", library, "--license", "CC BY 4.0", dir)
	s.vaak("demo", "--onnxruntime", library, "--voices", "Asha")
	for slug, want := range map[string]bool{"demo-hi-in-banking-dual": true, "demo-hi-in-electronics-dual-hinglish": true, "demo-ta-in-retail-dual-8k": false} {
		soon(t, slug+" is listed", func() bool { return slices.Contains(s.listed(""), slug) })
		a := s.fetch(http.MethodGet, "/api/catalogue/datasets/"+slug)
		if a.status != http.StatusOK || strings.Contains(a.body, "Asha (medium) (CC BY 4.0)") != want {
			t.Errorf("%s = %d %.600s", a.what, a.status, a.body)
		}
	}
	s.stop()
}
