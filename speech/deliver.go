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
	"vaak/speech/cache"
	"vaak/speech/schedule"
)

// deliver speaks an answer into out and settles its hold.
func (a *answer) deliver(ctx context.Context, out *response) (Result, error) {
	if !a.req.Stream {
		if err := out.held.wait(); err != nil {
			return Result{Info: a.info}, err
		}
	}
	chain, err := a.chain(out)
	if err != nil {
		return Result{Info: a.info}, err
	}
	said := &progress{text: a.req.Text}
	err = (&performance{answer: a, chain: chain, out: out, said: said}).run(ctx)
	out.broken = err
	if cerr := chain.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = out.send()
	}
	if refused := out.held.wait(); refused != nil {
		return Result{Info: a.info}, refused
	}
	result, err := a.settle(ctx, out.held.hold, out, err, chain.duration(), func() (int, time.Duration) {
		return said.characters(), chain.played(said.samples)
	})
	if err == nil && out.draft != nil {
		out.keep.duration = result.Duration
		out.draft.Commit(out.keep.append(nil))
	}
	return result, err
}

// settle charges for an answer that ended with err: for all of it, for what was
// handed to a listener who left a stream, or for nothing. A whole answer is sent
// only after it is charged, so nobody has it when its listener leaves before.
func (a *answer) settle(ctx context.Context, hold *account.Hold, out *response, err error, whole time.Duration, handed func() (int, time.Duration)) (Result, error) {
	result := Result{Info: a.info, Bytes: out.bytes}
	left := out.err != nil || ctx.Err() != nil
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

// chain builds the writers from the engine's PCM to out's bytes.
func (a *answer) chain(out io.Writer) (*meter, error) {
	mode := codec.Whole
	if a.req.Stream {
		mode = codec.Stream
	}
	rate := a.service.sampleRate
	encoder, err := codec.NewEncoder(out, a.info.Format, mode)
	if err != nil {
		return nil, err
	}
	resampler, err := resample.NewWriter(encoder, rate, codec.InputRate(a.info.Format))
	if err != nil {
		return nil, err
	}
	stretcher, err := tempo.NewWriter(resampler, rate, a.req.Speed)
	if err != nil {
		return nil, err
	}
	m := &meter{Writer: stretcher, rate: rate, speed: a.req.Speed}
	m.unit = int(float64(samples(schedule.Unit, rate)) * a.req.Speed)
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

// response passes bytes on, and tells their receiver before the first. Those of
// a stream wait for send, because they are made in a turn, which ends before
// they are sent.
type response struct {
	w       io.Writer
	answer  *answer
	pending []byte
	held    *reservation // nil of a kept answer, whose hold is there before
	draft   *cache.Draft // takes a copy for the next who asks; may be nil
	keep    keepsake     // to go with it
	bytes   int64
	err     error // of w
	broken  error // why the answer will not be whole; nothing is written any more
}

// Write takes bytes of the encoder.
func (r *response) Write(p []byte) (int, error) {
	if r.broken != nil {
		return 0, r.broken
	}
	if r.answer.req.Stream {
		r.pending = append(r.pending, p...)
		return len(p), nil
	}
	return r.pass(p)
}

// send sends what was made since it was last called.
func (r *response) send() error {
	if len(r.pending) == 0 {
		return nil
	}
	_, err := r.pass(r.pending)
	r.pending = r.pending[:0]
	return err
}

func (r *response) pass(p []byte) (n int, err error) {
	a := r.answer
	if r.bytes == 0 && r.err == nil {
		if r.held != nil {
			if err := r.held.wait(); err != nil {
				return 0, err
			}
		}
		a.info.FirstAudio, a.info.QueueTime = time.Since(a.began), a.stream.Queued()
		if s, ok := r.w.(Starter); ok {
			s.Start(a.info)
		}
	}
	err = a.stream.Send(func() error {
		n, err = r.w.Write(p)
		return err
	})
	r.bytes += int64(n)
	if err != nil {
		r.err = err
	} else if r.draft != nil {
		_, _ = r.draft.Write(p) // never fails
	}
	return n, err
}

// mark notes how much of the text is in the bytes that were sent.
func (r *response) mark(said *progress) {
	if r.draft != nil && r.answer.req.Stream {
		r.keep.handed = append(r.keep.handed, handed{r.bytes, said.characters()})
	}
}
