package listeners

import (
	"fmt"
	"time"

	"vaak/audio"
)

// timeline tells how much audio the bytes of a body hold that have come so far.
type timeline interface {
	// add takes the next bytes of the body; it keeps none of them.
	add(body []byte) error
	// audio returns how long what has come whole sounds.
	audio() time.Duration
}

// NewTimeline returns the timeline of a body in the format, which
// [codec.Check] has filled in and whose header has so many bytes.
func NewTimeline(f audio.Format, header int) (timeline, error) {
	if f.Codec == audio.Opus {
		return &pages{}, nil
	}
	rate, ok := byteRate(f)
	if !ok {
		return nil, fmt.Errorf("%s has no timeline here: its bytes do not tell the time", f.Codec)
	}
	return &flat{rate: int64(rate), header: int64(header)}, nil
}

// byteRate returns the bytes of a second of audio, if that is a constant.
func byteRate(f audio.Format) (int, bool) {
	switch f.Codec {
	case audio.PCM, audio.WAV:
		return 2 * f.SampleRate, true
	case audio.ULaw, audio.ALaw:
		return f.SampleRate, true
	case audio.MP3: // frames of a constant bit rate
		return f.BitrateKbps * 1000 / 8, true
	default:
		return 0, false
	}
}

// bite is how many bytes a listener reads at a time: those of one block, or
// what they come to on average.
func bite(f audio.Format) int {
	rate, ok := byteRate(f)
	if !ok {
		rate = f.BitrateKbps * 1000 / 8
	}
	return int(time.Duration(rate) * Block / time.Second)
}

// flat is a body in which every byte lasts equally long.
type flat struct {
	rate   int64 // bytes a second
	header int64 // bytes before the audio
	bytes  int64
}

func (t *flat) add(body []byte) error {
	t.bytes += int64(len(body))
	return nil
}

func (t *flat) audio() time.Duration {
	return time.Duration(max(t.bytes-t.header, 0)) * time.Second / time.Duration(t.rate)
}
