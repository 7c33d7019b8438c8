// Package pool chooses which server of a pool speaks next, and keeps what is known of each.
//
// It is pure: callers pass the time, it starts no goroutine and reaches no network. A caller
// takes a [Lease] for each request, tells what arrives and how it ended, and does the checks
// that [Pool.Due] asks for. The simulation in workshop/pools drives it in virtual time.
//
// # Balance
//
// Each member has outstanding audio: the seconds that were asked of it and have not arrived.
// [Pool.Take] draws two members at random, in proportion to their shares, and takes the one
// with less outstanding audio per share. The share is the weight, lowered for some seconds
// after an ejection, a failure, a busy answer or a first audio that was unusually late. Several processes that share a pool without
// knowing of each other stay apart in this way, while "the least loaded" would have all of
// them choose the same one (Mitzenmacher, The Power of Two Choices in Randomized Load
// Balancing, 2001).
//
// # Health
//
// A member is up until requests or health checks fail on it: [Settings.Row] in a row, or a
// [Settings.Share] of the recent ones. It is then ejected: it gets no request for a pause,
// which doubles with each ejection. Then it is on trial: it gets one short text. When it
// speaks, it returns with a small share that grows. A member that was down for its health
// check too, and is no more, goes on trial before its pause ends.
//
// A failure may be the fault of the text, or of too much load, rather than of the member.
// Such a failure ejects a member only when the others do much better, so a text that no
// server can speak does not empty the pool. See [certain].
//
// When no member is up, pauses are at most [Settings.Panic] long, and a member on trial may
// get one request of a listener in place of a short text.
package pool

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"vaak/engine/remote/wire"
)

// Member is a server of the pool.
type Member struct {
	ID     string  // its address
	Weight float64 // from 0.01 to 100; others, such as 0, count as 1
	// Streams is the most requests at once; 0 sets no limit.
	Streams int
}

// Settings are the thresholds. The zero value of each field stands for its default.
type Settings struct {
	Row       int           // failures in a row that eject; 3. Two do when they are certainly the member's, or while it returns
	Share     float64       // share of failures in Window that ejects; 0.5
	Least     int           // requests in Window that Share needs; 10
	Window    time.Duration // 10 s
	Pause     time.Duration // first pause; 1 s. Actual pauses are up to a quarter shorter, at random
	Longest   time.Duration // pause; 60 s
	Calm      time.Duration // without an ejection, after which pauses begin at Pause again; 60 s
	Panic     time.Duration // longest pause while no member is up; 5 s
	Return    time.Duration // in which the share grows from a tenth to the whole; 2 s
	Recover   time.Duration // in which a share that a failure, a busy or a late answer lowered grows back; 3 s
	Patience  time.Duration // without audio, after which a cancelled request counts as late; 5 s
	Health    time.Duration // between health checks of a member that is up; 5 s
	Unhealthy time.Duration // between those of an ejected one, and after a failed one; 1 s
	// Notice, if not nil, is told of each ejection, trial and return. It must not call the pool.
	Notice func(Notice)
}

// Notice is a change of a member's state.
type Notice struct {
	Member string
	At     time.Time
	State  State
	Reason wire.Reason // of an ejection
	Until  time.Time   // when the pause of an ejection ends
}

// State is what a member may get.
type State uint8

// The states.
const (
	Up        State = iota // requests
	Returning              // requests, with a share that grows
	Ejected                // nothing
	Trial                  // one short text, which decides
)

// String returns the state in lower case.
func (s State) String() string {
	return [...]string{"up", "returning", "ejected", "trial"}[s]
}

// Outcome is how a request or a check ended.
type Outcome struct {
	Reason     wire.Reason   // "" is well
	RetryAfter time.Duration // as the server says; 0 where it does not
	FirstAudio time.Duration // from the request to the first sound; 0 if there was none
	Audio      time.Duration // that arrived
	// Cancelled says that the caller ended the request. It is neither well nor a failure,
	// except where the member had been silent for longer than [Settings.Patience].
	Cancelled bool
}

