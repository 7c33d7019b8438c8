package remote

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	"vaak/engine/remote/pool"
	"vaak/engine/remote/wire"
	"vaak/internal/pause"
)

// readSamples is how many samples are read at a time, at most: 40 ms at 24 kHz.
const readSamples = 960

// errLate is the cause of a context that ended because nothing came for too long.
var errLate = &wire.Failure{Reason: wire.Late, Detail: "nothing came for too long"}

// lateness returns errLate if that is why an error came.
func lateness(ctx context.Context, err error) error {
	if err != nil && context.Cause(ctx) == error(errLate) {
		return errLate
	}
	return err
}

func isEnd(err error) bool { return errors.Is(err, io.EOF) }

// asking is a sentence that a member says.
type asking struct {
	g      *group
	member string
	lease  *pool.Lease
	held   *held
	answer wire.Answer
	ctx    context.Context
	cancel context.CancelCauseFunc
	late   *pause.Limit
	began  time.Time
	first  time.Duration // until the first sound
	read   int           // samples
	buffer [readSamples]int16
	sound  []int16 // of buffer: read and not taken yet
	end    error   // comes after sound
	detach func()  // ends what else was asked; may be nil
}

// begin has a member say a sentence of about so much sound. It returns when the first sound is
// there. Members in avoid are not asked. The member is named with an error too.
func (g *group) begin(ctx context.Context, ask wire.Ask, about time.Duration, avoid []string) (*asking, string, error) {
	hedge := g.settings.Load().Hedge
	if hedge == 0 {
		return g.open(ctx, ask, about, avoid, func(string) {})
	}
	return g.race(ctx, ask, about, avoid, hedge)
}

// race asks a second member if the first one makes no sound for a while, and takes the one that
// makes it first.
func (g *group) race(ctx context.Context, ask wire.Ask, about time.Duration, avoid []string, hedge time.Duration) (*asking, string, error) {
	type result struct {
		run    int
		a      *asking
		member string
		err    error
	}
	results := make(chan result, 2)
	first := make(chan string, 1) // who was asked first
	var stops []context.CancelCauseFunc
	run := func(avoid []string, tell func(string)) {
		i := len(stops)
		ctx, stop := context.WithCancelCause(ctx)
		stops = append(stops, stop)
		go func() {
			a, member, err := g.open(ctx, ask, about, avoid, tell)
			results <- result{i, a, member, err}
		}()
	}
	run(avoid, func(member string) { first <- member })
	timer := time.NewTimer(hedge)
	defer timer.Stop()
	var failed result
	for ended := 0; ended < len(stops); {
		select {
		case <-timer.C:
			select {
			case member := <-first:
				run(append([]string{member}, avoid...), func(string) {})
			default: // there was no place until now, so there is none for a second
			}
		case r := <-results:
			if ended++; r.err != nil {
				failed = r
				stops[r.run](nil)
				continue
			}
			if ended < len(stops) {
				stops[1-r.run](errUnneeded)
				go func() {
					if other := <-results; other.a != nil {
						other.a.close(errUnneeded)
					}
				}()
			}
			r.a.detach = func() { stops[r.run](nil) }
			return r.a, r.member, nil
		}
	}
	return nil, failed.member, failed.err
}

// errUnneeded means that a sentence is not needed any more.
var errUnneeded = errors.New("the sentence is not needed any more")

// open has a member say a sentence. tell is called with the member before it is asked.
func (g *group) open(ctx context.Context, ask wire.Ask, about time.Duration, avoid []string, tell func(string)) (*asking, string, error) {
	lease, err := g.take(ctx, about, avoid)
	if err != nil {
		return nil, "", err
	}
	a := &asking{g: g, lease: lease, member: lease.Member(), began: time.Now()}
	tell(a.member)
	p := g.settings.Load()
	if a.held, err = g.hold(a.member); err != nil {
		lease.Done(time.Now(), outcome(err))
		return nil, a.member, err
	}
	a.ctx, a.cancel = context.WithCancelCause(ctx)
	a.late = pause.After(p.FirstAudio, func() { a.cancel(errLate) })
	if a.answer, err = a.held.Speak(a.ctx, ask); err == nil {
		if err = g.checkRate(a.answer); err == nil {
			err = a.fill()
		}
	}
	if err != nil {
		err = a.why(ctx, err)
		a.close(err)
		return nil, a.member, err
	}
	a.late.Stop() // next begins it again
	a.first = time.Since(a.began)
	return a, a.member, nil
}

// take takes a place on a member. While all are full it waits for one for a while.
func (g *group) take(ctx context.Context, about time.Duration, avoid []string) (*pool.Lease, error) {
	var timeout <-chan time.Time
	for {
		changed := g.pool.Changed()
		lease, err := g.pool.Take(time.Now(), about, avoid...)
		if !errors.Is(err, pool.ErrFull) {
			return lease, err
		}
		if timeout == nil {
			timer := time.NewTimer(g.settings.Load().Queue)
			defer timer.Stop()
			timeout = timer.C
		}
		select {
		case <-changed:
		case <-timeout:
			return nil, err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// why returns why an answer has failed: the cause of ctx if that ended.
func (a *asking) why(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return lateness(a.ctx, err)
}

// fill reads the next sound.
func (a *asking) fill() error {
	for {
		n, err := a.answer.Read(a.buffer[:])
		if a.sound, a.end = a.buffer[:n], err; n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// next returns the next sound, which is valid until the next call. The error is io.EOF at the end
// of a whole answer.
func (a *asking) next(ctx context.Context) ([]int16, error) {
	if len(a.sound) == 0 {
		if a.end != nil {
			return nil, a.why(ctx, a.end)
		}
		a.late.Reset(a.g.settings.Load().Stall)
		if err := a.fill(); err != nil {
			return nil, a.why(ctx, err)
		}
	}
	a.late.Stop()
	sound := a.sound
	a.sound = nil
	was := a.played()
	a.read += len(sound)
	a.lease.Made(time.Now(), a.played()-was)
	return sound, nil
}

// played returns how long the samples take that were read.
func (a *asking) played() time.Duration {
	return time.Duration(a.read) * time.Second / time.Duration(rateOf(*a.g.settings.Load()))
}

// close ends the asking, whose outcome is an error, io.EOF or nil.
func (a *asking) close(err error) {
	a.late.Stop()
	if a.answer != nil {
		a.answer.Close()
	}
	a.cancel(cmp.Or(err, errUnneeded))
	a.g.letGo(a.held)
	f := &wire.Failure{}
	o := pool.Outcome{Cancelled: true}
	if err == nil || isEnd(err) {
		o = pool.Outcome{}
	} else if errors.As(err, &f) {
		o = outcome(err)
	}
	o.FirstAudio, o.Audio = a.first, a.played()
	a.lease.Done(time.Now(), o)
	a.g.figure.audio.Add(int64(o.Audio))
	if a.detach != nil {
		a.detach()
	}
}
