package level

import (
	"math"
	"math/rand/v2"
	"testing"
)

// babble is n samples at a rate in Hz that are loud and soft in turn as speech
// is, over noise.
func babble(rate, n int) []float32 {
	random := rand.New(rand.NewPCG(3, 4))
	x := make([]float32, n)
	var low float64
	for i := range x {
		t := float64(i) / float64(rate)
		low = 0.8*low + 0.2*random.NormFloat64()
		envelope := math.Pow(math.Sin(2*math.Pi*1.7*t)*math.Sin(2*math.Pi*0.31*t), 4)
		x[i] = float32(math.Round((0.5*envelope*low+0.0005*random.NormFloat64())*32768) / 32768)
	}
	return x
}

// perSample reports how long a stage takes for each of n samples.
func perSample(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/sample")
}

func BenchmarkMeter(b *testing.B) {
	for _, bb := range []struct {
		name string
		rate int
		x    []float32
	}{
		{"8kHz/speech", 8000, babble(8000, 800000)},
		{"8kHz/tone", 8000, tone(8000, 100, 0.9, 1000.3, 0)},
		{"8kHz/silence", 8000, make([]float32, 800000)},
		{"16kHz/speech", 16000, babble(16000, 800000)},
		{"48kHz/speech", 48000, babble(48000, 800000)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m := NewMeter(bb.rate)
				m.Write(bb.x)
				m.Result()
			}
			perSample(b, len(bb.x))
		})
	}
}

func BenchmarkStages(b *testing.B) {
	const rate = 8000
	x := babble(rate, block)
	samples, magnitude := make([]float64, block), make([]float64, block/chunk)
	var a amplitude
	a.silence = rate / 100
	stage := func(name string, run func()) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				run()
			}
			perSample(b, block)
		})
	}
	stage("amplitude", func() { a.measure(samples, magnitude, x) })
	var w waveform
	stage("waveform", func() { w.add(samples, magnitude) })
	l := newLoudness(rate)
	stage("loudness", func() { l.add(samples) })
	s := newSpectrum(rate)
	stage("spectrum", func() { s.add(samples) })
	t := newTruePeak(rate)
	stage("truePeak/everywhere", func() { t.highest = 0; t.scan(samples, magnitude) })
	t.highest = 1
	stage("truePeak/passed over", func() { t.scan(samples, magnitude) })
}
