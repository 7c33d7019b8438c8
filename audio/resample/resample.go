// Package resample changes the sample rate of mono 16-bit PCM as it streams.
//
// The filter is a polyphase windowed sinc with a Kaiser window, 48 samples of
// the slower rate on each side (J. O. Smith, Digital Audio Resampling). It is
// flat within 0.5 dB up to 0.9 of the narrower Nyquist frequency, and whatever
// could alias lies more than 90 dB down from that Nyquist frequency on.
//
// The result does not depend on how the input is cut into writes, nor on the
// processor: the vector code adds in the same order as the portable one and
// does not fuse multiplications with additions.
package resample

import (
	"fmt"
	"time"

	"vaak/audio"
)

// The rates that can be converted, in Hz.
const (
	MinRate = 8000
	MaxRate = 48000
)

// NewWriter returns a writer of samples at from Hz that feeds dst at to Hz. If
// the rates are equal it returns dst itself.
//
// The output is aligned with the input: its first sample is at the time of the
// first input sample, and n samples become exactly [Position](n, from, to).
// A sample comes out as soon as 48 samples of the slower rate that follow it
// are known; Close supplies silence for the last ones and closes dst. Results
// are rounded to nearest and saturate at the ends of the 16-bit range.
//
// Both rates must be in MinRate..MaxRate, else NewWriter returns an error. The
// coefficients of the rates in [audio.SampleRates] are kept for the life of the
// process, at most 250 KiB a pair; those of other rates last as long as the
// writer and can be several MiB.
//
// After Close, WritePCM returns an error and a second Close repeats the result
// of the first. An error of dst is returned by the call that met it and by
// every later one. The writer is not safe for concurrent use.
func NewWriter(dst audio.Writer, from, to int) (audio.Writer, error) {
	for _, rate := range []int{from, to} {
		if rate < MinRate || rate > MaxRate {
			return nil, fmt.Errorf("sample rate %d is outside %d to %d", rate, MinRate, MaxRate)
		}
	}
	if from == to {
		return dst, nil
	}
	return newWriter(dst, tableFor(from, to)), nil
}

// Position returns how many samples at to Hz lie before sample n at from Hz,
// which is also the length of n samples after conversion: n*to/from rounded up.
func Position(n, from, to int) int {
	return int((int64(n)*int64(to) + int64(from) - 1) / int64(from))
}

// Lag returns how much audio must follow a sample for it to come out of a writer
// from one rate to another, at most: nothing if they are equal.
func Lag(from, to int) time.Duration {
	if from == to {
		return 0
	}
	slower := max(MinRate, min(from, to))
	// A few samples more: the filter is a multiple of four long, and counting in
	// another rate rounds.
	return (halfWidth + 4) * time.Second / time.Duration(slower)
}
