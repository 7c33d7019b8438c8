package ogg

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"unsafe"

	"vaak/audio/decode/recording"
	"vaak/internal/dylib"
)

// libopus holds the functions used from the C library of that name (RFC 6716), for any number
// of streams in a packet. They retain no pointers.
type libopus struct {
	stateSize func(streams, coupled int32) int32
	init      func(state *uint64, rate, channels, streams, coupled int32, mapping *byte) int32
	explain   func(code int32) string
	decode    uintptr // opus_multistream_decode_float
}

// loadLibopus opens the library, once. Its error says what is missing.
var loadLibopus = sync.OnceValues(func() (*libopus, error) {
	lib, err := dylib.Open("libopus.so.0")
	if err != nil {
		return nil, recording.MissingLibrary(err, "Opus", "libopus0")
	}
	l := new(libopus)
	var address error
	l.decode, address = lib.Address("opus_multistream_decode_float")
	err = errors.Join(address,
		lib.Bind(&l.stateSize, "opus_multistream_decoder_get_size"),
		lib.Bind(&l.init, "opus_multistream_decoder_init"),
		lib.Bind(&l.explain, "opus_strerror"))
	if err != nil {
		return nil, recording.MissingLibrary(err, "Opus", "libopus0")
	}
	return l, nil
})

// opusDecoder decodes the packets of one recording.
//
// Its C state lies in Go memory. That is safe because opus.h promises that the state "is
// position independent and can be freely copied", so it points only to constant tables of the
// library. Nothing leaks if a decoder is forgotten.
type opusDecoder struct {
	lib      *libopus
	state    []uint64 // aligned as C would align it
	call     *dylib.Call
	channels int
	pcm      []float32
}

func newOpusDecoder(h opusHead) (*opusDecoder, error) {
	lib, err := loadLibopus()
	if err != nil {
		return nil, err
	}
	size := lib.stateSize(int32(h.streams), int32(h.coupled))
	if size <= 0 {
		return nil, fmt.Errorf("libopus: no decoder of %d streams, %d of them of two channels", h.streams, h.coupled)
	}
	d := &opusDecoder{lib: lib, channels: h.channels, state: make([]uint64, (size+7)/8),
		pcm: make([]float32, opusMaxSamples*h.channels), call: dylib.NewCall(lib.decode, 6)}
	code := lib.init(&d.state[0], opusRate, int32(h.channels), int32(h.streams), int32(h.coupled), &h.mapping[0])
	if code != 0 {
		return nil, fmt.Errorf("libopus: %s", lib.explain(code))
	}
	d.call.Point(0, unsafe.Pointer(&d.state[0]))
	d.call.Point(3, unsafe.Pointer(&d.pcm[0]))
	// The room in pcm, in samples per channel: no packet that fits the format decodes to more.
	d.call.Set(4, opusMaxSamples)
	return d, nil
}

// decode returns the interleaved samples of a packet, valid until the next call. The packet
// must not be empty.
func (d *opusDecoder) decode(packet []byte) ([]float32, error) {
	d.call.Point(1, unsafe.Pointer(&packet[0]))
	d.call.Set(2, uintptr(len(packet)))
	n := int32(d.call.Do())
	if n < 0 {
		return nil, fmt.Errorf("libopus: %s", d.lib.explain(n))
	}
	return d.pcm[:int(n)*d.channels], nil
}

// opusGain converts a gain in 1/256 dB to a factor.
func opusGain(q8 int16) float32 { return float32(math.Pow(10, float64(q8)/(20*256))) }
