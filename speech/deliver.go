package speech

import (
	"context"
	"errors"
	"io"
	"time"
	"unicode/utf8"

	"vaak/account"
	"vaak/audio"
	"vaak/audio/codec"
	"vaak/audio/resample"
	"vaak/audio/tempo"
	"vaak/engine"
	"vaak/speech/schedule"
	"vaak/text"
)

// deliver speaks an answer into w and settles its hold.
func (a *answer) deliver(ctx context.Context, hold *account.Hold, w io.Writer) (Result, error) {
	out := &response{w: w, answer: a}
	chain, err := a.chain(out)
	if err != nil {
		return Result{}, err
	}
	said := &progress{}
	err = a.perform(ctx, chain, out, said)
	out.broken = err
	if cerr := chain.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = out.send()
	}
	result := Result{Info: a.info, Duration: chain.duration(), Bytes: out.bytes}
	if err != nil {
		if left := out.err != nil || ctx.Err() != nil; left && a.req.Stream && out.bytes > 0 {
			err = errors.Join(err, a.commit(ctx, hold, said.characters(a.req.Text), chain.duration()))
		}
		return result, err
	}
	if err := a.commit(ctx, hold, a.info.Characters, result.Duration); err != nil {
		return result, err
	}
	result.Total = time.Since(a.began)
	return result, nil
}

func (a *answer) commit(ctx context.Context, hold *account.Hold, characters int, spoken time.Duration) error {
	return hold.Commit(ctx, account.Receipt{Characters: characters, Audio: spoken})
}

// perform has engines say the runs into the chain. The text after the opening
// is prepared as its turn comes.
func (a *answer) perform(ctx context.Context, chain *meter, out *response, said *progress) error {
	rate := a.service.sampleRate
	// take makes bytes of some audio, in turns, and sends them.
	take := func(pcm []int16) error {
		for len(pcm) > 0 {
			n := min(len(pcm), chain.unit)
			err := a.stream.Do(ctx, chain.played(n), func() error { return chain.WritePCM(pcm[:n]) })
			if err != nil {
				return err
			}
			// A reader with audio in hand is sent all of a frame in one write.
			if pcm = pcm[n:]; len(pcm) == 0 || a.stream.Lead() < sendAtOnce {
				if err := out.send(); err != nil {
					return err
				}
				said.samples = chain.samples
			}
		}
		return nil
	}
	first := true
	for run := range a.text.Runs() {
		if err := take(make([]int16, samples(run.Pause, rate))); err != nil {
			return err
		}
		start := chain.samples
		u := a.utterance(run, first)
		first = false
		err := a.service.engines[u.Language].Synthesize(ctx, u, func(f engine.Frame) error {
			said.words(run.Map, f.Words, start)
			return take(f.PCM)
		})
		if err != nil {
			return err
		}
	}
	if chain.samples == 0 {
		return take(make([]int16, samples(silence, rate)))
	}
	return nil
}

// sendAtOnce is how much audio a reader must have in hand for bytes to be sent
// less often than they are made.
const sendAtOnce = 500 * time.Millisecond

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
	}
	return n, err
}

// progress knows how far into the caller's text the audio has come.
type progress struct {
	marks   []mark
	samples int // handed over
}

// mark says that the caller's bytes before end are being spoken from sample on.
type mark struct{ sample, end int }

func (p *progress) words(back text.Map, words []engine.Word, start int) {
	for _, w := range words {
		from := back.Back(text.Span{Start: w.Start, End: w.End})
		p.marks = append(p.marks, mark{sample: start + w.Sample, end: from.End})
	}
}

// characters returns the code points of s whose audio was handed over.
func (p *progress) characters(s string) int {
	end := 0
	for _, m := range p.marks {
		if m.sample < p.samples {
			end = max(end, m.end)
		}
	}
	return utf8.RuneCountInString(s[:min(end, len(s))])
}
