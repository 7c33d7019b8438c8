package main

import (
	"context"
	"io"
	"runtime"
	"time"

	"vaak/audio"
	"vaak/audio/codec"
	"vaak/audio/resample"
)

// sum is the least that a second of audio can cost in one format: the parts
// alone, each fed from memory, in processor time.
type sum struct{ library, resampler, encoder time.Duration }

func (s sum) total() time.Duration { return s.library + s.resampler + s.encoder }

// mean returns the mean of two sums.
func (s sum) mean(t sum) sum {
	return sum{(s.library + t.library) / 2, (s.resampler + t.resampler) / 2, (s.encoder + t.encoder) / 2}
}

// material is a text with what the library makes of it.
type material struct {
	sample
	pcm  []int16
	rate int // of pcm, Hz
}

func (l library) material(ctx context.Context, t sample) (material, error) {
	pcm, rate, err := l.record(ctx, t)
	return material{t, pcm, rate}, err
}

// seconds returns how long the text sounds.
func (m material) seconds() float64 { return float64(len(m.pcm)) / float64(m.rate) }

// encoded is how much of a text's audio the encoder gets in a pass.
const encoded = 60 * time.Second

// sum measures the parts.
func (l library) sum(ctx context.Context, m material, f audio.Format) (sum, error) {
	s, err := l.speak(ctx, m.sample, int(bareAudio/m.seconds())+1, false, "")
	if err != nil {
		return sum{}, err
	}
	to := codec.InputRate(f)
	resampling, err := resampleCost(m.pcm, m.rate, to)
	if err != nil {
		return sum{}, err
	}
	var pcm memory16
	if err := convert(m.pcm[:min(len(m.pcm), int(encoded.Seconds())*m.rate)], m.rate, to, &pcm); err != nil {
		return sum{}, err
	}
	encoding, err := encodeCost(pcm.samples, f)
	return sum{s.cost().cpu, resampling, encoding}, err
}

// sink takes samples and forgets them.
type sink struct{}

func (sink) WritePCM([]int16) error { return nil }
func (sink) Close() error           { return nil }

// memory16 takes samples and keeps them.
type memory16 struct{ samples []int16 }

func (m *memory16) WritePCM(pcm []int16) error {
	m.samples = append(m.samples, pcm...)
	return nil
}

func (m *memory16) Close() error { return nil }

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
			return perSecond(used, float64(times)*seconds), nil
		}
	}
}

// resampleCost converts pcm from memory, as many streams one after the other,
// and returns the processor time per second of audio.
func resampleCost(pcm []int16, from, to int) (time.Duration, error) {
	return passCost(float64(len(pcm))/float64(from), func() error { return convert(pcm, from, to, sink{}) })
}

// convert resamples one stream.
func convert(pcm []int16, from, to int, into audio.Writer) error {
	w, err := resample.NewWriter(into, from, to)
	if err != nil {
		return err
	}
	return feed(w, pcm, chunk)
}

// encoderBlock is how many samples an encoder gets at a time.
const encoderBlock = 4800

// encodeCost encodes pcm from memory, as many streams one after the other, and
// returns the processor time per second of audio. The samples are at the rate
// that the encoder takes.
func encodeCost(pcm []int16, f audio.Format) (time.Duration, error) {
	return passCost(float64(len(pcm))/float64(codec.InputRate(f)), func() error {
		w, err := codec.NewEncoder(io.Discard, f, codec.Stream)
		if err != nil {
			return err
		}
		return feed(w, pcm, encoderBlock)
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
