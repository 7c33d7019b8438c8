package codec

import (
	"errors"
	"fmt"
	"unsafe"

	"vaak/internal/dylib"
)

// lameLibrary holds the functions used from libmp3lame 3.100 (LGPL). They may be called on
// any thread, but those of one handle not concurrently. They retain no pointers, so Go memory
// may be passed to them.
type lameLibrary struct {
	init       func() lameHandle
	initParams func(lameHandle) int32
	close      func(lameHandle) int32
	encode     func(h lameHandle, left, right *int16, n int32, to *byte, room int32) int32
	flush      func(h lameHandle, to *byte, room int32) int32

	delay, padding, frames func(lameHandle) int32

	settings []func(lameHandle, int32) int32 // in the order of lameSettings
}

// lameHandle is a lame_t, which belongs to C.
type lameHandle uintptr

const (
	// lameQuality is "ok quality, really fast" in lame.h; 0 is best, 9 worst.
	lameQuality = 7
	lameMono    = 3 // MPEG_mode
	// lameReserve is how many bytes a call may write beyond those for its samples (lame.h).
	lameReserve = 7200
)

// lameSettings are the functions to call before lame_init_params, with the values in open.
var lameSettings = []string{
	"lame_set_in_samplerate", "lame_set_out_samplerate", "lame_set_num_channels",
	"lame_set_mode", "lame_set_brate", "lame_set_quality", "lame_set_disable_reservoir",
	"lame_set_bWriteVbrTag", "lame_set_write_id3tag_automatic",
}

// loadLAME opens the library. Its error says what is missing.
func loadLAME() (*lameLibrary, error) {
	lib, err := dylib.Open("libmp3lame.so.0")
	if err != nil {
		return nil, err
	}
	l := &lameLibrary{settings: make([]func(lameHandle, int32) int32, len(lameSettings))}
	for name, fn := range map[string]any{
		"lame_init":                &l.init,
		"lame_init_params":         &l.initParams,
		"lame_close":               &l.close,
		"lame_encode_buffer":       &l.encode,
		"lame_encode_flush":        &l.flush,
		"lame_get_encoder_delay":   &l.delay,
		"lame_get_encoder_padding": &l.padding,
		"lame_get_frameNum":        &l.frames,
	} {
		if err := lib.Bind(fn, name); err != nil {
			return nil, err
		}
	}
	for i, name := range lameSettings {
		if err := lib.Bind(&l.settings[i], name); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// open returns a handle that encodes mono at a constant bit rate. It uses no bit reservoir, so
// that every frame can be written as soon as it is made, and writes no tag. The caller must
// close it.
func (l *lameLibrary) open(rate, kbps int) (lameHandle, error) {
	h := l.init()
	if h == 0 {
		return 0, errors.New("libmp3lame: out of memory")
	}
	for i, value := range []int{rate, rate, 1, lameMono, kbps, lameQuality, 1, 0, 0} {
		if ret := l.settings[i](h, int32(value)); ret < 0 {
			l.close(h)
			return 0, fmt.Errorf("libmp3lame: %s(%d) returned %d", lameSettings[i], value, ret)
		}
	}
	if ret := l.initParams(h); ret < 0 {
		l.close(h)
		return 0, fmt.Errorf("libmp3lame: lame_init_params returned %d for %d Hz and %d kbit/s", ret, rate, kbps)
	}
	return h, nil
}

// appendFrames appends the frames that pcm completes to dst, or the last ones if pcm is nil.
func (l *lameLibrary) appendFrames(h lameHandle, dst []byte, pcm []int16) ([]byte, error) {
	n := len(dst)
	dst = grow(dst, len(pcm)+len(pcm)/4+lameReserve) // upper bound from lame.h
	to, room := unsafe.SliceData(dst[n:]), int32(len(dst)-n)
	var ret int32
	// Flush writes what LAME holds back, with padding to a whole frame.
	if pcm == nil {
		ret = l.flush(h, to, room)
	} else {
		// The function takes two channels; for mono both are the same.
		samples := unsafe.SliceData(pcm)
		ret = l.encode(h, samples, samples, int32(len(pcm)), to, room)
	}
	if ret < 0 {
		return dst[:n], fmt.Errorf("libmp3lame: error %d", ret)
	}
	return dst[:n+int(ret)], nil
}
