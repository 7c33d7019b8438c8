package account_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"vaak/account"
	"vaak/account/accounttest"
	"vaak/account/ledger"
	"vaak/internal/fault"
)

// limited is a bubble with shared limits; nil where they are counted in the
// process alone.
func limited(t *testing.T, shared bool, test func(t *testing.T, svc *account.Service, limits *accounttest.Limits)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		cfg := account.Config{Store: accounttest.New(nil)}
		limits := accounttest.NewLimits(nil)
		if shared {
			cfg.Limits = limits
		}
		svc := newService(t, cfg)
		svc.Start(t.Context())
		test(t, svc, limits)
	})
}

func twice(t *testing.T, test func(t *testing.T, svc *account.Service, limits *accounttest.Limits)) {
	t.Parallel()
	for name, shared := range map[string]bool{"here": false, "shared": true} {
		t.Run(name, func(t *testing.T) { limited(t, shared, test) })
	}
}

// pass counts how many of n requests pass.
func pass(t *testing.T, svc *account.Service, c account.Caller, n int) (passed int, last error) {
	t.Helper()
	for range n {
		_, err := svc.Enter(t.Context(), c)
		switch fault.KindOf(err) {
		case "":
			passed++
		case fault.RateLimited:
			last = err
		default:
			t.Fatalf("Enter: %v", err)
		}
	}
	return passed, last
}

// admit takes up to n slots.
func admit(t *testing.T, svc *account.Service, c account.Caller, n int) (slots []*account.Slot, last error) {
	t.Helper()
	for range n {
		s, err := svc.Admit(t.Context(), c)
		switch fault.KindOf(err) {
		case "":
			slots = append(slots, s)
		case fault.TooManyStreams:
			last = err
		default:
			t.Fatalf("Admit: %v", err)
		}
	}
	return slots, last
}

func wantSentence(t *testing.T, err error, kind fault.Kind, code, sentence string) {
	t.Helper()
	wantFault(t, sentence, err, kind, code)
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || !strings.Contains(e.Msg, sentence) || (e.RetryAfter <= 0) != (kind == fault.QuotaExceeded) {
		t.Errorf("error = %v, want it to say %q, and when to try again where that helps", err, sentence)
	}
}

// TestLimits reaches each limit of a key and of its organisation. Each refusal names its limit.
func TestLimits(t *testing.T) {
	twice(t, func(t *testing.T, svc *account.Service, limits *accounttest.Limits) {
		secret, k, c := newKey(t, svc, "starter") // 60 a minute, 5 streams, of each key
		n, err := pass(t, svc, c, 70)
		if n != 60 {
			t.Errorf("%d of 70 requests passed, want 60", n)
		}
		wantSentence(t, err, fault.RateLimited, fault.CodeRateLimited, "this key may send 60 requests a minute, and has; the next one can pass in 60 s")
		slots, err := admit(t, svc, c, 7)
		wantSentence(t, err, fault.TooManyStreams, fault.CodeTooManyStreams, "this key may run 5 streams")
		if len(slots) != 5 || slots[4].Allowance.Running != 5 || slots[4].Allowance.Streams != 5 {
			t.Errorf("%d streams, want 5", len(slots))
		}
		_, err = svc.Reserve(t.Context(), c, 100_001)
		wantSentence(t, err, fault.QuotaExceeded, fault.CodeInsufficientQuota, "100000 remain")
		for _, s := range slots {
			s.Release()
			s.Release()
		}
		(*account.Slot)(nil).Release()

		time.Sleep(60 * time.Second)
		if err := svc.SetCeilings(t.Context(), k.OrgID, account.Ceilings{RequestsPerMinute: 70, MaxStreams: 6}); err != nil {
			t.Fatal(err)
		}
		_, _, other := addKey(t, svc, k.OrgID, account.KeyRequest{Label: "other"})
		c = authenticate(t, svc, secret)
		if n, _ := pass(t, svc, c, 60); n != 60 {
			t.Errorf("%d of 60 requests passed a minute later", n)
		}
		n, err = pass(t, svc, other, 60)
		if n != 10 {
			t.Errorf("%d requests of another key passed, want the 10 that the organisation has left", n)
		}
		wantSentence(t, err, fault.RateLimited, fault.CodeRateLimited, "this organisation may send 70 requests")
		first, _ := admit(t, svc, c, 4)
		rest, err := admit(t, svc, other, 4)
		if len(first) != 4 || len(rest) != 2 {
			t.Errorf("%d and %d streams, want 4 and 2", len(first), len(rest))
		}
		wantSentence(t, err, fault.TooManyStreams, fault.CodeTooManyStreams, "this organisation may run 6 streams")
		if got := svc.Stats(); got.RateRefused != 60 || got.StreamsRefused != 4 || got.Slots != 6 || got.QuotaRefused != 1 {
			t.Errorf("Stats = %+v", got)
		}
		time.Sleep(time.Minute) // leases are renewed
		if _, err := svc.Admit(t.Context(), other); fault.KindOf(err) != fault.TooManyStreams {
			t.Errorf("Admit a minute later = %v, want the slots still taken", err)
		}
		for _, s := range append(first, rest...) {
			s.Release()
		}
		if got := limits.Held(k.OrgID) + svc.Stats().Slots; got != 0 {
			t.Errorf("%d slots taken after all were released", got)
		}
	})
}

