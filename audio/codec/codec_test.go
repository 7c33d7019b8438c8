package codec

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vaak/audio"
	"vaak/audio/audiotest"
	"vaak/internal/fault"
)

var update = flag.Bool("update", false, "rewrite golden files")

// record keeps the writes that it is given.
type record struct {
	writes [][]byte
	err    error
	short  bool
}

func (r *record) Write(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	if r.short {
		return len(p) - 1, nil
	}
	r.writes = append(r.writes, bytes.Clone(p))
	return len(p), nil
}

// Rewrite writes the head again.
func (r *record) Rewrite(head []byte) error {
	for _, w := range r.writes {
		head = head[copy(w, head):]
	}
	return nil
}

func (r *record) all() []byte { return bytes.Join(r.writes, nil) }

// encode writes the blocks and closes.
func encode(t testing.TB, f audio.Format, mode Mode, blocks ...[]int16) *record {
	t.Helper()
	var r record
	w, err := NewEncoder(&r, f, mode)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blocks {
		if err := w.WritePCM(b); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &r
}

func TestGolden(t *testing.T) {
	t.Parallel()
	pcm := []int16{0, 1, -1, 256, -256, 0x1234, math.MaxInt16, math.MinInt16, 42}
	for _, tt := range []struct {
		name   string
		format audio.Format
		mode   Mode
		pcm    []int16
	}{
		{"wav-stream", audio.Format{Codec: audio.WAV}, Stream, pcm},
		{"wav-whole", audio.Format{Codec: audio.WAV}, File, pcm},
		{"wav-stream-8000", audio.Format{Codec: audio.WAV, SampleRate: 8000}, Stream, pcm},
		{"wav-whole-44100", audio.Format{Codec: audio.WAV, SampleRate: 44100}, File, pcm},
		{"wav-stream-empty", audio.Format{Codec: audio.WAV}, Stream, nil},
		{"wav-whole-empty", audio.Format{Codec: audio.WAV}, File, nil},
		{"pcm-stream", audio.Format{Codec: audio.PCM}, Stream, pcm},
		{"pcm-whole", audio.Format{Codec: audio.PCM}, File, pcm},
		{"pcm-whole-empty", audio.Format{Codec: audio.PCM}, File, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := hex.Dump(encode(t, tt.format, tt.mode, tt.pcm).all())
			path := filepath.Join("testdata", tt.name+".golden")
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("differs from %s:\n%s", path, diff)
			}
		})
	}
}

func TestWrites(t *testing.T) {
	t.Parallel()
	blocks := [][]int16{nil, {1, 2, 3}, {}, {4}, {5, 6, 7, 8, 9}}
	for _, tt := range []struct {
		codec audio.Codec
		mode  Mode
		want  []int // bytes of each Write
	}{
		{audio.WAV, Stream, []int{44 + 6, 2, 10}},
		{audio.WAV, File, []int{44 + 6, 2, 10}},
		{audio.PCM, Stream, []int{6, 2, 10}},
		{audio.PCM, File, []int{6, 2, 10}},
	} {
		var got []int
		for _, w := range encode(t, audio.Format{Codec: tt.codec}, tt.mode, blocks...).writes {
			got = append(got, len(w))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s, mode %d: writes differ:\n%s", tt.codec, tt.mode, diff)
		}
	}
}

