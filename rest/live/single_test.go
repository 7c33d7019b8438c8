package live

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"vaak/internal/fault"
	"vaak/speech"
)

// talk plays lines with fake sessions in a bubble and compares what is heard.
func talk(t *testing.T, cfg Config, path, client, want string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, cfg)
		t.Cleanup(pipe(s))
		c := s.client(t, path)
		for line := range strings.Lines(client) {
			c.perform(strings.TrimSpace(line))
		}
		if got := string(c.hear()); got != strings.ReplaceAll(want, "\t", "") {
			t.Errorf("%s heard\n%s, want\n%s", path, got, strings.ReplaceAll(want, "\t", ""))
		}
	})
}

func TestSockets(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, path, client, want string }{
		{"native", nativePath, `{"text":"Hello "}
			{"text":"there."}
			{"text":""}`, `pcm 28800 samples
			{"type":"done","characters":12,"audio_ms":1200,"request_id":"req-1"}
			close 1000
			`},
		{"native without text", nativePath, `{"text":""}`, `{"type":"done","characters":0,"audio_ms":0,"request_id":"req-1"}
			close 1000
			`},
		{"native flush", nativePath, `{"text":"He","flush":true}`, "pcm 4800 samples\n"},
		{"native words", nativePath + "?words=true", `{"text":"Hi, you "}
			{"flush":true}
			wait 2s
			{"text":"too"}
			{"text":""}`, `{"type":"words","words":[{"text":"Hi,","char_offset":0,"start_ms":0,"end_ms":300}]}
			pcm 9600 samples
			{"type":"words","words":[{"text":"you","char_offset":4,"start_ms":400,"end_ms":700}]}
			pcm 16800 samples
			{"type":"words","words":[{"text":"too","char_offset":8,"start_ms":800,"end_ms":1100}]}
			{"type":"done","characters":11,"audio_ms":1100,"request_id":"req-1"}
			close 1000
			`},
		{"native cancel", nativePath, `{"text":"Hi you"}
			{"flush":true}
			wait 1s
			{"cancel":true,"played_ms":350}`, `pcm 14400 samples
			{"type":"cancelled","text_spoken":"Hi ","text_remaining":"you","char_offset":3,"audio_ms":300}
			close 1000
			`},
		{"native cancel of nothing", nativePath, `{"cancel":true}`,
			`{"type":"cancelled","text_spoken":"","text_remaining":"","char_offset":0,"audio_ms":0}
			close 1000
			`},
		{"dialect", singlePath + pcm, `{"text":" "}
			{"text":"Hi."}
			{"text":""}`, `audio 7200 samples, "Hi." 0-300 ms
			{"audio":null,"isFinal":true,"alignment":null,"normalizedAlignment":null}
			close 1000
			`},
		{"text as the first message", singlePath + pcm, `{"text":"Hi.","voice_settings":null,"generation_config":null,"xi_api_key":"x","whatever":[1]}`,
			"audio 7200 samples, \"Hi.\" 0-300 ms\n"},
		{"flush stays open", singlePath + pcm, `{"text":"Hi","flush":true}
			wait 1s
			{"text":" you","flush":true}`, `audio 4800 samples, "Hi" 0-200 ms
			audio 2400 samples, " " 0-100 ms
			audio 7200 samples, "you" 0-300 ms
			`},
		{"a lone space separates", singlePath + pcm, `{"text":"Hi"}
			{"text":" "}
			{"text":" "}
			{"text":"you"}
			{"text":" "}
			{"text":""}`, `audio 7200 samples, "Hi " 0-300 ms
			audio 7200 samples, "you" 0-300 ms
			{"audio":null,"isFinal":true,"alignment":null,"normalizedAlignment":null}
			close 1000
			`},
		{"trigger below 50 characters", singlePath + pcm, `{"text":"aaaa aaaa ","try_trigger_generation":true}`, ""},
		{"trigger at 50 characters", singlePath + pcm, `{"text":"` + strings.Repeat("aaaa ", 6) + `"}
			{"text":"` + strings.Repeat("aaaa ", 4) + `","try_trigger_generation":true}`,
			strings.Repeat("audio 12000 samples, \"aaaa \" 0-500 ms\n", 10)},
		{"ping", singlePath + pcm, "ping", "pong are you there\n"},
		{"after the end", nativePath, `{"text":""}
			{"text":"more"}`, `{"type":"done","characters":0,"audio_ms":0,"request_id":"req-1"}
			close 1000
			`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			talk(t, Config{}, tt.path, tt.client, tt.want)
		})
	}
}

