package talk

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"time"
)

// BenchmarkDetector measures a conversation of two channels at 8 kHz; Msamples/s
// counts the samples of both by the time
// that the processor worked, so that a busy machine tells the same.
func BenchmarkDetector(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	s := newScript(r, bursts{8000}, 8000, 120)
	p := planes(mix(r, s.plane, -55, true)...)
	const chunk = 4096
	samples, before := 0, worked()
	for b.Loop() {
		d := NewDetector(8000, 2)
		for from := 0; from < len(p[0]); from += chunk {
			to := min(from+chunk, len(p[0]))
			d.Write([][]float32{p[0][from:to], p[1][from:to]})
		}
		d.Finish()
		samples += 2 * len(p[0])
	}
	b.ReportMetric(float64(samples)/(worked()-before).Seconds()/1e6, "Msamples/s")
}

// worked is how long the processor worked for this process.
func worked() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
