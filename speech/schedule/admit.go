package schedule

import (
	"math"
	"runtime"
	"time"

	"vaak/internal/fault"
)

const (
	// minLead is the lead that each running stream must keep for another stream to be
	// admitted. The lead is the audio made and not played yet.
	minLead = 200 * time.Millisecond
	// settleTime is the age of a stream from which its lead counts. Before that the lead
	// depends on the size of the first pieces only.
	settleTime = time.Second
	// usableShare is the share of the measured capacity that may be given to streams. The
	// remainder covers what a forecast cannot know.
	usableShare = 0.95
	// usableLoad is the share of the processors that streams of a known load may take. The
	// remainder is for what is not measured: codecs, and the streams of other schedulers.
	usableLoad = 0.8
	// tinyLoad is more than what adding and subtracting loads leaves by rounding.
	tinyLoad = 1e-6
	// startingPerCore limits, per processor, the live streams that wait for their first
	// audio. Each start costs a processor 1 to 2 ms, and 48 of them at most 96 ms. Streams
	// that have begun must get a turn again within the 50 to 200 ms of their first piece.
	startingPerCore = 48
	// wholePerCore limits, per processor, the whole streams that run. Nobody listens to
	// them meanwhile, so they may wait for each other, but their audio stays in memory.
	wholePerCore = 256
)

// Admit admits a stream, which must be ended with End, or refuses it with a *fault.Error of
// kind Unavailable. It refuses a live stream that would bring running streams to within
// 200 ms of running out of audio, and a whole stream when too many run.
//
// A live stream needs one second of audio per second. How much audio the server can make
// per second, its capacity, is measured whenever all slots are in demand. If the streams
// needed more than that, the lead of every one would shrink until all have gaps.
func (s *Scheduler) Admit(kind Kind) (*Stream, error) { return s.AdmitLoad(kind, 0) }

// AdmitLoad is Admit for a stream of which a second of audio takes load seconds of a processor, as
// was measured before. A live stream is also refused if all of them together would take more of
// the processors than there is.
func (s *Scheduler) AdmitLoad(kind Kind, load float64) (*Stream, error) {
	return s.admit(&Stream{kind: kind, load: load})
}

// admit admits a new stream, whose kind and cost are set.
func (s *Scheduler) admit(st *Stream) (*Stream, error) {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.observe(now)
	if after := s.retryAfter(st, now); after > 0 {
		running := s.running[Live] + s.running[Whole]
		return nil, fault.Down(fault.CodeOverloaded, after, nil,
			"the server is busy with %d requests and cannot carry another without interrupting one; try again in %d s",
			running, int(after.Seconds()))
	}
	st.s, st.admitted, st.index = s, now, -1
	st.enter()
	return st, nil
}

// retryAfter returns how long a refused client should wait, or 0 if the stream is admitted.
func (s *Scheduler) retryAfter(st *Stream, now time.Time) time.Duration {
	const soon, later = time.Second, 5 * time.Second
	// Remote streams need no share of the capacity, which is that of audio made here.
	live, load, cores := s.running[Live]-s.remote[Live], st.load, runtime.GOMAXPROCS(0)
	tight := !s.lastTight.IsZero() && now.Sub(s.lastTight) < settleTime
	switch {
	case st.kind == Whole:
		if s.running[Whole] >= wholePerCore*cores {
			return soon
		}
	// The first one is admitted even if the processors are too slow for it.
	case load > 0 && live > 0 && s.load+load > usableLoad*float64(cores)+tinyLoad:
		return soon
	case st.remote:
		if tight || s.encoding.exceeded(s.remote[Live]+1) {
			return later
		}
	case live+s.wanting < s.slots:
		// There are slots for all live streams, so none has to wait for another.
	case s.starting >= startingPerCore*cores:
		return soon
	// A running stream is close to running out of audio, or the streams would need more than
	// the measured capacity.
	case tight,
		s.capacity.exceeded(live + 1):
		return later
	}
	return 0
}

// observe updates the measurement of capacity. It must be called with s.mu held, before any
// change of what it counts: the state is taken to have been the same since the last call.
func (s *Scheduler) observe(now time.Time) {
	// A stream that is not blocked by its reader waits for a processor, its own process's or
	// the engine's; a remote one only when it wants a turn. If there are more such streams than
	// slots, the server is making as much audio as it can.
	s.capacity.observe(now, s.pressing()-s.sending > s.slots)
	s.encoding.observe(now, s.wanting > s.slots)
}

// capacity measures how much audio per second the server makes under pressure, which means
// while more streams want to work than may. Both figures are exponential averages, so old
// measurements fade.
type capacity struct {
	updated      time.Time
	pressedShare float64       // of the last moments, the share under pressure: 0 to 1
	pressedTime  time.Duration // time under pressure, as far as it is remembered
	pressedAudio time.Duration // audio made in that time

	pressing bool
}

const (
	shareWindow    = 500 * time.Millisecond // time constant of pressedShare
	capacityWindow = 2 * time.Second        // time constant of pressedTime and pressedAudio
	// minPressedTime is how much time under pressure makes a measurement valid.
	minPressedTime = 250 * time.Millisecond
)

// observe records whether the server was under pressure since the last call.
func (c *capacity) observe(now time.Time, pressed bool) {
	passed := now.Sub(c.updated)
	if c.updated.IsZero() {
		passed = 0
	}
	c.updated, c.pressing = now, pressed
	// Decay by e^(-t/window), which does not depend on how often observe is called.
	keep := math.Exp(-passed.Seconds() / shareWindow.Seconds())
	c.pressedShare *= keep
	if !pressed || passed <= 0 {
		return
	}
	c.pressedShare += 1 - keep
	keep = math.Exp(-passed.Seconds() / capacityWindow.Seconds())
	c.pressedAudio = time.Duration(float64(c.pressedAudio) * keep)
	c.pressedTime = time.Duration(float64(c.pressedTime)*keep) + passed
}

// add counts audio that was made.
func (c *capacity) add(audio time.Duration) {
	if c.pressing {
		c.pressedAudio += audio
	}
}

// pressed reports whether the server has been under pressure of late, and for long enough
// that perSecond is valid.
func (c *capacity) pressed() bool { return c.pressedShare > 0.8 && c.pressedTime >= minPressedTime }

// exceeded reports whether so many streams would need more than the measured capacity.
func (c *capacity) exceeded(streams int) bool {
	return c.pressed() && float64(streams) > usableShare*c.perSecond()
}

// perSecond returns the measured capacity, in seconds of audio per second.
func (c *capacity) perSecond() float64 { return c.pressedAudio.Seconds() / c.pressedTime.Seconds() }
