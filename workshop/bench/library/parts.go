package library

import (
	"context"
	"io"
	"runtime"
	"time"

	"vaak/audio"
	"vaak/audio/codec"
	"vaak/audio/resample"
	"vaak/workshop/bench/corpus"
)

// Sum is the least that a second of audio can cost in one format: the parts
// alone, each fed from memory, in processor time.
type Sum struct{ Library, Resampler, Encoder time.Duration }

func (s Sum) Total() time.Duration { return s.Library + s.Resampler + s.Encoder }

// Mean returns the mean of two sums.
func (s Sum) Mean(t Sum) Sum {
	return Sum{(s.Library + t.Library) / 2, (s.Resampler + t.Resampler) / 2, (s.Encoder + t.Encoder) / 2}
}

// Material is a text with what the library makes of it.
type Material struct {
	corpus.Sample
	pcm  []int16
	rate int // of pcm, Hz
}

func (l Library) Material(ctx context.Context, t corpus.Sample) (Material, error) {
	pcm, rate, err := l.Record(ctx, t)
	return Material{t, pcm, rate}, err
}

// seconds returns how long the text sounds.
func (m Material) seconds() float64 { return float64(len(m.pcm)) / float64(m.rate) }

// encoded is how much of a text's audio the encoder gets in a pass.
const encoded = 30 * time.Second

// Sum measures the parts.
func (l Library) Sum(ctx context.Context, m Material, f audio.Format) (Sum, error) {
	speaking, err := l.Alone(ctx, m)
	if err != nil {
		return Sum{}, err
	}
	return Chain(m, f, speaking)
}

// Alone measures the library, whose part is the same in all formats.
func (l Library) Alone(ctx context.Context, m Material) (time.Duration, error) {
	s, err := l.Speak(ctx, m.Sample, int(BareAudio/m.seconds())+1, false, "")
	return s.Cost().CPU, err
}

// Chain measures the other parts, and returns the sum with that of the library.
func Chain(m Material, f audio.Format, speaking time.Duration) (Sum, error) {
	to := codec.InputRate(f)
	resampling, err := ResampleCost(m.pcm, m.rate, to)
	if err != nil {
		return Sum{}, err
	}
	var pcm Memory16
	if err := Convert(m.pcm[:min(len(m.pcm), int(encoded.Seconds())*m.rate)], m.rate, to, &pcm); err != nil {
		return Sum{}, err
	}
	encoding, err := encodeCost(pcm.Samples, f)
	return Sum{speaking, resampling, encoding}, err
}

// sink takes samples and forgets them.
type sink struct{}

func (sink) WritePCM([]int16) error { return nil }
func (sink) Close() error           { return nil }

// Memory16 takes samples and keeps them.
type Memory16 struct{ Samples []int16 }

func (m *Memory16) WritePCM(pcm []int16) error {
	m.Samples = append(m.Samples, pcm...)
	return nil
}

func (m *Memory16) Close() error { return nil }

// passTime is how long a part is measured at least.
const passTime = 100 * time.Millisecond

// passCost runs passes of so many seconds of audio, one after the other, and
// returns the processor time per second of audio. The first pass makes tables
// that last, and is not counted.
func passCost(seconds float64, pass func() error) (time.Duration, error) {
	if err := pass(); err != nil {
		return 0, err
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began, err := threadTime()
	if err != nil {
		return 0, err
	}
	for times := 1; ; times++ {
		if err := pass(); err != nil {
			return 0, err
		}
		now, err := threadTime()
		if err != nil {
			return 0, err
		}
		if used := now - began; used >= passTime {
			return PerSecond(used, float64(times)*seconds), nil
		}
	}
}

// ResampleCost converts pcm from memory, as many streams one after the other,
// and returns the processor time per second of audio.
func ResampleCost(pcm []int16, from, to int) (time.Duration, error) {
	return passCost(float64(len(pcm))/float64(from), func() error { return Convert(pcm, from, to, sink{}) })
}

// Convert resamples one stream.
func Convert(pcm []int16, from, to int, into audio.Writer) error {
	w, err := resample.NewWriter(into, from, to)
	if err != nil {
		return err
	}
	return feed(w, pcm, Chunk)
}

// EncoderBlock is how many samples an encoder gets at a time.
const EncoderBlock = 4800

// encodeCost encodes pcm from memory, as many streams one after the other, and
// returns the processor time per second of audio. The samples are at the rate
// that the encoder takes.
func encodeCost(pcm []int16, f audio.Format) (time.Duration, error) {
	return passCost(float64(len(pcm))/float64(codec.InputRate(f)), func() error {
		w, err := codec.NewEncoder(io.Discard, f, codec.Stream)
		if err != nil {
			return err
		}
		return feed(w, pcm, EncoderBlock)
	})
}

// feed writes one stream in blocks of n samples and closes it.
func feed(w audio.Writer, pcm []int16, n int) error {
	for len(pcm) > 0 {
		n = min(n, len(pcm))
		if err := w.WritePCM(pcm[:n]); err != nil {
			return err
		}
		pcm = pcm[n:]
	}
	return w.Close()
}

// BareAudio is how many seconds of audio the library makes at least while it is
// measured.
const BareAudio = 250
