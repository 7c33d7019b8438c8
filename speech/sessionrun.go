package speech

import (
	"cmp"
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"vaak/account"
	"vaak/audio"
	"vaak/audio/codec"
	"vaak/audio/resample"
	"vaak/audio/tempo"
	"vaak/internal/fault"
	"vaak/speech/chunk"
	"vaak/speech/schedule"
	"vaak/text"
	"vaak/text/frontend"
)

// errCancelled is the context's cause when a session was cancelled by its caller.
var errCancelled = errors.New("the session was cancelled")

// Run speaks a session into w until its text has ended and all of it is said, until it is
// cancelled, or until it fails. It may be called only once. If w is a [Starter], a
// [Follower] or an [Omitter], its methods are called as described there. Each Write is
// less than a second of audio; the codec may hold the last bytes back until the next
// Write. While a Write blocks, no more audio is made.
//
// What the caller is charged depends on how Run ends:
//   - nil after [Session.End]: all characters that were spoken;
//   - cancelled, idle, balance spent, context ended, or w failed: the characters whose
//     audio w accepted;
//   - a fault of the server, also when w reports one (see [Finisher]): nothing.
//
// An error of kind Idle means that no text came for as long as [SessionRequest.Idle] allows.
func (s *Service) Run(ctx context.Context, session *Session, w io.Writer) (Result, error) {
	// Deferred first, so that it runs last: Cancel reads what settle stores.
	defer close(session.finished)
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	defer context.AfterFunc(session.life, func() { stop(errCancelled) })()
	l := &sessionRun{
		service: s, session: session, w: w,
		reader: sessionReader{
			front: s.front.Expecting(session.prior), dictionaries: session.req.Dictionaries, hint: session.hint,
			memory: frontend.NewMemory(session.prior),
		},
		funds: funds{ledger: s.ledger, caller: session.caller},
	}
	// The session has read the Markdown of the text before it cuts it.
	style := session.req.Style
	style.PlainText = true
	l.reader.front = l.reader.front.Styled(style)
	l.reader.setScope(session.hint)
	l.info = Info{Voice: session.voice.ID, Language: session.hint.Code, Format: session.format}
	defer l.close()
	return l.settle(ctx, l.run(ctx))
}

// sessionRun is the state of one call of [Service.Run]. It belongs to the goroutine of
// that call; everything that other goroutines may touch is in [Session].
type sessionRun struct {
	service     *Service
	session     *Session
	w           io.Writer
	info        Info
	reader      sessionReader
	funds       funds
	out         *response
	performance *performance // nil before the first chunk
	codecLag    int          // samples that the chain may hold back
	carried     string       // text taken from the chunker that is spoken with the next chunk
	written     written      // how far the text was taken and said
	unreserved  int          // code points taken and not in the hold yet
	firstChunk  time.Time    // when the first chunk was there
}

func (l *sessionRun) run(ctx context.Context) error {
	for queued := false; ; queued = true {
		c, last, err := l.session.next(ctx, queued, l.freeBuffers)
		switch {
		case err == io.EOF:
			return l.finish(ctx)
		case err != nil:
			return err
		}
		if err := l.sayInTurn(ctx, c, last); err != nil {
			return err
		}
	}
}

// freeBuffers is called when the session waits for text or for its turn, which may take
// long. It frees the buffers, which are allocated again when they are needed: a server
// may have thousands of idle sessions.
func (l *sessionRun) freeBuffers() {
	if l.performance == nil {
		return
	}
	l.performance.stream.Pause()
	l.out.freeBuffers()
	l.performance.timing.freeBuffers()
}

// sayInTurn says a chunk when it is the session's turn. White space before the first text
// of the session is kept until there is text, so that no stream is admitted for it.
func (l *sessionRun) sayInTurn(ctx context.Context, c chunk.Chunk, last bool) error {
	l.unreserved += l.session.take(&l.written, len(c.Text))
	if l.performance == nil && strings.TrimSpace(c.Text) == "" {
		l.carried += c.Text
		return nil
	}
	return l.withTurn(ctx, func() error { return l.speak(ctx, c, last) })
}

// withTurn waits until it is the session's turn among those of its connection, and then calls
// do. The stream, if there is one already, counts again among those that need the processor.
func (l *sessionRun) withTurn(ctx context.Context, do func() error) error {
	turns := l.session.req.Turns
	if turns != nil {
		l.freeBuffers() // the sessions before may take as long as they like
	}
	if err := turns.acquire(ctx); err != nil {
		return err
	}
	defer turns.release()
	if l.performance != nil {
		l.performance.stream.Resume()
	}
	return do()
}