// Errors of [Pool.Take] and [Pool.Usable], which return a *[FullError] or a *[DownError].
var (
	ErrFull = errors.New("every member of the pool has its most streams")
	ErrDown = errors.New("no member of the pool is up")
)

// FullError says that no member that is up may get another request. It is [ErrFull].
type FullError struct {
	Members int       // that are up
	Streams int       // requests that run on them
	Since   time.Time // when the pool became full
	// Until is when a member that said it is busy may get more; the zero time if none did.
	// A stream that ends makes room earlier: see [Pool.Changed].
	Until time.Time
}

// Error says how many streams run.
func (e *FullError) Error() string {
	return fmt.Sprintf("%v: %d streams on %d members", ErrFull, e.Streams, e.Members)
}

// Is reports whether target is [ErrFull].
func (e *FullError) Is(target error) bool { return target == ErrFull }

// DownError says that no member may get a request. It is [ErrDown].
type DownError struct {
	Members int       // of the pool, in any state
	Until   time.Time // when the next one is tried; the zero time if none is waiting for that
	Avoided bool      // there are members that are up, but the caller avoids all of them
}

// Error says how many members are down.
func (e *DownError) Error() string {
	if e.Avoided {
		return "every member of the pool that is up has been tried"
	}
	return fmt.Sprintf("%v, of %d", ErrDown, e.Members)
}

// Is reports whether target is [ErrDown].
func (e *DownError) Is(target error) bool { return target == ErrDown }

// Pool chooses among members. Its methods are safe for concurrent use. Times that callers
// pass should not go back; where they do, pauses and windows last longer.
type Pool struct {
	settings Settings

	mu      sync.Mutex
	random  *rand.Rand
	all     []*member          // in the order of Set
	open    []*member          // those up or returning, in any order; member.place is the index
	known   map[string]*member // all, and those removed of late
	heavy   float64            // the greatest weight of all
	tally   window             // requests of all members
	usual   time.Duration      // to the first audio: a mean that moves
	full    time.Time          // since when the pool has been full; zero if it is not
	changed chan struct{}      // nil while nobody waits
}

// member is what is known of a member. The mutex of the pool guards it.
type member struct {
	Member
	state   State
	since   time.Time // of state
	until   time.Time // while Ejected: end of the pause. While Trial: when it may be tried
	place   int       // in Pool.open, or -1
	removed time.Time // zero while it is in Pool.all

	streams     int
	outstanding time.Duration

	row       int // failures of requests in a row
	unhealthy int // failures of health checks in a row
	// epoch counts ejections. Requests that were taken before the last ejection say nothing
	// about the member of today.
	epoch     int
	ejections int // in a row, that is without Settings.Calm between them
	damp      float64
	dampAt    time.Time // when the share was lowered by damp, from 0 to 1
	closed    time.Time // until when it gets nothing, since it is busy
	cap       int       // most streams until capUntil, since it was busy with one more
	capUntil  time.Time
	checked   time.Time // when the last check was handed out
	checking  bool      // a check has been handed out and has not been answered
	tried     bool      // on trial, with a listener's request

	recent window
	count  counts
	first  latencies
}

// counts are totals since the start.
type counts struct {
	requests, well, cancelled, ejections uint64
	audio                                time.Duration
	failures                             [len(reasons)]uint64
	last                                 wire.Reason
	lastAt                               time.Time
}

// New returns a pool without members. The pool owns random from now on.
func New(s Settings, random *rand.Rand) *Pool {
	for _, d := range []struct {
		field    *time.Duration
		fallback time.Duration
	}{
		{&s.Window, 10 * time.Second}, {&s.Pause, time.Second}, {&s.Longest, time.Minute}, {&s.Calm, time.Minute},
		{&s.Panic, 5 * time.Second}, {&s.Return, 2 * time.Second}, {&s.Recover, 3 * time.Second},
		{&s.Patience, 5 * time.Second}, {&s.Health, 5 * time.Second}, {&s.Unhealthy, time.Second},
	} {
		if *d.field <= 0 {
			*d.field = d.fallback
		}
	}
	if s.Row <= 0 {
		s.Row = 3
	}
	if s.Least <= 0 {
		s.Least = 10
	}
	if !(s.Share > 0) {
		s.Share = 0.5
	}
	return &Pool{settings: s, random: random, known: map[string]*member{}}
}

