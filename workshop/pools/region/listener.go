package region

import (
	"math/rand/v2"
	"time"

	"vaak/engine/remote/pool"
	"vaak/engine/remote/wire"
)

// replica is a Vaak process.
type replica struct {
	region  *Region
	pool    *pool.Pool
	changed <-chan struct{}
	waiting []*listener // for a place
}

// newReplica adds a replica.
func (r *Region) newReplica(seed uint64, i int) *replica {
	v := &replica{region: r}
	v.pool = pool.New(pool.Settings{Notice: r.notice}, rand.New(rand.NewPCG(seed, uint64(i)+2)))
	v.changed = v.pool.Changed()
	r.At(time.Duration(i)*tick/time.Duration(r.size.Replicas), v.check)
	return v
}

// notice counts ejections.
func (r *Region) notice(n pool.Notice) {
	if n.State != pool.Ejected || !r.counts() {
		return
	}
	r.figures.Ejections++
	// The last failures of a fault are told of some seconds after its end.
	if s := r.byID[n.Member]; s.fault == Small || s.fault == None && r.now-s.well > Late+2*time.Second {
		r.figures.Wrong++
	}
}

// check makes the checks that are due.
func (v *replica) check() {
	r := v.region
	for _, c := range v.pool.Due(r.clock()) {
		r.byID[c.Member].check(c, func(o pool.Outcome) {
			v.pool.Probed(r.clock(), c, o)
			v.wake()
		})
	}
	v.wake()
	r.after(tick, v.check)
}

// wake has those try again who wait for a place, if there may be one.
func (v *replica) wake() {
	select {
	case <-v.changed:
	default:
		return
	}
	v.changed = v.pool.Changed()
	waiting := v.waiting
	v.waiting = nil
	for i, l := range waiting {
		if !l.ask() {
			// Nor is there a place for the others.
			v.waiting = append(v.waiting, waiting[i+1:]...)
			return
		}
	}
}

// listener is a stream: a text that is spoken by sentences, at playback speed.
type listener struct {
	region   *Region
	replica  *replica
	came     time.Duration
	counted  bool          // it came when figures count
	audio    time.Duration // of the sentence that is asked for
	poisoned bool          // no server can speak the sentence
	wanted   time.Duration // since when the sentence is asked for
	tried    []string      // members that failed on it
	cheap    int           // how many of these were unreachable or busy
	waits    bool          // for a place
	heard    bool          // something was
	until    time.Duration // what is in hand lasts until then
	dry, cut bool
	over     bool
}

// newListener has a listener come.
func (r *Region) newListener() {
	l := &listener{region: r, came: r.now, counted: r.counts()}
	r.running++
	if l.counted {
		r.figures.Streams++
	}
	l.replica = r.vaak[r.random.IntN(len(r.vaak))]
	l.sentence()
}

// sentence asks for the next sentence.
func (l *listener) sentence() {
	r := l.region
	l.audio, l.tried, l.cheap, l.wanted = r.sentence(), l.tried[:0], 0, r.now
	l.poisoned = r.poison > 0 && r.random.Float64() < r.poison
	l.ask()
}

// ask asks a member for the sentence, or has the listener wait for a place. It reports
// whether a place was found.
func (l *listener) ask() bool {
	r := l.region
	if l.over {
		return true
	}
	lease, err := l.replica.pool.Take(r.clock(), l.audio, l.tried...)
	if err != nil {
		l.replica.waiting = append(l.replica.waiting, l)
		if !l.waits {
			l.waits = true
			wanted := l.wanted
			r.At(wanted+Wait, func() {
				if l.waits && l.wanted == wanted {
					l.fail()
				}
			})
		}
		return false
	}
	l.waits = false
	if r.counts() {
		r.figures.Requests++
	}
	r.byID[lease.Member()].begin(&ask{listener: l, lease: lease, audio: l.audio})
	return true
}

// leave ends the stream.
func (l *listener) leave() {
	l.over = true
	l.region.running--
}

// fail ends the stream before the end of its text.
func (l *listener) fail() {
	l.leave()
	if f := &l.region.figures; !l.region.counts() {
	} else if l.heard {
		f.Failed++
	} else {
		f.Unbegun++
	}
}

// settle hands the listener what has arrived of a sentence if it would run dry otherwise.
func (l *listener) settle(a *ask, arrived time.Duration) {
	if !a.live && arrived > 0 && l.region.now >= l.until {
		a.live = true
		l.until += arrived
	}
}

// hear receives a piece of a sentence.
func (l *listener) hear(a *ask, piece time.Duration) {
	r := l.region
	l.settle(a, a.received-piece)
	if !l.heard {
		l.heard, l.until = true, r.now
		if f := &r.figures; l.counted {
			f.First = append(f.First, r.now-l.came)
		}
	}
	if r.now > l.until {
		// It waits for the sound.
		if r.counts() && !l.dry {
			r.figures.Dry++
		}
		l.dry, l.until = true, r.now
	}
	if a.live || r.now >= l.until {
		a.live = true
		l.until += piece
	}
}

// ended goes on after a sentence or after a failure.
func (l *listener) ended(a *ask, o pool.Outcome) {
	r := l.region
	if l.over {
		return
	}
	if o.Reason == "" {
		begins := r.now
		if !a.live {
			begins = l.until
			l.until += a.audio
		}
		if r.random.IntN(Sentences) == 0 {
			l.leave() // the text is done
			return
		}
		// The next sentence is asked for when this one is whole and begins to be heard.
		r.At(begins, l.sentence)
		return
	}
	l.settle(a, a.received)
	switch {
	case a.live && a.received > 0:
		// What was heard is not said again: the rest of the sentence is lost.
		if r.counts() && !l.cut {
			r.figures.Cut++
		}
		l.cut = true
		l.sentence()
	case o.Reason == wire.Failed && l.poisoned && len(l.tried) == 1:
		// Two members cannot speak it. A person would get an error; it is not that of the pool.
		l.leave()
	default:
		if o.Reason == wire.Busy || o.Reason == wire.Unreachable {
			l.cheap++ // nothing was begun: it costs a moment
		}
		if len(l.tried)+1-l.cheap >= Tries || len(l.tried)+1 >= Refusals {
			l.fail()
			return
		}
		l.tried = append(l.tried, a.server.id)
		if r.counts() {
			r.figures.Retried++
		}
		l.ask()
	}
}
