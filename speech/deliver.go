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

// deliver speaks an answer into out and settles its hold.
func (a *answer) deliver(ctx context.Context, out *response) (Result, error) {
	if !a.req.Stream {
		if err := out.held.wait(); err != nil {
			return Result{Info: a.info}, err
		}
	}
	chain, err := a.service.chain(out, a.info.Format, a.mode(out.w), a.req.Speed)
	if err != nil {
		return Result{Info: a.info}, err
	}
	said := &progress{text: a.req.Text}
	a.said = said
	p := &performance{stream: a.stream, chain: chain, out: out, said: said}
	p.timing = newTiming(out.w, chain)
	out.timing = p.timing
	err = a.perform(ctx, p)
	out.broken = err
	if cerr := chain.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = out.finish()
	}
	a.info = a.info.without(said)
	if refused := out.held.wait(); refused != nil && (!a.req.Stream || out.bytes == 0) {
		return Result{Info: a.info}, refused
	}
	result, err := a.settle(ctx, out.held.hold, out, err, chain.duration(), func() (int, time.Duration) {
		return said.charged(), chain.played(said.samples)
	})
	if err == nil && out.draft != nil && a.info.LeftOut == 0 { // it may be spoken the next time
		out.keep.duration = result.Duration
		out.draft.Commit(out.keep.append(nil))
	}
	return result, err
}

// settle charges for an answer that ended with err: for all of it, for what was
// handed to a listener who left a stream or whose balance is spent, or for nothing, as
// when the server could not keep what it was to keep. A whole answer is sent only after
// it is charged, so nobody has it when its listener leaves before.
func (a *answer) settle(ctx context.Context, hold *account.Hold, out *response, err error, whole time.Duration, handed func() (int, time.Duration)) (Result, error) {
	result := Result{Info: a.info, Bytes: out.bytes}
	left := (out.err != nil || ctx.Err() != nil || fault.KindOf(err) == fault.QuotaExceeded) && !out.lost()
	if err == nil && !a.req.Stream {
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

// charge commits a hold for what was handed over and tells it in the result.
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

// response returns what passes the bytes of an answer on to w.
func (a *answer) response(w io.Writer) *response {
	r := &response{w: w, streams: a.req.Stream}
	if a.rest == nil { // else nobody knows how much there is
		r.watch = newWatch(w, a.req.Text, a.info.Language)
	}
	r.begin = func() {
		a.info.FirstAudio, a.info.QueueTime = time.Since(a.began), a.stream.Queued()
		if s, ok := w.(Starter); ok {
			s.Start(a.info.without(a.said))
		}
	}
	return r
}

// perform says everything. What has nothing to say is a silence. Where that is known
// when the text is at hand, say makes it, so that the characters last as long as it
// does; here is what shows only at the end: engines that made no audio, and recitals
// whose source turned out to have no more.
func (a *answer) perform(ctx context.Context, p *performance) error {
	p.open()
	defer p.close()
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
	if err := p.rest(ctx, silence); err != nil {
		return err
	}
	return p.conclude(ctx)
}

// say says the text at hand. What comes after its opening is prepared as its turn
// comes.
func (a *answer) say(ctx context.Context, p *performance) error {
	said := 0 // bytes of the text
	for run := range a.text.Runs() {
		if err := p.rest(ctx, run.Pause); err != nil {
			return err
		}
		u := a.utterance(run, said)
		said = u.written.End
		if err := p.say(ctx, u); err != nil {
			return err
		}
		if err := p.conclude(ctx); err != nil {
			return err
		}
	}
	if said > 0 {
		return nil
	}
	p.timing.open(utterance{written: text.Span{End: len(a.req.Text)}}, a.req.Text, p.position())
	if p.position() == 0 && !a.rest.goesOn() {
		if err := p.rest(ctx, silence); err != nil {
			return err
		}
	}
	return p.conclude(ctx)
}

// chain builds the writers from the engines' PCM to the bytes of a format.
func (s *Service) chain(out io.Writer, f audio.Format, mode codec.Mode, speed float64) (*meter, error) {
	rate := s.sampleRate
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
	m.unit = int(float64(samples(schedule.Unit, rate)) * speed)
	return m, nil
}

// meter counts the samples that enter the chain.
type meter struct {
	audio.Writer
	rate    int
	speed   float64
	unit    int // samples that make a turn's worth of audio
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

// duration returns how long what was written sounds.
func (m *meter) duration() time.Duration { return m.played(m.samples) }

// played returns how long n samples of the engine sound.
func (m *meter) played(n int) time.Duration {
	return time.Duration(float64(duration(n, m.rate)) / m.speed)
}
