package decode

import (
	"errors"
	"time"

	"vaak/internal/fault"
)

// The defaults of [Limits], and the lowest sample rate: below it nothing is speech.
const (
	defaultChannels   = 8
	defaultSampleRate = 192000
	defaultDuration   = 24 * time.Hour
	minSampleRate     = 4000
)

// maxSamples returns how many samples per channel a recording may have at its rate, or why the
// recording is refused.
func (l Limits) maxSamples(i Info) (int64, error) {
	channels, rate, frames := l.Channels, l.SampleRate, l.Frames
	if channels == 0 {
		channels = defaultChannels
	}
	if rate == 0 {
		rate = defaultSampleRate
	}
	if frames == 0 {
		frames = int64(i.SampleRate) * int64(defaultDuration/time.Second)
	}
	switch {
	case i.Channels < 1:
		return 0, broken("the recording has %d channels", i.Channels)
	case i.Channels > channels:
		return 0, tooLarge("a recording may have %d channels; this one has %d", channels, i.Channels)
	case i.SampleRate < minSampleRate || i.SampleRate > rate:
		return 0, tooLarge("the sample rate %d Hz is outside %d to %d", i.SampleRate, minSampleRate, rate)
	case i.Frames > frames:
		return 0, tooLong(frames, i.SampleRate)
	}
	return frames, nil
}

func tooLarge(msg string, args ...any) *fault.Error {
	return fault.New(fault.TooLarge, CodeTooLarge, "", msg, args...)
}

// tooLong returns the error for a recording with too many samples.
func tooLong(frames int64, rate int) *fault.Error {
	return tooLarge("a recording may have %d samples in a channel, %.1f s at its rate; this one has more",
		frames, seconds(frames, rate))
}

func seconds(frames int64, rate int) float64 { return float64(frames) / float64(rate) }

// errPlanes means that the caller of Read passed wrong planes.
var errPlanes = errors.New("decode: Read needs one plane for each channel, all of the same length")

// room returns the length of planes, which must have one slice per channel, all of the same length.
func room(planes [][]float32, channels int) (int, error) {
	if len(planes) != channels {
		return 0, errPlanes
	}
	for _, p := range planes {
		if len(p) != len(planes[0]) {
			return 0, errPlanes
		}
	}
	return len(planes[0]), nil
}
