package exchange

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"vaak/engine/remote/wire"
)

// wav returns a WAV file that says that it has length bytes of samples.
func wav(tag, channels, bits uint16, rate, length uint32, data []byte, before string) []byte {
	b := []byte("RIFF\xff\xff\xff\xffWAVE" + before + "fmt ")
	b = binary.LittleEndian.AppendUint32(b, 16)
	b = binary.LittleEndian.AppendUint16(b, tag)
	b = binary.LittleEndian.AppendUint16(b, channels)
	b = binary.LittleEndian.AppendUint32(b, rate)
	b = binary.LittleEndian.AppendUint32(b, rate*uint32(channels*bits/8))
	b = binary.LittleEndian.AppendUint16(b, channels*bits/8)
	b = binary.LittleEndian.AppendUint16(b, bits)
	b = append(b, "data"...)
	b = binary.LittleEndian.AppendUint32(b, length)
	return append(b, data...)
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func response(body io.Reader, header http.Header) *Response {
	return &Response{Header: header, Body: body, ctx: context.Background(), cancel: func() {}, closer: io.NopCloser(body)}
}

func read(a wire.Answer, piece int) (pcm []int16, err error) {
	buf := make([]int16, piece)
	for {
		n, err := a.Read(buf)
		pcm = append(pcm, buf[:n]...)
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return pcm, err
		}
	}
}

func le(x ...any) []byte {
	var b bytes.Buffer
	for _, v := range x {
		_ = binary.Write(&b, binary.LittleEndian, v) // a buffer takes all
	}
	return b.Bytes()
}

