// Package resample changes the sample rate of mono 16-bit PCM as it streams.
//
// The filter is a polyphase windowed sinc with a Kaiser window, with 48 samples of the slower
// rate on each side (J. O. Smith, Digital Audio Resampling). It is flat within 0.5 dB up to 0.9
// of the lower Nyquist frequency. Everything above that Nyquist frequency, which could alias,
// is attenuated by more than 90 dB.
//
// The result depends neither on how the input is divided into writes nor on the processor: the
// vector code adds in the same order as the portable code and does not fuse multiplications
// with additions.
package resample

import (
	"fmt"
	"time"

	"vaak/audio"
)

// The rates that can be converted, in Hz.
const (
	minRate = 8000
	maxRate = 48000
)

// NewWriter returns a writer of samples at from Hz that feeds dst at to Hz. If the rates are
// equal it returns dst itself.
//
// The output is aligned with the input: the first sample of both has the same time. n samples
// become exactly n*to/from, rounded up. A sample is written as soon as the 48 samples of the
// slower rate after it are known. Close adds silence after the last ones, and closes dst.
// Results are rounded to nearest and saturate at the ends of the 16-bit range.
//
// Both rates must be in 8,000 to 48,000, else NewWriter returns an error. The coefficients for
// the rates in [audio.SampleRates] are kept until the process ends, at most 250 KiB a pair.
// Those for other rates last as long as the writer and can take several MiB.
//
// After Close, WritePCM returns an error and a second Close returns the result of the first.
// An error of dst is returned at once and by all later calls. The writer is not safe for
// concurrent use.
func NewWriter(dst audio.Writer, from, to int) (audio.Writer, error) {
	for _, rate := range []int{from, to} {
		if rate < minRate || rate > maxRate {
			return nil, fmt.Errorf("sample rate %d is outside %d to %d", rate, minRate, maxRate)
		}
	}
	if from == to {
		return dst, nil
	}
	return newWriter(dst, tableFor(from, to)), nil
}

// Lag returns how much audio must follow a sample, at most, until a writer from one rate to
// another has written it. It is 0 if the rates are equal.
func Lag(from, to int) time.Duration {
	if from == to {
		return 0
	}
	slower := max(minRate, min(from, to))
	// Four samples more, because the filter's length is a multiple of four and counting at
	// another rate rounds.
	return (halfWidth + 4) * time.Second / time.Duration(slower)
}
