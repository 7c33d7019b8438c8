package codec

import (
	"errors"
	"fmt"
	"sync"

	"vaak/internal/dylib"
)

// libopus holds the functions used from the C library of that name (RFC 6716). They retain no
// pointers and may be called concurrently with different states.
//
// opus_encoder_ctl is variadic in C. Calling it with fixed arguments is correct on Linux:
// integers are passed in the same registers either way (System V AMD64 psABI, 3.2.3; AAPCS64,
// 6.4), and register AL, which tells a variadic function on AMD64 how many vector registers
// are used, is set to zero in every call.
type libopus struct {
	stateSize func(channels int32) int32
	init      func(state *uint64, rate, channels, application int32) int32
	set       func(state *uint64, request, value int32) int32
	get       func(state *uint64, request int32, value *int32) int32
	encode    func(state *uint64, pcm *int16, samples int32, packet *byte, maxBytes int32) int32
	explain   func(code int32) string
	version   func() string

	states sync.Pool // of *opusState
}

// Requests and values from opus_defines.h.
const (
	opusSetBitrate         = 4002 // bit/s
	opusGetBitrate         = 4003
	opusSetVBR             = 4006
	opusGetVBR             = 4007
	opusSetComplexity      = 4010 // 0 to 10
	opusGetComplexity      = 4011
	opusSetVBRConstraint   = 4020
	opusGetVBRConstraint   = 4021
	opusGetLookahead       = 4027 // samples
	opusRestrictedLowdelay = 2051
	opusMaxPacket          = 1276 // bytes, of one frame
	opusMaxFrame           = 960  // samples: 20 ms at 48,000 Hz
	opusFramesPerSecond    = 50
	opusChannels           = 1
	opusBytesPerStateWord  = 8
)

// loadLibopus opens the library, once.
var loadLibopus = sync.OnceValues(func() (*libopus, error) {
	lib, err := dylib.Open("libopus.so.0")
	if err != nil {
		return nil, err
	}
	l := new(libopus)
	err = errors.Join(
		lib.Bind(&l.stateSize, "opus_encoder_get_size"),
		lib.Bind(&l.init, "opus_encoder_init"),
		lib.Bind(&l.set, "opus_encoder_ctl"),
		lib.Bind(&l.get, "opus_encoder_ctl"),
		lib.Bind(&l.encode, "opus_encode"),
		lib.Bind(&l.explain, "opus_strerror"),
		lib.Bind(&l.version, "opus_get_version_string"),
	)
	if err != nil {
		return nil, err
	}
	// 64-bit words, because C aligns the state for its largest type.
	words := (int(l.stateSize(opusChannels)) + opusBytesPerStateWord - 1) / opusBytesPerStateWord
	l.states.New = func() any { return &opusState{memory: make([]uint64, words)} }
	return l, nil
})

// opusState is the memory of an encoder. Later encoders reuse it.
//
// The C state lies in Go memory instead of malloc's. That is safe: opus.h promises that the
// state "is position independent and can be freely copied", so it points only to constant
// tables of the library. The collector does not scan this memory for pointers, and does not
// move it. opus_encoder_init clears it before use. So a missed Close leaks nothing, nothing is
// freed twice, and the C heap is not fragmented after a peak.
type opusState struct {
	memory []uint64 // aligned as C would align it
	frame  [opusMaxFrame]int16
	packet [opusMaxPacket]byte
}

// libopusEncoder makes packets of 20 ms.
type libopusEncoder struct {
	*opusState
	lib       *libopus
	samples   int // in a frame
	lookahead int // samples of delay in the decoder's output
}

// open returns an encoder of mono samples at rate, which must be a rate of the library.
// settings are pairs of a request and its value. The caller must free it.
func (l *libopus) open(rate int, application int32, settings ...[2]int32) (*libopusEncoder, error) {
	e := &libopusEncoder{opusState: l.states.Get().(*opusState), lib: l, samples: rate / opusFramesPerSecond}
	code := l.init(&e.memory[0], int32(rate), opusChannels, application)
	for _, s := range settings {
		if code == 0 {
			code = l.set(&e.memory[0], s[0], s[1])
		}
	}
	var lookahead int32
	if code == 0 {
		code = l.get(&e.memory[0], opusGetLookahead, &lookahead)
	}
	if code != 0 {
		e.free()
		return nil, l.error(code)
	}
	// The delay is known only after the settings are made; it depends on the application.
	e.lookahead = int(lookahead)
	return e, nil
}

// encode compresses e.frame[:e.samples] and returns the packet, which is valid until the next
// call.
func (e *libopusEncoder) encode() ([]byte, error) {
	n := e.lib.encode(&e.memory[0], &e.frame[0], int32(e.samples), &e.packet[0], opusMaxPacket)
	if n < 0 {
		return nil, e.lib.error(n)
	}
	return e.packet[:n], nil
}

// free returns the memory for reuse. A second call does nothing; encode must not be called
// after it.
func (e *libopusEncoder) free() {
	if e.opusState != nil {
		e.lib.states.Put(e.opusState)
		e.opusState = nil
	}
}

func (l *libopus) error(code int32) error { return fmt.Errorf("libopus: %s", l.explain(code)) }