// keep is how long a removed member is remembered, so that one which an answer of DNS leaves
// out once does not return without its failures and streams; and keepMost bounds how many.
const (
	keep     = 5 * time.Minute
	keepMost = 1000
)

// Set replaces the members. What is known of members that stay is kept. Of members with the
// same ID, the first counts. A new member of a pool that has members up begins on trial.
// Leases of members that are removed go on.
func (p *Pool) Set(now time.Time, members []Member) {
	p.mu.Lock()
	defer p.mu.Unlock()
	before := p.all
	p.all, p.heavy = make([]*member, 0, len(members)), 0
	p.open = p.open[:0]
	given := make(map[string]bool, len(members))
	var fresh []*member
	for _, g := range members {
		if given[g.ID] {
			continue
		}
		given[g.ID] = true
		if !(g.Weight >= 0.01 && g.Weight <= 100) {
			g.Weight = 1
		}
		m := p.known[g.ID]
		stays := m != nil && m.removed.IsZero()
		if m == nil {
			m = &member{}
			p.known[g.ID] = m
		}
		m.Member, m.removed, m.place = g, time.Time{}, -1
		p.all = append(p.all, m)
		p.heavy = max(p.heavy, g.Weight)
		switch {
		case m.state == Ejected || m.state == Trial:
		case stays:
			p.admit(m)
		default:
			fresh = append(fresh, m)
		}
	}
	for _, m := range before {
		if !given[m.ID] {
			m.removed, m.place = now, -1
			p.clear(m)
		}
	}
	started := len(p.open) > 0
	for _, m := range fresh {
		if m.state, m.since = Up, now; started {
			m.state, m.until = Trial, now
		} else {
			p.admit(m)
		}
	}
	p.forget(now)
	p.signal()
}

// clear drops the recent requests of a member.
func (p *Pool) clear(m *member) {
	p.tally.remove(&m.recent)
	m.recent = window{}
}

// forget drops members that were removed and are no longer of use.
func (p *Pool) forget(now time.Time) {
	for id, m := range p.known {
		old := !m.removed.IsZero() && now.Sub(m.removed) > keep
		if !m.removed.IsZero() && m.streams == 0 && (old || len(p.known) > len(p.all)+keepMost) {
			delete(p.known, id)
		}
	}
}

// Changed returns a channel that is closed when a place becomes free or a member usable.
// To wait for a place, call it before [Pool.Take], so that no change is missed. Places that
// become free because time passes, as FullError.Until and DownError.Until tell, close the
// channel in the next call of [Pool.Due].
func (p *Pool) Changed() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	return p.changed
}

// signal wakes those who wait.
func (p *Pool) signal() {
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// Usable returns nil if some member may get requests, else a *[DownError]. It does not say
// whether members are full.
func (p *Pool) Usable(now time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.open) > 0 {
		return nil
	}
	if m, err := p.last(now, nil); m == nil {
		return err
	}
	return nil
}

// Take takes a place on a member for a request of so much audio, on none of those in avoid.
// The audio is an estimate. The lease must be ended with [Lease.Done]. The error is a
// *[FullError] or a *[DownError].
func (p *Pool) Take(now time.Time, audio time.Duration, avoid ...string) (*Lease, error) {
	audio = max(audio, 0)
	p.mu.Lock()
	defer p.mu.Unlock()
	m, err := p.choose(now, audio, avoid)
	if err != nil {
		return nil, err
	}
	trial := m.state == Trial
	if trial {
		m.tried = true
	}
	m.streams++
	m.outstanding += audio
	m.count.requests++
	p.full = time.Time{}
	return &Lease{pool: p, member: m, remaining: audio, at: now, epoch: m.epoch, trial: trial}, nil
}
