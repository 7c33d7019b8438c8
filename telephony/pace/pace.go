// Package pace sends audio to a telephone line at the pace at which it is heard: frames of 20 ms,
// against the monotonic clock, without drift.
//
// Audio is written to tracks, one for each stretch of speech. A provider that buffers gets a
// little of it ahead, the lead, so that a late frame is not heard. The player knows from the clock
// which frames the listener has heard.
package pace

import (
	"context"
	"sync"
	"time"

	"vaak/telephony/line"
)

// Sender sends to the provider. Its methods are called by one goroutine at a time.
type Sender interface {
	Send(frame []byte) error
	// Clear has the provider drop what it has not played.
	Clear() error
	// Mark has the provider say when it has played all before it.
	Mark(name string) error
}

// Config says how a line is played to.
type Config struct {
	Format line.Format
	// Lead is how much audio is sent before it is to be heard.
	Lead time.Duration
	// Continuous also sends silence while there is nothing to play, for a provider that expects a
	// frame every 20 ms.
	Continuous bool
	// Room is how much audio may wait; a write that exceeds it blocks. 0 is 2 s.
	Room time.Duration
	// Patience is how long after it should have been played a mark counts as reached though the
	// provider has not said so. 0 is for providers that never say it: the clock decides.
	Patience time.Duration
	// Reached is called, by the goroutine of Run or of Echo, with each mark when all audio before
	// it was heard. It is not called for marks that were cleared.
	Reached func(mark string)
	// Late is called with how much later than planned a frame was sent; nil is not called. Frames
	// that came too late to be planned are not told.
	Late func(time.Duration)
}

// mostLate is how far the player may be behind the clock, such as on a machine that was suspended,
// before it gives the time up instead of catching up with a burst.
const mostLate = 500 * time.Millisecond

// Player plays to a line. It is safe for concurrent use.
type Player struct {
	cfg     Config
	to      Sender
	silence []byte

	wire sync.Mutex // held while something is sent; taken before mu where both are

	mu      sync.Mutex
	space   sync.Cond // the queue has become shorter, or the player has ended
	queue   []item
	waiting int       // frames in the queue
	due     time.Time // when the next frame is to be heard
	planned time.Time // when the frame at the head of the queue was to be sent, if that was in the future
	dry     bool      // there was nothing to send when a frame was due
	sent    int       // frames, of all tracks and of silence
	tracks  []*Track  // that may not be heard to the end yet, oldest first
	marks   []mark    // that were sent and not reached
	ended   bool

	wake chan struct{}
}

// item is a frame of a track, or a mark.
type item struct {
	frame []byte
	track *Track
	mark  string
}

type mark struct {
	name string
	at   time.Time // when it counts as reached
}

// New returns a player. Nothing is sent until Run.
func New(to Sender, cfg Config) *Player {
	if cfg.Room == 0 {
		cfg.Room = 2 * time.Second
	}
	p := &Player{cfg: cfg, to: to, dry: true, wake: make(chan struct{}, 1), silence: make([]byte, cfg.Format.Bytes(line.FrameTime))}
	p.space.L = &p.mu
	for i := range p.silence {
		p.silence[i] = cfg.Format.Silence()
	}
	return p
}

