package pool

import (
	"math"
	"time"

	"vaak/engine/remote/wire"
)

// reasons are the failures that are counted.
var reasons = [...]wire.Reason{
	wire.Refused, wire.Denied, wire.Busy, wire.Unreachable, wire.Failed, wire.Broken, wire.Empty, wire.Silent,
	wire.Late, wire.WrongRate,
}

// indexOf returns the index of a reason in reasons. Reasons that are not listed count as Failed.
func indexOf(r wire.Reason) int {
	failed := 0
	for i, known := range reasons {
		if known == r {
			return i
		}
		if known == wire.Failed {
			failed = i
		}
	}
	return failed
}

// certain reports whether a failure is the fault of the member for sure. Others may be that of
// the text or of too much load: all members may meet them at once.
func certain(r wire.Reason) bool {
	return r == wire.Unreachable || r == wire.Denied || r == wire.WrongRate
}

// hopeless is the share of failures on the other members above which the whole pool is down.
const hopeless = 0.8

// chance is how likely failures in a row may be on a member like the others: they eject only
// when they are less likely. A member of a busy pool sees some thousand requests an hour.
const chance = 1e-6

// met learns from a request that a member which is up or returning answered.
func (p *Pool) met(m *member, now time.Time, o Outcome) {
	if m.state != Up && m.state != Returning {
		return
	}
	switch o.Reason {
	case wire.Refused:
		// The fault of the request. Nor does it show that the member can speak.
	case wire.Busy:
		p.busy(m, now, o.RetryAfter)
	case "":
		m.row = 0
		m.recent.add(now, p.settings.Window, false)
		p.tally.add(now, p.settings.Window, false)
	default:
		m.row++
		m.recent.add(now, p.settings.Window, true)
		p.tally.add(now, p.settings.Window, true)
		p.lower(m, now)
		if p.guilty(m, now, o.Reason) {
			p.eject(m, now, o.Reason)
		}
	}
}

// compare lowers the share of a member whose first audio takes much longer than is usual in
// the pool. How fast the rest comes says nothing: it may wait for the listener.
func (p *Pool) compare(m *member, now time.Time, first time.Duration) {
	if p.usual == 0 {
		p.usual = first
	}
	if first > 3*p.usual+100*time.Millisecond {
		p.lower(m, now)
	}
	p.usual += (first - p.usual) / 64
}

// guilty reports whether a member is to be ejected after a failure.
func (p *Pool) guilty(m *member, now time.Time, r wire.Reason) bool {
	row := p.settings.Row
	if p.tick(m, now); m.state == Returning || certain(r) {
		row = min(row, 2)
	}
	requests, failures := m.recent.sum(now, p.settings.Window)
	share := float64(failures) / float64(max(requests, 1))
	often := requests >= p.settings.Least && share >= p.settings.Share
	if m.row < row && !often {
		return false
	}
	if certain(r) {
		return true
	}
	all, failed := p.tally.sum(now, p.settings.Window)
	others := all - requests
	if others < p.settings.Least {
		return true // nobody to compare with
	}
	elsewhere := float64(failed-failures) / float64(others)
	switch {
	case elsewhere >= hopeless:
		return true
	case share < 2*elsewhere:
		m.row = 0 // these failures shall not weigh on the next, which may be its own
		return false
	}
	return often || math.Pow(elsewhere, float64(m.row)) < chance
}

// busyFor is how long a busy answer without Retry-After counts, and busyMost the longest
// Retry-After that is believed.
const (
	busyFor  = 2 * time.Second
	busyMost = time.Minute
)

// busy lowers the share of a member, and its number of streams to what it has now. With a
// Retry-After it closes the member for that time, unless it is the last one open.
func (p *Pool) busy(m *member, now time.Time, after time.Duration) {
	p.lower(m, now)
	wait := busyFor
	if after > 0 {
		wait = min(after, busyMost)
	}
	// The request that met it has been taken from the streams already.
	m.cap, m.capUntil = max(m.streams, 1), now.Add(wait)
	if after <= 0 {
		return
	}
	for _, other := range p.open {
		if other != m && !now.Before(other.closed) {
			m.closed = now.Add(wait)
			return
		}
	}
}

// admit lets a member have requests.
func (p *Pool) admit(m *member) {
	m.place = len(p.open)
	p.open = append(p.open, m)
}

// eject takes a member out for a pause.
func (p *Pool) eject(m *member, now time.Time, r wire.Reason) {
	if m.place >= 0 {
		end := p.open[len(p.open)-1]
		p.open[m.place], end.place = end, m.place
		p.open = p.open[:len(p.open)-1]
		m.place = -1
	}
	if (m.state == Up || m.state == Returning) && now.Sub(m.since) >= p.settings.Calm {
		m.ejections = 0
	}
	pause := p.settings.Longest
	if m.ejections < 30 {
		pause = min(p.settings.Pause<<m.ejections, p.settings.Longest)
	}
	p.clear(m)
	m.ejections++
	m.count.ejections++
	m.epoch++
	m.row, m.unhealthy, m.tried, m.checking = 0, 0, false, false
	if r == wire.Unreachable {
		m.unhealthy = 1 // as its health check would say, so that its pause ends when that succeeds
	}
	// Up to a quarter shorter, so that members and processes do not all try at once.
	pause -= time.Duration(p.random.Float64() * float64(pause) / 4)
	m.state, m.since, m.until, m.checked = Ejected, now, now.Add(pause), now
	p.notice(m, now, r)
}