func TestUnlimited(t *testing.T) {
	twice(t, func(t *testing.T, svc *account.Service, limits *accounttest.Limits) {
		_, _, c := newKey(t, svc, "unlimited")
		for _, c := range []account.Caller{c, account.Local} {
			if n, _ := pass(t, svc, c, 500); n != 500 {
				t.Errorf("%d of 500 requests passed", n)
			}
			slots, _ := admit(t, svc, c, 50)
			if a := slots[49].Allowance; a.Streams != ledger.Unlimited || a.Running != 50 {
				t.Errorf("Allowance = %+v", a)
			}
			for _, s := range slots {
				s.Release()
			}
		}
		for what, err := range map[string]error{
			"Enter": second(svc.Enter(t.Context(), account.Caller{})), "Admit": second(svc.Admit(t.Context(), account.Caller{})),
		} {
			if fault.KindOf(err) != fault.Internal {
				t.Errorf("%s of nobody = %v, want an internal error", what, err)
			}
		}
	})
}

// TestLimitsAway takes the shared limits away. Each process then grants its share, until they are
// back.
func TestLimitsAway(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]func(*accounttest.Limits) func(){
		"fail":       func(l *accounttest.Limits) func() { l.Fail(errDisk); return func() { l.Fail(nil) } },
		"fail oddly": func(l *accounttest.Limits) func() { l.Fail(errors.New("odd")); return func() { l.Fail(nil) } },
		"hang":       func(l *accounttest.Limits) func() { return l.Hang() },
	} {
		t.Run(name, func(t *testing.T) {
			limited(t, true, func(t *testing.T, svc *account.Service, limits *accounttest.Limits) {
				_, k, c := newKey(t, svc, "starter") // 60 a minute, 5 streams
				limits.SetReplicas(4)
				time.Sleep(6 * time.Second)
				kept, _ := admit(t, svc, c, 1)
				back := away(limits)
				under(t, "70 requests", time.Second, func() {
					if n, _ := pass(t, svc, c, 70); n != 15 {
						t.Errorf("%d requests passed alone, want a quarter of 60", n)
					}
				})
				slots, _ := admit(t, svc, c, 5)
				if len(slots) != 1 {
					t.Errorf("%d more streams alone, want 5/4 rounded up, less the one that runs", len(slots))
				}
				if !svc.Stats().LocalLimits {
					t.Error("Stats().LocalLimits = false")
				}
				asked := limits.Calls()
				pass(t, svc, c, 10)
				if limits.Calls() != asked {
					t.Error("limits that are away are asked again at each request")
				}
				time.Sleep(2 * time.Second)
				back()
				time.Sleep(10 * time.Second)
				if svc.Stats().LocalLimits {
					t.Error("Stats().LocalLimits = true after they are back")
				}
				if got := limits.Held(k.ID); got != 1 {
					t.Errorf("%d shared slots, want the one from before", got)
				}
				if n, _ := pass(t, svc, c, 70); n != 60 {
					t.Errorf("%d requests passed when they are shared again, want 60", n)
				}
				for _, s := range append(kept, slots...) {
					s.Release()
				}
				if got := limits.Held(k.ID) + svc.Stats().Slots; got != 0 {
					t.Errorf("%d slots taken after all were released", got)
				}
			})
		})
	}
}

