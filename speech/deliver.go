package speech

import (
	"context"
	"errors"
	"io"
	"time"

	"vaak/account"
	"vaak/audio"
	"vaak/audio/codec"
	"vaak/audio/resample"
	"vaak/audio/tempo"
	"vaak/internal/fault"
	"vaak/speech/schedule"
	"vaak/text"
)

// deliver speaks an answer into out and then charges for it, or returns why it failed.
func (a *answer) deliver(ctx context.Context, out *response) (Result, error) {
	// A whole answer is not worth making if the caller cannot pay for it. A stream does
	// not wait here: its first audio is made meanwhile, and writeOut waits before the
	// first byte.
	if !a.req.Stream {
		if err := out.funds.wait(); err != nil {
			return Result{Info: a.info}, err
		}
	}
	chain, err := newChain(out, a.speaker.traits.SampleRate, a.info.Format, a.mode(out.w), a.req.Speed)
	if err != nil {
		return Result{Info: a.info}, err
	}
	made := &progress{text: a.req.Text}
	a.progress = made
	p := &performance{stream: a.stream, chain: chain, out: out, progress: made, terms: a.service.dearest(a.speaker, a.voice).terms()}
	p.origin = origin{info: &a.info, voices: a.service.voices}
	p.timing = newTiming(out.w, chain)
	out.timing = p.timing
	// From here on the order matters: the chain is closed even after an error, because
	// closing it frees the encoder; out.abort keeps its last bytes from being written.
	err = a.perform(ctx, p)
	out.abort = err
	if cerr := chain.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = out.finish()
	}
	a.info = a.info.without(made)
	// The balance can turn out to be spent while the last audio was made. Nothing has
	// been sent yet of a whole answer, so it is refused rather than charged in part.
	if refused := out.funds.wait(); refused != nil && (!a.req.Stream || out.bytes == 0) {
		return Result{Info: a.info}, refused
	}
	result, err := a.settle(ctx, out.funds.hold, out, err, chain.duration(), func() (int, time.Duration) {
		return made.charged(), chain.played(made.samples)
	})
	// An answer with omissions, or in part in another voice, is not cached: a later attempt may
	// speak all of it.
	if err == nil && out.draft != nil && a.info.LeftOut == 0 && !a.replaced && !p.origin.replaced {
		out.head.duration, out.head.engine = result.Duration, a.info.Engine
		out.draft.Commit(out.head.append(nil))
	}
	return result, err
}

// settle charges for an answer that ended with err, which is nil for a complete one.
// A complete answer costs all its characters. A stream that the listener left, or that
// stopped because the balance was spent, costs the characters that handed returns, whose
// audio was sent. Every other failure costs nothing, and so does an answer that the
// server itself could not store. A whole answer is charged before it is sent: a listener
// who leaves early has received nothing.
func (a *answer) settle(ctx context.Context, hold *account.Hold, out *response, err error, whole time.Duration, handed func() (int, time.Duration)) (Result, error) {
	result := Result{Info: a.info, Bytes: out.bytes}
	left := (out.err != nil || ctx.Err() != nil || fault.KindOf(err) == fault.QuotaExceeded) && !out.serverFault()
	if err == nil && !a.req.Stream {
		// The listener left while the answer was made: it cannot be sent any more.
		err = context.Cause(ctx)
	}
	if err == nil {
		if err = a.charge(ctx, hold, &result, a.info.Characters, whole); err == nil {
			result.Total = time.Since(a.began)
		}
		return result, err
	}
	if !a.req.Stream || out.bytes == 0 {
		return result, err
	}
	characters, heard := handed()
	if left {
		err = errors.Join(err, a.charge(ctx, hold, &result, characters, heard))
	}
	result.Duration = heard
	return result, err
}

// charge commits a hold for the characters that were delivered and records the charge in
// the result.
func (a *answer) charge(ctx context.Context, hold *account.Hold, result *Result, characters int, audio time.Duration) error {
	err := hold.Commit(ctx, account.Receipt{
		Characters: characters, Audio: audio,
		Voice: string(a.info.Voice), Language: string(a.info.Language),
		Delivered: a.req.Stream,
	})
	if err == nil {
		result.Charged, result.Duration = characters, audio
	}
	return err
}

