package mp3

import (
	"fmt"
	"slices"
	"testing"

	"vaak/audio/decode/decodetest"
	"vaak/audio/decode/recording"
)

// direct opens every file as this format.
var direct = decodetest.Direct(Format())

// settings are arguments of FFmpeg by which an MP3 comes in every manner.
var settings = map[string][]string{
	"constant":     {"-c:a", "libmp3lame", "-b:a", "32k", "-f", "mp3"},
	"variable":     {"-c:a", "libmp3lame", "-q:a", "4", "-f", "mp3"},
	"without info": {"-c:a", "libmp3lame", "-b:a", "64k", "-write_xing", "0", "-f", "mp3"},
	"apart":        {"-c:a", "libmp3lame", "-b:a", "64k", "-joint_stereo", "0", "-f", "mp3"},
}

// TestLengthyMP3 compares what is decoded with what FFmpeg decodes, which also tells the
// length: at some rates FFmpeg's encoder promises more than it was given.
func TestLengthyMP3(t *testing.T) {
	t.Parallel()
	for rate, ways := range map[int][]string{
		8000: {"constant", "variable", "without info", "apart"}, 16000: {"constant", "variable"},
		22050: {"constant", "without info"}, 44100: {"variable", "apart"}, 48000: {"constant", "variable"},
		11025: {"constant"}, 12000: {"variable"}, 24000: {"constant"}, 32000: {"without info"},
	} {
		if testing.Short() && rate != 8000 && rate != 44100 {
			continue
		}
		for _, way := range ways {
			for channels := 1; channels <= 2; channels++ {
				t.Run(fmt.Sprintf("%d Hz, %d channels, %s", rate, channels, way), func(t *testing.T) {
					t.Parallel()
					file := decodetest.Encoded(t, rate, channels, rate+777, settings[way]...)
					want := decodetest.Judged(t, file, channels)
					info, got, err := decodetest.Drain(t, direct, file, recording.Limits{}, 1000)
					if err != nil {
						t.Fatal(err)
					}
					wantInfo := recording.Info{Container: recording.MP3, Codec: "mp3", SampleRate: rate, Channels: channels, Frames: int64(len(want[0]))}
					if way == "without info" {
						wantInfo.Frames = -1
					}
					if info != wantInfo {
						t.Errorf("info is %+v, want %+v", info, wantInfo)
					}
					decodetest.Alike(t, got, want, 100)
				})
			}
		}
	}
}

// TestMP3Blocks reads in blocks of other lengths, which changes nothing.
func TestMP3Blocks(t *testing.T) {
	t.Parallel()
	file := decodetest.Encoded(t, 16000, 2, 16000, settings["variable"]...)
	_, want, err := decodetest.Drain(t, direct, file, recording.Limits{}, 1<<16)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range []int{1, 7, 576, 577, 4096} {
		_, got, err := decodetest.Drain(t, direct, file, recording.Limits{}, block)
		if err != nil || !slices.EqualFunc(got, want, slices.Equal[[]float32]) {
			t.Errorf("in blocks of %d: %v, or other samples", block, err)
		}
	}
}
