package pool

import (
	"math"
	"slices"
	"time"
)

// draws bounds how often choose draws before it looks at each member. Two draws suffice
// unless weights differ much or many members are full.
const draws = 16

// choose returns the member for a request.
func (p *Pool) choose(now time.Time, audio time.Duration, avoid []string) (*member, error) {
	if len(p.open) == 0 {
		return p.last(now, avoid)
	}
	var first *member
	var load float64
	for range draws {
		m := p.open[p.random.IntN(len(p.open))]
		share := p.share(m, now)
		// A draw of a member with half the greatest weight counts half the time.
		if share < p.heavy && p.random.Float64()*p.heavy >= share {
			continue
		}
		if m == first && len(p.open) > 1 || !m.room(now) || now.Before(m.closed) || slices.Contains(avoid, m.ID) {
			continue
		}
		l := float64(m.outstanding+audio) / share
		if first == nil {
			first, load = m, l
		} else {
			if l < load {
				return m, nil
			}
			return first, nil
		}
	}
	// Either few members are left, or the draws were unlucky: look at all.
	return p.scan(now, audio, avoid)
}

// scan returns the least loaded of all members that have room. Those that are closed since
// they are busy count only when all are, so that busy answers alone never empty the pool.
func (p *Pool) scan(now time.Time, audio time.Duration, avoid []string) (*member, error) {
	var best [2]*member // that is open, that is closed
	load := [2]float64{math.Inf(1), math.Inf(1)}
	full, avoided := FullError{Members: len(p.open)}, 0
	for _, m := range p.open {
		full.Streams += m.streams
		if !m.room(now) {
			if m.cap > 0 && now.Before(m.capUntil) && (full.Until.IsZero() || m.capUntil.Before(full.Until)) {
				full.Until = m.capUntil
			}
			if len(avoid) > 0 && slices.Contains(avoid, m.ID) {
				avoided++
			}
			continue
		}
		if len(avoid) > 0 && slices.Contains(avoid, m.ID) {
			avoided++
			continue
		}
		closed := 0
		if !m.closed.IsZero() && now.Before(m.closed) {
			closed = 1
		}
		if l := float64(m.outstanding+audio) / p.share(m, now); l < load[closed] {
			best[closed], load[closed] = m, l
		}
	}
	switch {
	case best[0] != nil:
		return best[0], nil
	case best[1] != nil:
		return best[1], nil
	case avoided == len(p.open):
		return nil, &DownError{Members: len(p.all), Avoided: true}
	}
	if p.full.IsZero() {
		p.full = now
	}
	full.Since = p.full
	return nil, &full
}

// last returns a member when none is up: one on trial that is not being tried.
func (p *Pool) last(now time.Time, avoid []string) (*member, error) {
	down := &DownError{Members: len(p.all)}
	var best *member
	for _, m := range p.all {
		p.tick(m, now)
		switch at := p.trialAt(m); {
		case m.state == Trial && !m.tried && !now.Before(m.until) && !slices.Contains(avoid, m.ID) && m.room(now):
			if best == nil || m.ejections < best.ejections {
				best = m
			}
		case down.Until.IsZero() || at.Before(down.Until):
			down.Until = at
		}
	}
	if best == nil {
		return nil, down
	}
	return best, nil
}

// room reports whether the member may get another request by its number of streams.
func (m *member) room(now time.Time) bool {
	return (m.Streams <= 0 || m.streams < m.Streams) && (m.cap == 0 || m.streams < m.cap || !now.Before(m.capUntil))
}

// least is the smallest part of its weight to which the share of a member falls.
const least = 1.0 / 16

// share returns the weight of a member, lowered by what happened to it.
func (p *Pool) share(m *member, now time.Time) float64 {
	share := m.Weight
	if m.state == Returning {
		if p.tick(m, now); m.state == Returning {
			grown := float64(now.Sub(m.since)) / float64(p.settings.Return)
			share *= 0.1 + 0.9*min(max(grown, 0), 1)
		}
	}
	if m.damp > 0 {
		share *= p.damped(m, now)
	}
	return share
}

// damped returns the part of its share that failures and busy answers leave to a member.
func (p *Pool) damped(m *member, now time.Time) float64 {
	healed := float64(now.Sub(m.dampAt)) / float64(p.settings.Recover)
	if healed >= 1 {
		m.damp = 0
	}
	return max(1-m.damp*(1-min(max(healed, 0), 1)), least)
}

// lower halves the share of a member for a while.
func (p *Pool) lower(m *member, now time.Time) {
	m.damp = min(1-p.damped(m, now)/2, 1-least)
	m.dampAt = now
}