// response returns the receiver of an answer's bytes, which passes them on to w.
func (a *answer) response(w io.Writer) *response {
	r := &response{w: w, streams: a.req.Stream}
	if a.recital == nil { // the total of a recital is unknown, so its progress is too
		r.watch = newWatch(w, a.req.Text, a.info.Language)
	}
	r.begin = func() {
		a.info.FirstAudio, a.info.QueueTime = time.Since(a.began), a.stream.Queued()
		if s, ok := w.(Starter); ok {
			s.Start(a.info.without(a.progress))
		}
	}
	return r
}

// perform says the whole answer. A text with nothing to say is answered with a short
// silence. say adds it where this is known from the text at hand, so that the characters
// of the text span it in the timings. perform adds it in the cases that show only at the
// end: the engine made no audio, or the source of a recital had no more text.
func (a *answer) perform(ctx context.Context, p *performance) error {
	p.open()
	defer p.close()
	if err := p.leaveOut(a.text.Unread.Spans); err != nil {
		return err
	}
	if err := a.say(ctx, p); err != nil {
		return err
	}
	if err := a.recite(ctx, p); err != nil {
		return err
	}
	if p.position() > 0 {
		return nil
	}
	p.timing.open(utterance{}, "", 0)
	if err := p.addSilence(ctx, silence); err != nil {
		return err
	}
	return p.conclude(ctx)
}

// say says the text at hand. The front end prepares only the opening of the text ahead;
// Runs prepares each later sentence when its turn comes.
func (a *answer) say(ctx context.Context, p *performance) error {
	done := 0 // bytes of the text that were said
	for run := range a.text.Runs() {
		if err := p.addSilence(ctx, run.Pause); err != nil {
			return err
		}
		u := a.utterance(run, done)
		a.replaced = a.replaced || u.speaker.replaces()
		done = u.written.End
		if err := p.say(ctx, u); err != nil {
			return err
		}
		if err := p.conclude(ctx); err != nil {
			return err
		}
	}
	if done > 0 {
		return nil
	}
	p.timing.open(utterance{written: text.Span{End: len(a.req.Text)}}, a.req.Text, p.position())
	if p.position() == 0 && !a.recital.goesOn() {
		// Nothing in the text is spoken. A recital may still have audio to come.
		if err := p.addSilence(ctx, silence); err != nil {
			return err
		}
	}
	return p.conclude(ctx)
}

// newChain returns the writers that turn PCM of an engine, at a rate, into the bytes of a format,
// in the order tempo, resampler, codec. Tempo comes first because it works at the engine's rate,
// whatever the format.
func newChain(out io.Writer, rate int, f audio.Format, mode codec.Mode, speed float64) (*meter, error) {
	encoder, err := codec.NewEncoder(out, f, mode)
	if err != nil {
		return nil, err
	}
	resampler, err := resample.NewWriter(encoder, rate, codec.InputRate(f))
	if err != nil {
		return nil, err
	}
	stretcher, err := tempo.NewWriter(resampler, rate, speed)
	if err != nil {
		return nil, err
	}
	m := &meter{Writer: stretcher, rate: rate, speed: speed}
	// A unit of audio as the listener hears it takes more samples of the engine at a
	// higher speed, fewer at a lower one.
	m.unit = int(float64(samples(schedule.Unit, rate)) * speed)
	return m, nil
}

// meter counts the samples that enter the chain, at the engine's rate and before tempo.
type meter struct {
	audio.Writer
	rate    int
	speed   float64
	unit    int // samples that make one turn's worth of audio for the listener
	samples int
}

func (m *meter) WritePCM(pcm []int16) error {
	if len(pcm) == 0 {
		return nil
	}
	if err := m.Writer.WritePCM(pcm); err != nil {
		return err
	}
	m.samples += len(pcm)
	return nil
}

// duration returns how long the samples written so far take to play.
func (m *meter) duration() time.Duration { return m.played(m.samples) }

// played returns how long n samples of the engine take to play, at the answer's speed.
func (m *meter) played(n int) time.Duration {
	return time.Duration(float64(duration(n, m.rate)) / m.speed)
}
