package ogg

import (
	"fmt"
	"testing"

	"vaak/audio/decode/decodetest"
	"vaak/audio/decode/recording"
)

// direct opens every file as this format.
var direct = decodetest.Direct(Format())

// settings are arguments of FFmpeg by which Ogg Opus comes in every manner.
var settings = map[string][]string{
	"voice":    {"-c:a", "libopus", "-b:a", "24k", "-application", "voip", "-f", "ogg"},
	"music":    {"-c:a", "libopus", "-b:a", "96k", "-f", "ogg"},
	"constant": {"-c:a", "libopus", "-b:a", "48k", "-vbr", "off", "-f", "ogg"},
	"long":     {"-c:a", "libopus", "-b:a", "16k", "-frame_duration", "60", "-f", "ogg"},
	"longest":  {"-c:a", "libopus", "-b:a", "16k", "-frame_duration", "120", "-f", "ogg"},
	"short":    {"-c:a", "libopus", "-b:a", "64k", "-frame_duration", "2.5", "-application", "lowdelay", "-f", "ogg"},
}

// TestLengthyOgg compares what is decoded with what FFmpeg decodes by the same library,
// from an own reader of Ogg.
func TestLengthyOgg(t *testing.T) {
	t.Parallel()
	for rate, ways := range map[int][]string{
		8000: {"voice", "long", "longest"}, 16000: {"voice", "constant", "short"}, 24000: {"voice"}, 48000: {"music", "constant", "longest"},
	} {
		for _, way := range ways {
			for _, channels := range []int{1, 2, 6} {
				if channels == 6 && rate != 48000 || testing.Short() && way != "voice" && way != "music" {
					continue
				}
				t.Run(fmt.Sprintf("%d Hz, %d channels, %s", rate, channels, way), func(t *testing.T) {
					t.Parallel()
					samples := rate + 777
					file := decodetest.Encoded(t, rate, channels, samples, settings[way]...)
					info, got, err := decodetest.Drain(t, direct, file, recording.Limits{}, 1000)
					if err != nil {
						t.Fatal(err)
					}
					wantInfo := recording.Info{Container: recording.Ogg, Codec: "opus", SampleRate: 48000, Channels: channels, Frames: int64(samples * (48000 / rate))}
					if info != wantInfo {
						t.Errorf("info is %+v, want %+v", info, wantInfo)
					}
					want := decodetest.Judged(t, file, channels, "-c:a", "libopus", "-request_sample_fmt", "flt")
					if channels == 6 { // FFmpeg's order is that of WAV
						got = [][]float32{got[0], got[2], got[1], got[5], got[3], got[4]}
					}
					decodetest.Alike(t, got, want, 50)
				})
			}
		}
	}
}

func BenchmarkOgg(b *testing.B) {
	decodetest.BenchmarkLossy(b, direct, decodetest.Encoded(b, 16000, 1, 320000, settings["voice"]...))
}

func BenchmarkOggStereo(b *testing.B) {
	decodetest.BenchmarkLossy(b, direct, decodetest.Encoded(b, 48000, 2, 480000, settings["music"]...))
}

func TestOggAllocs(t *testing.T) { // not parallel: the count is the process's
	decodetest.Allocs(t, direct, decodetest.Encoded(t, 16000, 2, 64000, settings["voice"]...))
}
