package rest

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"vaak/idempotency"
	"vaak/speech"
	"vaak/store"
)

// repeats returns what lets requests run once, on a real database.
func repeats(t *testing.T) *idempotency.Service {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{DSN: "sqlite::memory:"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	s, err := idempotency.New(idempotency.Config{Store: db.Idempotency()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// TestBrokenAnswersAreNotKept: a stream that breaks off, in each form, runs again, and then its
// whole answer is kept.
func TestBrokenAnswersAreNotKept(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"audio":  `{"input":"hello","stream":true}`,
		"events": `{"input":"hello","stream_format":"sse"}`,
		"whole":  `{"input":"hello"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var ran atomic.Int64
			fake := speaker{speak: func(_ context.Context, _ speech.Request, w io.Writer) (speech.Result, error) {
				if starter, ok := w.(speech.Starter); ok {
					starter.Start(testInfo)
				}
				n, err := io.WriteString(w, "0123456789")
				if ran.Add(1) == 1 {
					err = errors.New("broken")
				}
				return speech.Result{Info: testInfo, Bytes: int64(n)}, err
			}}
			h := newHandler(t, Config{Speech: fake, Requests: repeats(t)})
			ask := func() *httptest.ResponseRecorder {
				defer func() { _ = recover() }() // http.ErrAbortHandler, which breaks the connection
				return do(h, speak(body, "Idempotency-Key", "k"))
			}
			ask()
			second, third := ask(), ask()
			if ran.Load() != 2 || second.Code != 200 || third.Code != 200 || second.Body.String() != third.Body.String() {
				t.Errorf("ran %d times; %d %q, then %d %q", ran.Load(), second.Code, second.Body, third.Code, third.Body)
			}
			if second.Header().Get("Idempotent-Replayed") != "" || third.Header().Get("Idempotent-Replayed") != "true" {
				t.Error("the repeat is not marked, or the run is")
			}
			for _, kept := range []string{"Content-Type", "Character-Cost", "X-Voice-Id", "X-Language"} {
				if got, want := third.Header().Get(kept), second.Header().Get(kept); got != want || got == "" {
					t.Errorf("%s = %q, want %q", kept, got, want)
				}
			}
			if third.Header().Get("X-Request-Id") == second.Header().Get("X-Request-Id") {
				t.Error("the repeat has the id of the first request")
			}
		})
	}
}

// TestEnquiryIsRepeated: an enquiry, which needs no key, is named by key and address.
func TestEnquiryIsRepeated(t *testing.T) {
	t.Parallel()
	c := newCatalogue(t)
	kept := newEnquiries(t, c)
	h := newHandler(t, Config{Catalogue: c, Enquiries: kept, Requests: repeats(t)})
	send := func(address, key, message string) *httptest.ResponseRecorder {
		r := enquire(person(`"message":"` + message + `"`))
		r.RemoteAddr = address
		r.Header.Set("Idempotency-Key", key)
		return do(h, r)
	}
	first, again := send("192.0.2.1:1", "k", "Hello"), send("192.0.2.1:2", "k", "Hello")
	if first.Code != http.StatusAccepted || again.Code != first.Code || again.Body.String() != first.Body.String() ||
		again.Header().Get("X-Enquiry-Id") != first.Header().Get("X-Enquiry-Id") || again.Header().Get("Idempotent-Replayed") != "true" {
		t.Errorf("%d %s, then %d %s %v", first.Code, first.Body, again.Code, again.Body, again.Header())
	}
	if n := len(kept.forms); n != 1 {
		t.Errorf("%d enquiries were sent, want 1", n)
	}
	if w := send("192.0.2.1:1", "k", "Other"); w.Code != 422 || !strings.Contains(w.Body.String(), "idempotency_key_reuse") {
		t.Errorf("another enquiry with the key: %d %s", w.Code, w.Body)
	}
	if w := send("192.0.2.2:1", "k", "Other"); w.Code != 202 || w.Header().Get("Idempotent-Replayed") != "" {
		t.Errorf("the same key from another address: %d %s", w.Code, w.Body)
	}
	if w := send("192.0.2.1:1", "two words", "Other"); w.Code != 400 {
		t.Errorf("a bad key: %d %s", w.Code, w.Body)
	}
}

// TestRepeatTellsWhenToComeAgain: a repeat that has waited long enough is told when to come.
func TestRepeatTellsWhenToComeAgain(t *testing.T) {
	t.Parallel()
	begun, end := make(chan struct{}), make(chan struct{})
	fake := speaker{speak: func(context.Context, speech.Request, io.Writer) (speech.Result, error) {
		close(begun)
		<-end
		return speech.Result{Info: testInfo}, nil
	}}
	h := newHandler(t, Config{Speech: fake, Requests: repeats(t)})
	done := make(chan int)
	go func() { done <- do(h, speak(`{"input":"hello"}`, "Idempotency-Key", "k")).Code }()
	<-begun
	wantError(t, do(h, speak(`{"input":"other"}`, "Idempotency-Key", "k")), 422, "idempotency_key_reuse", "Idempotency-Key")
	r := speak(`{"input":"hello"}`, "Idempotency-Key", "k")
	ctx, cancel := context.WithTimeoutCause(r.Context(), 50*time.Millisecond, idempotency.ErrInProgress)
	defer cancel()
	w := do(h, r.WithContext(ctx))
	wantError(t, w, 409, "idempotency_in_progress", "Idempotency-Key")
	if w.Header().Get("Retry-After") != "5" {
		t.Errorf("Retry-After %q, want 5", w.Header().Get("Retry-After"))
	}
	close(end)
	if status := <-done; status != 200 {
		t.Errorf("the first request = %d", status)
	}
}
