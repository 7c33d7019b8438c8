package account

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"vaak/account/ledger"
	"vaak/internal/fault"
	"vaak/internal/pause"
	"vaak/internal/ratelimit"
)

// errUnknownCaller is a defect of the program: a request went on without
// having been authenticated.
var errUnknownCaller = errors.New("caller is not authenticated")

// maxScopes is how many keys and organisations a process counts for at once.
const maxScopes = 1 << 16

// limitTimeout bounds a question to the shared limits. After it this process
// counts for itself.
const limitTimeout = 500 * time.Millisecond

// admission decides who may enter: it knows keys, the console, the requests of a minute and
// the streams that run.
type admission struct {
	*base
	limits   *limits
	sessions *sessions
	used     *usedKeys
	totals   *totals
}

// limits counts requests and streams for all processes that share a store for them.
// Without one, and while it is away, it counts for this process only.
type limits struct {
	shared  LimitStore // nil: only this process
	windows *ratelimit.Limiter
	slots   *ratelimit.Slots
	log     *slog.Logger
	suspect func() // called when the shared limits do not answer
	holders leases // of shared slots

	local    atomic.Bool // the shared limits are away
	mu       sync.Mutex
	replicas int // that shared the limits when they were last asked
}

// share is this process's part of a limit of streams while it counts alone.
func (l *limits) share(limit int) int {
	if limit < 0 {
		return limit
	}
	// Rounded up, so that a limit below the number of processes lets each of them run one.
	return int(math.Ceil(float64(limit) / float64(l.sharers())))
}

