package schedule

import (
	"math"
	"runtime"
	"time"

	"vaak/internal/fault"
)

const (
	// leastLead is how much audio ahead of its listener a running stream must
	// keep for another to be admitted.
	leastLead = 200 * time.Millisecond
	// settled is the age from which a stream's lead says something: at first it
	// has as much as its first pieces hold.
	settled = time.Second
	// reserve is the share of the measured capacity that is given out. The rest
	// is for what a forecast cannot know.
	reserve = 0.95
	// startingPerCore bounds how many live streams may wait for their first audio.
	// Each costs a core 1 to 2 ms, and those that have begun must go on within
	// the 50 to 200 ms that their first piece lasts.
	startingPerCore = 48
	// wholePerCore bounds how many whole streams may run: they wait for one
	// another, and what is made of each is kept in memory.
	wholePerCore = 256
)

// Admit lets a stream in, which must be given back with End, or refuses it with
// a *fault.Error of kind Unavailable: a live one when it would take the others
// to within 200 ms of their listeners, a whole one when too many wait.
//
// All live streams together play one second of audio a second each. What the
// server can make in a second is measured whenever it is pressed; a stream more
// than that would slowly eat up the lead of all.
func (s *Scheduler) Admit(kind Kind) (*Stream, error) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.observe(now)
	if after := s.refuse(kind, now); after > 0 {
		running := s.running[Live] + s.running[Whole]
		return nil, fault.Down(fault.CodeOverloaded, after, nil,
			"the server is busy with %d requests and cannot carry another without interrupting one; try again in %d s",
			running, int(after.Seconds()))
	}
	s.running[kind]++
	if kind == Live {
		s.starting++
	}
	return &Stream{s: s, kind: kind, admitted: now, at: -1}, nil
}

// refuse returns after how long to try again, or 0 if there is room.
func (s *Scheduler) refuse(kind Kind, now time.Time) time.Duration {
	const soon, later = time.Second, 5 * time.Second
	live, cores := s.running[Live], runtime.GOMAXPROCS(0)
	switch {
	case kind == Whole:
		if s.running[Whole] >= wholePerCore*cores {
			return soon
		}
	case live < s.slots:
	case s.starting >= startingPerCore*cores:
		return soon
	case !s.tight.IsZero() && now.Sub(s.tight) < settled,
		s.capacity.pressed() && float64(live+1) > reserve*s.capacity.perSecond():
		return later
	}
	return 0
}

// observe notes that things were until now as they are.
func (s *Scheduler) observe(now time.Time) {
	// A stream that does not wait for its reader waits for a processor, if only
	// for the engine's. When there are more of them than slots, the server makes
	// what it can.
	s.capacity.observe(now, s.running[Live]+s.running[Whole]-s.sending > s.slots)
}

// capacity is how much audio a second the server makes when it is pressed, as
// it was measured lately.
type capacity struct {
	at    time.Time
	share float64       // of the last moments, that were pressed: 0 to 1
	time  time.Duration // pressed, of which more than memory is forgotten
	audio time.Duration // made in it

	pressing bool
}

const (
	moment = 500 * time.Millisecond // over which share is taken
	memory = 2 * time.Second        // of pressed time
	// enough is the pressed time from which the measurement counts.
	enough = 250 * time.Millisecond
)

// observe notes whether the server was pressed until now.
func (c *capacity) observe(now time.Time, pressed bool) {
	passed := now.Sub(c.at)
	if c.at.IsZero() {
		passed = 0
	}
	c.at, c.pressing = now, pressed
	keep := math.Exp(-passed.Seconds() / moment.Seconds())
	c.share *= keep
	if !pressed || passed <= 0 {
		return
	}
	c.share += 1 - keep
	keep = math.Exp(-passed.Seconds() / memory.Seconds())
	c.audio = time.Duration(float64(c.audio) * keep)
	c.time = time.Duration(float64(c.time)*keep) + passed
}

// add counts audio that was made.
func (c *capacity) add(audio time.Duration) {
	if c.pressing {
		c.audio += audio
	}
}

// pressed reports whether the server has made what it can of late, for long
// enough to know how much that is.
func (c *capacity) pressed() bool { return c.share > 0.8 && c.time >= enough }

// perSecond returns seconds of audio a second.
func (c *capacity) perSecond() float64 { return c.audio.Seconds() / c.time.Seconds() }