// open admits the session to the scheduler and builds the chain of writers, unless that is done.
// The voice, which decides the rate, is known by then, if the text has shown a language.
func (l *sessionRun) open(arrived time.Time) error {
	if l.performance != nil {
		return nil
	}
	l.firstChunk = arrived
	by, err := l.service.speakerFor(l.session.voice, cmp.Or(l.info.Language, l.session.voice.Native, "en"))
	if err != nil {
		return err
	}
	dearest := l.service.dearest(by, l.session.voice)
	stream, err := l.service.admit(dearest, schedule.Live)
	if err != nil {
		return err
	}
	l.out = &response{w: l.w, streams: true, stream: stream, funds: &l.funds, begin: l.begin}
	chain, err := newChain(l.out, by.traits.SampleRate, l.info.Format, codec.Stream, l.session.req.Speed)
	if err != nil {
		stream.End()
		return err
	}
	p := &performance{stream: stream, chain: chain, out: l.out, progress: &progress{recordHistory: true}, terms: dearest.terms()}
	p.origin = origin{info: &l.info, voices: l.service.voices}
	l.info.Engine = by.engine.Name() // unless the first sound tells more
	p.timing = newTiming(l.w, chain)
	l.out.timing = p.timing
	p.joint = newJoint(p)
	p.open()
	// Set last, because everything else takes a session without a performance for one that has
	// not begun.
	l.performance, l.codecLag = p, chainLag(l.info.Format, chain)
	return nil
}

// begin tells the receiver what comes. It is called before the first byte.
func (l *sessionRun) begin() {
	l.info.FirstAudio, l.info.QueueTime = time.Since(l.firstChunk), l.performance.stream.Queued()
	if s, ok := l.w.(Starter); ok {
		s.Start(l.info.without(l.performance.progress))
	}
}

// close returns the unused part of the hold, the turn and the place in the scheduler.
func (l *sessionRun) close() {
	l.funds.cancel()
	if l.performance != nil {
		l.performance.close()
		l.performance.stream.End()
	}
}

// speak says the carried text and a chunk. White space at the end of a flushed chunk is
// carried to the next: it is a pause, which belongs in the audio only if something follows.
// Text of which nothing is spoken is carried too.
func (l *sessionRun) speak(ctx context.Context, c chunk.Chunk, last bool) error {
	// The carried text was in Before when the chunker cut this chunk; it is said now.
	c.Before = strings.TrimSuffix(c.Before, l.carried)
	c.Text, l.carried = l.carried+c.Text, ""
	arrived := time.Now()
	c, last, script, unread, err := l.script(c, last)
	if err != nil {
		return err
	}
	if err := l.open(arrived); err != nil {
		return err
	}
	l.funds.ask(ctx, l.unreserved)
	l.unreserved = 0
	flushed := flushedEnd(c, last)
	if len(script) == 0 {
		// Nothing here is spoken. It is in the hold all the same, since a complete session
		// pays for all of its text.
		l.carried = c.Text + l.carried
		return nil
	}
	added, back := l.session.say(&l.written, len(c.Text))
	locate(script, back)
	if back != nil {
		for i := range unread {
			unread[i] = back.Back(unread[i])
		}
	}
	// The last utterance owns the trailing signs, so that the timings cover all of the text.
	script[len(script)-1].written.End = len(added)
	p := l.performance
	p.progress.nextText(added)
	if err := p.leaveOut(unread); err != nil {
		return err
	}
	for i, u := range script {
		if err := l.perform(ctx, u, flushed && i == len(script)-1); err != nil {
			return err
		}
	}
	// The chunk's last characters count as heard with its last sample.
	p.progress.mark(p.position()-1, len(added))
	return nil
}

// locate makes the utterances of a chunk lead to the text that the caller added, to which
// back leads from the chunk; nil if that is the chunk.
func locate(script []part, back text.Map) {
	if back == nil {
		return
	}
	done := 0
	for i := range script {
		u := &script[i]
		u.back = text.Compose(back, u.back)
		u.written.Start, u.written.End = done, max(done, u.back.Back(text.Span{Start: 0, End: len(u.Text)}).End)
		done = u.written.End
	}
}

// flushedEnd reports whether a chunk ends where the caller flushed and nothing is known of
// what follows it, if anything does.
func flushedEnd(c chunk.Chunk, last bool) bool { return c.Ends && !c.Follows && !last }

// perform says an utterance of a chunk. After a flush the silence at its end is held back:
// only as much of it is released as pushes the last sounds out of the codec. If nothing
// follows, the audio thus ends with its last sound.
func (l *sessionRun) perform(ctx context.Context, u part, flushed bool) error {
	p, j := l.performance, l.performance.joint
	// endTurn stands here because an utterance that is held back by the joint produces no
	// bytes, and a turn usually ends when its bytes are made.
	defer p.endTurn(0)
	if u.pause > 0 {
		if err := j.release(ctx, j.quiet+samples(u.pause, p.chain.rate)); err != nil {
			return err
		}
	}
	j.begin(u.joined)
	if (u.joined || u.After != "") && !u.speaker.traits.Clauses {
		u.Edge = j.seam.Edge()
	}
	if err := p.say(ctx, u.utterance); err != nil {
		return err
	}
	if err := j.end(ctx); err != nil {
		return err
	}
	// Only after a flush is it open whether anything follows. Otherwise all of the silence belongs
	// to the audio.
	release := j.quiet
	if flushed {
		release = l.codecLag
	}
	if err := j.release(ctx, release); err != nil {
		return err
	}
	return p.conclude(ctx)
}

