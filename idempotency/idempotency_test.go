package idempotency

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"vaak/internal/fault"
)

// memory keeps entries for a test, by the clock of the bubble. The suite of package storetest
// has what a real store must do.
type memory struct {
	mu      sync.Mutex
	entries map[string]*held
	down    bool // every call fails
	room    Room
}

type held struct {
	Entry
	lease, expires time.Time
}

func (h *held) free() bool {
	now := time.Now()
	return !now.Before(h.expires) || !h.Done() && !now.Before(h.lease)
}

var errDown = fault.Down(fault.CodeStoreUnavailable, time.Second, nil, "away")

// with calls f with the entry of an id, or nil.
func (m *memory) with(id []byte, f func(*held)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down {
		return errDown
	}
	f(m.entries[string(id)])
	return nil
}

func (m *memory) Get(_ context.Context, id []byte) (e Entry, free bool, err error) {
	free = true
	err = m.with(id, func(h *held) {
		if h != nil {
			e, free = h.Entry, h.free()
		}
	})
	return e, free, err
}

func (m *memory) Begin(_ context.Context, e Entry, lease, keep time.Duration) (_ Entry, won bool, err error) {
	err = m.with(e.ID, func(h *held) {
		now := time.Now()
		if h != nil && now.Before(h.expires) {
			if !h.free() || !bytes.Equal(h.Digest, e.Digest) {
				e = h.Entry
				return
			}
			e.Operation = h.Operation
		}
		m.entries[string(e.ID)], won = &held{e, now.Add(lease), now.Add(keep)}, true
	})
	return e, won, err
}

func (m *memory) Renew(_ context.Context, id []byte, holder string, lease time.Duration) (ok bool, err error) {
	err = m.with(id, func(h *held) {
		if ok = h != nil && h.Holder == holder && !h.Done(); ok {
			h.lease = time.Now().Add(lease)
		}
	})
	return ok, err
}

func (m *memory) Finish(_ context.Context, id []byte, holder string, a Answer) (ok bool, err error) {
	err = m.with(id, func(h *held) {
		if ok = h != nil && h.Holder == holder && !h.Done(); ok {
			h.Answer = a
		}
	})
	return ok, err
}

func (m *memory) Drop(_ context.Context, id []byte, holder string, forget bool) error {
	return m.with(id, func(h *held) {
		switch {
		case h == nil || h.Holder != holder || h.Done():
		case forget:
			delete(m.entries, string(id))
		default:
			h.lease = time.Time{}
		}
	})
}

func (m *memory) Room(context.Context, string) (Room, error) { return m.room, nil }

func (m *memory) Prune(context.Context) (int, error) { return 0, nil }

// bubble runs a test in a synctest bubble, with a store and two services on it.
func bubble(t *testing.T, test func(t *testing.T, m *memory, here, there *Service)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &memory{entries: map[string]*held{}}
		var all []*Service
		for range 2 {
			s, err := New(Config{Store: m})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			all = append(all, s)
		}
		test(t, m, all[0], all[1])
	})
}

func request(key, body string) Request {
	r := Request{Scope: "org_1 POST /speak", Org: "org_1", Key: key}
	copy(r.Digest[:], body)
	return r
}

