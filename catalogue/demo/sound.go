package demo

import (
	"fmt"
	"math"
	"math/rand/v2"

	"vaak/audio"
	"vaak/audio/resample"
)

// Levels in dB relative to full scale.
const (
	speechDB = -20 // mean level of speech
	noiseDB  = -60 // noise of every recording
	peakDB   = -1  // highest sample of speech
)

// reach is how much sound is kept on both sides of a piece, in milliseconds. It is too weak to
// count as speech.
const reach = 20

// render returns the channels of a recording, at the rate of its plan.
func render(sc *scene, t dialogue) ([][]int16, error) {
	channels := make([][]float64, 2)
	for who := range channels {
		// Streams 0 and 1 are those of the script and the pauses, 2 and 3 of the levels, 4
		// and 5 of the noise.
		r := rand.New(rand.NewPCG(t.cast.seed, uint64(2+who)))
		channels[who] = sc.speech(who)
		amplify(channels[who], speechDB+3*r.Float64()-1.5)
	}
	if t.plan.mono {
		// One microphone hears both.
		for i, s := range channels[second] {
			channels[first][i] += s
		}
		channels = channels[:1]
	}
	out := make([][]int16, len(channels))
	for i, c := range channels {
		limit(c)
		r := rand.New(rand.NewPCG(t.cast.seed, uint64(4+i)))
		var err error
		if out[i], err = record(c, t.plan.via, t.plan.rate, r); err != nil {
			return nil, fmt.Errorf("channel %d: %w", i+1, err)
		}
	}
	return out, nil
}

// speech returns everything that one speaker says, on the whole time line.
func (sc *scene) speech(who int) []float64 {
	out := make([]float64, sc.length)
	for _, u := range sc.all {
		if u.speaker != who {
			continue
		}
		for i, p := range u.pieces {
			u.lay(out, i, p)
		}
	}
	return out
}

// lay adds a piece to a channel, with the faint sound around it.
func (u *utterance) lay(out []float64, i int, p piece) {
	from, to := max(p.Start-ms(reach), 0), min(p.End+ms(reach), len(u.pcm))
	// Halfway to the neighbouring pieces at most, so that no sample is laid twice.
	if i > 0 {
		from = max(from, (u.pieces[i-1].End+p.Start)/2)
	}
	if i+1 < len(u.pieces) {
		to = min(to, (p.End+u.pieces[i+1].Start)/2)
	}
	for n := from; n < to; n++ {
		if at := p.at + n - p.Start; at >= 0 && at < len(out) {
			out[at] += float64(u.pcm[n]) * fade(n, p) / 32768
		}
	}
}

// fade returns the gain of a sample: 1 inside the piece, falling to 0 at the end of its reach.
func fade(n int, p piece) float64 {
	off := max(p.Start-n, n-p.End+1, 0)
	return max(0, 1-float64(off)/float64(ms(reach)))
}

// amplify scales the samples that are not silent to a mean level.
func amplify(x []float64, level float64) {
	var sum float64
	var n int
	for _, s := range x {
		if s != 0 {
			sum += s * s
			n++
		}
	}
	if n > 0 {
		scale(x, math.Pow(10, (level-decibels(sum/float64(n)))/20))
	}
}

// limit scales all samples down if the peak would be clipped.
func limit(x []float64) {
	var peak float64
	for _, s := range x {
		peak = max(peak, math.Abs(s))
	}
	if most := math.Pow(10, peakDB/20.0); peak > most {
		scale(x, most/peak)
	}
}

func scale(x []float64, by float64) {
	for i := range x {
		x[i] *= by
	}
}

// record returns speech as a line with a sample rate of via Hz would record it, with noise, in a
// file of to Hz.
func record(speech []float64, via, to int, r *rand.Rand) ([]int16, error) {
	pcm := make([]int16, len(speech))
	for i, s := range speech {
		pcm[i] = int16(math.Round(s * 32767))
	}
	// Down to the rate of the line first: noise is added there, and a file of a higher rate then shows
	// the band of the line, as upsampled recordings do.
	pcm, err := convert(pcm, rate, via)
	if err != nil {
		return nil, err
	}
	noise := newNoise(r)
	for i, s := range pcm {
		pcm[i] = int16(min(max(math.Round(float64(s)+noise.next()*32767), -32767), 32767))
	}
	return convert(pcm, via, to)
}

// convert changes the sample rate.
func convert(pcm []int16, from, to int) ([]int16, error) {
	if from == to {
		return pcm, nil
	}
	var out collector
	w, err := resample.NewWriter(&out, from, to)
	if err != nil {
		return nil, err
	}
	if err := w.WritePCM(pcm); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out, nil
}

// collector keeps the samples that are written to it.
type collector []int16

var _ audio.Writer = (*collector)(nil)

func (c *collector) WritePCM(pcm []int16) error { *c = append(*c, pcm...); return nil }

func (c *collector) Close() error { return nil }

// noise falls by about 3 dB per octave, like the noise of rooms and lines. It is the sum of three
// low-passed noises and a little white noise.
type noise struct {
	r     *rand.Rand
	state [3]float64
}

// smoothing returns the coefficients of the three low passes.
func smoothing() [3]float64 { return [3]float64{0.9, 0.98, 0.998} }

func newNoise(r *rand.Rand) *noise { return &noise{r: r} }

// next returns the next sample. The mean power is noiseDB.
func (n *noise) next() float64 {
	white := func() float64 { return 2*n.r.Float64() - 1 } // has a power of 1/3
	sum := 0.3 * white()
	for i, a := range smoothing() {
		n.state[i] = a*n.state[i] + math.Sqrt(1-a*a)*white()
		sum += n.state[i]
	}
	// Each low pass has the power of its input, 1/3, as its gain is scaled by sqrt(1-a*a).
	// With the white part (0.3 squared) the sum has a power of (3+0.09)/3, which is divided
	// out.
	return sum * math.Pow(10, noiseDB/20.0) / math.Sqrt((3+0.09)/3)
}
