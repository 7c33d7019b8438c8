package decodetest

import (
	"crypto/md5"
	"encoding/binary"
)

// BitWriter writes numbers bit by bit, the most significant first.
type BitWriter struct {
	Data []byte
	used uint // bits of the last byte
}

// Put writes the low n bits of v.
func (w *BitWriter) Put(v int64, n uint) *BitWriter {
	for ; n > 0; n-- {
		if w.used%8 == 0 {
			w.Data, w.used = append(w.Data, 0), 0
		}
		w.Data[len(w.Data)-1] |= byte(v>>(n-1)&1) << (7 - w.used)
		w.used++
	}
	return w
}

// Unary writes zeros and a one.
func (w *BitWriter) Unary(zeros int) *BitWriter {
	for range zeros {
		w.Put(0, 1)
	}
	return w.Put(1, 1)
}

// FLAC is a FLAC file to be made, whose parts may contradict each other.
type FLAC struct {
	Block, Rate, Channels, Bits int
	Total                       int64
	MD5                         [md5.Size]byte
	Metadata                    string // after STREAMINFO; "" is none
	Frames                      []FLACFrame
	After                       string
}

// FLACFrame is a frame to be made.
type FLACFrame struct {
	Number   int // -1 is none
	Variable bool
	Block    int
	Rate     byte   // its code
	Extra    string // what some codes need more
	Layout   int
	Bits     byte               // its code
	Body     func(w *BitWriter) // writes the subframes
}

// Bytes returns the file.
func (s FLAC) Bytes() []byte {
	var w BitWriter
	var last int64 = 0x80
	if s.Metadata != "" {
		last = 0
	}
	w.Put(last<<24|34, 32).Put(16, 16).Put(int64(s.Block), 16).Put(0, 48)
	w.Put(int64(s.Rate), 20).Put(int64(s.Channels-1), 3).Put(int64(s.Bits-1), 5).Put(s.Total, 36)
	file := append([]byte("fLaC"), w.Data...)
	file = append(file, s.MD5[:]...)
	file = append(file, s.Metadata...)
	for _, f := range s.Frames {
		file = append(file, f.Bytes()...)
	}
	return append(file, s.After...)
}

// Bytes returns the frame, with both checksums.
func (f FLACFrame) Bytes() []byte {
	var w BitWriter
	var variable int64
	if f.Variable {
		variable = 1
	}
	w.Put(0xFFF8|variable, 16).Put(7, 4).Put(int64(f.Rate), 4).Put(int64(f.Layout), 4).Put(int64(f.Bits), 3).Put(0, 1)
	if f.Number < 0 {
		w.Put(0xFF, 8)
	} else {
		w.Data = append(w.Data, string(rune(f.Number))...)
	}
	w.Put(int64(f.Block-1), 16)
	w.Data = append(w.Data, f.Extra...)
	w.Put(int64(checksum(w.Data, 8, 0x07)), 8)
	if f.Body != nil {
		f.Body(&w)
	}
	return binary.BigEndian.AppendUint16(w.Data, uint16(checksum(w.Data, 16, 0x8005)))
}

// Constants is a body of constant subframes of a number of bits.
func Constants(bits uint, values ...int64) func(*BitWriter) {
	return func(w *BitWriter) {
		for _, v := range values {
			w.Put(0, 8).Put(v, bits)
		}
	}
}

// checksum returns a CRC of a width in bits and a polynomial, bit by bit. It is written again here
// so that a fault in the decoder's tables shows.
func checksum(b []byte, width int, polynomial uint32) (sum uint32) {
	for _, v := range b {
		for i := 7; i >= 0; i-- {
			out := sum>>(width-1)&1 ^ uint32(v>>i&1)
			sum = sum<<1&(1<<width-1) ^ out*polynomial
		}
	}
	return sum
}
