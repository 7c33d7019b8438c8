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
	// shortLead is the lead below which bytes are sent as soon as they are made. The lead is
	// the audio that the listener has received and not played yet.
	shortLead = 500 * time.Millisecond
	// comfortableLead is the lead above which the engine may make long turns.
	comfortableLead = 2 * time.Second
)

// performance has engines speak utterances into a chain of writers, as their sink. The
// engines make audio during the stream's turns of the scheduler. The audio is encoded in
// the same turn, and the turn ends before the bytes are sent: a listener who reads slowly
// must not hold a processor.
type performance struct {
	stream   *schedule.Stream
	chain    *meter
	out      *response
	progress *progress
	timing   *timing // nil when the writer wants no timings
	terms    terms   // of the turns
	joint    *joint  // joins the utterances of a session; nil for a request
	origin   origin  // who has spoken so far

	back  text.Map // maps the utterance being spoken back to the caller's text
	start int      // the sample at which the utterance began

	mu     sync.Mutex // guards what follows: expire runs in the timer's goroutine
	turn   bool       // the stream has a turn
	lent   bool       // the engine makes audio in it
	expiry *time.Timer
}

// open starts a performance, which ends with close.
func (p *performance) open() {
	// Until lend resets the timer nothing is lent, so it does no harm if it fires.
	p.expiry = time.AfterFunc(p.terms.loan, p.expire)
}

// close ends a turn that is still held.
func (p *performance) close() {
	p.expiry.Stop()
	p.endTurn(0)
}

// say speaks an utterance. conclude must be called after it.
func (p *performance) say(ctx context.Context, u utterance) error {
	p.back, p.start = u.back, p.position()
	p.origin.speaker = u.speaker
	if !u.speaker.traits.Remote {
		p.stream.Local()
	}
	p.timing.open(u, p.progress.text, p.start)
	if u.unsayable != nil {
		return u.unsayable
	}
	u.Timed = p.timing != nil
	return synthesizeAt(ctx, p.chain.rate, u, sink{ctx, p})
}

// conclude ends the timing of the utterance and sends what was held back for it.
func (p *performance) conclude(ctx context.Context) error {
	if p.timing == nil {
		return nil
	}
	p.timing.close(p.position())
	if err := p.encodeTimed(ctx); err != nil {
		return err
	}
	p.timing.encodedTo(p.chain.samples) // also reports signs that take no time
	return nil
}

// words records where words begin, in an utterance that began at sample start.
func (p *performance) words(words []engine.Word, start int) {
	p.progress.words(p.back, words, start)
	p.timing.words(words, start)
}

// addSilence adds silence to the audio.
func (p *performance) addSilence(ctx context.Context, d time.Duration) error {
	return p.accept(ctx, make([]int16, samples(d, p.chain.rate)))
}

// position returns how many samples were accepted, encoded or not.
func (p *performance) position() int {
	if p.timing != nil {
		return p.chain.samples + len(p.timing.held)
	}
	return p.chain.samples
}

// sink shows a performance to an engine, for one utterance.
type sink struct {
	ctx context.Context
	p   *performance
}

// Room waits for a turn and lends it to the engine, which may then make n samples. ahead
// reports whether the engine may go on computing between turns, as it may when no other
// stream needs the processor.
func (s sink) Room(ctx context.Context) (n int, ahead bool, err error) {
	p, stream := s.p, s.p.stream
	if err := p.beginTurn(ctx); err != nil {
		return 0, false, err
	}
	p.lend()
	audio := p.terms.short
	// A listener with so much audio does not notice a longer turn.
	if stream.Lead() > comfortableLead {
		audio = p.terms.long
	}
	return int(float64(p.chain.unit) * float64(audio) / float64(schedule.Unit)), stream.Alone(), nil
}

