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

// oggStream puts packets into the pages of a logical Ogg bitstream. A page ends at flush, at
// end, or when it is full.
type oggStream struct {
	serial uint32
	pages  uint32 // written so far, hence the sequence number of the next

	// The page being filled.
	segments  []byte // segment table: the length of each segment
	body      []byte
	granule   int64
	continued bool
}

func newOggStream(serial uint32) *oggStream {
	return &oggStream{serial: serial, granule: oggNoGranule}
}

// packet adds a packet of any length, and appends pages that become full to dst. granule is
// the position of the packet's end, in the units of the codec.
func (o *oggStream) packet(dst, packet []byte, granule int64) []byte {
	for inside := false; ; inside = true {
		// The table is full in the middle of a packet: the next page continues it.
		if len(o.segments) == oggMaxSegments {
			dst = o.page(dst, 0)
			o.continued = inside
		}
		n := min(len(packet), oggMaxSegment)
		o.segments = append(o.segments, byte(n))
		o.body = append(o.body, packet[:n]...)
		packet = packet[n:]
		if n < oggMaxSegment { // the last segment, which may be empty
			o.granule = granule
			return dst
		}
	}
}

// flush appends the current page, if it has any content.
func (o *oggStream) flush(dst []byte) []byte {
	if len(o.segments) == 0 {
		return dst
	}
	return o.page(dst, 0)
}

// end appends the current page as the last one. It is empty if no packet was added after the
// last flush; some players dislike that.
func (o *oggStream) end(dst []byte) []byte { return o.page(dst, oggEnds) }

// page appends the current page and begins the next.
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

// oggTables[k][b] is the checksum of byte b followed by k zero bytes, for the polynomial
// 0x04c11db7, most significant bit first, without inversion (RFC 3533, section 6).
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

// oggChecksum returns the checksum of a page whose checksum field is zero. It works on eight
// bytes at a time (slicing-by-8). hash/crc32 cannot be used: it starts with the least
// significant bit.
func oggChecksum(page []byte) (sum uint32) {
	t, be := &oggTables, binary.BigEndian
	for ; len(page) >= 8; page = page[8:] {
		// The running checksum goes into the first four of the eight bytes.
		hi, lo := be.Uint32(page)^sum, be.Uint32(page[4:])
		sum = t[7][hi>>24] ^ t[6][hi>>16&0xff] ^ t[5][hi>>8&0xff] ^ t[4][hi&0xff] ^
			t[3][lo>>24] ^ t[2][lo>>16&0xff] ^ t[1][lo>>8&0xff] ^ t[0][lo&0xff]
	}
	for _, b := range page {
		sum = sum<<8 ^ t[0][byte(sum>>24)^b]
	}
	return sum
}
