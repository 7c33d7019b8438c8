package codec

import (
	"encoding/binary"
	"fmt"
	"math"
)

// mp3Tag is a frame without sound at the head of a file, by which players know
// its length and cut off the silence that the codec adds at both ends: the Xing
// header ("Info" at a constant bit rate) with LAME's extension (Mp3 Info Tag
// revision 1 by G. Bouvigne). LAME would write it too, but not where a frame of
// the audio's bit rate has no room for it, below 24 to 64 kbit/s.
//
// The zero value is no tag.
type mp3Tag struct {
	rate, kbps int // of the audio
	index      int // of the tag's own bit rate among those of mp3Standard
	size       int // bytes
}

const (
	mp3TagInfo = 120 // bytes of the Xing header
	mp3TagLAME = 36  // bytes of the extension
)

// newMP3Tag returns the tag of a file, in the smallest frame of at least the
// audio's bit rate that holds it.
func newMP3Tag(rate, kbps int) mp3Tag {
	t := mp3Tag{rate: rate, kbps: kbps}
	for i, own := range mp3Standard(rate) {
		t.index, t.size = i, mp3FrameSamples(rate)/8*1000*own/rate
		if own >= kbps && t.size >= t.offset()+mp3TagInfo+mp3TagLAME {
			break
		}
	}
	return t
}

// mp3FrameSamples returns the length of a frame.
func mp3FrameSamples(rate int) int {
	if rate >= 32000 {
		return 1152
	}
	return 576
}

// offset returns where the tag begins in its frame: after the header and the side
// information of one channel.
func (t mp3Tag) offset() int {
	if t.rate >= 32000 {
		return 4 + 17
	}
	return 4 + 9
}

// mp3Figures are what a tag says of a file.
type mp3Figures struct {
	size           int64  // bytes, those of the tag too
	sum            uint16 // of all behind the tag
	frames         int    // of audio
	delay, padding int    // samples at the start and the end that are not sound
}

// write fills in the tag of a file that begins with some bytes: the tag and four
// more at least.
func (t mp3Tag) write(head []byte, f mp3Figures) error {
	if len(head) < t.size+4 {
		return fmt.Errorf("mp3 of %d bytes has no frame", len(head))
	}
	tag, audio := head[:t.size], head[t.size:]
	clear(tag)
	// The header is that of the first frame, but for the bit rate and the padding
	// of its own.
	copy(tag, audio[:4])
	tag[2] = byte(t.index+1)<<4 | tag[2]&0b1100

	be := binary.BigEndian
	info := tag[t.offset():][:mp3TagInfo]
	copy(info, "Info")
	be.PutUint32(info[4:], 0b1111) // what follows: frames, bytes, places, quality
	be.PutUint32(info[8:], uint32(f.frames))
	size := uint32(min(f.size, math.MaxUint32))
	be.PutUint32(info[12:], size)
	for i := range 100 { // where each percent of the time is, in 256ths of the bytes
		info[16+i] = byte(i * 256 / 100)
	}
	be.PutUint32(info[116:], 100-10*lameQuality)

	lame := tag[t.offset()+mp3TagInfo:][:mp3TagLAME]
	copy(lame, "LAME3.100")
	lame[9] = 1 // revision 0, constant bit rate
	be.PutUint32(lame[20:], uint32(min(t.kbps, 255))<<24|uint32(f.delay)<<12|uint32(f.padding))
	be.PutUint32(lame[28:], size)
	be.PutUint16(lame[32:], f.sum)
	be.PutUint16(lame[34:], crc16(0, tag[:t.offset()+mp3TagInfo+mp3TagLAME-2]))
	return nil
}

// crc16 goes on with a checksum of polynomial 0x8005, reflected, which begins with 0.
func crc16(crc uint16, data []byte) uint16 {
	for _, b := range data {
		crc = crc>>8 ^ crc16Table[byte(crc)^b]
	}
	return crc
}

var crc16Table = func() (table [256]uint16) {
	for i := range table {
		crc := uint16(i)
		for range 8 {
			crc = crc>>1 ^ 0xA001*(crc&1)
		}
		table[i] = crc
	}
	return table
}()
