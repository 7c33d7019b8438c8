// Package ratelimit counts requests per minute, and operations that run at the same time.
//
// [Window] counts for one caller, [Limiter] keeps the windows of many callers in memory, and
// [Slots] counts what is running. None of them starts a goroutine or reads the clock to decide:
// the caller passes the current time.
package ratelimit

import "time"

const (
	// windowSeconds is how many seconds after its own second a request counts.
	windowSeconds = 60
	// buckets is how many seconds count at a time: the current one and those before it.
	buckets = windowSeconds + 1
	// MaxWait is the largest value of [Decision.Reset] and [Decision.RetryAfter].
	MaxWait = windowSeconds * time.Second
)

// Decision tells whether a request may pass, and the state after it.
type Decision struct {
	Allowed    bool
	Limit      int           // the budget in requests per minute; -1 = unlimited
	Remaining  int           // how many more requests may pass now; -1 = unlimited
	Reset      time.Duration // until the full budget is available, 0 to MaxWait
	RetryAfter time.Duration // until the next request can pass, over 0 to MaxWait; 0 if allowed
}

// Window counts the requests of the last minute, second by second. The zero Window is empty. It
// takes 256 bytes; two windows that counted the same are equal. It is not safe for concurrent use.
//
// The algorithm, for implementations in other languages: the state is the second of the latest
// counted request (last, initially 0), how much of that second had passed then (offset, initially
// 0), and a ring of 61 counts, initially 0. Seconds are Unix seconds, rounded down. The count of
// second s is at index s mod 61. To take a request at an instant with a budget:
//
//  1. If last and offset are later than the instant, they replace it. at is the second of the
//     instant.
//  2. A second s before last counts until the beginning of second s+61. last counts until 60 s
//     after the latest request. So used is 0 from then on, and before that the sum of the counts
//     of the seconds at-60 to last.
//  3. If used >= budget the request is refused and nothing changes. It can pass when second s no
//     longer counts, where s is the latest second such that the counts of the seconds s to last
//     add up to budget or more.
//  4. Otherwise set the counts of the seconds last+1 to at to 0, or all counts if used is 0. Set
//     last and offset to the instant, and add one to the count of last.
//  5. The full budget is available 60 s after the latest request.
//
// So a request counts for at least 60 s, and for at most 61 s if others follow in its second or
// later. This has four consequences:
//
//   - in any 60 s, with one end included, no more requests pass than the budget,
//   - a full budget may pass at one instant,
//   - a request is refused only if the last 61 s used the full budget, so budget/61 requests a
//     second at equal distances always pass,
//   - nobody is told to wait longer than 60 s.
//
// If the clock goes back, time stands still at the latest request until the clock has caught up.
// Times before 1970 count as the beginning of 1970.
type Window struct {
	lastSecond int64  // the Unix second of the latest counted request
	lastOffset uint32 // how much of that second had passed, in nanoseconds
	ring       [buckets]uint32
}

// Take counts a request at now if the budget, in requests per minute, allows it. A negative budget
// is unlimited, and nothing is counted. A budget of 0 refuses everything; RetryAfter is then
// [MaxWait], although waiting does not help.
func (w *Window) Take(now time.Time, budget int) Decision {
	d := w.Look(now, budget)
	if !d.Allowed || budget < 0 {
		return d
	}
	at, into := w.instant(now)
	if d.Remaining == budget { // nothing counts any more; the ring may hold old counts
		clear(w.ring[:])
	} else {
		// Step 4: the seconds between have no requests, and their places hold counts of a minute
		// ago. At most 60 rounds, because something still counts.
		for s := w.lastSecond + 1; s <= at; s++ {
			w.ring[ringIndex(s)] = 0
		}
	}
	w.lastSecond, w.lastOffset = at, uint32(into)
	w.ring[ringIndex(at)]++
	d.Remaining--
	d.Reset = w.until(at, at, into)
	return d
}

// Look returns what [Window.Take] would decide, with the current state, without counting.
func (w *Window) Look(now time.Time, budget int) Decision {
	if budget < 0 {
		return Decision{Allowed: true, Limit: -1, Remaining: -1}
	}
	at, into := w.instant(now)
	used := w.used(at, into)
	d := Decision{Allowed: used < budget, Limit: budget, Remaining: max(0, budget-used)}
	if used > 0 {
		d.Reset = w.until(w.lastSecond, at, into)
	}
	switch {
	case d.Allowed:
	case budget == 0:
		d.RetryAfter = MaxWait
	default:
		d.RetryAfter = w.retryAfter(at, into, budget)
	}
	return d
}

// instant returns the second of now and how much of it has passed, but not before the latest
// counted request.
func (w *Window) instant(now time.Time) (at int64, into time.Duration) {
	at, into = now.Unix(), time.Duration(now.Nanosecond())
	// Step 1: time stands still until the clock has caught up.
	if late := time.Duration(w.lastOffset); at < w.lastSecond || at == w.lastSecond && into < late {
		return w.lastSecond, late
	}
	return at, into
}

// used returns how many requests count at an instant, which must not be before the latest
// counted request.
func (w *Window) used(at int64, into time.Duration) int {
	// live is how many of the seconds up to last still count.
	live := w.lastSecond - (at - windowSeconds) + 1
	// With one second left, that second is last, which counts until 60 s after its latest request.
	if live <= 0 || live == 1 && into >= time.Duration(w.lastOffset) {
		return 0
	}
	n := 0
	// The live seconds may wrap around the end of the ring.
	first := ringIndex(at - windowSeconds)
	for _, c := range w.ring[first:min(first+live, buckets)] {
		n += int(c)
	}
	for _, c := range w.ring[:max(0, first+live-buckets)] {
		n += int(c)
	}
	return n
}

// retryAfter returns how long it takes until a request fits into the budget, which is more than
// 0 and used up.
func (w *Window) retryAfter(at int64, into time.Duration, budget int) time.Duration {
	// Go back from the latest second until the seconds passed add up to the budget.
	s, i := w.lastSecond, ringIndex(w.lastSecond)
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

// idle reports whether nothing counts any more at now. It may be up to a second late.
func (w *Window) idle(now time.Time) bool { return now.Unix()-w.lastSecond > windowSeconds }

// ringIndex returns the index in the ring of a second, which must be at least -60.
func ringIndex(s int64) int64 { return (s + buckets) % buckets }

// until returns how long it takes from an instant until the requests of second s no longer
// count.
func (w *Window) until(s, at int64, into time.Duration) time.Duration {
	// Step 2: the latest second ends 60 s after the latest request, an earlier one when second s+61
	// begins.
	if s == w.lastSecond {
		return time.Duration(s+windowSeconds-at)*time.Second + time.Duration(w.lastOffset) - into
	}
	return time.Duration(s+buckets-at)*time.Second - into
}
