package speech

import (
	"context"
	"sync"
	"time"

	"vaak/engine"
	"vaak/speech/schedule"
	"vaak/text"
)

const (
	// sendAtOnce is how much audio a reader must have in hand for bytes to be sent
	// less often than they are made.
	sendAtOnce = 500 * time.Millisecond
	// atEase is how much it must have for the engine to make more in one turn,
	// which costs less.
	atEase   = 2 * time.Second
	longUnit = 700 * time.Millisecond
	// tooLong is how long an engine may keep a turn to itself. One that hangs must
	// not keep the others from theirs.
	tooLong = 250 * time.Millisecond
)

// performance has engines say utterances into a chain of writers. It is the sink
// of the engines: they make audio in the stream's turns, and what they make
// becomes bytes in the same turn, which ends before those are sent.
type performance struct {
	stream *schedule.Stream
	chain  *meter
	out    *response
	said   *progress
	timing *timing // nil when nobody wants to know what is said when
	joint  *joint  // of a session; nil when utterances are said as they are

	back  text.Map // of the utterance that is being said, back to the caller's text
	start int      // the sample at which it began

	mu     sync.Mutex // the watch runs aside
	turn   bool       // it has one
	lent   bool       // to the engine, which makes audio in it
	expiry *time.Timer
}

// open makes a performance ready, which ends with close.
func (p *performance) open() {
	p.expiry = time.AfterFunc(tooLong, p.expire)
}

// close gives back the turn that it may have.
func (p *performance) close() {
	p.expiry.Stop()
	p.endTurn(0)
}

// say has an utterance said, which must be concluded.
func (p *performance) say(ctx context.Context, u utterance) error {
	p.back, p.start = u.back, p.position()
	p.timing.open(u, p.said.text, p.start)
	return u.engine.Synthesize(ctx, u.Utterance, sink{ctx, p})
}

// conclude ends what is told of an utterance.
func (p *performance) conclude(ctx context.Context) error {
	if p.timing == nil {
		return nil
	}
	p.timing.close(p.position())
	if err := p.tell(ctx); err != nil {
		return err
	}
	p.timing.reach(p.chain.samples) // signs that have no time are told too
	return nil
}

// words notes where words of the utterance begin that began at a sample.
func (p *performance) words(words []engine.Word, start int) {
	p.said.words(p.back, words, start)
	p.timing.words(words, start)
}

// rest adds silence.
func (p *performance) rest(ctx context.Context, d time.Duration) error {
	return p.take(ctx, make([]int16, samples(d, p.chain.rate)))
}

// position returns how many samples were taken.
func (p *performance) position() int {
	if p.timing != nil {
		return p.chain.samples + len(p.timing.held)
	}
	return p.chain.samples
}

// sink is a performance as an engine sees it in one utterance.
type sink struct {
	ctx context.Context
	p   *performance
}

// Room waits for a turn and lends it to the engine.
func (s sink) Room(ctx context.Context) (n int, ahead bool, err error) {
	p, stream := s.p, s.p.stream
	if err := p.beginTurn(ctx); err != nil {
		return 0, false, err
	}
	p.lend()
	n = p.chain.unit
	if stream.Lead() > atEase {
		n = int(float64(n) * float64(longUnit) / float64(schedule.Unit))
	}
	return n, stream.Alone(), nil
}

// Frame makes bytes of a frame and sends them.
func (s sink) Frame(f engine.Frame) error {
	if err := s.p.leaveOut(f.LeftOut); err != nil {
		return err
	}
	if s.p.joint != nil {
		return s.p.joint.frame(s.ctx, f)
	}
	s.p.words(f.Words, s.p.start)
	return s.p.take(s.ctx, f.PCM)
}

// take makes bytes of some audio and sends them, or keeps it until it is known
// which characters are heard in it.
func (p *performance) take(ctx context.Context, pcm []int16) error {
	if p.timing == nil {
		return p.pass(ctx, pcm)
	}
	p.timing.held = append(p.timing.held, pcm...)
	return p.tell(ctx)
}

// tell makes bytes of the audio of which it is known what is heard in it.
func (p *performance) tell(ctx context.Context) error {
	for {
		piece := p.timing.piece(p.chain.samples)
		if len(piece) == 0 {
			return nil
		}
		if err := p.pass(ctx, piece); err != nil {
			return err
		}
		p.timing.passed(len(piece))
	}
}

// pass makes bytes of some audio, in the turn that there is or in new ones, and
// sends them.
func (p *performance) pass(ctx context.Context, pcm []int16) error {
	n, unsent := len(pcm), time.Duration(0) // a turn in which the engine made it is enough for it
	if !p.reclaim() || p.chain.played(n) > longUnit {
		n = min(n, p.chain.unit)
	}
	for ; len(pcm) > 0; n = min(len(pcm), p.chain.unit) {
		if err := p.beginTurn(ctx); err != nil {
			return err
		}
		if err := p.chain.WritePCM(pcm[:n]); err != nil {
			return err
		}
		p.endTurn(p.chain.played(n))
		unsent += p.chain.played(n)
		// A reader with audio in hand is sent all of a frame in one write, if that
		// is not too long. What a Follower is told of is a piece that is short.
		early := p.timing == nil && (p.stream.Lead() < sendAtOnce || unsent+schedule.Unit > longUnit)
		if pcm = pcm[n:]; len(pcm) == 0 || early {
			unsent = 0
			p.timing.reach(p.chain.samples)
			if err := p.out.send(); err != nil {
				return err
			}
			p.said.samples = p.chain.samples
			p.out.mark(p.said)
		}
	}
	return nil
}

// beginTurn waits for a turn, unless there is one.
func (p *performance) beginTurn(ctx context.Context) error {
	if p.reclaim() {
		return nil
	}
	if err := p.stream.Take(ctx); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turn = true
	return nil
}

// endTurn gives the turn back, if there is one.
func (p *performance) endTurn(made time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.turn {
		p.turn = false
		p.stream.Release(made)
	}
}

// lend leaves the turn to the engine, for a while.
func (p *performance) lend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lent = true
	p.expiry.Reset(tooLong)
}

// reclaim ends the lending of the turn and reports whether there is one still.
func (p *performance) reclaim() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lent = false
	return p.turn
}

// expire gives back a turn that an engine keeps too long.
func (p *performance) expire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.turn && p.lent {
		p.turn, p.lent = false, false
		p.stream.Release(0)
	}
}
