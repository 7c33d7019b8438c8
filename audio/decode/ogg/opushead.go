package ogg

import (
	"bytes"
	"encoding/binary"
	"io"

	"vaak/audio/decode/recording"
)

const (
	opusRate = 48000 // Hz, of granule positions and of decoded samples
	// opusMaxTags is how many bytes the comments, with pictures, may have.
	opusMaxTags = 32 << 20
	// opusMaxPacket is how many bytes a packet may have per stream in it: 48 frames of 2.5 ms and
	// their lengths, rounded up (RFC 7845, section 6).
	opusMaxPacket = 61440
	// opusMaxSamples is the length of the longest packet, 120 ms.
	opusMaxSamples = opusRate * 120 / 1000
)

// opusHead is the identification header of a stream (RFC 7845, section 5.1).
type opusHead struct {
	channels int
	skip     int     // samples to drop at the beginning
	gain     float32 // as a factor
	streams  int
	coupled  int // streams with two channels
	mapping  []byte
}

// parseOpusHead parses the header, for files with one or two channels and for those whose
// channels are positions around a listener (mapping families 0 and 1).
func parseOpusHead(b []byte) (h opusHead, err error) {
	if !bytes.HasPrefix(b, []byte("OpusHead")) {
		return h, recording.Unsupported("the Ogg file holds %s; of Ogg files only Opus is read: convert it to FLAC or Opus", codecName(b))
	}
	if len(b) < 19 {
		return h, recording.Broken("the header of the Opus stream has %d bytes, fewer than 19", len(b))
	}
	if version := b[8]; version == 0 || version > 15 {
		return h, recording.Unsupported("the Opus stream is of version %d; versions 1 to 15 are read", version)
	}
	le := binary.LittleEndian
	h = opusHead{channels: int(b[9]), skip: int(le.Uint16(b[10:])), gain: opusGain(int16(le.Uint16(b[16:])))}
	switch family := b[18]; {
	case h.channels == 0:
		return h, recording.Broken("the Opus stream has no channels")
	// Family 0 writes no mapping: one stream, of two channels if there are two.
	case family == 0 && h.channels <= 2:
		h.streams, h.coupled, h.mapping = 1, h.channels-1, []byte{0, 1}[:h.channels]
		return h, nil
	case family == 1 && h.channels <= 8:
		return h, h.readMapping(b[19:])
	case family <= 1:
		return h, recording.Broken("the Opus stream has %d channels, more than its mapping family %d has", h.channels, family)
	default:
		return h, recording.Unsupported("the channels of the Opus stream are of mapping family %d; families 0 and 1 are read", family)
	}
}

// readMapping reads which decoded channel is which channel of the recording.
func (h *opusHead) readMapping(b []byte) error {
	if len(b) < 2+h.channels {
		return recording.Broken("the header of the Opus stream ends before its %d channels are mapped", h.channels)
	}
	h.streams, h.coupled = int(b[0]), int(b[1])
	h.mapping = bytes.Clone(b[2 : 2+h.channels])
	decoded := h.streams + h.coupled
	if h.streams == 0 || h.coupled > h.streams || decoded > h.channels {
		return recording.Broken("the Opus stream says that its %d channels are in %d streams, %d of them of two channels", h.channels, h.streams, h.coupled)
	}
	for i, m := range h.mapping {
		if int(m) >= decoded && m != 255 { // 255 stands for silence
			return recording.Broken("channel %d of the Opus stream is mapped to %d, of %d", i, m, decoded)
		}
	}
	return nil
}

// readOpusHeaders reads both header packets. It ignores the content of the second.
func readOpusHeaders(pages *pageReader) (h opusHead, err error) {
	var page rawPage
	if err := pages.next(&page); err != nil {
		if err == io.EOF {
			return h, recording.Broken("the file is empty")
		}
		return h, err
	}
	if h, err = parseOpusHead(page.body); err != nil {
		return h, err
	}
	if n := len(page.segments); n == 0 || page.segments[n-1] == 255 || len(page.body) != 255*(n-1)+int(page.segments[n-1]) {
		return h, recording.Broken("the first Ogg page holds something besides the header of the Opus stream")
	}
	return h, skipOpusTags(pages)
}

// skipOpusTags skips the comment header, which may span many pages and ends with the last of them.
func skipOpusTags(pages *pageReader) error {
	var page rawPage
	length := 0
	for {
		if err := pages.next(&page); err != nil {
			if err == io.EOF {
				return recording.Broken("the file ends at byte %d within the headers of the Opus stream", pages.at)
			}
			return err
		}
		if length == 0 && !bytes.HasPrefix(page.body, []byte("OpusTags")) {
			return recording.Broken("the second packet of the Opus stream, at byte %d, is not its comments", page.at)
		}
		if continued := page.flags&flagContinued != 0; continued != (length > 0) {
			return recording.Broken("the Ogg page at byte %d and the one before it disagree about where a packet ends", page.at)
		}
		if length += len(page.body); length > opusMaxTags {
			return recording.TooLarge("the comments of the Opus stream may have %d bytes; they have more", opusMaxTags)
		}
		for i, n := range page.segments {
			if n < 255 && i+1 < len(page.segments) {
				return recording.Broken("the Ogg page at byte %d holds something besides the comments of the Opus stream", page.at)
			}
		}
		if n := len(page.segments); n > 0 && page.segments[n-1] < 255 {
			return nil
		}
	}
}

// opusSamples returns how many samples a packet decodes to, from its first bytes (RFC 6716,
// section 3.1), or 0 if it is malformed.
func opusSamples(packet []byte) int {
	if len(packet) == 0 {
		return 0
	}
	config, frames := packet[0]>>3, 0
	switch packet[0] & 3 {
	case 0:
		frames = 1
	case 1, 2:
		frames = 2
	default:
		if len(packet) > 1 {
			// Code 3: the second byte holds the number of frames.
			frames = int(packet[1] & 0x3F)
		}
	}
	const ms = opusRate / 1000
	each := 0
	switch {
	case config < 12: // SILK
		each = [4]int{10 * ms, 20 * ms, 40 * ms, 60 * ms}[config&3]
	case config < 16: // hybrid
		each = [2]int{10 * ms, 20 * ms}[config&1]
	default: // CELT
		// 2.5, 5, 10 or 20 ms.
		each = 5 * ms / 2 << (config & 3)
	}
	if n := frames * each; n <= opusMaxSamples {
		return n
	}
	return 0
}
