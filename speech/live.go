package speech

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"vaak/account"
	"vaak/audio"
	"vaak/audio/codec"
	"vaak/audio/resample"
	"vaak/audio/tempo"
	"vaak/internal/fault"
	"vaak/speech/chunk"
	"vaak/speech/schedule"
	"vaak/text"
)

// errCancelled ends a run that was cancelled by its caller.
var errCancelled = errors.New("the session was cancelled")

// Run speaks a session into w until its text has ended and all of it is said,
// until it is cancelled, or until it fails. It is called once. If w is a [Starter]
// or a [Follower] it is told what those are told; each Write is less than a second
// of audio, whose bytes may lag behind by what the codec holds back. What a Write
// blocks is not made.
//
// The caller is charged for all characters that were spoken when Run returns nil
// after [Session.End]; for those whose audio w took when the session was
// cancelled or fell idle, when the balance was spent, the context ended or w
// failed; and for none when the server is at fault, be it in w: see [Finisher].
//
// An error of kind Idle says that nothing came for as long as the request allows.
func (s *Service) Run(ctx context.Context, session *Session, w io.Writer) (Result, error) {
	defer close(session.over)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(session.life, func() { stop(errCancelled) })()
	l := &live{
		service: s, session: session, w: w,
		tongue: tongue{front: s.front, dictionaries: session.req.Dictionaries, hint: session.hint},
		funds:  funds{ledger: s.ledger, caller: session.caller},
	}
	l.tongue.within(session.hint)
	l.info = Info{Voice: session.voice.ID, Language: session.hint.Code, Format: session.format}
	defer l.close()
	return l.settle(ctx, l.run(ctx))
}

// live is a run of a session.
type live struct {
	service *Service
	session *Session
	w       io.Writer
	info    Info
	tongue  tongue
	funds   funds
	out     *response
	voice   *performance // nil before the first chunk
	lag     int          // samples that the chain holds back at most
	carried string       // text that waits for what is spoken next
	unasked int          // code points that were taken and not asked for
	ready   time.Time    // when the first chunk was there
}

func (l *live) run(ctx context.Context) error {
	for queued := false; ; queued = true {
		c, last, err := l.session.next(ctx, queued, l.linger)
		switch {
		case err == io.EOF:
			return l.finish(ctx)
		case err != nil:
			return err
		}
		if err := l.turn(ctx, c, last); err != nil {
			return err
		}
	}
}

// linger is called when nothing can be said until more text comes, which may be
// long: buffers are made again when it does.
func (l *live) linger() {
	if l.voice == nil {
		return
	}
	l.voice.stream.Pause()
	l.out.slim()
	l.voice.timing.slim()
}

// turn says a chunk when it is the session's turn. White space that begins the
// session waits for text.
func (l *live) turn(ctx context.Context, c chunk.Chunk, last bool) error {
	l.unasked += utf8.RuneCountInString(c.Text)
	if l.voice == nil && strings.TrimSpace(c.Text) == "" {
		l.carried += c.Text
		return nil
	}
	return l.inTurn(ctx, func() error { return l.speak(ctx, c, last) })
}

// inTurn does something when it is the session's turn, with what carries audio.
func (l *live) inTurn(ctx context.Context, do func() error) error {
	turns := l.session.req.Turns
	if turns != nil {
		l.linger() // the others may take as long as they like
	}
	if err := turns.take(ctx); err != nil {
		return err
	}
	defer turns.give()
	if err := l.open(); err != nil {
		return err
	}
	return do()
}

// open makes ready what carries audio.
func (l *live) open() error {
	if l.voice != nil {
		l.voice.stream.Resume()
		return nil
	}
	l.ready = time.Now()
	stream, err := l.service.schedule.Admit(schedule.Live)
	if err != nil {
		return err
	}
	l.out = &response{w: l.w, streams: true, stream: stream, held: &l.funds, begin: l.begin}
	chain, err := l.service.chain(l.out, l.info.Format, codec.Stream, l.session.req.Speed)
	if err != nil {
		stream.End()
		return err
	}
	p := &performance{stream: stream, chain: chain, out: l.out, said: &progress{keep: true}}
	p.timing = newTiming(l.w, chain)
	l.out.timing = p.timing
	p.joint = newJoint(p)
	p.open()
	l.voice, l.lag = p, holdsBack(l.info.Format, chain)
	return nil
}

// begin tells the receiver what comes.
func (l *live) begin() {
	l.info.FirstAudio, l.info.QueueTime = time.Since(l.ready), l.voice.stream.Queued()
	if s, ok := l.w.(Starter); ok {
		s.Start(l.info.without(l.voice.said))
	}
}

// close gives back what carries audio.
func (l *live) close() {
	l.funds.cancel()
	if l.voice != nil {
		l.voice.close()
		l.voice.stream.End()
	}
}

