package resample

import (
	"fmt"
	"testing"
)

// discard takes samples and forgets them.
type discard struct{}

func (discard) WritePCM([]int16) error { return nil }
func (discard) Close() error           { return nil }

// BenchmarkWriter converts one second of audio an operation, in the blocks in
// which the embedded engine delivers it.
func BenchmarkWriter(b *testing.B) {
	for _, p := range []pair{{22050, 24000}, {22050, 8000}, {22050, 48000}, {22050, 16000}, {22050, 44100}, {24000, 48000}, {48000, 8000}} {
		b.Run(fmt.Sprintf("%dto%d", p.from, p.to), func(b *testing.B) {
			pcm := noise(p.from)
			w, err := NewWriter(discard{}, p.from, p.to)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				for rest := pcm; len(rest) > 0; {
					n := min(1081, len(rest))
					if err := w.WritePCM(rest[:n]); err != nil {
						b.Fatal(err)
					}
					rest = rest[n:]
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N), "us/audio-s")
		})
	}
}

// BenchmarkPortable is the kernel of other processors, 22,050 to 24,000 Hz.
func BenchmarkPortable(b *testing.B) {
	t := tableFor(22050, 24000)
	window := make([]float32, t.advance+t.taps)
	toFloat(window, noise(len(window)))
	out := make([]int16, t.period)
	for b.Loop() {
		for range 24000 / t.period {
			convolveGo(out, window, t.coef, t.offsets, t.taps)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N), "us/audio-s")
}

// BenchmarkTable is what the first use of a pair of rates costs.
func BenchmarkTable(b *testing.B) {
	for b.Loop() {
		newTable(22050, 24000)
	}
}
