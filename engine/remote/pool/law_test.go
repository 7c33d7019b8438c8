package pool_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vaak/engine/remote/pool"
	"vaak/engine/remote/wire"
)

// TestLaws does anything in any order to a pool, and compares with a simple count.
func TestLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := pool.New(pool.Settings{}, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)))
		now := start
		type held struct {
			lease *pool.Lease
			left  time.Duration // negative once it has ended
		}
		var (
			leases   []*held
			taken    = map[string]int{}
			ended    = map[string]int{}
			limit    = map[string]int{}
			checks   []pool.Check
			outcomes = rapid.SampledFrom([]pool.Outcome{
				{}, {FirstAudio: time.Second, Audio: time.Second}, {Cancelled: true}, {Reason: wire.Refused},
				{Reason: wire.Busy}, {Reason: wire.Busy, RetryAfter: 3 * time.Second}, {Reason: wire.Failed},
				{Reason: wire.Unreachable}, {Reason: wire.Unreachable}, {Reason: wire.Late}, {Reason: wire.WrongRate}, {Reason: "other"},
			})
		)
		// The same IDs all the time, so that the pool remembers all of them.
		set := func() {
			var list []pool.Member
			clear(limit)
			for i := range 6 {
				if m := (pool.Member{ID: fmt.Sprint(i), Weight: float64(rapid.IntRange(0, 3).Draw(t, "weight")), Streams: rapid.IntRange(0, 4).Draw(t, "streams")}); rapid.IntRange(0, 4).Draw(t, "out") > 0 {
					list = append(list, m)
					limit[m.ID] = m.Streams
				}
			}
			p.Set(now, list)
		}
		set()
		status := func() map[string]pool.Status {
			all := map[string]pool.Status{}
			for _, s := range p.Members(now) {
				all[s.ID] = s
			}
			return all
		}
		pick := func() *held {
			if len(leases) == 0 {
				t.Skip("no lease")
			}
			return leases[rapid.IntRange(0, len(leases)-1).Draw(t, "lease")]
		}
		t.Repeat(map[string]func(*rapid.T){
			"take": func(t *rapid.T) {
				audio := time.Duration(rapid.IntRange(0, 20).Draw(t, "audio")) * time.Second
				var avoid []string
				if rapid.Bool().Draw(t, "some are avoided") {
					avoid = []string{"0", "3"}
				}
				before := status()
				up := 0
				for _, s := range before {
					if s.State == pool.Up || s.State == pool.Returning {
						up++
					}
				}
				l, err := p.Take(now, audio, avoid...)
				if err != nil {
					if usable := p.Usable(now); (usable == nil) != (up > 0) && usable != nil {
						t.Fatalf("Usable: %v, with %d members up", usable, up)
					}
					return
				}
				s, known := before[l.Member()]
				switch most := limit[l.Member()]; {
				case !known:
					t.Fatalf("a place on %s, which was removed", l.Member())
				case s.State == pool.Ejected || s.State == pool.Trial && up > 0:
					t.Fatalf("a place on %s, which is %v", s.ID, s.State)
				case most > 0 && s.Streams >= most:
					t.Fatalf("a place on %s, which has %d streams of %d", s.ID, s.Streams, most)
				case len(avoid) > 0 && (s.ID == "0" || s.ID == "3"):
					t.Fatalf("a place on %s, which is avoided", s.ID)
				}
				leases = append(leases, &held{l, audio})
				taken[l.Member()]++
			},
			"made": func(t *rapid.T) {
				h := pick()
				d := time.Duration(rapid.IntRange(-1, 9).Draw(t, "made")) * time.Second
				h.lease.Made(now, d)
				if h.left >= 0 {
					h.left = max(h.left-max(d, 0), 0)
				}
			},
			"done": func(t *rapid.T) {
				h := pick()
				o := outcomes.Draw(t, "outcome")
				if h.lease.Done(now, o); h.left >= 0 {
					ended[h.lease.Member()]++
				}
				h.left = -1 // a second time is possible
			},
			"time": func(t *rapid.T) {
				now = now.Add(time.Duration(rapid.IntRange(0, 4000).Draw(t, "ms")) * time.Millisecond)
			},
			"due": func(t *rapid.T) {
				all := status()
				for _, c := range p.Due(now) {
					if s := all[c.Member]; c.Speak != (s.State == pool.Trial) {
						t.Fatalf("check %+v of a member that is %v", c, s.State)
					}
					checks = append(checks, c)
				}
			},
			"probed": func(t *rapid.T) {
				if len(checks) == 0 {
					t.Skip("no check")
				}
				p.Probed(now, checks[0], outcomes.Draw(t, "outcome"))
				checks = checks[1:]
			},
			"set": func(*rapid.T) { set() },
			"": func(t *rapid.T) {
				outstanding := map[string]time.Duration{}
				for _, h := range leases {
					if h.left >= 0 {
						outstanding[h.lease.Member()] += h.left
					}
				}
				for id, s := range status() {
					var failures uint64
					for _, n := range s.Failures {
						failures += n
					}
					switch {
					case s.Streams != taken[id]-ended[id]:
						t.Fatalf("%s has %d streams, want %d", id, s.Streams, taken[id]-ended[id])
					case s.Outstanding != outstanding[id]:
						t.Fatalf("%s has %v outstanding, want %v", id, s.Outstanding, outstanding[id])
					case s.Requests != uint64(taken[id]):
						t.Fatalf("%s counts %d requests, want %d", id, s.Requests, taken[id])
					case s.Well+s.Cancelled+failures != uint64(ended[id]):
						t.Fatalf("%s counts %d outcomes, want %d", id, s.Well+s.Cancelled+failures, ended[id])
					case s.Share < 0 || s.Share > 1 || (s.State == pool.Ejected || s.State == pool.Trial) && s.Share != 0:
						t.Fatalf("%s is %v with a share of %v", id, s.State, s.Share)
					}
				}
			},
		})
	})
}