// speak says a chunk, and what was carried until now. White space at the end of
// what was flushed is kept for what comes next: the pause is its time, and it is
// not known yet whether there is one. So is text of which nothing is spoken.
func (l *live) speak(ctx context.Context, c chunk.Chunk, last bool) error {
	c.Before = strings.TrimSuffix(c.Before, l.carried)
	c.Text, l.carried = l.carried+c.Text, ""
	c, last, script, err := l.script(c, last)
	if err != nil {
		return err
	}
	l.funds.ask(ctx, l.unasked)
	l.unasked = 0
	flushed := ends(c, last)
	if len(script) == 0 {
		l.carried = c.Text + l.carried
		return nil
	}
	script[len(script)-1].written.End = len(c.Text)
	p := l.voice
	p.said.begin(c.Text)
	for i, u := range script {
		if err := l.perform(ctx, u, flushed && i == len(script)-1); err != nil {
			return err
		}
	}
	p.said.mark(p.position()-1, len(c.Text))
	return nil
}

// ends says that a chunk was flushed: nothing is known of what follows it, if
// anything does.
func ends(c chunk.Chunk, last bool) bool { return c.Ends && !c.Follows && !last }

// perform says a part of a chunk. The silence at its end is kept when it was
// flushed, but for what the chain needs to give out the rest. When nothing follows
// there is none but what its last sound ends with.
func (l *live) perform(ctx context.Context, u part, flushed bool) error {
	p, j := l.voice, l.voice.joint
	defer p.endTurn(0) // what the joint holds made no bytes, which end it
	if u.pause > 0 {
		if err := j.release(ctx, j.quiet+samples(u.pause, p.chain.rate)); err != nil {
			return err
		}
	}
	j.begin(u.joined)
	if u.joined || u.After != "" {
		u.Edge = j.seam.Edge()
	}
	if err := p.say(ctx, u.utterance); err != nil {
		return err
	}
	if err := j.end(ctx); err != nil {
		return err
	}
	release := j.quiet
	if flushed {
		release = l.lag
	}
	if err := j.release(ctx, release); err != nil {
		return err
	}
	return p.conclude(ctx)
}

// finish ends the audio when all was said.
func (l *live) finish(ctx context.Context) error {
	if l.voice == nil {
		return nil
	}
	return l.inTurn(ctx, func() error {
		if err := l.rest(ctx); err != nil {
			return err
		}
		if err := l.voice.chain.Close(); err != nil {
			return err
		}
		return l.out.finish()
	})
}

// rest ends the text with what is carried still. That has a silence if it is more
// than white space, as it would have if it were all of the text.
func (l *live) rest(ctx context.Context) error {
	p := l.voice
	p.said.begin(l.carried)
	p.timing.open(utterance{written: text.Span{End: len(l.carried)}}, l.carried, p.position())
	if strings.TrimSpace(l.carried) != "" || p.position() == 0 {
		if err := p.rest(ctx, silence); err != nil {
			return err
		}
	}
	p.said.mark(p.position()-1, len(l.carried))
	if err := p.conclude(ctx); err != nil {
		return err
	}
	p.timing.reach(p.chain.samples)
	return nil
}

// settle charges for a run that ended with err. Whatever breaks when the caller
// has cancelled is the cancellation.
func (l *live) settle(ctx context.Context, err error) (Result, error) {
	if err != nil && context.Cause(ctx) == errCancelled {
		err = errCancelled
	}
	result := Result{Info: l.info}
	if l.voice != nil {
		result.Bytes = l.out.bytes
		if err != nil {
			l.out.broken = err
			_ = l.voice.chain.Close() // gives back what it holds; err is the one to tell
		}
		err = l.charge(ctx, &result, err)
	}
	if errors.Is(err, errCancelled) {
		err = nil
	}
	return result, err
}

// charge commits what is to be paid of a run that ended with err, and notes what
// was heard.
func (l *live) charge(ctx context.Context, result *Result, err error) error {
	p := l.voice
	if refused := l.funds.wait(); refused != nil && err == nil {
		err = refused
	}
	characters, audio := p.said.charged(), p.chain.played(p.said.samples)
	l.session.conclude(p)
	if err == nil {
		characters, audio = l.funds.reserved-p.said.left.total, p.chain.duration()
		result.Total = time.Since(l.ready)
	}
	result.Info = result.Info.without(p.said)
	result.Duration = audio
	if l.funds.hold == nil || result.Bytes == 0 || err != nil && !l.owes(ctx, err) {
		return err
	}
	receipt := account.Receipt{
		Characters: min(characters, l.funds.reserved), Audio: audio,
		Voice: string(l.info.Voice), Language: string(l.info.Language), Delivered: true,
	}
	if cerr := l.funds.hold.Commit(ctx, receipt); cerr != nil {
		return errors.Join(err, cerr)
	}
	result.Charged, result.Characters = receipt.Characters, l.funds.reserved-p.said.left.total
	return err
}

// owes reports whether an error is the caller's doing, so that what was handed
// over is paid.
func (l *live) owes(ctx context.Context, err error) bool {
	if l.out.lost() {
		return false
	}
	if errors.Is(err, errCancelled) || ctx.Err() != nil || l.out.err != nil {
		return true
	}
	switch fault.KindOf(err) {
	case fault.Internal, fault.Unavailable:
		return false
	}
	return true
}

// holdsBack returns how many samples of its input the chain to a format holds back
// at most.
func holdsBack(f audio.Format, chain *meter) int {
	held := codec.Lag(f) + resample.Lag(chain.rate, codec.InputRate(f))
	if chain.speed != 1 {
		held = time.Duration(float64(held)*chain.speed) + tempo.Lag
	}
	if held == 0 {
		return 0
	}
	return samples(held, chain.rate) + 1
}