// TestLimitsAwayGoOn takes the shared limits away after another process has used most of a minute.
// Only the remainder of the limit is divided among the processes.
func TestLimitsAwayGoOn(t *testing.T) {
	limited(t, true, func(t *testing.T, svc *account.Service, limits *accounttest.Limits) {
		_, k, c := newKey(t, svc, "starter") // 60 a minute
		limits.SetReplicas(4)
		time.Sleep(6 * time.Second)
		for range 47 { // another process
			if _, err := limits.TakeRequest(t.Context(), []account.Scope{{ID: k.ID, Limit: 60}}); err != nil {
				t.Fatal(err)
			}
		}
		if n, _ := pass(t, svc, c, 1); n != 1 {
			t.Fatal("a request within the limit is refused")
		}
		limits.Fail(errDisk)
		n, refused := pass(t, svc, c, 60)
		if n != 3 {
			t.Errorf("%d requests passed alone, want a quarter of the 12 that were left", n)
		}
		if refused == nil || !strings.Contains(refused.Error(), "may send 60 requests a minute") {
			t.Errorf("refused with %v", refused)
		}
		time.Sleep(2 * time.Minute)
		if n, _ := pass(t, svc, c, 60); n != 15 {
			t.Errorf("%d requests passed alone in another minute, want a quarter of 60", n)
		}
	})
}

// TestLimitsOfOneWhoLeft checks that the end of a caller's context says nothing
// about the shared limits, and keeps no slot.
func TestLimitsOfOneWhoLeft(t *testing.T) {
	limited(t, true, func(t *testing.T, svc *account.Service, limits *accounttest.Limits) {
		_, k, c := newKey(t, svc, "starter")
		synctest.Wait() // Start asks once
		back := limits.Hang()
		short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		gone, leave := context.WithCancel(t.Context())
		leave()
		for _, ctx := range []context.Context{short, gone} {
			if _, err := svc.Enter(ctx, c); fault.KindOf(err) != fault.Cancelled {
				t.Errorf("Enter of one who left = %v", err)
			}
			if _, err := svc.Admit(ctx, c); fault.KindOf(err) != fault.Cancelled {
				t.Errorf("Admit of one who left = %v", err)
			}
		}
		back()
		if svc.Stats().LocalLimits || svc.Stats().Slots != 0 || limits.Held(k.ID) != 0 {
			t.Errorf("Stats = %+v, %d held, want shared limits and no slot", svc.Stats(), limits.Held(k.ID))
		}
	})
}

// TestLimitsRace checks that of many concurrent calls never more than the limit run.
func TestLimitsRace(t *testing.T) {
	twice(t, func(t *testing.T, svc *account.Service, _ *accounttest.Limits) {
		_, k, _ := newKey(t, svc, "growth") // 20 streams
		if err := svc.SetCeilings(t.Context(), k.OrgID, account.Ceilings{RequestsPerMinute: ledger.Unlimited, MaxStreams: 7}); err != nil {
			t.Fatal(err)
		}
		_, _, c := addKey(t, svc, k.OrgID, account.KeyRequest{Label: "racer"})
		var mu sync.Mutex
		var running, most, passed int
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() {
				for range 10 {
					s, err := svc.Admit(t.Context(), c)
					if err != nil {
						continue
					}
					mu.Lock()
					running, passed = running+1, passed+1
					most = max(most, running)
					mu.Unlock()
					time.Sleep(time.Millisecond)
					mu.Lock()
					running--
					mu.Unlock()
					s.Release()
				}
			})
		}
		wg.Wait()
		if most != 7 || passed < 7 || svc.Stats().Slots != 0 {
			t.Errorf("%d streams at once, %d passed, %d left, want 7 at once and none left", most, passed, svc.Stats().Slots)
		}
	})
}
