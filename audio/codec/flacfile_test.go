package codec

import (
	"bytes"
	"errors"
	"io"
	"testing"

	mewkiz "github.com/mewkiz/flac"

	"vaak/audio/audiotest"
)

func TestFLACFileOfTwoChannels(t *testing.T) {
	t.Parallel()
	const rate = 16000
	left, right := audiotest.Speech(rate, 40001), make([]int16, 40001)
	copy(right[9000:], audiotest.Speech(rate, 20000))
	file, err := FLACFile(rate, left, right)
	if err != nil {
		t.Fatal(err)
	}
	got := audiotest.Decode(t, file, rate) // mixed to one channel
	if p := audiotest.Probe(t, file); len(got) != len(left) || p.Channels != 2 {
		t.Errorf("ffmpeg reads %d samples of %d channels, want %d of 2", len(got), p.Channels, len(left))
	}
	stream, err := mewkiz.New(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if stream.Info.NSamples != uint64(len(left)) {
		t.Errorf("the head says %d samples, want %d", stream.Info.NSamples, len(left))
	}
	at := 0
	for {
		f, err := stream.ParseNext()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Subframes[0].Samples {
			if l, r := f.Subframes[0].Samples[i], f.Subframes[1].Samples[i]; l != int32(left[at]) || r != int32(right[at]) {
				t.Fatalf("sample %d is %d and %d, want %d and %d", at, l, r, left[at], right[at])
			}
			at++
		}
	}
	if at != len(left) {
		t.Errorf("%d samples, want %d", at, len(left))
	}
}

func TestFLACFileRefuses(t *testing.T) {
	t.Parallel()
	for name, channels := range map[string][][]int16{"none": nil, "nine": make([][]int16, 9), "uneven": {make([]int16, 3), make([]int16, 4)}} {
		if _, err := FLACFile(16000, channels...); err == nil {
			t.Errorf("FLACFile of %s channels: no error", name)
		}
	}
	if _, err := FLACFile(12345, make([]int16, 3)); err == nil {
		t.Error("FLACFile at 12,345 Hz: no error")
	}
}
