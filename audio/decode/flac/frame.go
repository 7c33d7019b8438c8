package flac

import "vaak/audio/decode/recording"

// How the two channels of a frame are written; a smaller number means independently.
const (
	leftSide  = 8
	sideRight = 9
	midSide   = 10
)

// frameDecoder decodes the frames of a file. It reuses its memory.
type frameDecoder struct {
	head   header
	count  int64     // frames decoded
	first  uint64    // number of the first frame, or of its first sample
	planes [][]int64 // for each channel history zeros, then the samples
	block  [][]int64 // the part of planes that holds the last frame
	coeffs [history]int64
}

// next decodes a frame, after done samples per channel. The samples are valid until the next call.
func (f *frameDecoder) next(r *bitReader, done int64) ([][]int64, error) {
	// The CRC-16 covers the frame from its first byte, also the header, which the CRC-8 covers
	// too.
	r.begin()
	h, n, err := parseFrameHeader(r.peek(maxFrameHeader))
	if err != nil {
		return nil, err
	}
	if err := f.follows(h, done); err != nil {
		return nil, err
	}
	r.skip(n)
	block := f.room(h.block)
	for c, samples := range block {
		bits := uint(f.head.bits)
		if c == 1 && (h.layout == leftSide || h.layout == midSide) || c == 0 && h.layout == sideRight {
			bits++ // a difference of two samples needs one bit more
		}
		f.subframe(r, f.planes[c][:history+len(samples)], bits)
		if r.err != nil {
			return nil, r.err
		}
	}
	r.align()
	sum := r.checksum() // before the stored checksum is read, which it does not cover
	if told := uint16(r.read(16)); r.err == nil && told != sum {
		r.fail(recording.Broken("the frame has the CRC-16 %04x; it says %04x", sum, told))
	}
	if r.err != nil {
		return nil, r.err
	}
	unmix(block, h.layout)
	// A residual may carry a prediction beyond the range of the format. Such samples would exceed
	// full scale, and no encoder writes them.
	if !fits(block, f.head.bits) {
		return nil, recording.Broken("the frame decodes to samples that take more than %d bits", f.head.bits)
	}
	f.count++
	return block, nil
}

// follows checks a frame against the header of the file and the frames before it.
func (f *frameDecoder) follows(h frameHeader, done int64) error {
	if f.count == 0 {
		f.first = h.number
	}
	// A frame of fixed size carries its own number, one of variable size the number of its first
	// sample. A file that was cut from a longer one may begin with any.
	want := f.first + uint64(f.count)
	if h.variable {
		want = f.first + uint64(done)
	}
	channels := h.layout + 1
	if h.layout >= leftSide {
		channels = 2
	}
	switch {
	case h.rate != 0 && h.rate != f.head.rate:
		return recording.Broken("the sample rate changes from %d to %d Hz", f.head.rate, h.rate)
	case channels != f.head.channels:
		return recording.Broken("the channels change from %d to %d", f.head.channels, channels)
	case h.bits != 0 && h.bits != f.head.bits:
		return recording.Broken("the bits of a sample change from %d to %d", f.head.bits, h.bits)
	case h.block > f.head.block:
		return recording.Broken("the frame has %d samples; the head says %d at most", h.block, f.head.block)
	case h.number != want:
		return recording.Broken("the frame has the number %d; %d should follow", h.number, want)
	}
	return nil
}

// room returns planes for n samples per channel. Memory grows with the frames that were read,
// not with what the header promises.
func (f *frameDecoder) room(n int) [][]int64 {
	for c := range f.planes {
		if cap(f.planes[c]) < history+n {
			f.planes[c] = make([]int64, history+n)
		}
		f.block[c] = f.planes[c][history : history+n]
	}
	return f.block
}

// unmix restores two channels from their sum and difference (RFC 9639, section 4.2).
func unmix(block [][]int64, layout int) {
	if layout < leftSide {
		return
	}
	a, b := block[0], block[1][:len(block[0])]
	switch layout {
	case leftSide:
		for i, left := range a {
			b[i] = left - b[i]
		}
	case sideRight:
		for i, side := range a {
			a[i] = side + b[i]
		}
	case midSide:
		for i, mid := range a {
			side := b[i]
			mid = mid<<1 | side&1 // halving the sum dropped its lowest bit, which that of the difference equals
			a[i], b[i] = (mid+side)>>1, (mid-side)>>1
		}
	}
}

// fits reports whether all samples fit into so many bits.
func fits(block [][]int64, bits int) bool {
	var over int64
	for _, samples := range block {
		for _, v := range samples {
			// v, or its complement if it is negative: its bits without those that only repeat the
			// sign.
			over |= v ^ v>>63
		}
	}
	return over>>(bits-1) == 0
}
