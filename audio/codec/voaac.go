package codec

import (
	"fmt"
	"runtime"
	"unsafe"

	"vaak/internal/dylib"
)

// voaacLibrary holds the functions used from libvo-aacenc 0.1.3 (Apache-2.0). They may be called
// on any thread, but those of one handle not concurrently.
type voaacLibrary struct {
	init      func(h *voaacHandle, coding int32, user *voaacInit) uint32
	setInput  func(h voaacHandle, in *voaacBuffer) uint32
	getOutput func(h voaacHandle, out *voaacBuffer, info uintptr) uint32 // info may be 0
	setParam  func(h voaacHandle, id int, param *voaacParam) uint32
	uninit    func(h voaacHandle) uint32

	// memory tells the library how to allocate. Every handle keeps its address, so it is pinned
	// until the program ends.
	memory *voaacMemory
	pinned runtime.Pinner
}

// voaacHandle is a VO_HANDLE, which belongs to C.
type voaacHandle uintptr

// The structures of voAudio.h, voMem.h, voType.h and voAAC.h. Fields without a name are not
// used. A VO_U32 is an unsigned long, as large as a pointer on the systems of package dylib.
type (
	// voaacAPI is VO_AUDIO_CODECAPI: addresses of functions.
	voaacAPI struct{ init, setInput, getOutput, setParam, _, uninit uintptr }
	// voaacMemory is VO_MEM_OPERATOR: addresses of functions.
	voaacMemory struct{ alloc, free, set, copy, check, compare, move uintptr }
	// voaacInit is VO_CODEC_INIT_USERDATA. Its flag, 0, says that it holds a memory operator.
	voaacInit struct {
		_      int32
		memory *voaacMemory
		_      [2]uint
	}
	// voaacBuffer is VO_CODECBUFFER; length is in bytes.
	voaacBuffer struct {
		data   unsafe.Pointer
		length uint
		_      int64
	}
	// voaacParam is AACENC_PARAM; the bit rate is in bit/s.
	voaacParam struct {
		rate, bitrate  int32
		channels, adts int16
	}
)

const (
	voaacCoding    = 8          // VO_AUDIO_CodingAAC
	voaacParamID   = 0x42211040 // VO_PID_AAC_ENCPARAM
	voaacFrameRoom = 6144/8 + 7 // bytes: the AAC limit for one channel, and the ADTS header
)

// loadVOAAC opens the library. Its error says what is missing.
func loadVOAAC() (*voaacLibrary, error) {
	lib, err := dylib.Open("libvo-aacenc.so.0")
	if err != nil {
		return nil, err
	}
	l := &voaacLibrary{memory: new(voaacMemory)}
	m := l.memory
	for name, address := range map[string]*uintptr{
		"cmnMemAlloc": &m.alloc, "cmnMemFree": &m.free, "cmnMemSet": &m.set, "cmnMemCopy": &m.copy,
		"cmnMemCheck": &m.check, "cmnMemCompare": &m.compare, "cmnMemMove": &m.move,
	} {
		if *address, err = lib.Address(name); err != nil {
			return nil, err
		}
	}
	var getAPI func(*voaacAPI) uint32
	if err := lib.Bind(&getAPI, "voGetAACEncAPI"); err != nil {
		return nil, err
	}
	var api voaacAPI
	if ret := getAPI(&api); ret != 0 {
		return nil, fmt.Errorf("libvo-aacenc: voGetAACEncAPI returned %#x", ret)
	}
	dylib.BindAddress(&l.init, api.init)
	dylib.BindAddress(&l.setInput, api.setInput)
	dylib.BindAddress(&l.getOutput, api.getOutput)
	dylib.BindAddress(&l.setParam, api.setParam)
	dylib.BindAddress(&l.uninit, api.uninit)
	// C keeps the address of memory in every handle.
	l.pinned.Pin(m)
	return l, nil
}

// open returns a handle that encodes mono into ADTS frames. The caller must close it with
// uninit.
func (l *voaacLibrary) open(rate, kbps int) (voaacHandle, error) {
	var h voaacHandle
	if ret := l.init(&h, voaacCoding, &voaacInit{memory: l.memory}); ret != 0 {
		return 0, fmt.Errorf("libvo-aacenc: init returned %#x", ret)
	}
	param := voaacParam{rate: int32(rate), bitrate: int32(1000 * kbps), channels: 1, adts: 1}
	if ret := l.setParam(h, voaacParamID, &param); ret != 0 {
		l.uninit(h)
		return 0, fmt.Errorf("libvo-aacenc: error %#x for %d Hz and %d kbit/s", ret, rate, kbps)
	}
	return h, nil
}

// voaacSession is a handle with the buffers through which it exchanges data with Go.
type voaacSession struct {
	lib    *voaacLibrary
	handle voaacHandle
	in     voaacBuffer
	out    voaacBuffer
	pin    runtime.Pinner
}

// appendFrame appends the ADTS frame made from aacFrame samples to dst. The library reads the
// samples only in the second call, so they are pinned for both.
func (s *voaacSession) appendFrame(dst []byte, frame *[aacFrame]int16) ([]byte, error) {
	n := len(dst)
	dst = grow(dst, voaacFrameRoom)
	s.in = voaacBuffer{data: unsafe.Pointer(frame), length: uint(unsafe.Sizeof(*frame))}
	s.out = voaacBuffer{data: unsafe.Pointer(&dst[n]), length: voaacFrameRoom}
	s.pin.Pin(frame)
	ret := s.lib.setInput(s.handle, &s.in)
	if ret == 0 {
		ret = s.lib.getOutput(s.handle, &s.out, 0)
	}
	s.pin.Unpin()
	// The library has replaced the length of the buffer by that of the frame.
	made := int(s.out.length)
	s.in, s.out = voaacBuffer{}, voaacBuffer{}
	if ret != 0 {
		return dst[:n], fmt.Errorf("libvo-aacenc: error %#x", ret)
	}
	return dst[:n+made], nil
}
