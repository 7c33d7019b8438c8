package codec

import (
	"time"

	"vaak/audio"
)

const (
	// mp3Lag is the delay of encoder and decoder together, 1,105 samples, and how many
	// samples LAME needs beyond a frame, 224.
	mp3Lag = 1105 + 224
	// opusPacket is the duration of a packet in a stream.
	opusPacket = 20 * time.Millisecond
)

// Lag returns how much audio must follow a sample, at most, until an encoder of f in Stream
// mode has written the bytes of that sample: its lookahead and the rest of its frame. f must
// have passed Check.
func Lag(f audio.Format) time.Duration {
	samples, rate := 0, InputRate(f)
	switch f.Codec {
	case audio.MP3:
		// The delay, LAME's lookahead, and a frame.
		samples = mp3Lag + mp3FrameSamples(f.SampleRate)
	case audio.Opus:
		// A page, and the overlap of the transform with the next packet.
		return opusStreamPage*opusPacket + 5*time.Millisecond
	case audio.AAC:
		samples = aacDelay + aacFrame
	case audio.FLAC:
		samples = flacBlock(f.SampleRate)
	}
	return time.Duration(samples) * time.Second / time.Duration(rate)
}
