package codec

import (
	"errors"
	"fmt"
	"sync"

	"vaak/internal/dylib"
)

// libopus is the encoder of the C library of that name (RFC 6716).
// Its functions keep nothing that they are given and are safe for concurrent use
// with different states.
//
// opus_encoder_ctl is variadic in C. Bound with fixed arguments it is called
// right on Linux: integers travel in the same registers either way (System V
// AMD64 psABI, 3.2.3; AAPCS64, 6.4), and AL, which tells a variadic function of
// AMD64 how many vector registers are used, is set to zero for every call.
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

// Requests and values of opus_defines.h.
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

// loadLibopus opens the library once for all.
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
	words := (int(l.stateSize(opusChannels)) + opusBytesPerStateWord - 1) / opusBytesPerStateWord
	l.states.New = func() any { return &opusState{memory: make([]uint64, words)} }
	return l, nil
})

// opusState is what an encoder needs to run, reused by later ones.
//
// The C state lives in memory of the garbage collector instead of malloc's:
// opus.h promises that it "is position independent and can be freely copied", so
// it points to nothing but the constant tables of the library, which the
// collector, told that this memory holds no pointers, never looks at; the
// collector does not move what it has allocated; and opus_encoder_init clears
// all of it before use. So nothing leaks when a Close is missed, nothing is
// freed twice, and no heap of C is left fragmented after a peak.
type opusState struct {
	memory []uint64 // aligned as C would align it
	frame  [opusMaxFrame]int16
	packet [opusMaxPacket]byte
}

// libopusEncoder makes packets of 20 ms.
type libopusEncoder struct {
	*opusState
	lib       *libopus
	samples   int // of a frame
	lookahead int // samples by which a decoder's output lags
}

// open returns an encoder of mono samples at rate, one of the library's, with
// settings that are pairs of a request and its value. It must be freed.
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
	e.lookahead = int(lookahead)
	return e, nil
}

// encode compresses e.frame[:e.samples] and returns the packet, which stays
// valid until the next call.
func (e *libopusEncoder) encode() ([]byte, error) {
	n := e.lib.encode(&e.memory[0], &e.frame[0], int32(e.samples), &e.packet[0], opusMaxPacket)
	if n < 0 {
		return nil, e.lib.error(n)
	}
	return e.packet[:n], nil
}

// free gives the memory to later encoders. A second call does nothing, and
// encode must not follow.
func (e *libopusEncoder) free() {
	if e.opusState != nil {
		e.lib.states.Put(e.opusState)
		e.opusState = nil
	}
}

func (l *libopus) error(code int32) error { return fmt.Errorf("libopus: %s", l.explain(code)) }