// finish ends the audio after the last chunk and closes the chain.
func (l *sessionRun) finish(ctx context.Context) error {
	if l.performance == nil {
		return nil
	}
	return l.withTurn(ctx, func() error {
		// What is left out after the last words, such as a code block, is paid too.
		if l.unreserved += l.session.takeAll(&l.written); l.unreserved > 0 {
			l.funds.ask(ctx, l.unreserved)
			l.unreserved = 0
		}
		if err := l.finishText(ctx); err != nil {
			return err
		}
		if err := l.performance.chain.Close(); err != nil {
			return err
		}
		return l.out.finish()
	})
}

// finishText ends the text with what is still carried. It adds a silence if that is more
// than white space, as there would be one if it were the whole text.
func (l *sessionRun) finishText(ctx context.Context) error {
	p := l.performance
	rest := l.session.rest(&l.written)
	p.progress.nextText(rest)
	if err := p.leaveOut(frontend.FindUnread(rest).Spans); err != nil {
		return err
	}
	p.timing.open(utterance{written: text.Span{End: len(rest)}}, rest, p.position())
	if strings.TrimSpace(l.carried) != "" || p.position() == 0 {
		if err := p.addSilence(ctx, silence); err != nil {
			return err
		}
	}
	p.progress.mark(p.position()-1, len(rest))
	if err := p.conclude(ctx); err != nil {
		return err
	}
	p.timing.encodedTo(p.chain.samples)
	return nil
}

// settle charges for a run that ended with err. Whatever error a cancelled session ends
// with, it counts as cancelled.
func (l *sessionRun) settle(ctx context.Context, err error) (Result, error) {
	// A cancelled context makes the engine, the scheduler or the receiver fail with errors of
	// their own.
	if err != nil && context.Cause(ctx) == errCancelled {
		err = errCancelled
	}
	result := Result{Info: l.info}
	if l.performance != nil {
		result.Bytes = l.out.bytes
		if err != nil {
			l.out.abort = err
			_ = l.performance.chain.Close() // frees the encoder; err is the error to report
		}
		err = l.charge(ctx, &result, err)
	}
	if errors.Is(err, errCancelled) {
		err = nil
	}
	return result, err
}

// charge commits the characters to be paid for a run that ended with err, and stores in
// the session how far its audio has come.
func (l *sessionRun) charge(ctx context.Context, result *Result, err error) error {
	p := l.performance
	if refused := l.funds.wait(); refused != nil && err == nil {
		err = refused
	}
	characters, audio := p.progress.charged(), p.chain.played(p.progress.samples)
	// In any case, also when nothing is paid: Cancel tells how far the audio came.
	l.session.conclude(p)
	if err == nil { // a complete session costs all of its text, also what was silent
		characters, audio = l.funds.reserved-p.progress.omissions.uncharged(), p.chain.duration()
		result.Total = time.Since(l.firstChunk)
	}
	result.Info = result.Info.without(p.progress)
	result.Duration = audio
	if l.funds.hold == nil || result.Bytes == 0 || err != nil && !l.mustPay(ctx, err) {
		return err
	}
	receipt := account.Receipt{
		// Carried text may be marked as heard before it is in the hold.
		Characters: min(characters, l.funds.reserved), Audio: audio,
		Voice: string(l.info.Voice), Language: string(l.info.Language), Delivered: true,
	}
	if cerr := l.funds.hold.Commit(ctx, receipt); cerr != nil {
		return errors.Join(err, cerr)
	}
	result.Charged, result.Characters = receipt.Characters, l.funds.reserved-p.progress.omissions.uncharged()
	return err
}

// mustPay reports whether a run that ended with err is paid as far as it was heard: the
// caller caused the end, not the server.
func (l *sessionRun) mustPay(ctx context.Context, err error) bool {
	if l.out.serverFault() {
		return false
	}
	if errors.Is(err, errCancelled) || ctx.Err() != nil || l.out.err != nil {
		return true
	}
	switch fault.KindOf(err) { // all other kinds say that the input or the balance is at fault
	case fault.Internal, fault.Unavailable:
		return false
	}
	return true
}

// chainLag returns how many samples of its input the chain to a format holds back at most.
func chainLag(f audio.Format, chain *meter) int {
	held := codec.Lag(f) + resample.Lag(chain.rate, codec.InputRate(f))
	// The resampler's and the codec's lag are in the listener's time. Tempo comes before
	// them, so that time is speed times as long in the engine's samples.
	if chain.speed != 1 {
		held = time.Duration(float64(held)*chain.speed) + tempo.Lag
	}
	if held == 0 {
		return 0
	}
	return samples(held, chain.rate) + 1
}
