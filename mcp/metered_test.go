package mcp_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"vaak/account"
	"vaak/internal/fault"
	"vaak/mcp"
	"vaak/speech"
)

// ledger lets everybody speak, unless a test says otherwise, and keeps records.
type ledger struct {
	admit error

	mu      sync.Mutex
	records []account.RequestRecord
	end     context.CancelCauseFunc // of the latest session
}

func (l *ledger) Admit(context.Context, account.Caller) (*account.Slot, error) { return nil, l.admit }

func (l *ledger) Session(ctx context.Context, _ account.Caller) (context.Context, func()) {
	ctx, end := context.WithCancelCause(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end = end
	return ctx, func() { end(nil) }
}

func (l *ledger) Record(r account.RequestRecord) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.records = append(l.records, r)
}

func (l *ledger) revoke() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end(fault.New(fault.Unauthenticated, fault.CodeInvalidKey, "", "the API key was revoked or has expired"))
}

func TestRecordsOfCalls(t *testing.T) {
	t.Parallel()
	spent := fault.New(fault.QuotaExceeded, fault.CodeInsufficientQuota, "", "3 characters remain")
	tooMany := fault.New(fault.TooManyStreams, fault.CodeTooManyStreams, "", "all streams are taken")
	for _, tt := range []struct {
		name   string
		admit  error
		speak  error
		text   string
		answer string // part of it
		want   *account.RequestRecord
	}{
		{"spoken", nil, nil, "hello", "5 characters", &account.RequestRecord{Voice: droneVoice, Language: "en", Characters: 5, Audio: 300 * time.Millisecond, Status: 200}},
		{"quota", nil, spent, "hello", "insufficient_quota", &account.RequestRecord{Status: 402, Code: "insufficient_quota"}},
		{"streams", tooMany, nil, "hello", "too_many_concurrent_requests", &account.RequestRecord{Status: 429, Code: "too_many_concurrent_requests"}},
		{"over the cap", nil, nil, strings.Repeat("x", 5000), "audio_too_large", &account.RequestRecord{Status: 413, Code: "audio_too_large"}},
		{"fault", nil, errors.New("boom"), "hello", "internal error", &account.RequestRecord{Status: 500, Code: "internal_error"}},
		{"bad arguments", nil, nil, "", "invalid_parameter", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := &ledger{admit: tt.admit}
			url := serve(t, newServer(t, mcp.Config{Accounts: l, Speech: drone{before: func(context.Context, account.Caller, speech.Request) error { return tt.speak }}})).URL
			_, answer := post(t, url, request(1, "synthesize_speech", map[string]any{"text": tt.text, "format": "pcm"}), nil)
			if !strings.Contains(string(answer), tt.answer) {
				t.Errorf("answer %.400s, want %s in it", answer, tt.answer)
			}
			var want []account.RequestRecord
			if tt.want != nil {
				tt.want.OrgID, tt.want.KeyID = "org_alpha", "key_alpha"
				want = append(want, *tt.want)
			}
			if diff := cmp.Diff(want, l.records, cmpopts.IgnoreFields(account.RequestRecord{}, "At", "ID")); diff != "" {
				t.Errorf("records (-want +got)\n%s", diff)
			}
			for _, r := range l.records {
				if r.ID == "" || r.At.IsZero() {
					t.Errorf("record %+v of no request or no time", r)
				}
			}
		})
	}
}

// TestRevokedKeyEndsCall: a call of a revoked key ends with what is wrong, and
// leaves nothing running.
func TestRevokedKeyEndsCall(t *testing.T) {
	t.Parallel()
	l := &ledger{}
	s := newServer(t, mcp.Config{Accounts: l, Speech: drone{before: func(ctx context.Context, _ account.Caller, _ speech.Request) error {
		l.revoke()
		<-ctx.Done()
		return ctx.Err()
	}}})
	r := decodeResult(t, talk(t, s, request(1, "synthesize_speech", map[string]any{"text": "hello"}))[0])
	if !r.IsError || !strings.HasPrefix(r.text(), "invalid_api_key") {
		t.Errorf("result %s, want invalid_api_key", r.text())
	}
	if len(l.records) != 1 || l.records[0].Status != 401 {
		t.Errorf("records %+v, want one of status 401", l.records)
	}
}
