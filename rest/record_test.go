package rest

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"vaak/account"
	"vaak/engine"
	"vaak/engine/enginetest"
	"vaak/internal/fault"
	"vaak/rest/frame"
	"vaak/speech"
)

func TestRecords(t *testing.T) {
	t.Parallel()
	whole := speech.Result{Info: testInfo, Charged: 5, Duration: time.Second, Total: time.Second}
	part := speech.Result{Info: testInfo, Charged: 2, Duration: 400 * time.Millisecond}
	refused := speech.Result{Info: testInfo}
	refused.FirstAudio = 0
	spent := fault.New(fault.QuotaExceeded, fault.CodeInsufficientQuota, "", "spent")
	busy := fault.New(fault.RateLimited, fault.CodeRateLimited, "", "spent")
	tooMany := fault.New(fault.TooManyStreams, fault.CodeTooManyStreams, "", "taken")
	type result struct {
		res   speech.Result
		err   error
		bytes string
	}
	record := func(chars int64, first, audio time.Duration, status int, code string) account.RequestRecord {
		return account.RequestRecord{Voice: "sv_test", Language: "en", Characters: chars, FirstAudio: first, Audio: audio, Status: status, Code: code}
	}
	unresolved := func(status int, code string) account.RequestRecord {
		return account.RequestRecord{Status: status, Code: code}
	}
	const first = 2 * time.Millisecond
	for _, tt := range []struct {
		name     string
		accounts accounts
		body     string
		spoken   result
		want     account.RequestRecord
	}{
		{"whole", accounts{}, `{"input":"a"}`, result{whole, nil, "x"}, record(5, first, time.Second, 200, "")},
		{"stream", accounts{}, `{"input":"a","stream":true}`, result{whole, nil, "x"}, record(5, first, time.Second, 200, "")},
		{"events", accounts{}, `{"input":"a","stream_format":"sse"}`, result{whole, nil, "x"}, record(5, first, time.Second, 200, "")},
		{"left a stream", accounts{}, `{"input":"a","stream":true}`, result{part, frame.ClientGone(io.ErrClosedPipe), "x"}, record(2, first, 400*time.Millisecond, 499, "client_closed_request")},
		{"broken stream", accounts{}, `{"input":"a","stream":true}`, result{part, errors.New("boom"), "x"}, record(2, first, 400*time.Millisecond, 500, "internal_error")},
		{"engine fault", accounts{}, `{"input":"a"}`, result{refused, errors.New("boom"), ""}, record(0, 0, 0, 500, "internal_error")},
		{"quota", accounts{}, `{"input":"a","stream":true}`, result{refused, spent, ""}, record(0, 0, 0, 402, "insufficient_quota")},
		{"rate", accounts{enter: busy}, `{"input":"a"}`, result{}, unresolved(429, "rate_limit_exceeded")},
		{"streams", accounts{admit: tooMany}, `{"input":"a"}`, result{}, unresolved(429, "too_many_concurrent_requests")},
		{"bad parameter", accounts{}, `{"input":"a","speed":"x"}`, result{}, unresolved(400, "invalid_parameter")},
		{"bad body", accounts{}, `{"input":`, result{}, unresolved(400, "invalid_body")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var kept records
			tt.accounts.caller, tt.accounts.recorded = caller, kept.add
			h := newHandler(t, Config{Accounts: tt.accounts, Speech: speaker{func(_ context.Context, _ speech.Request, w io.Writer) (speech.Result, error) {
				_, _ = io.WriteString(w, tt.spoken.bytes)
				return tt.spoken.res, tt.spoken.err
			}}})
			began := time.Now()
			func() {
				defer func() { _ = recover() }() // a broken connection is a panic
				do(h, speak(tt.body, "X-Request-Id", "mine-1"))
			}()
			tt.want.ID, tt.want.OrgID, tt.want.KeyID, tt.want.Route = "mine-1", caller.OrgID, caller.KeyID, "/v1/audio/speech"
			got := kept.take()
			if diff := cmp.Diff([]account.RequestRecord{tt.want}, got, cmpopts.IgnoreFields(account.RequestRecord{}, "At")); diff != "" {
				t.Fatalf("records (-want +got)\n%s", diff)
			}
			if got[0].At.Before(began) || time.Since(got[0].At) > time.Minute {
				t.Errorf("record of %v, want of now", got[0].At)
			}
		})
	}
}

func TestRecordOfPanic(t *testing.T) {
	t.Parallel()
	var kept records
	h := newHandler(t, Config{
		Accounts: accounts{recorded: kept.add},
		Speech:   speaker{func(context.Context, speech.Request, io.Writer) (speech.Result, error) { panic("ouch") }},
	})
	wantError(t, do(h, speak(`{"input":"a"}`)), 500, "internal_error", "")
	if got := kept.take(); len(got) != 1 || got[0].Status != 500 || got[0].Code != "internal_error" {
		t.Errorf("records %+v, want one of status 500", got)
	}
}

