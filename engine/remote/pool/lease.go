package pool

import (
	"time"

	"vaak/engine/remote/wire"
)

// Lease is a place on a member. Its methods are safe for concurrent use.
type Lease struct {
	pool   *Pool
	member *member
	at     time.Time
	epoch  int
	trial  bool // it decides over the member

	// pool.mu guards these.
	remaining time.Duration
	begun     bool // audio has arrived
	done      bool
}

// Member returns the ID of the member.
func (l *Lease) Member() string { return l.member.ID }

// Made says that so much more audio has arrived. The first call tells the time to the first
// audio, before the request has ended.
func (l *Lease) Made(now time.Time, audio time.Duration) {
	l.pool.mu.Lock()
	defer l.pool.mu.Unlock()
	if audio > 0 && !l.begun && !l.done {
		l.begun = true
		if m := l.member; l.epoch == m.epoch && m.place >= 0 {
			l.pool.compare(m, now, now.Sub(l.at))
		}
	}
	l.lower(audio)
}

// lower takes audio from what is outstanding.
func (l *Lease) lower(audio time.Duration) {
	audio = min(max(audio, 0), l.remaining)
	l.remaining -= audio
	l.member.outstanding -= audio
}

// Done gives the place back and says how the request ended. Only the first call counts.
func (l *Lease) Done(now time.Time, o Outcome) {
	p, m := l.pool, l.member
	p.mu.Lock()
	defer p.mu.Unlock()
	if l.done {
		return
	}
	l.done = true
	l.lower(l.remaining)
	m.streams--
	m.count.audio += max(o.Audio, 0)
	if o.FirstAudio > 0 {
		m.first.add(now, o.FirstAudio)
	}
	if o.Cancelled && o.Audio <= 0 && o.FirstAudio <= 0 && now.Sub(l.at) > p.settings.Patience {
		o.Cancelled, o.Reason = false, wire.Late
	}
	if l.trial {
		m.tried = false
	}
	switch {
	case o.Cancelled:
		m.count.cancelled++
	case o.Reason == "":
		m.count.well++
	default:
		m.count.failures[indexOf(o.Reason)]++
		m.count.last, m.count.lastAt = o.Reason, now
	}
	if !o.Cancelled && l.epoch == m.epoch && m.removed.IsZero() {
		if !l.trial {
			p.met(m, now, o)
		} else if m.state == Trial {
			p.judge(m, now, o)
		}
	}
	// Members that are down or gone have no place to offer.
	if m.place >= 0 || l.trial {
		p.signal()
	}
}