// sharers returns how many processes shared the limits when they were last asked.
func (l *limits) sharers() int {
	if l.shared == nil {
		return 1
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(l.replicas, 1)
}

// note records whether the shared limits answered, and logs the change.
func (l *limits) note(err error) {
	if err != nil {
		l.suspect()
	}
	if was := l.local.Swap(err != nil); was != (err != nil) {
		if err != nil {
			l.log.Error("limits are counted in this process alone", "error", err)
		} else {
			l.log.Info("limits are counted for all processes again")
		}
	}
}

// renew renews the leases of slots and asks how many processes share the limits. So it
// also finds out when the shared limits answer again.
func (l *limits) renew(ctx context.Context) {
	if l.shared == nil {
		return
	}
	ctx, cancel := pause.Within(ctx, WriteTimeout)
	defer cancel()
	// While the limits are counted locally, nothing else asks the shared ones.
	n, err := l.shared.Replicas(ctx)
	if err == nil {
		l.mu.Lock()
		l.replicas = n
		l.mu.Unlock()
		if ids := l.holders.list(); len(ids) > 0 {
			err = l.shared.RenewSlots(ctx, ids, slotLease)
		}
	}
	l.note(err)
}

// Allowance is how much of its limits a caller has left; -1 is no limit.
type Allowance struct {
	Requests ratelimit.Decision
	Streams  int // limit of the key
	Running  int // streams of the key
}

// Enter counts one request to the caller's minute. The error is of kind RateLimited when
// the key or its organisation has no request left in that minute. The allowance is that of
// the key, also with an error.
func (s *admission) Enter(ctx context.Context, c Caller) (Allowance, error) {
	if !c.known() {
		return Allowance{}, errUnknownCaller
	}
	a := Allowance{Requests: ratelimit.Decision{Allowed: true, Limit: ledger.Unlimited, Remaining: ledger.Unlimited}, Streams: limitOf(c.Streams)}
	if c.local() {
		return a, nil
	}
	s.used.note(c.keptKey(), s.now())
	scopes := c.scopes(c.Requests, c.OrgRequests)
	standings, err := s.limits.request(ctx, scopes, s.now())
	if err != nil {
		return a, err
	}
	// The first scope is that of the key; see scopes.
	a.Requests, a.Running = standings[0].Requests, standings[0].Streams
	for i, st := range standings {
		if !st.Requests.Allowed {
			s.totals.rateRefused.Add(1)
			return a, rateLimited(c.whose(i), st.Requests)
		}
	}
	return a, nil
}

// scopes are what is counted for a caller: its key, and its organisation when
// that has a ceiling.
func (c Caller) scopes(key, org int) []Scope {
	scopes := []Scope{{c.keptKey(), limitOf(key)}}
	if org > 0 {
		scopes = append(scopes, Scope{c.OrgID, org})
	}
	return scopes
}

// limitOf turns a limit of a [Caller] into one of a [Scope].
func limitOf(n int) int {
	if n == 0 {
		return ledger.Unlimited
	}
	return n
}

// whose names a scope of a caller in a sentence.
func (c Caller) whose(scope int) string {
	switch {
	case scope > 0:
		return "this organisation"
	case c.KeyID == ConsoleKey:
		return "the console"
	}
	return "this key"
}

func rateLimited(whose string, d ratelimit.Decision) error {
	wait := int(math.Ceil(d.RetryAfter.Seconds()))
	e := fault.New(fault.RateLimited, fault.CodeRateLimited, "",
		"%s may send %d requests a minute, and has; the next one can pass in %d s", whose, d.Limit, wait)
	e.RetryAfter = d.RetryAfter
	return e
}

func (l *limits) request(ctx context.Context, scopes []Scope, now time.Time) ([]Standing, error) {
	// Without a limit nothing can be refused, so the round trip is saved.
	bounded := false
	for _, sc := range scopes {
		bounded = bounded || sc.Limit >= 0
	}
	if l.shared != nil && bounded && !l.local.Load() {
		asked, cancel := pause.Within(ctx, limitTimeout)
		defer cancel()
		standings, err := l.shared.TakeRequest(asked, scopes)
		switch {
		case err == nil:
			l.remember(standings, scopes, now)
			return standings, nil
		case ctx.Err() != nil: // the caller went away; the store may be well
			return nil, errGone(err)
		}
		l.note(err)
	}
	return l.requestHere(scopes, now), nil
}

// remember raises the windows of this process to what all processes together have let
// through. When the shared limits go away, it goes on counting from there.
func (l *limits) remember(standings []Standing, scopes []Scope, now time.Time) {
	for i, sc := range scopes {
		if sc.Limit < 0 {
			continue
		}
		used := sc.Limit - standings[i].Requests.Remaining
		// With a limit that is never reached, what a window holds is the limit less what
		// remains, and every Take is counted.
		for here := math.MaxInt32 - l.windows.Look(sc.ID, now, math.MaxInt32).Remaining; here < used; here++ {
			l.windows.Take(sc.ID, now, math.MaxInt32)
		}
	}
}

// errGone says that the caller's context ended before the limits were asked.
func errGone(err error) error {
	e := fault.New(fault.Cancelled, "cancelled", "", "the caller went away")
	e.Err = err
	return e
}

// requestHere counts a request in this process: at every scope or at none. While the shared
// limits are away, each request is counted once for every process that shares them: the
// others are assumed to let as many through, so that all together stay within the limit.
func (l *limits) requestHere(scopes []Scope, now time.Time) []Standing {
	out := make([]Standing, len(scopes))
	ok := true
	// Look at all scopes before any is counted: a request that the organisation's limit
	// refuses must not use up the key's.
	for i, sc := range scopes {
		budget, _ := l.alone(sc.Limit)
		out[i] = Standing{Requests: l.windows.Look(sc.ID, now, budget), Streams: l.slots.Running(sc.ID)}
		ok = ok && out[i].Requests.Allowed
	}
	for i := 0; ok && i < len(scopes); i++ {
		budget, more := l.alone(scopes[i].Limit)
		out[i].Requests = l.windows.Take(scopes[i].ID, now, budget)
		ok = out[i].Requests.Allowed // another goroutine may have taken the last one since Look
		for range more {
			if ok {
				l.windows.Take(scopes[i].ID, now, math.MaxInt32)
			}
		}
	}
	for i, sc := range scopes {
		_, more := l.alone(sc.Limit)
		d := &out[i].Requests
		// The caller is told of the limit of all processes. Each request takes more+1 places
		// of the window.
		d.Limit, d.Remaining = max(sc.Limit, ledger.Unlimited), d.Remaining/(more+1)
	}
	return out
}

// alone returns how many requests a window may have held before this one, and how many more
// the request is counted for; see requestHere.
func (l *limits) alone(limit int) (budget, more int) {
	if limit < 0 {
		return limit, 0
	}
	// At most limit-1, so that budget is 1 or more: a limit that is smaller than the number
	// of processes still lets a request through. Budget leaves room for the further ones, so
	// a window never holds more than limit.
	more = min(l.sharers(), max(limit, 1)) - 1
	return limit - more, more
}

// Slot is the right to run one stream. Release must be called.
type Slot struct {
	// Allowance is how the key stands with this stream running; its requests are
	// left out.
	Allowance Allowance

	release func()
	once    sync.Once
}

// Admit gives a caller a stream slot, to be held while audio is made for it. The error is of
// kind TooManyStreams when the key or its organisation has none left.
func (a *admission) Admit(ctx context.Context, c Caller) (*Slot, error) {
	if !c.known() {
		return nil, errUnknownCaller
	}
	taken, full, release, err := a.limits.slot(ctx, c.scopes(c.Streams, c.OrgStreams))
	if err != nil {
		return nil, err
	}
	if full >= 0 {
		a.totals.streamsRefused.Add(1)
		return nil, tooMany(c.whose(full), [...]int{c.Streams, c.OrgStreams}[full])
	}
	a.totals.slots.Add(1)
	return &Slot{
		Allowance: Allowance{Streams: limitOf(c.Streams), Running: taken},
		release: func() {
			a.totals.slots.Add(-1)
			release()
		},
	}, nil
}

// slotWait is when to try again for a slot: sooner than for a request of the
// minute, because streams end all the time.
const slotWait = 500 * time.Millisecond

func tooMany(whose string, limit int) error {
	e := fault.New(fault.TooManyStreams, fault.CodeTooManyStreams, "",
		"%s may run %d streams at once, and does; try again when one has ended", whose, limit)
	e.RetryAfter = slotWait
	return e
}

// slot takes a slot at every scope; full is the first that had none, or -1.
func (l *limits) slot(ctx context.Context, scopes []Scope) (taken, full int, release func(), err error) {
	bounded := false
	for _, sc := range scopes {
		bounded = bounded || sc.Limit >= 0
	}
	if l.shared != nil && bounded && !l.local.Load() {
		holder := newID(slotPrefix)
		asked, cancel := pause.Within(ctx, limitTimeout)
		defer cancel()
		counts, full, err := l.shared.TakeSlot(asked, holder, scopes, slotLease)
		switch {
		case err == nil && full >= 0:
			return 0, full, nil, nil
		case err == nil:
			l.holders.add(holder) // from now on renew extends its lease
			here := l.occupy(scopes)
			return counts[0], -1, func() { here(); l.free(holder) }, nil
		case ctx.Err() != nil: // says nothing about the store, nor whether the slot was taken
			l.free(holder)
			return 0, -1, nil, errGone(err)
		}
		l.note(err)
	}
	taken, full = l.slotHere(scopes)
	return taken, full, func() { l.freeHere(scopes) }, nil
}

// occupy also counts in this process a stream that the shared limits have counted; see
// remember.
func (l *limits) occupy(scopes []Scope) (release func()) {
	for _, sc := range scopes {
		l.slots.Acquire(sc.ID, ledger.Unlimited)
	}
	return func() { l.freeHere(scopes) }
}

func (l *limits) slotHere(scopes []Scope) (taken, full int) {
	for i, sc := range scopes {
		n, ok := l.slots.Acquire(sc.ID, l.share(sc.Limit))
		if !ok {
			l.freeHere(scopes[:i]) // a slot at every scope or at none
			return 0, i
		}
		if i == 0 {
			taken = n
		}
	}
	return taken, -1
}

func (l *limits) freeHere(scopes []Scope) {
	for _, sc := range scopes {
		l.slots.Release(sc.ID)
	}
}

// free returns a shared slot. If that fails, its lease runs out. The answer to the client
// ends only after it, so it waits no longer than limitTimeout.
func (l *limits) free(holder string) {
	l.holders.remove(holder)
	ctx, cancel := pause.Within(context.Background(), limitTimeout)
	defer cancel()
	if err := l.shared.FreeSlot(ctx, holder); err != nil {
		l.log.Warn("a stream slot was not given back; its lease runs out", "error", fmt.Sprint(err))
	}
}

// Release returns the slot. A second call does nothing, nor does a call on a nil slot or on
// one that Admit did not give.
func (s *Slot) Release() {
	if s == nil || s.release == nil {
		return
	}
	s.once.Do(s.release)
}
