// Package hear tells when a caller speaks, by the energy of the audio against the noise of the
// line. It knows no words: it serves to stop speech that is interrupted, not to understand.
package hear

import (
	"math"
	"time"
)

// Config says what counts as speech. The zero value is for telephone lines.
type Config struct {
	// Level is the least level of speech, in dB relative to full scale; 0 is -40.
	Level float64
	// Above is by how many dB speech is above the noise of the line; 0 is 12.
	Above float64
	// After is how much speech must have come without a pause; 0 is 60 ms. Shorter sounds, such
	// as clicks, do not count.
	After time.Duration
	// Until is how long it must be quiet until speech has ended; 0 is 400 ms.
	Until time.Duration
}

// Detector hears one caller. It is not safe for concurrent use.
type Detector struct {
	cfg   Config
	rate  int
	floor float64 // level of the noise, dB

	block    []int16 // samples that do not fill a block yet
	loud     time.Duration
	quiet    time.Duration
	speaking bool
}

// blockTime is how much audio is judged at once.
const blockTime = 10 * time.Millisecond

// New returns a detector of audio at a rate in Hz.
func New(rate int, cfg Config) *Detector {
	set := func(v *float64, to float64) {
		if *v == 0 {
			*v = to
		}
	}
	set(&cfg.Level, -40)
	set(&cfg.Above, 12)
	if cfg.After == 0 {
		cfg.After = 60 * time.Millisecond
	}
	if cfg.Until == 0 {
		cfg.Until = 400 * time.Millisecond
	}
	return &Detector{cfg: cfg, rate: rate, floor: -60}
}

// Change is what audio has changed.
type Change int

// The changes.
const (
	None Change = iota
	Started
	Stopped
)

// Hear takes audio and returns what has changed. Of several changes in one call the last counts.
func (d *Detector) Hear(pcm []int16) (c Change) {
	size := int(int64(d.rate) * int64(blockTime) / int64(time.Second))
	for len(pcm) > 0 {
		n := min(size-len(d.block), len(pcm))
		d.block = append(d.block, pcm[:n]...)
		pcm = pcm[n:]
		if len(d.block) == size {
			if change := d.judge(level(d.block)); change != None {
				c = change
			}
			d.block = d.block[:0]
		}
	}
	return c
}

// judge takes the level of a block.
func (d *Detector) judge(level float64) Change {
	loud := level > max(d.cfg.Level, d.floor+d.cfg.Above)
	// The noise is followed down at once, and up slowly: 3 dB a second. Speech has pauses before
	// it can lift the floor by much; a line that has become noisy is noticed within seconds.
	if level < d.floor {
		d.floor = max(level, -80)
	} else {
		d.floor += 0.03
	}
	if loud {
		d.loud, d.quiet = d.loud+blockTime, 0
	} else {
		d.loud, d.quiet = 0, d.quiet+blockTime
	}
	switch {
	case !d.speaking && d.loud >= d.cfg.After:
		d.speaking = true
		return Started
	case d.speaking && d.quiet >= d.cfg.Until:
		d.speaking = false
		return Stopped
	}
	return None
}

// level returns the mean level of samples in dB relative to a full-scale square wave.
func level(pcm []int16) float64 {
	var mean, power float64
	for _, s := range pcm {
		mean += float64(s)
		power += float64(s) * float64(s)
	}
	n := float64(len(pcm))
	mean /= n // some lines have an offset, which nobody hears
	return 10 * math.Log10(max(power/n-mean*mean, 1e-3)/(32768*32768))
}