// TestLoadBecomesEven: whatever happened to members, once all are well for long enough to
// be tried, what is outstanding is spread evenly within five seconds.
func TestLoadBecomesEven(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const n, per = 12, 20 // members, and requests that run on each
		p := pool.New(pool.Settings{}, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)))
		p.Set(start, members(n, pool.Member{}))
		down := map[string]wire.Reason{}
		for _, i := range rapid.SliceOfN(rapid.IntRange(0, n-1), 1, n/2).Draw(t, "down") {
			down[fmt.Sprint(i)] = rapid.SampledFrom([]wire.Reason{wire.Unreachable, wire.Failed, wire.Late, wire.Broken}).Draw(t, "reason")
		}
		// Requests of four seconds that arrive bit by bit, as listeners at playback speed cause.
		type running struct {
			lease *pool.Lease
			left  int // ticks of 50 ms
		}
		var list []running
		now, even := start, time.Time{}
		var returned time.Time
		for tick := range 1200 {
			now = now.Add(50 * time.Millisecond)
			failing := tick < 200
			kept := list[:0]
			for _, r := range list {
				r.left--
				r.lease.Made(now, 50*time.Millisecond)
				reason, bad := down[r.lease.Member()]
				switch {
				case failing && bad:
					r.lease.Done(now, pool.Outcome{Reason: reason})
				case r.left == 0:
					r.lease.Done(now, pool.Outcome{FirstAudio: time.Second, Audio: 4 * time.Second})
				default:
					kept = append(kept, r)
				}
			}
			for list = kept; len(list) < n*per; {
				l, err := p.Take(now, 4*time.Second)
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, running{l, 40 + len(list)%41})
				if len(list)%7 == 0 && failing {
					break // not all at once
				}
			}
			for _, c := range p.Due(now) {
				o := pool.Outcome{}
				if failing {
					o.Reason = down[c.Member]
				}
				p.Probed(now, c, o)
			}
			if failing {
				continue
			}
			back := 0
			var most, sum time.Duration
			for _, s := range p.Members(now) {
				if s.State == pool.Up || s.State == pool.Returning {
					back++
				}
				most, sum = max(most, s.Outstanding), sum+s.Outstanding
			}
			if back < n {
				continue
			}
			if returned.IsZero() {
				returned = now
			}
			if float64(most)*n/float64(sum) < 1.2 {
				even = now
				break
			}
		}
		if even.IsZero() || even.Sub(returned) > 5*time.Second {
			t.Fatalf("all are back after %v, the load is even after %v", returned.Sub(start), even.Sub(start))
		}
	})
}
