package mcp_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	books "vaak/account/ledger"
	"vaak/engine"
)

// TestRevokedInMidSynthesis: a key that is revoked while it speaks gets
// nothing, pays nothing and leaves no clip.
func TestRevokedInMidSynthesis(t *testing.T) {
	t.Parallel()
	var w *world
	w = newWorld(t, deployment{before: func(ctx context.Context, _ engine.Utterance) error {
		if err := w.accounts.RevokeKey(context.WithoutCancel(ctx), w.ids["alpha"].ID); err != nil {
			return err
		}
		<-ctx.Done()
		return context.Cause(ctx)
	}})
	if got := w.charged(t, "alpha", func() {
		r := w.call(t, "alpha", "synthesize_speech", map[string]any{"text": "Alpha beta."})
		if !r.IsError || !strings.HasPrefix(r.text(), "invalid_api_key") || !strings.Contains(r.text(), "valid API key") {
			t.Errorf("result = %s, want invalid_api_key and what to do", r.text())
		}
	}); got != 0 || w.files(t) != 0 {
		t.Errorf("charged %d characters, %d files left; want none", got, w.files(t))
	}
	resp, body := post(t, w.url, listRequest, http.Header{"Authorization": {"Bearer " + w.keys["alpha"]}})
	if resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("the revoked key is answered %d %s", resp.StatusCode, body)
	}
}

// TestClientLeaves: a client that hangs up in mid-synthesis pays nothing, and
// nothing is left of its clip, not of a large one either.
func TestClientLeaves(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"small": "Alpha beta.", "large": strings.Repeat("abcdefghi ", 60)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, leave := context.WithCancel(t.Context())
			frames, ended := 0, make(chan struct{})
			w := newWorld(t, deployment{before: func(ctx context.Context, u engine.Utterance) error {
				if frames++; frames < len(text)/8 {
					return nil
				}
				leave()
				<-ctx.Done()
				close(ended)
				return context.Cause(ctx)
			}})
			_, _, err := tryPost(ctx, w.url, request(1, "synthesize_speech", map[string]any{"text": text, "format": "wav"}), http.Header{"Authorization": {"Bearer " + w.keys["alpha"]}})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("post = %v, want %v", err, context.Canceled)
			}
			<-ended
			until(t, "the call to be recorded", func() bool { return len(w.store.Recorded()) == 1 })
			if r := w.store.Recorded()[0]; r.Code != "cancelled" || r.Characters != 0 {
				t.Errorf("record = %+v, want cancelled and no characters", r)
			}
			until(t, "its clip to be gone", func() bool { return w.files(t) == 0 })
			if used := w.report(t, "alpha").Characters; used != 0 {
				t.Errorf("charged %d characters", used)
			}
		})
	}
}

// until waits for something that happens soon.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	ticks := time.NewTicker(2 * time.Millisecond)
	defer ticks.Stop()
	for deadline := time.After(30 * time.Second); !done(); {
		select {
		case <-ticks.C:
		case <-deadline:
			t.Fatalf("waited too long for %s", what)
		}
	}
}

// TestQuotaSaysWhatToDo spends what there is, and asks for more.
func TestQuotaSaysWhatToDo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, deployment{})
	if err := w.accounts.SetPlan(t.Context(), books.Plan{ID: "growth", Name: "Growth", MonthlyCharacters: 20, RequestsPerMinute: -1, MaxStreams: -1}); err != nil {
		t.Fatal(err)
	}
	s := spokenOf(t, w.call(t, "alpha", "synthesize_speech", map[string]any{"text": "Alpha beta."}))
	if s.CharactersRemaining == nil || *s.CharactersRemaining != 9 {
		t.Errorf("characters_remaining = %v, want 9", s.CharactersRemaining)
	}
	r := w.call(t, "alpha", "synthesize_speech", map[string]any{"text": "Alpha beta."})
	if !r.IsError || !strings.HasPrefix(r.text(), "insufficient_quota: ") || !strings.Contains(r.text(), "get_usage") {
		t.Errorf("result = %s, want insufficient_quota and what to do", r.text())
	}
	if n := w.files(t); n != 1 {
		t.Errorf("%d files, want the one clip that was charged", n)
	}
}

// TestRemainingUnknown: what was spoken is told though the books are away.
func TestRemainingUnknown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, deployment{reports: away{}})
	s := spokenOf(t, w.call(t, "alpha", "synthesize_speech", map[string]any{"text": "Alpha."}))
	if s.CharactersRemaining != nil || s.Delivery != "link" {
		t.Errorf("result = %+v, want a link and no characters_remaining", s)
	}
	if r := w.call(t, "alpha", "get_usage", nil); !r.IsError || !strings.HasPrefix(r.text(), "store_unavailable") {
		t.Errorf("get_usage = %s, want store_unavailable", r.text())
	}
}