// TestSection9Row8: every failure has a frame with a message and an error, and
// then a close with a code.
func TestSection9Row8(t *testing.T) {
	t.Parallel()
	const broken = `"error":"internal_error"`
	crash := &fakeSpeaker{before: func(_ context.Context, word string) error {
		switch {
		case strings.HasPrefix(word, "crash"):
			return http.ErrAbortHandler
		case strings.HasPrefix(word, "panic"):
			panic("at the disco")
		case strings.HasPrefix(word, "broke"):
			return fault.New(fault.QuotaExceeded, fault.CodeInsufficientQuota, "", "the balance is spent")
		case strings.HasPrefix(word, "down"):
			return fault.Down(fault.CodeEngineUnavailable, time.Second, nil, "the engine is down")
		}
		return nil
	}}
	for _, tt := range []struct {
		name, client, error string
		close               string
	}{
		{"no JSON", `{"text"`, `"error":"invalid_message"`, "close 1008 the message"},
		{"no object", `["text"]`, `"error":"invalid_message"`, "close 1008 the message must be a JSON object, not a list"},
		{"null", `null`, `"error":"invalid_message"`, "close 1008 the message must be a JSON object, not null"},
		{"bad type", `{"text":1}`, `"message":"text must be a string, not a number","error":"invalid_message","code":1008`, "close 1008 text must be a string"},
		{"bad flush", `{"flush":"yes"}`, `"error":"invalid_message"`, "close 1008 flush must be true or false"},
		{"twice", `{"text":"a","text":"b"}`, `"error":"invalid_message"`, "close 1008"},
		{"bad schedule", `{"text":" ","generation_config":{"chunk_length_schedule":[50,"60"]}}`,
			`"message":"generation_config.chunk_length_schedule.1 must be a number, not a string"`, "close 1008"},
		{"bad list", `{"text":" ","generation_config":{"chunk_length_schedule":50}}`,
			`"message":"generation_config.chunk_length_schedule must be a list of numbers, not a number"`, "close 1008"},
		{"no float", `{"text":" ","voice_settings":{"speed":1e999}}`, `"message":"voice_settings.speed 1e999 is out of the range of numbers"`, "close 1008"},
		{"nested bad type", `{"text":" ","voice_settings":{"speed":"x"}}`, `"message":"voice_settings.speed must be a number, not a string"`, "close 1008"},
		{"not UTF-8", `latin1`, `"error":"invalid_message"`, "close 1008"},
		{"lone surrogate", `{"text":"\ud83d"}`, `"error":"invalid_message"`, "close 1008"},
		{"binary", `binary abc`, `"error":"invalid_message","code":1003`, "close 1003"},
		{"too large", `repeat 70000 a`, `"error":"invalid_message","code":1009`, "close 1009"},
		{"too much text", `repeat 5001 a`, `"error":"max_character_limit_exceeded","code":1008`, "close 1008"},
		{"idle", `wait 20s`, `"message":"nothing came for 20 s","error":"input_timeout_exceeded","code":1008`, "close 1008"},
		{"idle with text", "{\"text\":\"a\"}\nwait 20s", `"error":"input_timeout_exceeded","code":1008`, "close 1008"},
		{"crash", `{"text":"crash."}`, broken, "close 1011 internal error"},
		{"panic", `{"text":"panic."}`, broken, "close 1011 internal error"},
		{"engine down", `{"text":"down."}`, `"error":"engine_unavailable","code":1011`, "close 1011 the engine is down"},
		{"balance spent", `{"text":"broke."}`, `"error":"insufficient_quota","code":1008`, "close 1008 the balance is spent"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, path := range []string{nativePath, singlePath + pcm, multiPath + pcm} {
				failsWith(t, Config{Speech: crash}, path, tt.client, tt.error, tt.close)
			}
		})
	}
}

