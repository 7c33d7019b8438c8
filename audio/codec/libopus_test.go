package codec

import (
	"bytes"
	"slices"
	"testing"

	"vaak/audio/audiotest"
)

func testLibopus(t testing.TB) *libopus {
	t.Helper()
	lib, err := loadLibopus()
	if err != nil {
		t.Fatal(err)
	}
	return lib
}

// TestLibopusSettings reads back what the variadic opus_encoder_ctl was given.
func TestLibopusSettings(t *testing.T) {
	t.Parallel()
	lib := testLibopus(t)
	for _, tt := range []struct {
		name     string
		set, get int32
		values   []int32
	}{
		{"bit rate", opusSetBitrate, opusGetBitrate, []int32{6000, 24000, 64000, 256000}},
		{"complexity", opusSetComplexity, opusGetComplexity, []int32{0, 3, 5, 10}},
		{"VBR", opusSetVBR, opusGetVBR, []int32{0, 1}},
		{"VBR constraint", opusSetVBRConstraint, opusGetVBRConstraint, []int32{0, 1}},
	} {
		for _, want := range tt.values {
			e, err := lib.open(24000, opusApplication, [2]int32{tt.set, want})
			if err != nil {
				t.Fatal(err)
			}
			got := int32(-1)
			if code := lib.get(&e.memory[0], tt.get, &got); code != 0 || got != want {
				t.Errorf("%s = %d, %d, want %d", tt.name, got, code, want)
			}
			e.free()
		}
	}
}

func TestLibopusLookahead(t *testing.T) {
	t.Parallel()
	for _, rate := range []int{8000, 12000, 16000, 24000, 48000} {
		e, err := testLibopus(t).open(rate, opusRestrictedLowdelay)
		if err != nil {
			t.Fatal(err)
		}
		if want := rate / 400; e.lookahead != want || e.samples != rate/50 {
			t.Errorf("at %d Hz: lookahead %d and frame of %d, want %d and %d", rate, e.lookahead, e.samples, want, rate/50)
		}
		e.free()
	}
}

func TestLibopusErrors(t *testing.T) {
	t.Parallel()
	lib := testLibopus(t)
	if _, err := lib.open(22050, opusApplication); err == nil || err.Error() != "libopus: invalid argument" {
		t.Errorf("open at 22,050 Hz: %v", err)
	}
	if _, err := lib.open(24000, opusApplication, [2]int32{opusSetComplexity, 11}); err == nil {
		t.Error("open with complexity 11: no error")
	}
	if _, err := lib.open(24000, opusApplication, [2]int32{9999, 0}); err == nil {
		t.Error("open with a request that is not there: no error")
	}
	e, err := lib.open(24000, opusApplication)
	if err != nil {
		t.Fatal(err)
	}
	e.samples = 481
	if packet, err := e.encode(); err == nil {
		t.Errorf("a frame of 481 samples gave a packet of %d bytes", len(packet))
	}
	e.free()
	if e.opusState != nil {
		t.Error("free leaves the encoder its memory, which may serve another already")
	}
	e.free() // does nothing
}

// TestLibopusStateMoves moves the state between frames, as opus.h allows. A
// pointer of the state into itself would break this, and with it the right to
// keep it in memory of the garbage collector.
func TestLibopusStateMoves(t *testing.T) {
	t.Parallel()
	lib := testLibopus(t)
	for _, application := range []int32{opusRestrictedLowdelay, 2048, 2049} { // VOIP, AUDIO
		still, err := lib.open(24000, application)
		if err != nil {
			t.Fatal(err)
		}
		moved, err := lib.open(24000, application)
		if err != nil {
			t.Fatal(err)
		}
		pcm := audiotest.Speech(24000, 480*40)
		for i := range 40 {
			copy(still.frame[:], pcm[480*i:][:480])
			copy(moved.frame[:], pcm[480*i:][:480])
			want, err := still.encode()
			if err != nil {
				t.Fatal(err)
			}
			if got, err := moved.encode(); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("application %d, frame %d: %x, %v, want %x", application, i, got, err, want)
			}
			elsewhere := slices.Clone(moved.memory)
			for j := range moved.memory {
				moved.memory[j] = 0xdeadbeefdeadbeef
			}
			moved.memory = elsewhere
		}
		still.free()
		moved.free()
	}
}
