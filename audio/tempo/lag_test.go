package tempo

import (
	"testing"
	"time"

	"vaak/audio/audiotest"
)

// counter counts samples.
type counter int

func (c *counter) WritePCM(pcm []int16) error { *c += counter(len(pcm)); return nil }
func (c *counter) Close() error               { return nil }

// TestLag has all of the speech out when as much silence follows as [Lag] says.
func TestLag(t *testing.T) {
	t.Parallel()
	for _, rate := range []int{8000, 22050, 48000} {
		for _, speed := range []float64{0.7, 0.93, 1.2, 1.5} {
			lag := int(Lag*time.Duration(rate)/time.Second) + 1
			for n := rate / 10; n < rate; n += rate/20 + 13 {
				var out counter
				w, err := NewWriter(&out, rate, speed)
				if err != nil {
					t.Fatal(err)
				}
				if err := w.WritePCM(append(audiotest.Speech(rate, n), make([]int16, lag)...)); err != nil {
					t.Fatal(err)
				}
				if want := position(n, speed); int(out) < want {
					t.Errorf("%d Hz, speed %g: %d samples and a lag of %d give %d, want %d", rate, speed, n, lag, out, want)
				}
			}
		}
	}
}
