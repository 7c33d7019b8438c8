package speech

import (
	"context"
	"sync"
	"time"
	"unicode/utf8"

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

// performance has engines say the runs of an answer into its chain. It is the
// sink of the engines: they make audio in the stream's turns, and what they make
// becomes bytes in the same turn, which ends before those are sent.
type performance struct {
	answer *answer
	chain  *meter
	out    *response
	said   *progress

	back  text.Map // of the run that is being said, back to the caller's text
	start int      // the sample of the chain at which that run began

	mu     sync.Mutex // the watch runs aside
	turn   bool       // it has one
	lent   bool       // to the engine, which makes audio in it
	expiry *time.Timer
}

// run says everything. The text after the opening is prepared as its turn comes.
func (p *performance) run(ctx context.Context) error {
	p.expiry = time.AfterFunc(tooLong, p.expire)
	defer p.expiry.Stop()
	defer p.endTurn(0)
	a, rate := p.answer, p.answer.service.sampleRate
	first := true
	for run := range a.text.Runs() {
		if err := p.take(ctx, make([]int16, samples(run.Pause, rate))); err != nil {
			return err
		}
		p.back, p.start = run.Map, p.chain.samples
		u := a.utterance(run, first)
		first = false
		if err := a.service.engines[u.Language].Synthesize(ctx, u, sink{ctx, p}); err != nil {
			return err
		}
	}
	if p.chain.samples == 0 {
		return p.take(ctx, make([]int16, samples(silence, rate)))
	}
	return nil
}

// sink is a performance as an engine sees it in one utterance.
type sink struct {
	ctx context.Context
	p   *performance
}

// Room waits for a turn and lends it to the engine.
func (s sink) Room(ctx context.Context) (n int, ahead bool, err error) {
	p, stream := s.p, s.p.answer.stream
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
	s.p.said.words(s.p.back, f.Words, s.p.start)
	return s.p.take(s.ctx, f.PCM)
}

// take makes bytes of some audio, in the turn that there is or in new ones, and
// sends them.
func (p *performance) take(ctx context.Context, pcm []int16) error {
	stream := p.answer.stream
	n := len(pcm) // a turn in which the engine made it is enough for it
	if !p.reclaim() {
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
		// A reader with audio in hand is sent all of a frame in one write.
		if pcm = pcm[n:]; len(pcm) == 0 || stream.Lead() < sendAtOnce {
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
	if err := p.answer.stream.Take(ctx); err != nil {
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
		p.answer.stream.Release(made)
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
		p.answer.stream.Release(0)
	}
}

// progress knows how far into the caller's text the audio has come.
type progress struct {
	text    string
	marks   []mark // of words that are not counted yet
	samples int    // handed over
	end     int    // bytes of text that are counted
	count   int    // code points of them
}

// mark says that the caller's bytes before end are being spoken from sample on.
type mark struct{ sample, end int }

func (p *progress) words(back text.Map, words []engine.Word, start int) {
	for _, w := range words {
		from := back.Back(text.Span{Start: w.Start, End: w.End})
		p.marks = append(p.marks, mark{sample: start + w.Sample, end: min(from.End, len(p.text))})
	}
}

// characters returns the code points whose audio was handed over.
func (p *progress) characters() int {
	n := 0
	for n < len(p.marks) && p.marks[n].sample < p.samples {
		if end := p.marks[n].end; end > p.end {
			p.count += utf8.RuneCountInString(p.text[p.end:end])
			p.end = end
		}
		n++
	}
	p.marks = append(p.marks[:0], p.marks[n:]...)
	return p.count
}
