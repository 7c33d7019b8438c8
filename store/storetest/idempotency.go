package storetest

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vaak/idempotency"
)

// OpenedIdempotency are the requests with an idempotency key of one store under test.
type OpenedIdempotency struct {
	Requests idempotency.Store
	// Again opens the same data a second time, as another process would. The cleanup of the
	// test closes it.
	Again func(t *testing.T) idempotency.Store
	// Pass lets time pass on the clock of the store.
	Pass func(time.Duration)
}

// RunIdempotency runs the suite of requests with an idempotency key. Each test calls open once
// for a store of its own, empty and migrated.
func RunIdempotency(t *testing.T, open func(t *testing.T) OpenedIdempotency) {
	for _, tt := range []struct {
		name string
		run  func(t *testing.T, o OpenedIdempotency)
	}{
		{"RequestAnswered", testRequestAnswered},
		{"RequestTakenOver", testRequestTakenOver},
		{"RequestDropped", testRequestDropped},
		{"RequestOnce", testRequestOnce},
		{"RequestsPruned", testRequestsPruned},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.run(t, open(t))
		})
	}
}

// asked returns run n of request r.
func asked(r, n int) idempotency.Entry {
	id, digest := sha256.Sum256([]byte(fmt.Sprint("request ", r))), sha256.Sum256([]byte(fmt.Sprint("body ", r)))
	return idempotency.Entry{ID: id[:], Org: id2org(r), Digest: digest[:], Operation: fmt.Sprint("op_", r, "_", n), Holder: fmt.Sprint("run_", n)}
}

// id2org is the organisation of a request: there are two.
func id2org(r int) string { return fmt.Sprint("org_", r%2) }

const (
	testLease = 15 * time.Second
	keptDay   = 24 * time.Hour
)

// begins begins a run and checks whether it won, and which charge it has.
func begins(t *testing.T, s idempotency.Store, e idempotency.Entry, won bool, operation string) idempotency.Entry {
	t.Helper()
	got, ok, err := s.Begin(t.Context(), e, testLease, keptDay)
	if err != nil || ok != won || got.Operation != operation {
		t.Fatalf("Begin of %s = %+v, %v, %v, want won %v and %s", e.Holder, got, ok, err, won, operation)
	}
	return got
}

func testRequestAnswered(t *testing.T, o OpenedIdempotency) {
	ctx, s := t.Context(), o.Requests
	if _, free, err := s.Get(ctx, asked(1, 1).ID); !free || err != nil {
		t.Fatal(free, err)
	}
	begins(t, s, asked(1, 1), true, "op_1_1")
	begins(t, s, asked(1, 2), false, "op_1_1")
	if ok, err := s.Renew(ctx, asked(1, 1).ID, "run_2", testLease); ok || err != nil {
		t.Errorf("Renew of another holder = %v, %v", ok, err)
	}
	body := bytes.Repeat([]byte("\x00\xff'\\audio"), idempotency.MaxBody/9)
	answer := idempotency.Answer{Status: 200, Header: map[string][]string{"Content-Type": {"audio/wav"}, "X-Notice": {"a", "b"}}, Body: body, Bodied: true}
	if ok, err := s.Finish(ctx, asked(1, 1).ID, "run_2", answer); ok || err != nil {
		t.Errorf("Finish of another holder = %v, %v", ok, err)
	}
	if ok, err := s.Finish(ctx, asked(1, 1).ID, "run_1", answer); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if ok, err := s.Finish(ctx, asked(1, 1).ID, "run_1", answer); ok || err != nil {
		t.Errorf("second Finish = %v, %v", ok, err)
	}
	check(t, "Drop", s.Drop(ctx, asked(1, 1).ID, "run_1", true)) // of an answered request
	o.Pass(time.Hour)
	for _, s := range []idempotency.Store{s, o.Again(t)} {
		got, free, err := s.Get(ctx, asked(1, 1).ID)
		check(t, "Get", err)
		if !got.Done() || free || !bytes.Equal(got.Digest, asked(1, 1).Digest) {
			t.Errorf("Get = done %v, free %v", got.Done(), free)
		}
		if !bytes.Equal(got.Answer.Body, body) { // cmp would take a minute for it with the race detector
			t.Errorf("a body of %d bytes, want the %d that were kept", len(got.Answer.Body), len(body))
		}
		got.Answer.Body = nil
		same(t, "answer", got.Answer, idempotency.Answer{Status: answer.Status, Header: answer.Header, Bodied: true})
		begins(t, s, asked(1, 3), false, "op_1_1")
	}
	begins(t, s, asked(3, 1), true, "op_3_1")
	large := idempotency.Answer{Status: 202, Header: map[string][]string{}}
	if ok, err := s.Finish(ctx, asked(3, 1).ID, "run_1", large); !ok || err != nil {
		t.Fatal(ok, err)
	}
	if got, _, err := s.Get(ctx, asked(3, 1).ID); err != nil || !got.Done() || got.Answer.Bodied || len(got.Answer.Body) != 0 {
		t.Errorf("an answer without a body: %+v, %v", got.Answer, err)
	}
	for org, want := range map[string]idempotency.Room{
		"org_1": {Keys: 2, Bodies: int64(len(body)), Everyone: int64(len(body))}, "org_0": {Everyone: int64(len(body))},
	} {
		room, err := s.Room(ctx, org)
		check(t, "Room", err)
		same(t, "Room", room, want)
	}
	o.Pass(keptDay)
	begins(t, s, asked(1, 4), true, "op_1_4") // a day later it is another request
	if got, _, err := s.Get(ctx, asked(1, 4).ID); err != nil || got.Done() || len(got.Answer.Body) != 0 {
		t.Errorf("the old answer is still there: %+v, %v", got, err)
	}
}

