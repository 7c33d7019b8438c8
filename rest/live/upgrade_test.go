package live

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"vaak/account"
	"vaak/edge"
	"vaak/internal/fault"
	"vaak/internal/telemetry"
	"vaak/voice"
)

func stuck(ctx context.Context, _ string) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	full := fault.New(fault.TooManyStreams, fault.CodeTooManyStreams, "", "all taken")
	broke := fault.New(fault.QuotaExceeded, fault.CodeInsufficientQuota, "", "spent")
	for _, tt := range []struct {
		name, path string
		header     []string
		admit      error
		afford     error
		status     int
		code       string
	}{
		{"no key", nativePath, []string{"Xi-Api-Key", ""}, nil, nil, 401, "missing_api_key"},
		{"bad key", singlePath, []string{"Xi-Api-Key", "x"}, nil, nil, 401, "invalid_api_key"},
		{"voice", "/v1/text-to-speech/nobody/stream-input", nil, nil, nil, 404, "voice_not_found"},
		{"native voice", nativePath + "?voice=nobody", nil, nil, nil, 404, "voice_not_found"},
		{"native speed", nativePath + "?speed=2", nil, nil, nil, 400, "invalid_parameter"},
		{"no speed", nativePath + "?speed=0", nil, nil, nil, 400, "invalid_parameter"},
		{"speed of words", nativePath + "?speed=fast", nil, nil, nil, 400, "invalid_parameter"},
		{"mode", nativePath + "?mode=brisk", nil, nil, nil, 400, "invalid_parameter"},
		{"half a word", nativePath + "?chunk_words=1.5", nil, nil, nil, 400, "invalid_parameter"},
		{"query", nativePath + "?voice=%zz", nil, nil, nil, 400, "invalid_parameter"},
		{"output_format", singlePath + "?output_format=wma_8000", nil, nil, nil, 422, "invalid_parameter"},
		{"output_format of multi", multiPath + "?output_format=pcm", nil, nil, nil, 422, "invalid_parameter"},
		{"auto_mode", singlePath + "?auto_mode=perhaps", nil, nil, nil, 422, "invalid_parameter"},
		{"inactivity_timeout", singlePath + "?inactivity_timeout=NaN", nil, nil, nil, 422, "invalid_parameter"},
		{"dictionary", multiPath + "?pronunciation_dictionary_id=d", nil, nil, nil, 404, "pronunciation_dictionary_not_found"},
		{"streams", multiPath, nil, full, nil, 429, "too_many_concurrent_requests"},
		{"quota", singlePath, nil, nil, broke, 402, "insufficient_quota"},
		{"foreign page", nativePath, []string{"Origin", "https://evil.example"}, nil, nil, 403, "origin_not_allowed"},
		{"sandboxed page", nativePath, []string{"Origin", "null"}, nil, nil, 403, "origin_not_allowed"},
		{"version", nativePath, []string{"Sec-Websocket-Version", "8"}, nil, nil, 400, "upgrade_required"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, Config{Speech: &fakeSpeaker{afford: tt.afford}, Accounts: &accounts{admit: tt.admit}})
			r := httptest.NewRequest("GET", tt.path, nil)
			headers := append([]string{"Xi-Api-Key", testKey, "X-Request-Id", "req-1", "Connection", "Upgrade", "Upgrade", "websocket",
				"Sec-Websocket-Version", "13", "Sec-Websocket-Key", "AAAAAAAAAAAAAAAAAAAAAA=="}, tt.header...)
			for i := 0; i < len(headers); i += 2 {
				r.Header.Set(headers[i], headers[i+1])
			}
			w := httptest.NewRecorder()
			s.http.ServeHTTP(w, r)
			var body struct{ Code, Message string }
			if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Code != tt.status || body.Code != tt.code || body.Message == "" {
				t.Errorf("answer = %d %s, want %d %s", w.Code, w.Body, tt.status, tt.code)
			}
			if got := w.Header().Get("X-Trace-Id"); got != "req-1" {
				t.Errorf("x-trace-id = %q, want req-1", got)
			}
		})
	}
}

func TestNoUpgrade(t *testing.T) {
	t.Parallel()
	s := newSite(t, Config{})
	r := httptest.NewRequest("GET", nativePath, nil)
	r.Header.Set("Authorization", "Bearer "+testKey)
	w := httptest.NewRecorder()
	s.http.ServeHTTP(w, r)
	if w.Code != 400 || !strings.Contains(w.Body.String(), "speaks WebSocket") {
		t.Errorf("answer = %d %s, want 400 with a sentence", w.Code, w.Body)
	}
}

// TestSection9Row11: both headers carry the key of an upgrade.
func TestSection9Row11(t *testing.T) {
	t.Parallel()
	s := serve(t, newSite(t, Config{Origins: []string{"https://Friend.example"}}))
	for _, header := range [][]string{
		{"Authorization", "Bearer " + testKey, "Xi-Api-Key", ""},
		{"Xi-Api-Key", testKey},
		{"Origin", "https://friend.example"},
		{"Origin", "http" + s.address[2:]},
	} {
		for _, path := range []string{nativePath, singlePath, multiPath} {
			conn, resp, err := s.connect(t.Context(), path, header...)
			if err != nil {
				t.Errorf("dial %s with %q: %v", path, header, err)
				continue
			}
			if got := resp.Header.Get("X-Request-Id"); got != "req-1" {
				t.Errorf("x-request-id of the upgrade = %q, want req-1", got)
			}
			_ = conn.Close()
		}
	}
}

