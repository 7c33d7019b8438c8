package codec

import (
	"time"

	"vaak/audio"
)

const (
	// mp3Lag is how many samples later than it was put in the sound comes out of
	// a decoder, 1,105, and how many LAME must know behind a frame, 224.
	mp3Lag = 1105 + 224
	// opusPacket is what a packet of a stream lasts.
	opusPacket = 20 * time.Millisecond
)

// Lag returns how much audio must follow a sample, at most, for its bytes to have
// been written by an encoder of f in Stream mode: what it needs to look ahead and
// to fill the frame. Check must have passed f.
func Lag(f audio.Format) time.Duration {
	samples, rate := 0, InputRate(f)
	switch f.Codec {
	case audio.MP3:
		// What a decoder gives out later, what LAME looks ahead, and a frame.
		samples = mp3Lag + mp3FrameSamples(f.SampleRate)
	case audio.Opus:
		// A page, and what the transform overlaps with the next packet.
		return opusStreamPage*opusPacket + 5*time.Millisecond
	case audio.AAC:
		samples = aacDelay + aacFrame
	case audio.FLAC:
		samples = flacBlock(f.SampleRate)
	}
	return time.Duration(samples) * time.Second / time.Duration(rate)
}
