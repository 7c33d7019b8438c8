// Package tempo changes the speed of speech and keeps its pitch.
//
// It works on the waveform: at regular distances it finds the period of the
// voice and leaves one period out, or says one twice, with a crossfade over the
// whole period. What lies between is passed on untouched. This is the family of
// pitch-synchronous overlap-add (E. Moulines and F. Charpentier, 1990) with the
// period found by the average magnitude difference function (M. J. Ross et al.,
// 1974).
package tempo

import (
	"math"
	"time"

	"vaak/audio"
	"vaak/internal/fault"
)

// The speeds that can be asked for; 1.5 makes speech a third shorter.
const (
	MinSpeed = 0.7
	MaxSpeed = 1.5
)

// Voices are searched for periods between these frequencies, in Hz.
const (
	lowestPitch  = 65
	highestPitch = 400
)

// Lag is how much input a writer holds back at most: three of the longest periods,
// and one by which a place may be off.
const Lag = 4 * time.Second / lowestPitch

// NewWriter returns a writer of samples at rate Hz that feeds dst, at the same
// rate, with the same speech at another speed. At speed 1 it returns dst itself.
//
// n samples become exactly [Position](n, speed). The result does not depend on
// how the input is cut into writes. The writer holds back up to [Lag] of input
// until more comes or Close flushes it.
//
// A speed outside MinSpeed..MaxSpeed is a *fault.Error of kind Invalid about
// speed. rate must be positive.
//
// Close closes dst too. After it, WritePCM returns an error and a second Close
// repeats the result of the first. An error of dst is returned by the call that
// met it and by every later one. The writer is not safe for concurrent use.
func NewWriter(dst audio.Writer, rate int, speed float64) (audio.Writer, error) {
	if !(speed >= MinSpeed && speed <= MaxSpeed) { // so written, it refuses NaN
		return nil, fault.BadParameter("speed", "speed %g is outside %g to %g", speed, MinSpeed, MaxSpeed)
	}
	if speed == 1 {
		return dst, nil
	}
	return newWriter(dst, rate, speed), nil
}

// Position returns where sample n of the input lies in the output, in samples.
// It is exact at the end of the audio; elsewhere the sound is at most 16 ms from
// it, and as a rule less than half a period of the voice.
func Position(n int, speed float64) int {
	return int(math.Round(float64(n) / speed))
}
