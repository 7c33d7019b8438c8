package hear

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

const rate = 8000

// tone returns a tone of a level in dB with noise of another below it.
func tone(d time.Duration, level, noise float64) []int16 {
	r := rand.New(rand.NewPCG(1, 2))
	amplitude := func(db float64) float64 { return 32768 * math.Pow(10, db/20) * math.Sqrt2 }
	pcm := make([]int16, int(d.Seconds()*rate))
	for i := range pcm {
		pcm[i] = int16(amplitude(level)*math.Sin(float64(i)*2*math.Pi*220/rate) + amplitude(noise)*(r.Float64()*2-1))
	}
	return pcm
}

// changes returns when something changed, in frames of 20 ms.
func changes(d *Detector, pcm []int16) (started, stopped []time.Duration) {
	at := time.Duration(0)
	for len(pcm) >= 160 {
		at += 20 * time.Millisecond
		switch d.Hear(pcm[:160]) {
		case Started:
			started = append(started, at)
		case Stopped:
			stopped = append(stopped, at)
		}
		pcm = pcm[160:]
	}
	return started, stopped
}

func TestHear(t *testing.T) {
	t.Parallel()
	const s, ms = time.Second, time.Millisecond
	for _, tt := range []struct {
		name        string
		pcm         []int16
		starts      int
		first, last time.Duration // when the first start and the last stop come, with what is between
	}{
		{"silence", tone(5*s, -200, -200), 0, 0, 0},
		{"a noisy line", tone(20*s, -200, -45), 0, 0, 0},
		{"speech", append(tone(2*s, -200, -60), append(tone(1*s, -20, -60), tone(2*s, -200, -60)...)...), 1, 2*s + 60*ms, 3*s + 400*ms},
		{"faint speech on a quiet line", append(tone(2*s, -200, -75), append(tone(1*s, -38, -75), tone(2*s, -200, -75)...)...), 1, 2*s + 60*ms, 3*s + 400*ms},
		{"a click", append(tone(2*s, -200, -60), append(tone(40*ms, -10, -60), tone(2*s, -200, -60)...)...), 0, 0, 0},
		{"a pause between words", append(tone(1*s, -20, -60), append(tone(200*ms, -200, -60), append(tone(1*s, -20, -60), tone(1*s, -200, -60)...)...)...), 1, 60 * ms, 2*s + 600*ms},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			started, stopped := changes(New(rate, Config{}), tt.pcm)
			if len(started) != tt.starts || len(stopped) != tt.starts {
				t.Fatalf("started at %v, stopped at %v; want %d", started, stopped, tt.starts)
			}
			if tt.starts > 0 && (started[0] != tt.first || stopped[0] != tt.last) {
				t.Errorf("started at %v, stopped at %v; want %v and %v", started[0], stopped[0], tt.first, tt.last)
			}
		})
	}
}

// TestOffset: a line whose samples have an offset is silent.
func TestOffset(t *testing.T) {
	t.Parallel()
	pcm := make([]int16, rate)
	for i := range pcm {
		pcm[i] = 4000
	}
	if started, _ := changes(New(rate, Config{}), pcm); started != nil {
		t.Errorf("an offset is heard as speech at %v", started)
	}
}