// TestNearestBitrate: the answer to a handshake says that the audio has another bit
// rate than the address asks for.
func TestNearestBitrate(t *testing.T) {
	t.Parallel()
	s := serve(t, newSite(t, Config{Speech: humming(t)}))
	for query, want := range map[string]string{
		"?output_format=aac_24000_64":  "aac has no bit rate of 64 kbps at 24000 Hz: the nearest that it has, 72 kbps, is used.",
		"?output_format=mp3_22050_192": "mp3 has no bit rate of 192 kbps at 22050 Hz: the nearest that it has, 160 kbps, is used.",
		"?output_format=mp3_44100_192": "",
		"":                             "",
	} {
		for _, path := range []string{singlePath, multiPath} {
			path = strings.Replace(path, "sv_test", string(voice.DefaultVoice().ID), 1)
			conn, resp, err := s.connect(t.Context(), path+query)
			if err != nil {
				t.Errorf("dial %s%s: %v", path, query, err)
				continue
			}
			if got := resp.Header.Get("X-Notice"); got != want {
				t.Errorf("%s%s: x-notice %q, want %q", path, query, got, want)
			}
			_ = conn.Close()
		}
	}
}

// watcher is told of answers.
type watcher chan telemetry.Answer

func (w watcher) Begin(ctx context.Context, _ *http.Request) (context.Context, string) {
	return ctx, "trace"
}
func (w watcher) End(_ context.Context, a telemetry.Answer) { w <- a }

// TestSeenToTheEnd: a socket is one line of the log, when it is over.
func TestSeenToTheEnd(t *testing.T) {
	t.Parallel()
	var log logged
	seen := make(watcher, 1)
	s := serve(t, newSite(t, Config{}, edge.Access(log.logger(), time.Minute), edge.Observe(seen)))
	c := s.client(t, nativePath)
	c.send(`{"text":"Hi."}`)
	if r := c.next(); len(r.data) != 14400 {
		t.Fatalf("heard %d bytes, %v, want 14400", len(r.data), r.err)
	}
	if log.String() != "" || len(seen) > 0 {
		t.Errorf("the socket was seen before it was over: %s", log.String())
	}
	c.send(`{"text":""}`)
	select {
	case a := <-seen:
		if a.Status != http.StatusSwitchingProtocols || a.Code != "" {
			t.Errorf("observer was told %+v, want status 101", a)
		}
	case <-time.After(time.Minute):
		t.Fatal("the observer was not told of the end")
	}
	if res := <-s.ended; res.Charged != 3 || res.Duration != 300*time.Millisecond || res.Voice != "sv_fake" {
		t.Errorf("ended with %+v, want 3 characters in 300 ms", res)
	}
	line := log.wait(t)
	if !strings.Contains(line, "status=101") || !strings.Contains(line, "org="+account.Local.OrgID) || strings.Contains(line, "bytes=0 ") {
		t.Errorf("access log has %s", line)
	}
}

// TestSeedOfAddress: a seed reaches the session. The sockets of the ElevenLabs dialect ignore one
// that is none and say so; the native one refuses it.
func TestSeedOfAddress(t *testing.T) {
	t.Parallel()
	fake := &fakeSpeaker{}
	s := serve(t, newSite(t, Config{Speech: fake}))
	for _, path := range []string{nativePath, singlePath, multiPath} {
		for _, tt := range []struct {
			sent   string
			want   int64 // -1: none
			notice string
		}{
			{"", -1, ""},
			{"0", 0, ""},
			{"4294967295", 4294967295, ""},
			{"7.0", 7, ""},
			{"4294967296", -1, `seed "4294967296" is not a whole number from 0 to 4294967295; it is ignored`},
			{"-1", -1, `seed "-1" is not a whole number from 0 to 4294967295; it is ignored`},
			{"1.5", -1, `seed "1.5" is not a whole number from 0 to 4294967295; it is ignored`},
			{"1e300", -1, `is not a whole number from 0 to 4294967295; it is ignored`},
			{"dice", -1, `seed "dice" is not a whole number from 0 to 4294967295; it is ignored`},
			{"NaN", -1, `seed "NaN" is not a whole number from 0 to 4294967295; it is ignored`},
			{"%C3%A9%0A", -1, `seed "\u00e9\n" is not a whole number`},
		} {
			conn, resp, err := s.connect(t.Context(), path+"?seed="+tt.sent)
			if path == nativePath && tt.notice != "" {
				if err == nil || resp.StatusCode != http.StatusBadRequest {
					t.Errorf("%s with the seed %q is not refused: %v", path, tt.sent, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("dial %s with the seed %q: %v", path, tt.sent, err)
				continue
			}
			_ = conn.Close()
			if got := resp.Header.Get("X-Notice"); !strings.Contains(got, tt.notice) || tt.notice == "" && got != "" {
				t.Errorf("%s with the seed %q: x-notice %q, want %q", path, tt.sent, got, tt.notice)
			}
			opened := fake.requests()
			got := int64(-1)
			if seed := opened[len(opened)-1].Sampling.Seed; seed != nil {
				got = *seed
			}
			if got != tt.want {
				t.Errorf("%s with the seed %q: the session has %d, want %d", path, tt.sent, got, tt.want)
			}
		}
	}
}
