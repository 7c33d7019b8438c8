package mp3

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"vaak/audio/decode/recording"
	"vaak/internal/dylib"
)

// mpg123 holds the functions used from libmpg123 (LGPL). They may be called on any thread, but
// those of one handle not concurrently. They retain no pointers.
//
// The library gets one whole frame at a time, whose header was checked here. So it never
// searches for a frame, where it has had its vulnerabilities, and never buffers more than a
// frame.
type mpg123 struct {
	create func(decoder uintptr, code *int32) mpg123Handle // decoder may be 0
	delete func(mpg123Handle)
	// set is mpg123_param: a parameter of mpg123_parms and its value.
	set    func(h mpg123Handle, param int32, value int, float float64) int32
	feed   func(mpg123Handle) int32 // mpg123_open_feed
	format func(h mpg123Handle, rate *int, channels, encoding *int32) int32
	// explain is mpg123_plain_strerror.
	explain func(code int32) string
	code    func(mpg123Handle) int32
	decode  uintptr // mpg123_decode

	open atomic.Int64 // handles in use, for tests of leaks
}

// mpg123Handle is an mpg123_handle, which belongs to C.
type mpg123Handle uintptr

// Values from mpg123.h.
const (
	mpg123NewFormat = -11
	mpg123NeedMore  = -10
	mpg123OK        = 0
	mpg123Float32   = 0x200

	mpg123AddFlags    = 2 // of mpg123_parms
	mpg123RemoveFlags = 13
	mpg123ResyncLimit = 14
	mpg123IndexSize   = 15

	mpg123Gapless = 0x40
	// mpg123Flags: quiet, no resync, float samples, ignore the declared length, skip ID3v2,
	// ignore the frame of LAME's tag, do not wait for the next frame.
	mpg123Flags = 0x20 | 0x80 | 0x400 | 0x1000 | 0x2000 | 0x4000 | 0x400000
)

// loadMPG123 opens the library, once. Its error says what is missing.
var loadMPG123 = sync.OnceValues(func() (*mpg123, error) {
	lib, err := dylib.Open("libmpg123.so.0")
	if err != nil {
		return nil, recording.MissingLibrary(err, "MP3", "libmpg123-0")
	}
	m := new(mpg123)
	var init func() int32 // has no effect from version 1.27 on
	var address error
	m.decode, address = lib.Address("mpg123_decode")
	err = errors.Join(address,
		lib.Bind(&init, "mpg123_init"),
		lib.Bind(&m.create, "mpg123_new"),
		lib.Bind(&m.delete, "mpg123_delete"),
		lib.Bind(&m.set, "mpg123_param"),
		lib.Bind(&m.feed, "mpg123_open_feed"),
		lib.Bind(&m.format, "mpg123_getformat"),
		lib.Bind(&m.explain, "mpg123_plain_strerror"),
		lib.Bind(&m.code, "mpg123_errcode"))
	if err == nil {
		err = m.error("mpg123_init", init())
	}
	if err != nil {
		return nil, recording.MissingLibrary(err, "MP3", "libmpg123-0")
	}
	return m, nil
})

// error converts a return code to an error, nil for success.
func (m *mpg123) error(doing string, code int32) error {
	if code == mpg123OK {
		return nil
	}
	return fmt.Errorf("libmpg123: %s: %s", doing, m.explain(code))
}

// mpg123Decoder decodes the frames of one recording.
type mpg123Decoder struct {
	lib      *mpg123
	handle   mpg123Handle // 0 after close
	cleanup  runtime.Cleanup
	call     *dylib.Call
	rate     int
	channels int
	done     uintptr // bytes written by the last call
	pcm      []float32
}

// newMPG123Decoder returns a decoder of frames with so many samples. It must be closed; a
// cleanup of the runtime closes one that was forgotten.
func newMPG123Decoder(rate, channels, samples int) (*mpg123Decoder, error) {
	lib, err := loadMPG123()
	if err != nil {
		return nil, err
	}
	h, err := lib.start()
	if err != nil {
		return nil, err
	}
	d := &mpg123Decoder{lib: lib, handle: h, rate: rate, channels: channels,
		pcm: make([]float32, samples*channels), call: dylib.NewCall(lib.decode, 6)}
	d.cleanup = runtime.AddCleanup(d, lib.free, h)
	d.call.Set(0, uintptr(h))
	d.call.Point(5, unsafe.Pointer(&d.done))
	return d, nil
}

// start returns a handle that is ready for frames.
func (m *mpg123) start() (mpg123Handle, error) {
	var code int32
	h := m.create(0, &code)
	if h == 0 {
		return 0, m.error("mpg123_new", code)
	}
	m.open.Add(1)
	for _, p := range [][2]int{{mpg123AddFlags, mpg123Flags}, {mpg123RemoveFlags, mpg123Gapless}, {mpg123ResyncLimit, 0}, {mpg123IndexSize, 0}} {
		if code == mpg123OK {
			code = m.set(h, int32(p[0]), p[1], 0)
		}
	}
	if code == mpg123OK {
		code = m.feed(h)
	}
	if code != mpg123OK {
		err := cmp.Or(m.error("mpg123_open_feed", m.code(h)), errors.New("libmpg123: it has no decoder for this"))
		m.free(h)
		return 0, err
	}
	return h, nil
}

func (m *mpg123) free(h mpg123Handle) {
	m.delete(h)
	m.open.Add(-1)
}

// decode returns the interleaved samples of a frame, valid until the next call. Damaged parts
// of a frame are silent.
func (d *mpg123Decoder) decode(frame []byte) ([]float32, error) {
	d.call.Point(1, unsafe.Pointer(unsafe.SliceData(frame)))
	d.call.Set(2, uintptr(len(frame)))
	made := 0
	for range 4 { // the library first reports the format, then returns the frame
		d.call.Point(3, unsafe.Pointer(unsafe.SliceData(d.pcm[made:])))
		d.call.Set(4, uintptr(4*(len(d.pcm)-made)))
		d.done = 0
		code := int32(d.call.Do())
		made += int(d.done) / 4
		// The frame is given once; further calls only fetch what it decodes to.
		d.call.Point(1, nil)
		d.call.Set(2, 0)
		if code == mpg123NewFormat {
			code = d.check()
		}
		switch {
		case made == len(d.pcm):
			// The cleanup must not free the handle while the library works with it.
			runtime.KeepAlive(d)
			return d.pcm, nil
		case code == mpg123NeedMore:
			return nil, errors.New("libmpg123: the frame lacks something")
		case code != mpg123OK:
			return nil, cmp.Or(d.lib.error("mpg123_decode", d.lib.code(d.handle)),
				errors.New("libmpg123: the frame is in another format than its header says"))
		}
	}
	return nil, fmt.Errorf("libmpg123: the frame gave %d of %d values", made, len(d.pcm))
}

// check returns a success code if the library decodes to the expected format.
func (d *mpg123Decoder) check() int32 {
	var rate int
	var channels, encoding int32
	code := d.lib.format(d.handle, &rate, &channels, &encoding)
	if code == mpg123OK && (rate != d.rate || int(channels) != d.channels || encoding != mpg123Float32) {
		return 1 // MPG123_BAD_OUTFORMAT
	}
	return code
}

// close frees the handle. A second call does nothing; decode must not be called after it.
func (d *mpg123Decoder) close() {
	if d.handle != 0 {
		d.cleanup.Stop()
		d.lib.free(d.handle)
		d.handle = 0
	}
}
