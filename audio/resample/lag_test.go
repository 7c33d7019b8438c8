package resample

import (
	"testing"
	"time"

	"vaak/audio"
)

// counter counts samples.
type counter int

func (c *counter) WritePCM(pcm []int16) error { *c += counter(len(pcm)); return nil }
func (c *counter) Close() error               { return nil }

// TestLag has all of the audio out when as much follows as [Lag] says.
func TestLag(t *testing.T) {
	t.Parallel()
	for _, from := range audio.SampleRates {
		for _, to := range audio.SampleRates {
			lag := int(Lag(from, to)*time.Duration(from)/time.Second) + 1
			if from == to {
				lag = 0
			}
			for _, n := range []int{1, 997, 2048, 5000} {
				var out counter
				w, err := NewWriter(&out, from, to)
				if err != nil {
					t.Fatal(err)
				}
				if err := w.WritePCM(make([]int16, n+lag)); err != nil {
					t.Fatal(err)
				}
				if want := position(n, from, to); int(out) < want {
					t.Errorf("%d to %d Hz: %d samples and a lag of %d give %d, want %d", from, to, n, lag, out, want)
				}
			}
		}
	}
}
