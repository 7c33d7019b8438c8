package codec

import "encoding/binary"

// Fields of an Ogg page (RFC 3533, section 6).
const (
	oggMaxSegments = 255 // a page's table of segments is full
	oggMaxSegment  = 255 // bytes; a shorter segment ends its packet
	oggHeaderSize  = 27  // bytes before the table of segments
	oggChecksumAt  = 22  // bytes before the checksum

	oggContinued = 1 // the page begins inside a packet
	oggBegins    = 2 // the first page of a stream
	oggEnds      = 4 // the last page of a stream

	oggNoGranule = -1 // the granule position of a page in which no packet ends
)

// oggStream lays packets into the pages of one logical Ogg bitstream. A page is
// as long as its user makes it: it ends at flush, at end, or when it is full.
type oggStream struct {
	serial uint32
	pages  uint32 // written; the sequence number of the next

	// The page being filled.
	segments  []byte // its table: the length of each segment
	body      []byte
	granule   int64
	continued bool
}

func newOggStream(serial uint32) *oggStream {
	return &oggStream{serial: serial, granule: oggNoGranule}
}

// packet adds a packet of any length, and appends to dst the pages that became
// full. granule is the position of the packet's end, in the units of the codec.
func (o *oggStream) packet(dst, packet []byte, granule int64) []byte {
	for inside := false; ; inside = true {
		if len(o.segments) == oggMaxSegments {
			dst = o.page(dst, 0)
			o.continued = inside
		}
		n := min(len(packet), oggMaxSegment)
		o.segments = append(o.segments, byte(n))
		o.body = append(o.body, packet[:n]...)
		packet = packet[n:]
		if n < oggMaxSegment {
			o.granule = granule
			return dst
		}
	}
}

// flush appends the page being filled, if there is anything in it.
func (o *oggStream) flush(dst []byte) []byte {
	if len(o.segments) == 0 {
		return dst
	}
	return o.page(dst, 0)
}

// end appends the page being filled as the last of the stream. It is empty when
// no packet came after the last flush, which players accept less gladly.
func (o *oggStream) end(dst []byte) []byte { return o.page(dst, oggEnds) }

// page appends the page being filled, and begins the next.
func (o *oggStream) page(dst []byte, flags byte) []byte {
	if o.continued {
		flags |= oggContinued
	}
	if o.pages == 0 {
		flags |= oggBegins
	}
	le, start := binary.LittleEndian, len(dst)
	dst = append(dst, 'O', 'g', 'g', 'S', 0, flags)
	dst = le.AppendUint64(dst, uint64(o.granule))
	dst = le.AppendUint32(dst, o.serial)
	dst = le.AppendUint32(dst, o.pages)
	dst = append(dst, 0, 0, 0, 0, byte(len(o.segments))) // the checksum counts itself as zero
	dst = append(append(dst, o.segments...), o.body...)
	le.PutUint32(dst[start+oggChecksumAt:], oggChecksum(dst[start:]))

	o.pages++
	o.segments, o.body = o.segments[:0], o.body[:0]
	o.granule, o.continued = oggNoGranule, false
	return dst
}

// oggTables[k][b] is the checksum of the byte b and k zero bytes, for the
// polynomial 0x04c11db7, the highest bit first, nothing inverted.
var oggTables = func() (t [8][256]uint32) {
	for b := range t[0] {
		sum := uint32(b) << 24
		for range 8 {
			carry := sum >> 31
			sum = sum<<1 ^ carry*0x04c11db7
		}
		t[0][b] = sum
	}
	for k := 1; k < len(t); k++ {
		for b, sum := range t[k-1] {
			t[k][b] = sum<<8 ^ t[0][sum>>24]
		}
	}
	return t
}()

// oggChecksum returns the checksum of a page whose checksum field is zero, eight
// bytes at a time. The one of hash/crc32 takes the lowest bit first.
func oggChecksum(page []byte) (sum uint32) {
	t, be := &oggTables, binary.BigEndian
	for ; len(page) >= 8; page = page[8:] {
		hi, lo := be.Uint32(page)^sum, be.Uint32(page[4:])
		sum = t[7][hi>>24] ^ t[6][hi>>16&0xff] ^ t[5][hi>>8&0xff] ^ t[4][hi&0xff] ^
			t[3][lo>>24] ^ t[2][lo>>16&0xff] ^ t[1][lo>>8&0xff] ^ t[0][lo&0xff]
	}
	for _, b := range page {
		sum = sum<<8 ^ t[0][byte(sum>>24)^b]
	}
	return sum
}
