// Package tempo changes the speed of speech and keeps its pitch.
//
// It works on the waveform. At regular distances it finds the period of the voice, and leaves
// one period out or repeats it, with a crossfade over the whole period. Everything between is
// not changed. This belongs to the pitch-synchronous overlap-add methods (E. Moulines and
// F. Charpentier, 1990). The period is found with the average magnitude difference function
// (M. J. Ross et al., 1974).
package tempo

import (
	"math"
	"time"

	"vaak/audio"
	"vaak/internal/fault"
)

// The allowed speeds; 1.5 makes speech a third shorter.
const (
	minSpeed = 0.7
	maxSpeed = 1.5
)

// Periods are searched between these frequencies of a voice, in Hz.
const (
	lowestPitch  = 65
	highestPitch = 400
)

// Lag is how much input a writer holds back at most: three of the longest periods, and one by
// which a splice may be late.
const Lag = 4 * time.Second / lowestPitch

// NewWriter returns a writer of samples at rate Hz that feeds dst, at the same rate, with the
// same speech at another speed. At speed 1 it returns dst itself.
//
// n samples become exactly n/speed, rounded. The result does not depend on how the input is
// divided into writes. The writer holds back up to [Lag] of input until more comes or Close
// flushes it.
//
// A speed outside 0.7 to 1.5 is a *fault.Error of kind Invalid. rate must be positive.
//
// Close also closes dst. After it, WritePCM returns an error and a second Close returns the
// result of the first. An error of dst is returned at once and by all later calls. The writer
// is not safe for concurrent use.
func NewWriter(dst audio.Writer, rate int, speed float64) (audio.Writer, error) {
	if !(speed >= minSpeed && speed <= maxSpeed) { // written so that it also refuses NaN
		return nil, fault.BadParameter("speed", "speed %g is outside %g to %g", speed, minSpeed, maxSpeed)
	}
	if speed == 1 {
		return dst, nil
	}
	return newWriter(dst, rate, speed), nil
}

// position returns where sample n of the input lies in the output, in samples. It is exact at
// the end of the audio. Elsewhere the sound is at most 16 ms away from it, and usually less
// than half a period of the voice.
func position(n int, speed float64) int {
	return int(math.Round(float64(n) / speed))
}
