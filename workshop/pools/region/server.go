package region

import (
	"math"
	"time"

	"vaak/engine/remote/pool"
	"vaak/engine/remote/wire"
)

// Fault is what a server suffers from.
type Fault uint8

// The faults.
const (
	None    Fault = iota
	Killed        // running requests break off, new connections are refused
	Gone          // nothing answers: running requests get nothing more, connections time out
	Hanging       // health is content, requests get nothing more
	Slow          // an eighth of the speed
	Failing       // half of the requests fail at once; health is content
	Small         // most requests are answered 429 with Retry-After, as its batch is an eighth
)

// server is a model server.
type server struct {
	region *Region
	id     string
	fault  Fault
	well   time.Duration // since when it has no fault
	batch  int
	slow   float64
	asks   []*ask // that run; ask.place is the index
}

// Break gives listed servers a fault, and mends them with [None].
func (r *Region) Break(from, to int, f Fault) {
	for _, s := range r.listed[from:to] {
		s.suffer(f)
	}
}

// Replace lists new servers for some. What the old ones have begun, they end.
func (r *Region) Replace(from, to int) {
	for i := from; i < to; i++ {
		r.listed[i] = r.newServer()
		r.faulty[r.listed[i]] = true
	}
	r.healed = r.now
	r.tell()
}

// Poison has a share of the sentences, from 0 to 1, fail on every server.
func (r *Region) Poison(share float64) { r.poison = share }

// suffer changes the fault of a server.
func (s *server) suffer(f Fault) {
	r := s.region
	if f == None {
		if s.fault != None {
			s.well, r.healed = r.now, r.now
		}
	} else {
		r.faulty[s] = true
		r.healed, r.history, r.figures.Back = 0, nil, 0
	}
	s.fault, s.batch, s.slow = f, Batch, 1
	switch f {
	case Slow:
		s.slow = 8
	case Small:
		s.batch = Batch / 8
	case Killed:
		for len(s.asks) > 0 {
			s.asks[len(s.asks)-1].end(pool.Outcome{Reason: wire.Broken})
		}
	}
}

// outstanding returns the audio that was asked of the server and has not arrived.
func (s *server) outstanding() time.Duration {
	var sum time.Duration
	for _, a := range s.asks {
		sum += a.audio - a.received
	}
	return sum
}

// ask is a sentence that is asked of a server.
type ask struct {
	server   *server
	listener *listener
	lease    *pool.Lease
	place    int // in server.asks, or -1
	audio    time.Duration
	received time.Duration
	at, last time.Duration // when it was asked, when something arrived
	first    time.Duration // to the first audio
	live     bool          // what arrives is heard at once
	ended    bool
}

// begin sends a request.
func (s *server) begin(a *ask) {
	r := s.region
	a.server, a.at, a.last, a.place = s, r.now, r.now, len(s.asks)
	// A request counts as load from when it is sent, also on a server that does not answer.
	s.asks = append(s.asks, a)
	fail := func(after time.Duration, o pool.Outcome) { r.after(after, func() { a.end(o) }) }
	switch {
	case s.fault == Killed:
		fail(time.Millisecond, pool.Outcome{Reason: wire.Unreachable})
	case s.fault == Gone:
		fail(Connect, pool.Outcome{Reason: wire.Unreachable})
	case s.fault == Hanging:
		fail(Late, pool.Outcome{Reason: wire.Late})
	case len(s.asks) > s.batch:
		fail(2*time.Millisecond, pool.Outcome{Reason: wire.Busy, RetryAfter: time.Second})
	case a.listener.poisoned, s.fault == Failing && r.random.IntN(2) == 0:
		fail(20*time.Millisecond, pool.Outcome{Reason: wire.Failed})
	default:
		wait := float64(First) * math.Exp(0.3*r.random.NormFloat64()) * (1 + float64(len(s.asks))/Batch) * s.slow
		a.next(time.Duration(wait))
	}
}

// next has the next piece arrive, its making beginning after wait.
func (a *ask) next(wait time.Duration) {
	s, r := a.server, a.server.region
	piece := a.audio / pieces
	if a.received+2*piece > a.audio {
		piece = a.audio - a.received // the last
	}
	speed := min(Fastest, Capacity/float64(len(s.asks))) / s.slow
	wait += time.Duration(float64(piece) / speed)
	if wait > Late {
		r.after(Late, func() { a.end(pool.Outcome{Reason: wire.Late}) })
		return
	}
	r.after(wait, func() {
		if a.ended {
			return
		}
		if s.fault == Hanging || s.fault == Gone {
			r.At(a.last+Late, func() { a.end(pool.Outcome{Reason: wire.Late}) })
			return
		}
		if r.random.IntN(Hiccups*pieces) == 0 {
			a.end(pool.Outcome{Reason: wire.Broken})
			return
		}
		a.last = r.now
		if a.received == 0 {
			a.first = r.now - a.at
		}
		a.received += piece
		a.lease.Made(r.clock(), piece)
		a.listener.hear(a, piece)
		if a.received >= a.audio {
			a.end(pool.Outcome{})
			return
		}
		a.next(0)
	})
}

// end ends a request, once.
func (a *ask) end(o pool.Outcome) {
	if a.ended {
		return
	}
	a.ended = true
	s := a.server
	end := s.asks[len(s.asks)-1]
	s.asks[a.place], end.place = end, a.place
	s.asks = s.asks[:len(s.asks)-1]
	o.FirstAudio, o.Audio = a.first, a.received
	a.lease.Done(s.region.clock(), o)
	a.listener.ended(a, o)
	a.listener.replica.wake()
}

// check answers a check of a replica.
func (s *server) check(c pool.Check, answer func(pool.Outcome)) {
	r := s.region
	wait, o := 2*time.Millisecond, pool.Outcome{}
	if c.Speak {
		wait = 300 * time.Millisecond
	}
	switch {
	case s.fault == Killed:
		wait, o.Reason = time.Millisecond, wire.Unreachable
	case s.fault == Gone:
		wait, o.Reason = Connect, wire.Unreachable
	case !c.Speak:
	case s.fault == Hanging:
		wait, o.Reason = Late, wire.Late
	case s.fault == Failing && r.random.IntN(2) == 0:
		o.Reason = wire.Failed
	case s.fault == Slow:
		wait *= 8
	}
	r.after(wait, func() { answer(o) })
}
