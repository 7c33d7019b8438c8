package codec

import (
	"encoding/binary"
	"fmt"
	"math"
)

// mp3Tag is a silent frame at the start of a file. It tells players the length and how much
// silence to cut off at both ends, which the codec has added. It is the Xing header ("Info" at
// a constant bit rate) with LAME's extension (Mp3 Info Tag revision 1 by G. Bouvigne). LAME
// itself writes none where it does not fit into a frame of the audio's bit rate, below 24 to
// 64 kbit/s; this one may have a higher bit rate than the audio.
//
// The zero value stands for no tag.
type mp3Tag struct {
	rate, kbps int // of the audio
	index      int // of the tag's own bit rate in mp3Standard
	size       int // bytes
}

const (
	mp3TagInfo = 120 // bytes of the Xing header
	mp3TagLAME = 36  // bytes of the extension
)

// newMP3Tag returns the tag of a file. It uses the smallest frame that holds the tag, of at
// least the audio's bit rate.
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

// mp3FrameSamples returns the samples in a frame.
func mp3FrameSamples(rate int) int {
	if rate >= 32000 {
		return 1152
	}
	return 576
}

// offset returns where the Xing header begins in the frame: after the frame header and the side
// information of one channel.
func (t mp3Tag) offset() int {
	if t.rate >= 32000 {
		return 4 + 17
	}
	return 4 + 9
}

// mp3Figures are what the tag declares about a file.
type mp3Figures struct {
	size           int64  // bytes of the file, with the tag
	sum            uint16 // CRC of everything after the tag
	frames         int    // without the tag
	delay, padding int    // samples at the start and the end that are not sound
}

// write fills in the tag. head is the beginning of the file: the tag and at least the header of
// the first frame of audio.
func (t mp3Tag) write(head []byte, f mp3Figures) error {
	if len(head) < t.size+4 {
		return fmt.Errorf("mp3 of %d bytes has no frame", len(head))
	}
	tag, audio := head[:t.size], head[t.size:]
	clear(tag)
	// The frame header is that of the first audio frame, with the tag's own bit rate and without
	// padding.
	copy(tag, audio[:4])
	// Byte 2 is bit rate index, sample rate index, padding, private bit: keep the sample rate only.
	tag[2] = byte(t.index+1)<<4 | tag[2]&0b1100

	be := binary.BigEndian
	info := tag[t.offset():][:mp3TagInfo]
	copy(info, "Info")
	be.PutUint32(info[4:], 0b1111) // fields that follow: frames, bytes, seek table, quality
	be.PutUint32(info[8:], uint32(f.frames))
	size := uint32(min(f.size, math.MaxUint32))
	be.PutUint32(info[12:], size)
	for i := range 100 { // the seek table: the place of each percent of the time, in 256ths of the bytes
		info[16+i] = byte(i * 256 / 100)
	}
	be.PutUint32(info[116:], 100-10*lameQuality)

	lame := tag[t.offset()+mp3TagInfo:][:mp3TagLAME]
	copy(lame, "LAME3.100")
	lame[9] = 1 // revision 0, constant bit rate
	// The bit rate in 8 bits, then delay and padding in 12 bits each.
	be.PutUint32(lame[20:], uint32(min(t.kbps, 255))<<24|uint32(f.delay)<<12|uint32(f.padding))
	be.PutUint32(lame[28:], size)
	be.PutUint16(lame[32:], f.sum)
	be.PutUint16(lame[34:], crc16(0, tag[:t.offset()+mp3TagInfo+mp3TagLAME-2]))
	return nil
}

// crc16 updates a CRC of polynomial 0x8005, reflected, with initial value 0.
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
