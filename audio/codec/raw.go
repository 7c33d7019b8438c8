package codec

import (
	"encoding/binary"
	"math"

	"vaak/audio"
)

// pcm writes little-endian samples without a header.
type pcm struct{}

func pcmEncoder() (encoder, bool) {
	return encoder{codec: audio.PCM,
		open: func(audio.Format, Mode) (coder, error) { return pcm{}, nil }}, true
}

func (pcm) encode(dst []byte, samples []int16) ([]byte, error) {
	return appendPCM(dst, samples), nil
}

func (pcm) finish(dst []byte) ([]byte, error) { return dst, nil }

func (pcm) free() {}

// appendPCM appends the little-endian bytes of pcm to buf, four samples at a time.
func appendPCM(buf []byte, pcm []int16) []byte {
	n := len(buf)
	buf = grow(buf, 2*len(pcm))
	to := buf[n:]
	// One store for four samples; the two conditions also remove the bounds checks.
	for len(pcm) >= 4 && len(to) >= 8 {
		binary.LittleEndian.PutUint64(to, uint64(uint16(pcm[0]))|uint64(uint16(pcm[1]))<<16|
			uint64(uint16(pcm[2]))<<32|uint64(uint16(pcm[3]))<<48)
		pcm, to = pcm[4:], to[8:]
	}
	for i, s := range pcm {
		binary.LittleEndian.PutUint16(to[2*i:], uint16(s))
	}
	return buf
}

// wavHeaderSize is the size in bytes of a header with a format chunk and a data chunk.
const wavHeaderSize = 44

// wav writes a header and then little-endian samples. The sizes in the header are unknown
// until seal.
type wav struct {
	rate  int
	begun bool
}

func wavEncoder() (encoder, bool) {
	return encoder{codec: audio.WAV,
		open: func(f audio.Format, _ Mode) (coder, error) { return &wav{rate: f.SampleRate}, nil }}, true
}

func (w *wav) encode(dst []byte, samples []int16) ([]byte, error) {
	return appendPCM(w.begin(dst), samples), nil
}

func (w *wav) finish(dst []byte) ([]byte, error) { return w.begin(dst), nil }

// begin appends the header, once.
func (w *wav) begin(dst []byte) []byte {
	if w.begun {
		return dst
	}
	w.begun = true
	return appendWAVHeader(dst, w.rate, math.MaxUint32, math.MaxUint32) // the usual mark of unknown sizes
}

// seal writes the sizes into the header. A file that is too long for its size fields keeps
// unknown sizes, as a stream: players read it to its end.
func (w *wav) seal(head []byte, size int64) error {
	if size > math.MaxUint32 {
		return nil
	}
	binary.LittleEndian.PutUint32(head[4:], uint32(size-8))
	binary.LittleEndian.PutUint32(head[40:], uint32(size-wavHeaderSize))
	return nil
}

func (w *wav) free() {}

// appendWAVHeader appends the header of a mono 16-bit file (RIFF, Multimedia
// Programming Interface and Data Specifications 1.0) with the given size fields.
func appendWAVHeader(buf []byte, rate int, riffSize, dataSize uint32) []byte {
	le := binary.LittleEndian
	buf = le.AppendUint32(append(buf, "RIFF"...), riffSize)
	buf = le.AppendUint32(append(buf, "WAVEfmt "...), 16)
	buf = le.AppendUint16(buf, 1) // integer PCM
	buf = le.AppendUint16(buf, 1) // channels
	buf = le.AppendUint32(buf, uint32(rate))
	buf = le.AppendUint32(buf, uint32(2*rate)) // bytes a second
	buf = le.AppendUint16(buf, 2)              // bytes of a sample of all channels
	buf = le.AppendUint16(buf, 16)             // bits a sample
	return le.AppendUint32(append(buf, "data"...), dataSize)
}
