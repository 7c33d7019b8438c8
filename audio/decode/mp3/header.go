package mp3

import (
	"encoding/binary"
	"math/bits"
)

// header is a parsed header of an MPEG audio frame (ISO/IEC 11172-3, 2.4.1.3; 13818-3,
// 2.4.2.3; version 2.5 is defined by Fraunhofer).
type header struct {
	layer    int // 1 to 3
	rate     int // Hz
	channels int
	samples  int // per channel; 0 for other layers than III
	size     int // bytes, with the header; 0 for a free bit rate and for other layers
	side     int // bytes of side information
}

const (
	headerSize = 4
	// maxFrame is the size of the largest frame: 160 kbit/s at 8,000 Hz, or 320 at 32,000.
	maxFrame = 1441
)

// The bit rates of Layer III in kbit/s by index, for MPEG 1 and for MPEG 2 and 2.5.
var (
	bitRates1 = [15]int{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320}
	bitRates2 = [15]int{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160}
)

// parseHeader parses a header. ok is false if the bytes are not one.
func parseHeader(b []byte) (h header, ok bool) {
	if len(b) < headerSize {
		return h, false
	}
	v := binary.BigEndian.Uint32(b)
	// Versions: 3 is MPEG 1, 2 is MPEG 2, 0 is MPEG 2.5 and 1 is reserved. Layers count down: 3
	// is layer I, 1 is layer III.
	version, layer, index, rate := v>>19&3, v>>17&3, v>>12&15, v>>10&3
	if bits.LeadingZeros32(^v) < 11 || version == 1 || layer == 0 || index == 15 || rate == 3 {
		return h, false
	}
	h = header{layer: int(4 - layer), rate: [3]int{44100, 48000, 32000}[rate], channels: 2}
	if v>>6&3 == 3 {
		h.channels = 1
	}
	if h.layer != 3 {
		return h, true
	}
	kbps := bitRates1[index]
	// The side information has 17 bytes for one channel and 32 for two.
	h.samples, h.side = 1152, 17+15*(h.channels-1)
	if version != 3 {
		h.rate >>= 2 - version>>1 // half of MPEG 1, or a quarter for version 2.5
		kbps = bitRates2[index]
		// One granule instead of two: 9 bytes, or 17.
		h.samples, h.side = 576, 9+8*(h.channels-1)
	}
	if kbps > 0 {
		// Bytes of a frame: its seconds times the bit rate, rounded down, and one byte of padding
		// if the header says so.
		h.size = h.samples/8*1000*kbps/h.rate + int(v>>9&1)
	}
	return h, true
}

// frame reports whether the header tells everything needed to read the frame.
func (h header) frame() bool { return h.layer == 3 && h.size > 0 }

// like reports whether frames with both headers can belong to one stream.
func (h header) like(other header) bool {
	return h.layer == other.layer && h.rate == other.rate && h.channels == other.channels && h.samples == other.samples
}