func wantCode(t *testing.T, what string, err error, code string) {
	t.Helper()
	if f, _ := errors.AsType[*fault.Error](err); f == nil || f.Code != code {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
}

// begins takes a request that must run.
func begins(t *testing.T, s *Service, r Request) *Run {
	t.Helper()
	a, run, err := s.Take(t.Context(), r)
	if run == nil || a != nil || err != nil {
		t.Fatalf("Take = %+v, %v, %v, want a run", a, run, err)
	}
	return run
}

// TestRepeatsWait: repeats in two processes wait for a run that takes longer than its lease.
func TestRepeatsWait(t *testing.T) {
	bubble(t, func(t *testing.T, _ *memory, here, there *Service) {
		run := begins(t, here, request("a", "x"))
		var got atomic.Int64
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() {
				a, run, err := []*Service{here, there}[i%2].Take(t.Context(), request("a", "x"))
				if err != nil || run != nil || string(a.Body) != "answer" {
					t.Errorf("repeat = %+v, %v, %v", a, run, err)
				}
				got.Add(1)
			})
		}
		_, _, err := there.Take(t.Context(), request("a", "y"))
		wantCode(t, "another request", err, CodeReused)
		_, _, err = here.Take(t.Context(), request("a", "y"))
		wantCode(t, "another request in the same process", err, CodeReused)
		time.Sleep(Patience - time.Second)
		if got.Load() != 0 {
			t.Error("repeats did not wait")
		}
		run.Keep(Answer{Status: 200, Body: []byte("answer"), Bodied: true})
		all.Wait()
		run.Drop(true) // does nothing any more
		if a, _, err := here.Take(t.Context(), request("a", "x")); err != nil || a == nil {
			t.Errorf("a late repeat = %v, %v", a, err)
		}
		begins(t, here, request("b", "x")).Drop(true) // another key
		time.Sleep(KeptFor)
		begins(t, there, request("a", "y")).Drop(true) // a day later
	})
}

// TestRepeatsLosePatience: a repeat does not wait for ever.
func TestRepeatsLosePatience(t *testing.T) {
	bubble(t, func(t *testing.T, _ *memory, here, there *Service) {
		run := begins(t, here, request("a", "x"))
		defer run.Drop(true)
		for _, s := range []*Service{here, there} {
			begun := time.Now()
			_, _, err := s.Take(t.Context(), request("a", "x"))
			wantCode(t, "a repeat", err, CodeInProgress)
			if took := time.Since(begun); took != Patience || fault.KindOf(err) != fault.Conflict {
				t.Errorf("after %v: %v", took, err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			_, _, err = s.Take(ctx, request("a", "x"))
			cancel()
			if fault.KindOf(err) != fault.Cancelled {
				t.Errorf("a repeat whose client left: %v", err)
			}
		}
	})
}

// TestRunFails: of the repeats that wait for a run that fails, one runs.
func TestRunFails(t *testing.T) {
	bubble(t, func(t *testing.T, _ *memory, here, there *Service) {
		first := begins(t, here, request("a", "x"))
		var ran, answered atomic.Int64
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				a, run, err := []*Service{here, there}[i%2].Take(t.Context(), request("a", "x"))
				switch {
				case err != nil:
					t.Error(err)
				case run != nil:
					if run.Operation == first.Operation {
						t.Error("a request that was refused passes its charge on")
					}
					ran.Add(1)
					run.Keep(Answer{Status: 200})
				case a.Status == 200:
					answered.Add(1)
				}
			})
		}
		synctest.Wait()
		first.Drop(true)
		all.Wait()
		if ran.Load() != 1 || answered.Load() != 19 {
			t.Errorf("%d ran, %d were answered", ran.Load(), answered.Load())
		}
		broken := begins(t, here, request("b", "x"))
		broken.Drop(false)
		again := begins(t, there, request("b", "x"))
		if again.Operation != broken.Operation {
			t.Error("an answer that broke off does not pass its charge on")
		}
		again.Drop(true)
	})
}

