package pool

import (
	"slices"
	"time"

	"vaak/engine/remote/wire"
)

// Status is what is known of a member. Totals count from the start of the pool.
type Status struct {
	Member
	State State
	Since time.Time // of the state
	Until time.Time // while ejected: when it goes on trial
	Busy  time.Time // until when it gets nothing or no more, since it is busy; zero if it is not
	// Share is the part of its weight that counts now, from 0 to 1; 0 while it gets nothing.
	Share       float64
	Streams     int           // requests that run
	Outstanding time.Duration // audio that was asked for and has not arrived
	Requests    uint64        // with those that run, without checks
	Well        uint64
	Cancelled   uint64
	Failures    map[wire.Reason]uint64 // nil if there were none
	Ejections   uint64
	Audio       time.Duration // that arrived
	// P50 and P99 are of the time to the first audio, of up to 128 requests of the last minute;
	// 0 if there were none.
	P50, P99    time.Duration
	LastFailure wire.Reason // "" if there was none
	LastAt      time.Time   // of LastFailure
}

// Members returns the members in their order.
func (p *Pool) Members(now time.Time) []Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]Status, len(p.all))
	for i, m := range p.all {
		p.tick(m, now)
		s := Status{
			Member: m.Member, State: m.state, Since: m.since,
			Streams: m.streams, Outstanding: m.outstanding,
			Requests: m.count.requests, Well: m.count.well, Cancelled: m.count.cancelled,
			Ejections: m.count.ejections, Audio: m.count.audio,
			LastFailure: m.count.last, LastAt: m.count.lastAt,
		}
		s.P50, s.P99 = m.first.quantiles(now)
		switch m.state {
		case Ejected:
			s.Until = p.trialAt(m)
		case Up, Returning:
			s.Share = p.share(m, now) / m.Weight
			if now.Before(m.closed) {
				s.Share, s.Busy = 0, m.closed
			} else if m.cap > 0 && now.Before(m.capUntil) {
				s.Busy = m.capUntil
			}
		}
		for i, n := range m.count.failures {
			if n == 0 {
				continue
			}
			if s.Failures == nil {
				s.Failures = map[wire.Reason]uint64{}
			}
			s.Failures[reasons[i]] = n
		}
		list[i] = s
	}
	return list
}

// slots is into how many parts a window is divided.
const slots = 10

// window counts requests and failures of a recent time.
type window struct {
	at                 [slots]int64 // which part of all time a slot is for
	requests, failures [slots]int
}

// slot returns the part of all time that now is in.
func slot(now time.Time, length time.Duration) int64 {
	return now.UnixNano() / max(int64(length)/slots, 1)
}

// add counts a request.
func (w *window) add(now time.Time, length time.Duration, failed bool) {
	at := slot(now, length)
	i := int(uint64(at) % slots)
	if w.at[i] != at {
		w.at[i], w.requests[i], w.failures[i] = at, 0, 0
	}
	w.requests[i]++
	if failed {
		w.failures[i]++
	}
}

// remove takes out what part has counted.
func (w *window) remove(part *window) {
	for i, at := range part.at {
		if w.at[i] == at {
			w.requests[i] -= part.requests[i]
			w.failures[i] -= part.failures[i]
		}
	}
}

// sum returns how many requests there were in the window that ends now.
func (w *window) sum(now time.Time, length time.Duration) (requests, failures int) {
	at := slot(now, length)
	for i, a := range w.at {
		if a > at-slots && a <= at {
			requests += w.requests[i]
			failures += w.failures[i]
		}
	}
	return requests, failures
}

// latencies keeps the most recent times to the first audio.
type latencies struct {
	next  int
	times []latency
}

// latency is the time to the first audio of a request.
type latency struct {
	at    time.Time // when the request ended
	first time.Duration
}

// Of how many requests latencies are kept, and how long they count.
const (
	samples = 128
	recent  = time.Minute
)

// add keeps a time.
func (l *latencies) add(now time.Time, first time.Duration) {
	if len(l.times) < samples {
		l.times = append(l.times, latency{now, first})
		return
	}
	l.times[l.next] = latency{now, first}
	l.next = (l.next + 1) % samples
}

// quantiles returns the median and the 99th percentile.
func (l *latencies) quantiles(now time.Time) (p50, p99 time.Duration) {
	var sorted []time.Duration
	for _, s := range l.times {
		if now.Sub(s.at) <= recent {
			sorted = append(sorted, s.first)
		}
	}
	if len(sorted) == 0 {
		return 0, 0
	}
	slices.Sort(sorted)
	return sorted[len(sorted)/2], sorted[min(len(sorted)*99/100, len(sorted)-1)]
}