// TestNotRecorded: only what could have been spoken, of someone known.
func TestNotRecorded(t *testing.T) {
	t.Parallel()
	var kept records
	h := newHandler(t, Config{Accounts: accounts{recorded: kept.add}})
	reading := speak(`{"input":"a"}`)
	reading.URL.Path = "/v1/audio/speech/preview-text"
	for _, r := range []*http.Request{
		reading, request("GET", "/v1/usage", "", "xi-api-key", testKey), request("GET", "/v1/voices", ""),
		request("POST", "/v1/audio/speech", `{"input":"a"}`), request("GET", "/v1/audio/speech", "", "xi-api-key", testKey),
	} {
		do(h, r)
	}
	if got := kept.take(); len(got) != 0 {
		t.Errorf("records %+v, want none", got)
	}
}

// TestRevokedKeyEndsStream: what runs for a key breaks off when it is revoked,
// and what was handed over until then is charged.
func TestRevokedKeyEndsStream(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"bytes":  `{"input":"alpha beta. こんにちは","response_format":"pcm","stream":true}`,
		"events": `{"input":"alpha beta. こんにちは","response_format":"pcm","stream_format":"sse"}`,
		"whole":  `{"input":"alpha beta. こんにちは","response_format":"pcm"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var kept records
			k := newKeyed(t, caller)
			k.recorded = kept.add
			tone := enginetest.Tone{Before: func(ctx context.Context, u engine.Utterance) error {
				if u.Language != "ja" {
					return nil
				}
				if err := k.RevokeKey(ctx, caller.KeyID); err != nil {
					t.Errorf("RevokeKey: %v", err)
				}
				<-ctx.Done()
				return ctx.Err()
			}}
			s, err := speech.New(speech.Config{Engines: engine.Set{tone}, Ledger: k, PreviewDir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			server := httptest.NewServer(newHandler(t, Config{Accounts: k, Speech: s}))
			defer server.Close()
			answer, text, err := ask(t, server, body)
			stats := k.Stats()
			if stats.Slots != 0 || stats.OpenHolds != 0 {
				t.Errorf("afterwards %+v, want no slots and no holds", stats)
			}
			got := kept.take()
			if len(got) != 1 || got[0].Status != 401 || got[0].Code != "invalid_api_key" {
				t.Fatalf("records %+v, want one of status 401", got)
			}
			if name == "whole" {
				if answer.StatusCode != 401 || !strings.Contains(text, "invalid_api_key") || got[0].Characters != 0 || stats.Charged != 0 {
					t.Errorf("%d %s, charged %d and %d; want 401 and nothing", answer.StatusCode, text, got[0].Characters, stats.Charged)
				}
				return
			}
			if got[0].Characters < 5 || got[0].Characters > 12 || stats.Charged != got[0].Characters || got[0].Audio == 0 {
				t.Errorf("charged %d, recorded %+v; want those of the two words", stats.Charged, got[0])
			}
			if name == "bytes" && (err == nil || len(text) == 0) {
				t.Errorf("%d bytes, then %v; want some and a broken connection", len(text), err)
			}
			if name == "events" && (err != nil || !strings.Contains(text, `"code":"invalid_api_key"`) || strings.Contains(text, "speech.audio.done")) {
				t.Errorf("events end with %.200s, %v; want an error", text[max(0, len(text)-200):], err)
			}
		})
	}
}

// ask asks a server to speak and returns all it got.
func ask(t *testing.T, server *httptest.Server, body string) (*http.Response, string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "POST", server.URL+"/v1/audio/speech", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("xi-api-key", testKey)
	answer, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer, string(text), err
}

// TestRevokedKeyEndsStalledStream: a reader that has stopped reading does not
// keep the stream of a revoked key, although it might pause for longer.
func TestRevokedKeyEndsStalledStream(t *testing.T) {
	t.Parallel()
	k := newKeyed(t, caller)
	ended := make(chan error, 1)
	writing := make(chan struct{})
	server := httptest.NewServer(newHandler(t, Config{Accounts: k, ReaderPause: time.Hour, Speech: speaker{func(_ context.Context, _ speech.Request, w io.Writer) (speech.Result, error) {
		piece := make([]byte, 1<<20)
		for i := 0; ; i++ {
			if i == 1 {
				close(writing)
			}
			if _, err := w.Write(piece); err != nil {
				ended <- err
				return speech.Result{Info: testInfo}, err
			}
		}
	}}}))
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), "POST", server.URL+"/v1/audio/speech", strings.NewReader(`{"input":"a","stream":true}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("xi-api-key", testKey)
	answer, err := server.Client().Do(r) // and nothing is read
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	<-writing
	if err := k.RevokeKey(t.Context(), caller.KeyID); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("the stream still runs a minute after its key was revoked")
	}
}
