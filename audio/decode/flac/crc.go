package flac

import "sync"

// The polynomials of the checksums (RFC 9639, section 9.1.8 and 9.3).
const (
	poly8  = 0x07
	poly16 = 0x8005
)

// crcTables[k] holds the CRC-16 of each byte followed by k zero bytes, so that eight bytes can
// be summed at once (slicing-by-8).
var crcTables = sync.OnceValue(func() *[8][256]uint16 {
	var t [8][256]uint16
	for i := range 256 {
		sum := uint16(i) << 8
		for range 8 {
			sum = sum<<1 ^ poly16&-(sum>>15)
		}
		t[0][i] = sum
	}
	for n := 1; n < len(t); n++ {
		for i := range 256 {
			last := t[n-1][i]
			t[n][i] = last<<8 ^ t[0][last>>8]
		}
	}
	return &t
})

// crc16 continues the checksum of a frame.
func crc16(sum uint16, b []byte) uint16 {
	t := crcTables()
	for ; len(b) >= 8; b = b[8:] {
		// The checksum so far meets the first two bytes. Each byte then counts as one that 7 to 0
		// others follow.
		sum = t[7][b[0]^byte(sum>>8)] ^ t[6][b[1]^byte(sum)] ^ t[5][b[2]] ^ t[4][b[3]] ^
			t[3][b[4]] ^ t[2][b[5]] ^ t[1][b[6]] ^ t[0][b[7]]
	}
	for _, v := range b {
		sum = sum<<8 ^ t[0][byte(sum>>8)^v]
	}
	return sum
}

// crc8 returns the checksum of a frame header.
func crc8(b []byte) byte {
	var sum byte
	for _, v := range b {
		sum ^= v
		for range 8 {
			sum = sum<<1 ^ poly8&-(sum>>7)
		}
	}
	return sum
}
