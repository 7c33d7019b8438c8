package recording

import (
	"errors"
	"time"
)

// The defaults of [Limits].
const (
	defaultChannels   = 8
	defaultSampleRate = 192000
	defaultDuration   = 24 * time.Hour
)

// MinSampleRate is the lowest sample rate that is accepted, in Hz: below it nothing is speech.
const MinSampleRate = 4000

// Limits limit the recordings that are accepted. The zero value has the defaults.
type Limits struct {
	Channels   int   // largest number of channels; 0 is 8
	SampleRate int   // highest rate in Hz; 0 is 192000
	Frames     int64 // largest number of samples per channel; 0 is 24 hours at the rate
}

// MaxSamples returns how many samples per channel a recording may have at its rate, or why the
// recording is refused.
func (l Limits) MaxSamples(i Info) (int64, error) {
	channels, rate, frames := l.Channels, l.SampleRate, l.Frames
	if channels == 0 {
		channels = defaultChannels
	}
	if rate == 0 {
		rate = defaultSampleRate
	}
	if frames == 0 {
		// i.SampleRate is not checked yet, but it has at most 32 bits, so this cannot overflow.
		frames = int64(i.SampleRate) * int64(defaultDuration/time.Second)
	}
	switch {
	case i.Channels < 1:
		return 0, Broken("the recording has %d channels", i.Channels)
	case i.Channels > channels:
		return 0, TooLarge("a recording may have %d channels; this one has %d", channels, i.Channels)
	case i.SampleRate < MinSampleRate || i.SampleRate > rate:
		return 0, TooLarge("the sample rate %d Hz is outside %d to %d", i.SampleRate, MinSampleRate, rate)
	case i.Frames > frames:
		return 0, TooLong(frames, i.SampleRate)
	}
	return frames, nil
}

// Seconds returns how long so many samples per channel last.
func Seconds(frames int64, rate int) float64 { return float64(frames) / float64(rate) }

// ErrPlanes means that the caller of [Stream.Read] passed wrong planes.
var ErrPlanes = errors.New("decode: Read needs one plane for each channel, all of the same length")

// PlaneLength returns the length of planes, which must have one slice per channel, all of the
// same length.
func PlaneLength(planes [][]float32, channels int) (int, error) {
	if len(planes) != channels {
		return 0, ErrPlanes
	}
	for _, p := range planes {
		if len(p) != len(planes[0]) {
			return 0, ErrPlanes
		}
	}
	return len(planes[0]), nil
}
