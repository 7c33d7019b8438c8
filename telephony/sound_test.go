package telephony

import (
	"bytes"
	"testing"
	"time"

	"vaak/audio"
	"vaak/audio/codec"
	"vaak/telephony/line"
)

// TestG711: what is decoded and encoded again is the same code, of all codes but one: μ-law has two
// for zero.
func TestG711(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		codec  audio.Codec
		decode func(byte) int16
		other  map[byte]byte
	}{{audio.ULaw, ulaw, map[byte]byte{0x7F: 0xFF}}, {audio.ALaw, alaw, nil}} {
		var out bytes.Buffer
		w, err := codec.NewEncoder(&out, audio.Format{Codec: tt.codec, SampleRate: 8000}, codec.Stream)
		if err != nil {
			t.Fatal(err)
		}
		for code := range 256 {
			out.Reset()
			if err := w.WritePCM([]int16{tt.decode(byte(code))}); err != nil {
				t.Fatal(err)
			}
			want := byte(code)
			if other, ok := tt.other[want]; ok {
				want = other
			}
			if got := out.Bytes(); len(got) != 1 || got[0] != want {
				t.Errorf("%s %#x decodes to %d, which is %x", tt.codec, code, tt.decode(byte(code)), got)
			}
		}
	}
}

// TestEar: an agent gets μ-law at 8 kHz of every line, as long as the caller's audio.
func TestEar(t *testing.T) {
	t.Parallel()
	for _, f := range []line.Format{line.Telephone, {Codec: audio.ALaw, Rate: 8000}, {Codec: audio.PCM, Rate: 8000}, {Codec: audio.PCM, Rate: 16000}, {Codec: audio.PCM, Rate: 24000}} {
		e, err := newEar(f)
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for range 100 {
			frame := bytes.Repeat([]byte{f.Silence()}, f.Bytes(line.FrameTime))
			pcm := e.samples(frame)
			if len(pcm) != f.Rate/50 || pcm[0] < -8 || pcm[0] > 8 {
				t.Fatalf("%v: %d samples, the first is %d", f, len(pcm), pcm[0])
			}
			ulaw, err := e.telephone(frame, pcm)
			if err != nil {
				t.Fatal(err)
			}
			got += len(ulaw)
		}
		if want := 16_000; got > want || got < want-line.Telephone.Bytes(20*time.Millisecond) {
			t.Errorf("%v: %d bytes of 2 s", f, got)
		}
	}
}

// TestShare: the cut is at the end of a word, and nothing is lost.
func TestShare(t *testing.T) {
	t.Parallel()
	const text = "One two ärger நன்றி five"
	for _, tt := range []struct {
		part float64
		head string
	}{{0, ""}, {0.1, ""}, {0.2, "One"}, {0.5, "One two"}, {0.99, "One two ärger நன்றி"}, {1, text}, {1.5, text}} {
		head, tail := share(text, tt.part)
		if head != tt.head || head+tail != text {
			t.Errorf("share(%g) = %q, %q; want %q", tt.part, head, tail, tt.head)
		}
	}
}
