package exchange

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"vaak/engine/remote/wire"
)

// Format says how bytes are samples. Samples are little-endian.
type Format struct {
	Rate     int  // Hz; 0 where nothing says it
	Channels int  // 1, or 2 that are mixed
	Float    bool // 32-bit floating point instead of 16-bit integers
}

func (f Format) frame() int {
	if f.Float {
		return 4 * f.Channels
	}
	return 2 * f.Channels
}

// Bounds of what is believed.
const (
	lowestRate, highestRate = 4000, 192_000
	longestAnswer           = time.Hour
	blockBytes              = 8 << 10
)

// Header returns the format that the headers tell, for sound without a header of its own: by
// X-Sample-Rate, X-Channels and X-Bit-Depth, or parameters of the type such as in
// "audio/pcm;rate=24000". The error is a [*wire.Failure].
func Header(h http.Header) (Format, error) {
	f := Format{Channels: 1}
	_, params, _ := mime.ParseMediaType(h.Get("Content-Type")) // none where it is damaged
	first := func(values ...string) string {
		for _, v := range values {
			if v = strings.TrimSpace(v); v != "" {
				return v
			}
		}
		return ""
	}
	if s := first(h.Get("X-Sample-Rate"), params["rate"], params["samplerate"]); s != "" {
		rate, err := strconv.Atoi(s)
		if err != nil || rate < lowestRate || rate > highestRate {
			return f, broken("the sample rate is %.20q", s)
		}
		f.Rate = rate
	}
	if s := first(h.Get("X-Channels"), params["channels"]); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > 2 {
			return f, broken("the number of channels is %.20q", s)
		}
		f.Channels = n
	}
	if s := first(h.Get("X-Bit-Depth"), params["bits"]); s != "" && s != "16" {
		return f, broken("samples have %.20q bits, not 16", s)
	}
	return f, nil
}

func broken(format string, args ...any) *wire.Failure {
	return &wire.Failure{Reason: wire.Broken, Status: http.StatusOK, Detail: bounded(fmt.Sprintf(format, args...))}
}

// answer is the sound of a response.
type answer struct {
	resp   *Response
	source io.Reader
	format Format
	words  func() []wire.Word

	buffer *[blockBytes]byte
	rest   int // bytes of a frame that wait at the beginning of buffer
	frames int64
	err    error
}

var buffers = sync.Pool{New: func() any { return new([blockBytes]byte) }}

// NewAnswer returns the answer of a response whose sample bytes are in source: io.EOF ends a whole
// answer, and a [*wire.Failure] or an error of the body one that is not. words may be nil. The
// error is a failure where the rate is not the one that is wanted, where one is; then the response
// is closed.
func NewAnswer(resp *Response, source io.Reader, f Format, wanted int, words func() []wire.Word) (wire.Answer, error) {
	if f.Rate != 0 && wanted != 0 && f.Rate != wanted {
		resp.Close()
		return nil, &wire.Failure{Reason: wire.WrongRate, Status: http.StatusOK, Detail: fmt.Sprintf("samples at %d Hz, not %d", f.Rate, wanted)}
	}
	return &answer{resp: resp, source: source, format: f, words: words}, nil
}

// Rate implements [wire.Answer].
func (a *answer) Rate() int { return a.format.Rate }

// Words implements [wire.Answer].
func (a *answer) Words() []wire.Word {
	if a.words == nil {
		return nil
	}
	return a.words()
}

// Close implements [wire.Answer].
func (a *answer) Close() {
	a.resp.Close()
}

// Read implements [wire.Answer].
func (a *answer) Read(pcm []int16) (int, error) {
	if len(pcm) == 0 {
		return 0, nil
	}
	if a.err != nil {
		return 0, a.err
	}
	if a.buffer == nil {
		a.buffer = buffers.Get().(*[blockBytes]byte)
	}
	frame := a.format.frame()
	for {
		// No more is read than was asked for, so that the server is held back.
		want := min(len(pcm)*frame, blockBytes/frame*frame)
		n, err := a.source.Read(a.buffer[a.rest:want])
		n += a.rest
		whole := n / frame
		a.convert(pcm, a.buffer[:whole*frame])
		a.rest = copy(a.buffer[:], a.buffer[whole*frame:n])
		a.frames += int64(whole)
		if err != nil {
			a.err = a.end(err)
			buffers.Put(a.buffer)
			a.buffer = nil
			if whole == 0 {
				return 0, a.err
			}
			return whole, nil
		}
		if a.frames > int64(longestAnswer.Seconds())*int64(max(a.format.Rate, 48000)) {
			a.err = broken("the answer is longer than %v", longestAnswer)
			return 0, a.err
		}
		if whole > 0 {
			return whole, nil
		}
	}
}

// end is the error at the end of the source.
func (a *answer) end(err error) error {
	switch {
	case a.resp.closed.Load() && a.resp.ctx.Err() == nil && !errors.Is(err, io.EOF):
		return context.Canceled
	case !errors.Is(err, io.EOF):
		return a.resp.failure(err)
	case a.rest > 0:
		return broken("%d bytes too many after the last sample", a.rest)
	case a.frames == 0:
		return &wire.Failure{Reason: wire.Empty, Status: http.StatusOK, Detail: "an answer without sound"}
	}
	a.resp.drain()
	return io.EOF
}

func (a *answer) convert(pcm []int16, b []byte) {
	switch {
	case !a.format.Float && a.format.Channels == 1:
		for i := range len(b) / 2 {
			pcm[i] = int16(binary.LittleEndian.Uint16(b[2*i:]))
		}
	case !a.format.Float:
		for i := range len(b) / 4 {
			l, r := int16(binary.LittleEndian.Uint16(b[4*i:])), int16(binary.LittleEndian.Uint16(b[4*i+2:]))
			pcm[i] = int16((int(l) + int(r)) / 2)
		}
	case a.format.Channels == 1:
		for i := range len(b) / 4 {
			pcm[i] = fromFloat(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
		}
	default:
		for i := range len(b) / 8 {
			l, r := math.Float32frombits(binary.LittleEndian.Uint32(b[8*i:])), math.Float32frombits(binary.LittleEndian.Uint32(b[8*i+4:]))
			pcm[i] = fromFloat((l + r) / 2)
		}
	}
}

// fromFloat clips. What is no number is silence.
func fromFloat(x float32) int16 {
	switch y := x * 32767; {
	case y >= 32767:
		return 32767
	case y <= -32767:
		return -32767
	case y != y:
		return 0
	default:
		return int16(y)
	}
}
