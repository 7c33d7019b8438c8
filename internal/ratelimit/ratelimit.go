// Package ratelimit counts requests by the minute and what runs at once.
//
// [Window] is the count of one caller, [Limiter] keeps the windows of many in
// memory, [Slots] counts what runs at once. None of them starts a goroutine or
// reads the clock to decide: the present is always given.
package ratelimit

import "time"

const (
	// counted is how long after its second a request counts, in seconds.
	counted = 60
	// buckets is how many seconds count at once: the present one and those
	// before it.
	buckets = counted + 1
	// MaxWait is the longest that [Decision.Reset] and [Decision.RetryAfter]
	// can be.
	MaxWait = counted * time.Second
)

// Decision says whether a request may pass, and how things stand after it.
type Decision struct {
	Allowed    bool
	Limit      int           // the budget, in requests a minute; -1 = unlimited
	Remaining  int           // how many more may pass at once; -1 = unlimited
	Reset      time.Duration // until the whole budget is back, 0 to MaxWait
	RetryAfter time.Duration // until the next request can pass, more than 0 to MaxWait; 0 when allowed
}

// Window counts the requests of the last minute, second by second. The zero
// Window is empty. It takes 256 bytes, and two that counted the same compare
// equal. It is not safe for concurrent use.
//
// The algorithm, for whoever must state it in another language: the state is
// the second of the latest request that was counted (last, 0 at first), how much of
// that second had passed then (late, 0 at first), and a ring of 61 counts, all 0 at
// first. Seconds are Unix seconds, rounded down; second s has the place s mod 61 in
// the ring. To take a request at an instant with a budget:
//
//  1. The instant is that of the request, or last and late when that is later; at is
//     its second.
//  2. A second s before last counts until the beginning of second s+61; last counts
//     until 60 s after the latest request. So used is 0 from then on, and before it the
//     sum of the counts of the seconds at-60 to last.
//  3. If used >= budget the request is refused, and nothing changes. It can
//     pass when second s counts no more, where s is the latest second such
//     that the counts of the seconds s to last sum to budget or more.
//  4. Else the counts of the seconds last+1 to at become 0, or all of them when used
//     is 0, last and late become the instant, and the count of last goes
//     up by one.
//  5. The whole budget is back 60 s after the latest request.
//
// A request at an instant counts for 60 s at least, and for 61 s at most when others
// follow in its second or later. It follows that
//
//   - no 60 s, one end included, see more requests pass than the budget,
//   - a whole budget may pass at one instant,
//   - a request is refused only when the last 61 s saw the whole budget, so
//     budget/61 requests a second, evenly spaced, always pass,
//   - nobody is told to wait for more than 60 s.
//
// A clock that goes back is taken to stand still at the latest request until it has
// caught up. Times before 1970 are taken for its beginning.
type Window struct {
	last int64  // the Unix second of the latest counted request
	late uint32 // how much of that second had passed, in nanoseconds
	ring [buckets]uint32
}

// Take counts a request at now if the budget, in requests a minute, has room
// for it. A budget below 0 is unlimited, and nothing is counted. A budget of 0
// refuses everything; RetryAfter is then [MaxWait], though waiting does not
// help.
func (w *Window) Take(now time.Time, budget int) Decision {
	d := w.Look(now, budget)
	if !d.Allowed || budget < 0 {
		return d
	}
	at, into := w.instant(now)
	if d.Remaining == budget { // nothing counts any more, whatever the ring holds
		clear(w.ring[:])
	} else {
		for s := w.last + 1; s <= at; s++ {
			w.ring[place(s)] = 0
		}
	}
	w.last, w.late = at, uint32(into)
	w.ring[place(at)]++
	d.Remaining--
	d.Reset = w.until(at, at, into)
	return d
}

// Look returns what [Window.Take] would decide, and how things stand now,
// without counting.
func (w *Window) Look(now time.Time, budget int) Decision {
	if budget < 0 {
		return Decision{Allowed: true, Limit: -1, Remaining: -1}
	}
	at, into := w.instant(now)
	used := w.used(at, into)
	d := Decision{Allowed: used < budget, Limit: budget, Remaining: max(0, budget-used)}
	if used > 0 {
		d.Reset = w.until(w.last, at, into)
	}
	switch {
	case d.Allowed:
	case budget == 0:
		d.RetryAfter = MaxWait
	default:
		d.RetryAfter = w.retry(at, into, budget)
	}
	return d
}

// instant returns now as the window sees it, never before the latest counted
// request: its second, and how much of that has passed.
func (w *Window) instant(now time.Time) (at int64, into time.Duration) {
	at, into = now.Unix(), time.Duration(now.Nanosecond())
	if late := time.Duration(w.late); at < w.last || at == w.last && into < late {
		return w.last, late
	}
	return at, into
}

// used returns how many requests count at an instant into the second at, which is not
// before the latest counted one.
func (w *Window) used(at int64, into time.Duration) int {
	live := w.last - (at - counted) + 1 // seconds
	if live <= 0 || live == 1 && into >= time.Duration(w.late) {
		return 0
	}
	n := 0
	first := place(at - counted)
	for _, c := range w.ring[first:min(first+live, buckets)] {
		n += int(c)
	}
	for _, c := range w.ring[:max(0, first+live-buckets)] {
		n += int(c)
	}
	return n
}

// retry returns how long it takes until a request fits into the budget, which
// more than 0 requests that count at the second at have spent.
func (w *Window) retry(at int64, into time.Duration, budget int) time.Duration {
	s, i := w.last, place(w.last)
	for {
		budget -= int(w.ring[i])
		if budget <= 0 {
			return w.until(s, at, into)
		}
		s--
		if i--; i < 0 {
			i = buckets - 1
		}
	}
}

// idle reports whether nothing counts any more at now.
func (w *Window) idle(now time.Time) bool { return now.Unix()-w.last > counted }

// place returns where a second, -60 or later, stands in the ring.
func place(s int64) int64 { return (s + buckets) % buckets }

// until returns how long it takes until the requests of second s no longer
// count, from an instant into the second at.
func (w *Window) until(s, at int64, into time.Duration) time.Duration {
	if s == w.last {
		return time.Duration(s+counted-at)*time.Second + time.Duration(w.late) - into
	}
	return time.Duration(s+buckets-at)*time.Second - into
}
