package codec

import (
	"slices"
	"time"

	"vaak/audio"
)

const (
	// mp3Lag is the delay of encoder and decoder together, 1,105 samples, and how many
	// samples LAME needs beyond a frame, 224.
	mp3Lag = 1105 + 224
	// mp3Block limits the samples per call of LAME.
	mp3Block = 1 << 15
)

// mp3 makes frames of MPEG-1, 2 or 2.5 Layer III, of 1,152 samples each from 32,000 Hz on and
// of 576 below.
//
// LAME looks ahead: the first frame is ready after 800 samples (33 ms at 24,000 Hz, 100 ms at
// 8,000) or 1,376 (29 ms at 48,000). A decoder returns the sound 1,105 samples late; the tag of
// a file makes up for that. At low bit rates LAME removes high frequencies: above 3 kHz at
// 8 kbit/s, 5.5 at 16, 5.9 at 24, 8.3 at 32, 10.5 at 40, 11.3 at 48, 15 at 56, 16.5 at 64, and
// 20 from 80 on. So at the default bit rate nothing is lost at 32,000 Hz and below.
type mp3 struct {
	lib    *lameLibrary
	handle lameHandle
	// tag is the first frame of a file; space for it is written first, and seal fills it. A
	// stream has no tag, because a tag declares a length.
	tag     mp3Tag
	begun   bool
	sum     uint16 // CRC of the frames, for the tag
	missing int    // samples that the file still lacks to have a whole frame
}

func mp3Encoder() (encoder, bool) {
	lib, err := loadLAME()
	return encoder{codec: audio.MP3, kbps: mp3Bitrates, requestable: mp3Requestable,
		lag: func(f audio.Format) time.Duration {
			return duration(mp3Lag+mp3FrameSamples(f.SampleRate), f.SampleRate)
		},
		open: func(f audio.Format, mode Mode) (coder, error) {
			h, err := lib.open(f.SampleRate, f.BitrateKbps)
			if err != nil {
				return nil, err
			}
			m := &mp3{lib: lib, handle: h, missing: mp3FrameSamples(f.SampleRate)}
			if mode != Stream {
				m.tag = newMP3Tag(f.SampleRate, f.BitrateKbps)
			}
			return m, nil
		}}, err == nil
}

func (m *mp3) encode(dst []byte, pcm []int16) ([]byte, error) {
	dst = m.begin(dst)
	for block := range slices.Chunk(pcm, mp3Block) {
		// Counts down to 0 over the first samples of the file only.
		m.missing = max(m.missing-len(block), 0)
		var err error
		if dst, err = m.frames(dst, block); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// finish appends what LAME holds back. A file shorter than a frame is padded with silence:
// players cannot recognize a single frame.
func (m *mp3) finish(dst []byte) ([]byte, error) {
	dst = m.begin(dst)
	if m.missing > 0 {
		var err error
		if dst, err = m.frames(dst, make([]int16, m.missing)); err != nil {
			return dst, err
		}
	}
	return m.frames(dst, nil)
}

// frames appends the frames that LAME makes of some samples, or the last ones if block is nil,
// and updates the checksum for the tag.
func (m *mp3) frames(dst []byte, pcm []int16) ([]byte, error) {
	n := len(dst)
	dst, err := m.lib.appendFrames(m.handle, dst, pcm)
	// Only a file has a tag that needs the checksum.
	if m.tag.size > 0 {
		m.sum = crc16(m.sum, dst[n:])
	}
	return dst, err
}

// begin appends space for the tag, once.
func (m *mp3) begin(dst []byte) []byte {
	if m.begun {
		return dst
	}
	m.begun = true
	return grow(dst, m.tag.size)
}

// seal writes the tag.
func (m *mp3) seal(head []byte, size int64) error {
	return m.tag.write(head, mp3Figures{
		size: size, sum: m.sum, frames: int(m.lib.frames(m.handle)),
		delay: int(m.lib.delay(m.handle)), padding: int(m.lib.padding(m.handle)) + m.missing,
	})
}

func (m *mp3) free() { m.lib.close(m.handle) }

// mp3Standard returns the bit rates of Layer III at a sample rate, in kbit/s, ascending
// (ISO/IEC 11172-3 and 13818-3; at 8,000 Hz LAME stops at 64). The index in a frame header
// counts them from 1.
func mp3Standard(rate int) []int {
	switch {
	case rate >= 32000:
		return []int{32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320}
	case rate >= 16000:
		return []int{8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160}
	default:
		return []int{8, 16, 24, 32, 40, 48, 56, 64}
	}
}

// mp3Requestable spans all bit rates of Layer III, though no sample rate has all of them.
var mp3Requestable = span{least: 8, most: 320}

func mp3Bitrates(rate int) bitrates {
	all := mp3Standard(rate)
	return bitrates{span: span{least: all[0], most: all[len(all)-1]}, steps: all}
}