// TestBytes checks any blocks against the plain definition of the formats.
func TestBytes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		blocks := rapid.SliceOf(rapid.SliceOf(rapid.Int16())).Draw(rt, "blocks")
		var want bytes.Buffer
		for _, b := range blocks {
			if err := binary.Write(&want, binary.LittleEndian, b); err != nil {
				rt.Fatal(err)
			}
		}
		for _, mode := range []Mode{Stream, File} {
			pcm := encode(t, audio.Format{Codec: audio.PCM}, mode, blocks...)
			if !bytes.Equal(pcm.all(), want.Bytes()) {
				rt.Fatalf("pcm, mode %d: %x, want %x", mode, pcm.all(), want.Bytes())
			}
			for _, w := range pcm.writes {
				if len(w)%2 != 0 {
					rt.Fatalf("pcm, mode %d: a write of %d bytes splits a sample", mode, len(w))
				}
			}
			wav := encode(t, audio.Format{Codec: audio.WAV}, mode, blocks...).all()
			if !bytes.Equal(wav[wavHeaderSize:], want.Bytes()) {
				rt.Fatalf("wav, mode %d: %x, want %x", mode, wav[wavHeaderSize:], want.Bytes())
			}
			if got := binary.LittleEndian.Uint32(wav[40:]); mode == File && int(got) != want.Len() {
				rt.Fatalf("wav declares %d bytes, want %d", got, want.Len())
			}
		}
	})
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		in   audio.Format
		want audio.Format
	}{
		{"defaults", audio.Format{}, audio.Format{Codec: audio.WAV, SampleRate: 24000}},
		{"pcm", audio.Format{Codec: audio.PCM}, audio.Format{Codec: audio.PCM, SampleRate: 24000}},
		{"rate", audio.Format{SampleRate: 22050}, audio.Format{Codec: audio.WAV, SampleRate: 22050}},
	} {
		if got, err := Check(tt.in); err != nil || got != tt.want {
			t.Errorf("%s: Check(%+v) = %+v, %v, want %+v", tt.name, tt.in, got, err, tt.want)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in         audio.Format
		field, msg string
	}{
		{audio.Format{Codec: "foo"}, "response_format", `response_format "foo" is not one of mp3, opus, aac, flac, wav, pcm, ulaw, alaw`},
		{audio.Format{Codec: "WAV"}, "response_format", `response_format "WAV" is not one of mp3, opus, aac, flac, wav, pcm, ulaw, alaw`},
		{audio.Format{SampleRate: 12345}, "sample_rate", `sample_rate 12345 is not one of 8000, 16000, 22050, 24000, 32000, 44100, 48000`},
		{audio.Format{SampleRate: -8000}, "sample_rate", `sample_rate -8000 is not one of 8000, 16000, 22050, 24000, 32000, 44100, 48000`},
		{audio.Format{BitrateKbps: 64}, "bitrate_kbps", `bitrate_kbps applies to mp3, opus and aac only, not to wav`},
		{audio.Format{Codec: audio.PCM, BitrateKbps: -1}, "bitrate_kbps", `bitrate_kbps applies to mp3, opus and aac only, not to pcm`},
	} {
		want := fault.BadParameter(tt.field, "%s", tt.msg)
		_, err := Check(tt.in)
		got, _ := errors.AsType[*fault.Error](err)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Check(%+v):\n%s", tt.in, diff)
		}
		if _, err := NewEncoder(io.Discard, tt.in, Stream); fault.KindOf(err) != fault.Invalid {
			t.Errorf("NewEncoder(%+v): %v, want the refusal", tt.in, err)
		}
	}
}

func TestLists(t *testing.T) {
	t.Parallel()
	want := audio.Codecs // of a machine that has every library
	if diff := cmp.Diff(want, Available()); diff != "" {
		t.Errorf("Available:\n%s", diff)
	}
	for _, c := range Available() {
		if _, err := NewEncoder(nowhere{}, audio.Format{Codec: c}, File); err != nil {
			t.Errorf("NewEncoder(%s): %v", c, err)
		}
	}
}

func TestErrorsAndClose(t *testing.T) {
	t.Parallel()
	second := make([]int16, 24000) // more than any codec holds back
	for _, codec := range Available() {
		broken := errors.New("broken")
		w, err := NewEncoder(&record{err: broken}, audio.Format{Codec: codec}, Stream)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := w.WritePCM(second); !errors.Is(err, broken) {
				t.Errorf("%s: WritePCM: %v, want %v", codec, err, broken)
			}
		}
		for range 2 {
			if err := w.Close(); !errors.Is(err, broken) {
				t.Errorf("%s: Close: %v, want %v", codec, err, broken)
			}
		}

		for _, mode := range []Mode{Stream, File} {
			w, err = NewEncoder(&record{short: true}, audio.Format{Codec: codec}, mode)
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(w.WritePCM(second), w.Close()); !errors.Is(err, io.ErrShortWrite) {
				t.Errorf("%s, mode %d: short write: %v, want %v", codec, mode, err, io.ErrShortWrite)
			}
			if err := w.WritePCM(second); err == nil {
				t.Errorf("%s, mode %d: WritePCM after Close: no error", codec, mode)
			}
		}

		var r record
		w, err = NewEncoder(&r, audio.Format{Codec: codec}, File)
		if err != nil {
			t.Fatal(err)
		}
		err = errors.Join(w.WritePCM(second), w.Close())
		before := len(r.writes)
		if err := errors.Join(err, w.Close()); err != nil || len(r.writes) != before {
			t.Errorf("%s: Close twice: %v and %d writes, want %d", codec, err, len(r.writes), before)
		}
	}
}

// nowhere is a file that is not kept.
type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
func (nowhere) Rewrite([]byte) error        { return nil }

// BenchmarkEncoder encodes one second at 24,000 Hz an operation.
func BenchmarkEncoder(b *testing.B) {
	pcm := audiotest.Speech(24000, 24000)
	for _, codec := range Available() {
		for name, mode := range map[string]Mode{"stream": Stream, "file": File} {
			b.Run(string(codec)+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					w, err := NewEncoder(nowhere{}, audio.Format{Codec: codec}, mode)
					if err != nil {
						b.Fatal(err)
					}
					for i := 0; i < len(pcm); i += 1200 {
						if err := w.WritePCM(pcm[i:][:1200]); err != nil {
							b.Fatal(err)
						}
					}
					if err := w.Close(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N), "us/audio-s")
			})
		}
	}
}