// Run plays until the context ends or a send fails, whose error it returns.
func (p *Player) Run(ctx context.Context) error {
	defer func() {
		p.mu.Lock()
		p.ended = true
		p.mu.Unlock()
		p.space.Broadcast()
	}()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		next, err := p.step()
		if err != nil {
			return err
		}
		if next.IsZero() {
			timer.Stop()
		} else {
			timer.Reset(time.Until(next))
		}
		select {
		case <-timer.C:
		case <-p.wake:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// step sends what is due, and returns when there is something to do again; zero is when it is woken.
func (p *Player) step() (next time.Time, err error) {
	for {
		p.wire.Lock()
		it, next, reached := p.take(time.Now())
		switch {
		case it.frame != nil:
			err = p.to.Send(it.frame)
		case it.mark != "":
			err = p.to.Mark(it.mark)
		}
		p.wire.Unlock()
		for _, name := range reached {
			p.cfg.Reached(name)
		}
		if err != nil || it.frame == nil && it.mark == "" {
			return next, err
		}
	}
}

// take removes what is to be sent now. If that is nothing, next is when to look again.
func (p *Player) take(now time.Time) (it item, next time.Time, reached []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.marks) > 0 && !p.marks[0].at.After(now) {
		reached = append(reached, p.marks[0].name)
		p.marks = p.marks[1:]
	}
	if len(p.marks) > 0 {
		next = p.marks[0].at
	}
	if len(p.queue) == 0 && !p.cfg.Continuous {
		p.dry = true
		return item{}, next, reached
	}
	// After a pause the clock begins again, and so it does after a time in which nothing could be
	// sent. Otherwise a frame keeps its time, however late the one before it was: no drift.
	if p.dry && p.due.Before(now) || now.Sub(p.due) > mostLate {
		p.due = now
	}
	p.dry = false
	if len(p.queue) > 0 && p.queue[0].mark != "" {
		it, p.queue = p.queue[0], p.queue[1:]
		p.marks = append(p.marks, mark{it.mark, later(p.due, now).Add(p.cfg.Patience)})
		return it, next, reached
	}
	if at := p.due.Add(-p.cfg.Lead); at.After(now) {
		if next.IsZero() || at.Before(next) {
			next = at
		}
		p.planned = at
		return item{}, next, reached
	} else if p.cfg.Late != nil && p.planned.Equal(at) {
		p.cfg.Late(now.Sub(at))
	}
	if len(p.queue) == 0 {
		it = item{frame: p.silence}
	} else {
		it, p.queue = p.queue[0], p.queue[1:]
		p.waiting--
		it.track.sent++
		p.space.Broadcast()
	}
	p.due = p.due.Add(line.FrameTime)
	p.sent++
	if it.track != nil {
		it.track.last = p.sent
	}
	return it, next, reached
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (p *Player) stir() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Echo tells that the provider has played all before a mark. Names that are unknown, such as those
// of marks that were cleared, have no effect.
func (p *Player) Echo(name string) {
	var reached []string
	p.mu.Lock()
	for i, m := range p.marks {
		if m.name == name {
			for _, m := range p.marks[:i+1] { // providers play in order
				reached = append(reached, m.name)
			}
			p.marks = p.marks[i+1:]
			break
		}
	}
	p.mu.Unlock()
	for _, name := range reached {
		p.cfg.Reached(name)
	}
}

// Mark puts a mark behind all that was written. Names should not be used twice.
func (p *Player) Mark(name string) {
	p.mu.Lock()
	p.queue = append(p.queue, item{mark: name})
	p.mu.Unlock()
	p.stir()
}

// Clear drops everything that was not heard, here and at the provider. When it returns, no frame
// of a track that was begun before follows on the wire.
func (p *Player) Clear() error {
	p.mu.Lock()
	now := time.Now()
	for _, t := range p.tracks {
		t.heard, t.cleared = t.frames(now), true
	}
	p.tracks, p.queue, p.marks, p.waiting = nil, nil, nil, 0
	if !p.cfg.Continuous { // silence keeps the time of the frames otherwise
		p.due, p.dry = now, true
	}
	p.mu.Unlock()
	p.space.Broadcast()
	p.stir()
	// A frame that was taken before is sent before the lock is free.
	p.wire.Lock()
	defer p.wire.Unlock()
	return p.to.Clear()
}

// Ahead returns how long it takes until all that was written is heard.
func (p *Player) Ahead() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	ahead := time.Duration(p.waiting) * line.FrameTime
	if buffered := time.Until(p.due); buffered > 0 {
		ahead += buffered
	}
	return ahead
}

// Track is a stretch of speech. Write and Close are called by one goroutine; the remainder is safe
// for concurrent use.
type Track struct {
	p       *Player
	partial []byte // the frame that is not full yet

	// Guarded by p.mu.
	sent    int  // frames
	last    int  // p.sent when the last of them was sent
	written int  // frames
	heard   int  // frames that were heard when it was cleared
	cleared bool // what is written is dropped
}

// Track begins a track behind all others.
func (p *Player) Track() *Track {
	t := &Track{p: p}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	// Tracks that were heard to the end are kept by those alone who ask about them.
	for len(p.tracks) > 0 && p.tracks[0].sent == p.tracks[0].written && p.tracks[0].frames(now) == p.tracks[0].sent {
		p.tracks = p.tracks[1:]
	}
	p.tracks = append(p.tracks, t)
	return t
}

// Write adds audio in the format of the line. It blocks while the player has more than Room. What
// is written after a Clear is dropped.
func (t *Track) Write(b []byte) (int, error) {
	p, n := t.p, len(b)
	size := len(p.silence)
	for len(b) > 0 {
		m := min(size-len(t.partial), len(b))
		t.partial = append(t.partial, b[:m]...)
		b = b[m:]
		if len(t.partial) == size {
			if err := t.push(); err != nil {
				return n - len(b), err
			}
		}
	}
	return n, nil
}

// push queues the frame that is full.
func (t *Track) push() error {
	p := t.p
	p.mu.Lock()
	defer p.mu.Unlock()
	room := int(p.cfg.Room / line.FrameTime)
	for p.waiting >= room && !t.cleared && !p.ended {
		p.space.Wait()
	}
	if p.ended {
		return context.Canceled
	}
	if !t.cleared {
		p.queue = append(p.queue, item{frame: t.partial, track: t})
		p.waiting++
		t.written++
		if p.waiting == 1 {
			p.stir()
		}
	}
	t.partial = make([]byte, 0, len(p.silence))
	return nil
}

// Close ends the track: its last frame is filled with silence.
func (t *Track) Close() error {
	if len(t.partial) == 0 {
		return nil
	}
	_, err := t.Write(t.p.silence[:len(t.p.silence)-len(t.partial)])
	return err
}

// Heard returns how much of the track was heard.
func (t *Track) Heard() time.Duration {
	t.p.mu.Lock()
	defer t.p.mu.Unlock()
	if t.cleared {
		return time.Duration(t.heard) * line.FrameTime
	}
	return time.Duration(t.frames(time.Now())) * line.FrameTime
}

// Written returns how much audio the track has.
func (t *Track) Written() time.Duration {
	t.p.mu.Lock()
	defer t.p.mu.Unlock()
	return time.Duration(t.written) * line.FrameTime
}

// frames returns how many frames were heard; p.mu is held.
func (t *Track) frames(now time.Time) int {
	// The frames that were sent last are the ones that were not heard yet.
	unheard := 0
	if ahead := t.p.due.Sub(now); ahead > 0 {
		unheard = int((ahead + line.FrameTime - 1) / line.FrameTime)
	}
	unheard -= t.p.sent - t.last // those of later tracks
	return t.sent - min(max(unheard, 0), t.sent)
}