// testRequestTakenOver: when a lease lapses, a repeat takes the request over, with its charge.
func testRequestTakenOver(t *testing.T, o OpenedIdempotency) {
	ctx, s := t.Context(), o.Requests
	begins(t, s, asked(1, 1), true, "op_1_1")
	o.Pass(testLease - time.Second)
	if ok, err := s.Renew(ctx, asked(1, 1).ID, "run_1", testLease); !ok || err != nil {
		t.Fatal(ok, err)
	}
	o.Pass(2 * time.Second)
	begins(t, s, asked(1, 2), false, "op_1_1")
	o.Pass(testLease)
	if _, free, err := s.Get(ctx, asked(1, 1).ID); !free || err != nil {
		t.Fatal(free, err)
	}
	other := asked(1, 2)
	other.Digest = asked(2, 2).Digest
	if got := begins(t, s, other, false, "op_1_1"); !bytes.Equal(got.Digest, asked(1, 1).Digest) {
		t.Error("another request took it over")
	}
	begins(t, o.Again(t), asked(1, 2), true, "op_1_1")
	if ok, err := s.Renew(ctx, asked(1, 1).ID, "run_1", testLease); ok || err != nil {
		t.Errorf("Renew of the old holder = %v, %v", ok, err)
	}
	if ok, err := s.Finish(ctx, asked(1, 1).ID, "run_1", idempotency.Answer{Status: 200}); ok || err != nil {
		t.Errorf("Finish of the old holder = %v, %v", ok, err)
	}
}

func testRequestDropped(t *testing.T, o OpenedIdempotency) {
	ctx, s := t.Context(), o.Requests
	begins(t, s, asked(1, 1), true, "op_1_1")
	check(t, "Drop", s.Drop(ctx, asked(1, 1).ID, "run_9", true))
	begins(t, s, asked(1, 2), false, "op_1_1")
	check(t, "Drop", s.Drop(ctx, asked(1, 1).ID, "run_1", false))
	begins(t, s, asked(1, 3), true, "op_1_1")
	check(t, "Drop", s.Drop(ctx, asked(1, 1).ID, "run_3", true))
	begins(t, s, asked(1, 4), true, "op_1_4")
}

// testRequestOnce: of many processes that begin a request at the same time, one wins, also
// when the lease of an earlier run has lapsed.
func testRequestOnce(t *testing.T, o OpenedIdempotency) {
	stores := []idempotency.Store{o.Requests, o.Again(t)}
	for round := range 2 {
		for r := range 8 {
			var won atomic.Int64
			var all sync.WaitGroup
			for n := range 10 {
				all.Go(func() {
					_, ok, err := stores[n%2].Begin(t.Context(), asked(r, 10*round+n), testLease, keptDay)
					if err != nil {
						t.Error(err)
					}
					if ok {
						won.Add(1)
					}
				})
			}
			all.Wait()
			if won.Load() != 1 {
				t.Fatalf("round %d: request %d began %d times", round, r, won.Load())
			}
		}
		o.Pass(testLease)
	}
}

func testRequestsPruned(t *testing.T, o OpenedIdempotency) {
	for r := range 3 {
		begins(t, o.Requests, asked(r, 1), true, fmt.Sprintf("op_%d_1", r))
		o.Pass(time.Hour)
	}
	for i, tt := range []struct {
		pass time.Duration
		want int
	}{{0, 0}, {keptDay - 3*time.Hour, 1}, {time.Hour, 1}, {24 * time.Hour, 1}, {0, 0}} {
		o.Pass(tt.pass)
		if n, err := o.Requests.Prune(t.Context()); n != tt.want || err != nil {
			t.Errorf("step %d: Prune = %d, %v, want %d", i, n, err, tt.want)
		}
	}
}