// Frame encodes a frame and sends it.
func (s sink) Frame(f engine.Frame) error {
	// Before the audio: what is left out must not be counted as heard with the words after it.
	if err := s.p.omit(f.LeftOut); err != nil {
		return err
	}
	if f.Part == engine.Body && len(f.PCM)+len(f.Words) > 0 {
		if s.p.origin.note(f.By); f.By.Engine != "" {
			s.p.stream.Local() // an engine of this machine makes the sound instead
		}
		if f.Estimated {
			s.p.timing.estimate()
		}
	}
	if s.p.joint != nil {
		return s.p.joint.frame(s.ctx, f)
	}
	s.p.words(f.Words, s.p.start)
	return s.p.accept(s.ctx, f.PCM)
}

// accept encodes some audio and sends it. If timings are wanted, the audio is held until
// it is known which characters are heard in it, because they are sent before it.
func (p *performance) accept(ctx context.Context, pcm []int16) error {
	if p.timing == nil {
		return p.encode(ctx, pcm)
	}
	p.timing.held = append(p.timing.held, pcm...)
	return p.encodeTimed(ctx)
}

// encodeTimed encodes the held audio whose characters are known.
func (p *performance) encodeTimed(ctx context.Context) error {
	for {
		piece := p.timing.piece(p.chain.samples)
		if len(piece) == 0 {
			return nil
		}
		if err := p.encode(ctx, piece); err != nil {
			return err
		}
		p.timing.passed(len(piece))
	}
}

// encode encodes some audio and sends it. It uses the turn at hand, or waits for one where that is
// what turns are for.
func (p *performance) encode(ctx context.Context, pcm []int16) error {
	n, unsent := len(pcm), time.Duration(0)
	// A frame that the engine made in this turn is encoded in it whole. Without a turn, or
	// with more audio than a turn makes, encoding is cut into turns too.
	if has := p.reclaim(); !p.terms.computes && (!has || p.chain.played(n) > p.terms.long) {
		n = min(n, p.chain.unit)
	}
	for ; len(pcm) > 0; n = min(len(pcm), p.chain.unit) {
		if !p.terms.computes {
			if err := p.beginTurn(ctx); err != nil {
				return err
			}
		}
		if err := p.chain.WritePCM(pcm[:n]); err != nil {
			return err
		}
		p.endTurn(p.chain.played(n))
		unsent += p.chain.played(n)
		// A listener with a comfortable lead gets a frame in one write, unless it is
		// long: writes cost a system call each. A Follower gets short pieces, each with
		// its timing.
		early := p.timing == nil && (p.stream.Lead() < shortLead || unsent+schedule.Unit > p.terms.long)
		if pcm = pcm[n:]; len(pcm) == 0 || early {
			unsent = 0
			p.timing.encodedTo(p.chain.samples)
			if err := p.out.send(); err != nil {
				return err
			}
			// After the send: only audio that the receiver has accepted counts as heard and is
			// charged.
			p.progress.samples = p.chain.samples
			p.out.mark(p.progress)
		}
	}
	return nil
}

// beginTurn waits for a turn, unless the stream has one.
func (p *performance) beginTurn(ctx context.Context) error {
	if p.reclaim() {
		return nil
	}
	if err := p.stream.Acquire(ctx); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turn = true
	return nil
}

// endTurn ends the turn, if there is one, and counts the audio that was made.
func (p *performance) endTurn(made time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.turn {
		p.turn = false
		p.stream.Release(made)
	} else if made > 0 {
		p.stream.Made(made)
	}
}

// lend leaves the turn to the engine for as long as it may keep it at most. An engine that hangs
// must not keep other streams from their turns.
func (p *performance) lend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lent = true
	p.expiry.Reset(p.terms.loan)
}

// reclaim ends the loan of the turn and reports whether the stream still has the turn: it
// has lost it if the loan expired.
func (p *performance) reclaim() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lent = false
	return p.turn
}

// expire ends a turn that the engine has kept for too long.
func (p *performance) expire() {
	p.mu.Lock()
	defer p.mu.Unlock()
	// The timer may fire after the loan has ended; then the turn is not the engine's to lose.
	if p.turn && p.lent {
		p.turn, p.lent = false, false
		p.stream.Release(0)
	}
}