// trialAt returns when an ejected member goes on trial.
func (p *Pool) trialAt(m *member) time.Time {
	if m.state == Ejected && len(p.open) == 0 {
		if soon := m.since.Add(p.settings.Panic); soon.Before(m.until) {
			return soon
		}
	}
	return m.until
}

// tick changes the state of a member where time alone does.
func (p *Pool) tick(m *member, now time.Time) {
	switch m.state {
	case Ejected:
		if at := p.trialAt(m); !now.Before(at) {
			p.try(m, at)
		}
	case Returning:
		if now.Sub(m.since) >= p.settings.Return {
			// since stays that of the return: the calm after it counts from there.
			m.state = Up
			p.notice(m, now, "")
		}
	}
}

// try puts an ejected member on trial.
func (p *Pool) try(m *member, at time.Time) {
	m.state, m.since, m.until = Trial, at, at
	m.checking, m.tried = false, false
	p.notice(m, at, "")
}

// judge ends the trial of a member, or has it tried again later if it is busy.
func (p *Pool) judge(m *member, now time.Time, o Outcome) {
	m.checking = false
	switch o.Reason {
	case "", wire.Refused:
		m.state, m.since = Returning, now
		m.row, m.unhealthy, m.damp, m.cap = 0, 0, 0, 0
		m.closed = time.Time{}
		p.admit(m)
		p.notice(m, now, "")
		p.signal()
	case wire.Busy:
		m.until = now.Add(min(max(o.RetryAfter, p.settings.Unhealthy), busyMost))
	default:
		p.eject(m, now, o.Reason)
	}
}

// notice tells of the state of a member.
func (p *Pool) notice(m *member, now time.Time, r wire.Reason) {
	if p.settings.Notice == nil {
		return
	}
	n := Notice{Member: m.ID, At: now, State: m.state, Reason: r}
	if m.state == Ejected {
		n.Until = m.until
	}
	p.settings.Notice(n)
}

// Check is a question to a member.
type Check struct {
	Member string
	// Speak asks for a short text, as a listener would; otherwise the server's own statement
	// about its health is enough.
	Speak bool
}

// lost is after how long an unanswered check is asked again.
const lost = 30 * time.Second

// Due returns the checks that are to be made now, in the order of the members. The answer of
// each goes to [Pool.Probed]. It should be called several times a second: members on trial
// wait for it.
func (p *Pool) Due(now time.Time) []Check {
	p.mu.Lock()
	defer p.mu.Unlock()
	var due []Check
	freed := false
	for _, m := range p.all {
		p.tick(m, now)
		if !m.closed.IsZero() && !now.Before(m.closed) {
			m.closed, freed = time.Time{}, true
		}
		if m.cap > 0 && !now.Before(m.capUntil) {
			m.cap, freed = 0, true
		}
		if m.checking && now.Sub(m.checked) < lost {
			continue
		}
		switch m.state {
		case Trial:
			if now.Before(m.until) {
				continue
			}
			freed = freed || len(p.open) == 0
		case Ejected:
			if now.Sub(m.checked) < p.settings.Unhealthy {
				continue
			}
		default:
			every := p.settings.Health
			if m.unhealthy > 0 {
				every = p.settings.Unhealthy
			}
			if m.checked.IsZero() {
				// Members are not all asked at the same time.
				m.checked = now.Add(-time.Duration(p.random.Float64() * float64(every)))
			}
			if now.Sub(m.checked) < every {
				continue
			}
		}
		m.checking, m.checked = true, now
		due = append(due, Check{Member: m.ID, Speak: m.state == Trial})
	}
	if freed {
		p.signal()
	}
	return due
}

// Probed says how a check of [Pool.Due] ended. Answers that nobody waits for are ignored.
func (p *Pool) Probed(now time.Time, c Check, o Outcome) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.known[c.Member]
	if m == nil || !m.removed.IsZero() || !m.checking {
		return
	}
	p.tick(m, now)
	// A pause may have ended while the health was asked.
	if c.Speak != (m.state == Trial) || !m.checking {
		return
	}
	m.checking = false
	well := o.Reason == "" || o.Reason == wire.Refused
	switch {
	case o.Cancelled:
	case m.state == Trial:
		p.judge(m, now, o)
	case o.Reason == wire.Busy && m.state != Ejected:
		p.busy(m, now, o.RetryAfter)
	case m.state == Ejected && well && m.unhealthy > 0:
		p.try(m, now) // it was away and is back
	case well:
		// While it is ejected, only a change for the better counts.
		m.unhealthy = 0
	default:
		m.unhealthy++
		if m.state != Ejected && m.unhealthy >= 2 {
			p.eject(m, now, o.Reason)
			m.unhealthy = 1 // as when it was unreachable
		}
	}
}