// failsWith expects an error of the dialect and a close.
func failsWith(t *testing.T, cfg Config, path, client, frame, end string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, cfg)
		t.Cleanup(pipe(s))
		c := s.client(t, path)
		for line := range strings.Lines(client) {
			c.perform(strings.TrimSpace(line))
		}
		said := string(c.hear())
		switch path {
		case nativePath:
			if strings.Contains(client, "voice_settings") || strings.Contains(client, "generation_config") {
				return // means nothing there
			}
			frame, _, _ = strings.Cut(frame, `,"code":`)
			if i := strings.Index(frame, `,"error":`); i > 0 {
				frame = frame[:i]
			}
			if !strings.HasPrefix(said, `{"type":"error","code":`) {
				t.Errorf("%s of %q heard %q, want an error", path, client, said)
			}
		case multiPath + pcm:
			if !strings.Contains(said, end) && strings.Contains(said, frame) && strings.Contains(said, `"isFinal":true,`) {
				return // the context alone has failed
			}
			if strings.Contains(said, `"isFinal":true`) && strings.Contains(client, "wait") {
				return // closed for being idle, without an error
			}
		}
		lines := strings.Split(strings.TrimSpace(said), "\n")
		if len(lines) < 2 || !strings.Contains(said, frame) || !strings.HasPrefix(lines[len(lines)-1], end) {
			t.Errorf("%s of %q heard\n%swant %s and %s", path, client, said, frame, end)
		}
		synctest.Wait()
		if n := s.accounts.held.Load(); n != 0 {
			t.Errorf("%d sessions are held after the end", n)
		}
	})
}

func TestSettings(t *testing.T) {
	t.Parallel()
	fake := &fakeSpeaker{}
	talk(t, Config{Speech: fake}, singlePath+pcm+"&inactivity_timeout=900&language_code=hi&auto_mode=false&enable_ssml_parsing=true&model_id=x",
		`{"text":" ","voice_settings":{"stability":0.5,"speed":9},"generator_config":{"chunk_length_schedule":[1,120.4,9000]}}
		{"text":"a."}
		{"text":" ","voice_settings":{"speed":0.1}}`, "audio 4800 samples, \"a.\" 0-200 ms\n")
	reqs := fake.requests()
	got := reqs[len(reqs)-1]
	if got.Speed != speech.MaxSpeed {
		t.Errorf("speed = %g, want it clamped to %g", got.Speed, speech.MaxSpeed)
	}
	if got.Idle != 180*time.Second || got.Language != "hi" || got.Voice != "sv_test" {
		t.Errorf("request = %+v", got)
	}
	if want := []int{50, 120, 500}; len(got.Chunks.Characters) != 3 || got.Chunks.Characters[0] != want[0] ||
		got.Chunks.Characters[1] != want[1] || got.Chunks.Characters[2] != want[2] {
		t.Errorf("schedule = %v, want %v", got.Chunks.Characters, want)
	}
}

// TestSection9Row6: keepalives keep a socket open and do nothing else; pings do
// so on the native socket alone.
func TestSection9Row6(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, Config{})
		t.Cleanup(pipe(s))
		native, single, multi := s.client(t, nativePath), s.client(t, singlePath+pcm), s.client(t, multiPath+pcm)
		for range 10 {
			time.Sleep(15 * time.Second)
			native.perform("ping")
			single.send(`{"text":" "}`)
			multi.send(`{"text":""}`)
		}
		native.send(`{"text":""}`)
		single.send(`{"text":""}`)
		multi.send(`{"close_socket":true}`)
		for _, c := range []*client{native, single, multi} {
			got := string(c.hear())
			if !strings.HasSuffix(got, "close 1000\n") || strings.Contains(got, "error") || strings.Contains(got, "audio\":\"") {
				t.Errorf("heard %s, want nothing but a good end", got)
			}
		}
		pinged := s.client(t, singlePath+pcm)
		for range 3 {
			time.Sleep(8 * time.Second)
			_ = pinged.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(time.Minute)) // the last is too late
		}
		if got := string(pinged.hear()); !strings.Contains(got, "input_timeout_exceeded") {
			t.Errorf("heard %s, want a timeout", got)
		}
	})
}