// TestProcessDies: a repeat takes over when the lease of a dead process has lapsed.
func TestProcessDies(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, here, there *Service) {
		dead := begins(t, here, request("a", "x"))
		dead.stop() // as the process would
		begun := time.Now()
		run := begins(t, there, request("a", "x"))
		if took := time.Since(begun); took < lease-time.Second || took > lease+lastLook || run.Operation != dead.Operation {
			t.Errorf("taken over after %v, as %s, want %s", took, run.Operation, dead.Operation)
		}
		dead.Keep(Answer{Status: 200, Body: []byte("of the dead")})
		run.Keep(Answer{Status: 200, Body: []byte("of the living")})
		if a, _, err := there.Take(t.Context(), request("a", "x")); err != nil || string(a.Body) != "of the living" {
			t.Errorf("answer %+v, %v", a, err)
		}
		// While the store is away, those who wait here get the answer, and others an error.
		run = begins(t, here, request("b", "x"))
		var waits sync.WaitGroup
		waits.Go(func() {
			if a, _, err := here.Take(t.Context(), request("b", "x")); err != nil || a.Status != 200 {
				t.Errorf("who waits gets %+v, %v", a, err)
			}
		})
		synctest.Wait()
		m.mu.Lock()
		m.down = true
		m.mu.Unlock()
		run.Keep(Answer{Status: 200})
		waits.Wait()
		_, _, err := there.Take(t.Context(), request("b", "x"))
		wantCode(t, "while the store is away", err, fault.CodeStoreUnavailable)
	})
}

// TestRunContext: a request outlives its client, and ends with the service.
func TestRunContext(t *testing.T) {
	bubble(t, func(t *testing.T, _ *memory, here, _ *Service) {
		run := begins(t, here, request("a", "x"))
		client, leave := context.WithCancel(t.Context())
		ctx, stop := run.Context(client)
		defer stop()
		leave()
		if synctest.Wait(); ctx.Err() != nil {
			t.Error("it ended with its client")
		}
		closed := make(chan struct{})
		go func() { here.Close(); close(closed) }()
		<-ctx.Done()
		select {
		case <-closed:
			t.Error("Close did not wait for the run")
		default:
		}
		run.Drop(false)
		<-closed
		_, _, err := here.Take(t.Context(), request("b", "x"))
		if fault.KindOf(err) != fault.Unavailable {
			t.Errorf("after Close: %v", err)
		}
	})
}

func TestRoom(t *testing.T) {
	bubble(t, func(t *testing.T, m *memory, here, _ *Service) {
		run := begins(t, here, request("a", "x"))
		for _, tt := range []struct {
			room Room
			size int64
			want bool
		}{
			{Room{}, MaxBody, true},
			{Room{}, MaxBody + 1, false},
			{Room{Bodies: MaxBodies - 10}, 10, true},
			{Room{Bodies: MaxBodies - 10}, 11, false},
			{Room{Everyone: MaxAllBodies - 10}, 11, false},
		} {
			time.Sleep(roomFresh)
			if m.room = tt.room; run.Fits(tt.size) != tt.want {
				t.Errorf("%d bytes beside %+v fit: %v", tt.size, tt.room, !tt.want)
			}
		}
		run.Drop(true)
		time.Sleep(roomFresh)
		m.room = Room{Keys: MaxKeys}
		_, _, err := here.Take(t.Context(), request("b", "x"))
		wantCode(t, "one key too many", err, CodeTooMany)
		m.room = Room{Keys: MaxKeys - 1}
		time.Sleep(roomFresh)
		begins(t, here, request("b", "x")).Keep(Answer{Status: 200})
		_, _, err = here.Take(t.Context(), request("c", "x")) // counted here, although the store was not asked again
		wantCode(t, "the next key", err, CodeTooMany)
	})
}

func TestCheckKey(t *testing.T) {
	t.Parallel()
	for key, ok := range map[string]bool{
		"a": true, "8e03978e-40d5-43dd-bc93-6894a57f9324": true, `"quoted"`: true, "!~": true, strings.Repeat("k", MaxKey): true,
		"": false, " ": false, "a b": false, "a\tb": false, "a\x00": false, "a\x7f": false, "é": false, strings.Repeat("k", MaxKey+1): false,
	} {
		if err := CheckKey(key); (err == nil) != ok {
			t.Errorf("CheckKey(%.20q) = %v, want ok %v", key, err, ok)
		} else if err != nil && strings.Contains(err.Error(), fmt.Sprintf("%q", key)) {
			t.Errorf("the error quotes the key: %v", err)
		}
	}
}