func TestSound(t *testing.T) {
	t.Parallel()
	nan := float32(math.NaN())
	for _, tt := range []struct {
		name, media string
		header      map[string]string
		body        []byte
		bare        bool
		rate        int
		want        []int16
		reason      wire.Reason
	}{
		{"pcm", "audio/pcm", nil, le([]int16{1, -2}), false, 0, []int16{1, -2}, ""},
		{"pcm with a rate", "audio/pcm;rate=16000", nil, le([]int16{1}), false, 16000, []int16{1}, ""},
		{"a header before the type", "audio/pcm; rate=16000", map[string]string{"X-Sample-Rate": "48000"}, le([]int16{1}), false, 48000, []int16{1}, ""},
		{"stereo", "audio/pcm;channels=2", nil, le([]int16{100, 200, -32768, -32768}), false, 0, []int16{150, -32768}, ""},
		{"six channels", "audio/pcm", map[string]string{"X-Channels": "6"}, nil, false, 0, nil, wire.Broken},
		{"24 bits", "audio/pcm", map[string]string{"X-Bit-Depth": "24"}, nil, false, 0, nil, wire.Broken},
		{"a rate of nonsense", "audio/pcm;rate=x", nil, nil, false, 0, nil, wire.Broken},
		{"half a sample", "audio/pcm", nil, []byte{1, 2, 3}, false, 0, []int16{513}, wire.Broken},
		{"nothing", "audio/pcm", nil, nil, false, 0, nil, wire.Empty},
		{"mp3", "audio/mpeg", nil, []byte("ID3"), false, 0, nil, wire.Broken},
		{"wav", "audio/wav", nil, wav(1, 1, 16, 22050, 4, le([]int16{1, -2}), ""), false, 22050, []int16{1, -2}, ""},
		{"wav as octets", "application/octet-stream", nil, wav(1, 1, 16, 22050, 4, le([]int16{1, -2}), ""), false, 22050, []int16{1, -2}, ""},
		{"octets", "application/octet-stream", nil, le([]int16{1}), false, 0, []int16{1}, ""},
		{"no type", "", nil, le([]int16{1}), false, 0, []int16{1}, ""},
		{"wav without a length", "audio/x-wav", nil, wav(1, 1, 16, 22050, 0, le([]int16{1, -2}), ""), false, 22050, []int16{1, -2}, ""},
		{"wav of a stream", "audio/wave", nil, wav(1, 1, 16, 22050, 0xffffffff, le([]int16{1, -2}), ""), false, 22050, []int16{1, -2}, ""},
		{"wav with more after it", "audio/wav", nil, append(wav(1, 1, 16, 22050, 2, le([]int16{1}), ""), "LIST\x02\x00\x00\x00ab"...), false, 22050, []int16{1}, ""},
		{"wav with chunks before", "audio/wav", nil, wav(1, 1, 16, 22050, 2, le([]int16{1}), "JUNK\x03\x00\x00\x00abcd"), false, 22050, []int16{1}, ""},
		{"wav that ends early", "audio/wav", nil, wav(1, 1, 16, 22050, 40, le([]int16{1}), ""), false, 22050, []int16{1}, wire.Broken},
		{"wav without samples", "audio/wav", nil, wav(1, 1, 16, 22050, 0, nil, ""), false, 22050, nil, wire.Empty},
		{"wav of nothing", "audio/wav", nil, nil, false, 0, nil, wire.Empty},
		{"wav in its header", "audio/wav", nil, wav(1, 1, 16, 22050, 0, nil, "")[:30], false, 0, nil, wire.Broken},
		{"no wav", "audio/wav", nil, []byte("not at all, is it"), false, 0, nil, wire.Broken},
		{"short no wav", "audio/wav", nil, []byte("no"), false, 0, nil, wire.Broken},
		{"bare wav", "audio/wav", nil, le([]int16{7, 8}), true, 0, []int16{7, 8}, ""},
		{"float wav", "audio/wav", nil, wav(3, 1, 32, 24000, 0, le([]float32{0, 1, -2, nan, 0.5}), ""), false, 24000, []int16{0, 32767, -32767, 0, 16383}, ""},
		{"stereo float wav", "audio/wav", nil, wav(3, 2, 32, 24000, 16, le([]float32{1, 0, -1, -1}), ""), false, 24000, []int16{16383, -32767}, ""},
		{"8-bit wav", "audio/wav", nil, wav(1, 1, 8, 24000, 4, le([]int16{1, 2}), ""), false, 0, nil, wire.Broken},
		{"a-law wav", "audio/wav", nil, wav(6, 1, 16, 24000, 4, le([]int16{1, 2}), ""), false, 0, nil, wire.Broken},
		{"wav at 1 Hz", "audio/wav", nil, wav(1, 1, 16, 1, 4, le([]int16{1, 2}), ""), false, 0, nil, wire.Broken},
		{"an error", "application/json", nil, []byte(`{"error":{"message":"lost"}}`), false, 0, nil, wire.Failed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for piece := range 3 {
				h := http.Header{"Content-Type": {tt.media}}
				for k, v := range tt.header {
					h.Set(k, v)
				}
				media, _, _ := strings.Cut(tt.media, ";")
				var got []int16
				var a wire.Answer
				f, err := Header(h)
				if err == nil {
					a, err = Sound(response(iotest.HalfReader(bytes.NewReader(tt.body)), h), "", media, f, 0, tt.bare, nil)
				}
				rate := 0
				if err == nil {
					rate = a.Rate()
					got, err = read(a, piece+1)
				}
				failure, _ := errors.AsType[*wire.Failure](err)
				if (err == nil) != (tt.reason == "") || failure != nil && failure.Reason != tt.reason || rate != tt.rate {
					t.Fatalf("%v at %d Hz, want %q at %d", err, rate, tt.reason, tt.rate)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Fatalf("samples (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestWrongRate(t *testing.T) {
	t.Parallel()
	_, err := Sound(response(bytes.NewReader(wav(1, 1, 16, 22050, 0, nil, "")), nil), "", "audio/wav", Format{Channels: 1}, 24000, false, nil)
	if f, ok := errors.AsType[*wire.Failure](err); !ok || f.Reason != wire.WrongRate {
		t.Errorf("%v", err)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"": 0, "0": 0, "-3": 0, "12": 12 * time.Second, " 1.5 ": 1500 * time.Millisecond, "1e99": time.Hour, "NaN": 0, "Inf": time.Hour,
		"Fri, 02 Jan 2026 03:04:35 GMT": 30 * time.Second, "Fri, 02 Jan 2026 03:04:01 GMT": 0, "later": 0,
	} {
		if got := retryAfter(value, now); got != want {
			t.Errorf("retryAfter(%q) = %v, want %v", value, got, want)
		}
	}
}

func TestMessage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ body, text, want string }{
		{`{"error":{"message":"voice is required","param":"voice"}}`, "hello", "voice: voice is required"},
		{`{"error":{"message":"cannot say \"Hello, World!\" in time"}}`, "hello world", "cannot say ... in time"},
		{`{"detail":[{"loc":["body","voice"],"msg":"field required","input":"hello"}]}`, "hello", "voice: field required"},
		{`{"detail":{"error":"validation_error","message":"x"}}`, "hello", "validation_error"},
		{`{"message":"bad \\u0928\\u092e %E0%A4 नमस्ते text"}`, "नमस्ते", "bad ... text"},
		{`{"error":"` + strings.Repeat("aGVsbG8", 10) + `"}`, "hello", ""},
		{`{"error":{"message":"hello"}}`, "hello", ""},
		{`<html>`, "hello", ""},
		{`{"error":"` + strings.Repeat("word ", 1000) + `"}`, "hello", strings.TrimSpace(strings.Repeat("word ", 32))},
	} {
		if got := Message([]byte(tt.body), tt.text); got != tt.want {
			t.Errorf("Message(%.60s, %q) = %q, want %q", tt.body, tt.text, got, tt.want)
		}
	}
}

// TestHostile asks a server that answers with something else than it should.
func TestHostile(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, answer string
		hold         bool // the connection stays open
		reason       wire.Reason
	}{
		{"nothing", "", false, wire.Broken},
		{"no HTTP", "the secret text\r\n\r\n", false, wire.Broken},
		{"a damaged header", "HTTP/1.1 200 OK\r\nthe secret text\r\n\r\n", false, wire.Broken},
		{"long headers", "HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 200<<10) + "\r\n\r\n", false, wire.Broken},
		{"half a header", "HTTP/1.1 200 OK\r\nConte", false, wire.Broken},
		{"an error that does not end", "HTTP/1.1 500 Oops\r\nContent-Length: 100\r\n\r\n{", true, wire.Failed},
		{"an error without end", "HTTP/1.1 400 Oops\r\n\r\n" + strings.Repeat("x", 1<<20), false, wire.Refused},
		{"compressed", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx", false, wire.Broken},
		{"no sound", "HTTP/1.1 204 No Content\r\n\r\n", false, wire.Broken},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan struct{})
			defer func() { <-done }()
			defer l.Close()
			go func() {
				defer close(done)
				for {
					conn, err := l.Accept()
					if err != nil {
						return
					}
					_, _ = http.ReadRequest(bufio.NewReader(conn)) // whatever it is
					_, _ = io.WriteString(conn, tt.answer)
					if tt.hold {
						_, _ = io.Copy(io.Discard, conn)
					}
					_ = conn.Close()
				}
			}()
			c, err := New(wire.Target{URL: "http://" + l.Addr().String() + "/v1/"})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_, _, err = c.Post(t.Context(), "/v1/audio/speech", []byte("{}"), "the secret text")
			f, ok := errors.AsType[*wire.Failure](err)
			if !ok || f.Reason != tt.reason || strings.Contains(f.Error(), "secret") || len(f.Error()) > 300 {
				t.Errorf("%v, want %s", err, tt.reason)
			}
		})
	}
}

func FuzzWAV(f *testing.F) {
	f.Add(wav(1, 1, 16, 22050, 4, le([]int16{1, -2}), ""), byte(3))
	f.Add(wav(3, 2, 32, 22050, 0, le([]float32{1, -2}), "LIST\x01\x00\x00\x00ab"), byte(1))
	f.Add(wav(0xfffe, 1, 16, 22050, 0xffffffff, nil, ""), byte(2))
	f.Fuzz(func(t *testing.T, in []byte, piece byte) {
		one := func(r io.Reader) ([]int16, error) {
			a, err := Sound(response(r, nil), "", "audio/wav", Format{Channels: 1}, 0, false, nil)
			if err != nil {
				return nil, err
			}
			if len(in) > 0 && (a.Rate() < lowestRate || a.Rate() > highestRate) {
				t.Fatalf("a rate of %d", a.Rate())
			}
			return read(a, int(piece)+1)
		}
		a, errA := one(bytes.NewReader(in))
		b, errB := one(iotest.OneByteReader(bytes.NewReader(in)))
		if diff := cmp.Diff(a, b); diff != "" || (errA == nil) != (errB == nil) {
			t.Fatalf("in one piece and in many: %s, %v, %v", diff, errA, errB)
		}
		if _, ok := errors.AsType[*wire.Failure](errA); errA != nil && !ok {
			t.Fatalf("an error that is no failure: %v", errA)
		}
	})
}
