package codec

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vaak/audio"
	"vaak/audio/audiotest"
	"vaak/internal/fault"
)

// mp3Delay is by how many samples LAME and a decoder delay the sound.
const mp3Delay = 576 + 529

// frameSamples returns the length of a frame of a codec.
func frameSamples(f audio.Format) int {
	if f.Codec == audio.AAC {
		return aacFrame
	}
	return mp3FrameSamples(f.SampleRate)
}

// TestLengthyMP3AndAAC has FFmpeg decode every sample rate, mode, and bit rate at the
// ends of its range and in the middle.
func TestLengthyMP3AndAAC(t *testing.T) {
	t.Parallel()
	for _, codec := range []audio.Codec{audio.MP3, audio.AAC} {
		for _, rate := range audio.SampleRates {
			e, _ := find(codec)
			can := e.kbps(rate)
			for _, kbps := range []int{0, can.least, can.most} {
				for _, mode := range []Mode{Stream, File} {
					f, err := Check(audio.Format{Codec: codec, SampleRate: rate, BitrateKbps: kbps})
					if err != nil {
						t.Fatal(err)
					}
					if testing.Short() && kbps != 0 && rate != audio.DefaultSampleRate {
						continue
					}
					t.Run(fmt.Sprintf("%s/%d/%d/%d", codec, rate, kbps, mode), func(t *testing.T) {
						t.Parallel()
						testLossy(t, f, mode, kbps == 0)
					})
				}
			}
		}
	}
}

func testLossy(t *testing.T, f audio.Format, mode Mode, usual bool) {
	pcm := audiotest.Speech(f.SampleRate, 2345*f.SampleRate/1000)
	file := encode(t, f, mode, pcm).all()

	want := audiotest.Stream{Codec: string(f.Codec), SampleRate: f.SampleRate, Channels: 1}
	if got := audiotest.Probe(t, file); got != want {
		t.Errorf("ffprobe sees %+v, want %+v", got, want)
	}

	decoded := audiotest.Decode(t, file, f.SampleRate)
	delay, frame := aacDelay, frameSamples(f)
	if f.Codec == audio.MP3 {
		delay = mp3Delay
	}
	lag, longest := delay, len(pcm)+delay+2*frame
	if f.Codec == audio.MP3 && mode == File {
		lag, longest = 0, len(pcm) // the tag tells what to skip
	}
	if len(decoded) < len(pcm)+lag || len(decoded) > longest {
		t.Errorf("%d samples decode to %d, want %d to %d", len(pcm), len(decoded), len(pcm)+lag, longest)
	}

	least := 0.8
	if usual {
		least = 0.98
	}
	r, got := audiotest.Correlate(pcm, decoded, lag+100)
	if r < least {
		t.Errorf("what is heard correlates %.3f with what was said, want %.3f or more", r, least)
	}
	if usual && f.SampleRate == audio.DefaultSampleRate && got != lag {
		t.Errorf("the sound comes %d samples late, want %d", got, lag)
	}

	bytes, seconds := len(file), float64(len(decoded))/float64(f.SampleRate)
	if f.Codec == audio.MP3 && mode == File {
		bytes -= newMP3Tag(f.SampleRate, f.BitrateKbps).size
		seconds += float64(mp3Delay+frame/2) / float64(f.SampleRate) // skipped at both ends
	}
	// AAC has a reservoir of up to 6,144 bits to begin with.
	if kbps := float64(8*bytes) / 1000 / seconds; math.Abs(kbps/float64(f.BitrateKbps)-1) > 0.06 {
		t.Errorf("%.1f kbit/s, want %d", kbps, f.BitrateKbps)
	}
}

// TestFirstFrame checks after how many samples a stream begins.
func TestFirstFrame(t *testing.T) {
	t.Parallel()
	for _, codec := range []audio.Codec{audio.MP3, audio.AAC} {
		for _, rate := range audio.SampleRates {
			want := 1024
			switch {
			case codec == audio.MP3 && rate >= 32000:
				want = 1376
			case codec == audio.MP3:
				want = 800
			}
			var r record
			w, err := NewEncoder(&r, audio.Format{Codec: codec, SampleRate: rate}, Stream)
			if err != nil {
				t.Fatal(err)
			}
			got := 0
			for len(r.writes) == 0 && got < rate {
				if err := w.WritePCM([]int16{1000}); err != nil {
					t.Fatal(err)
				}
				got++
			}
			if got != want {
				t.Errorf("%s of %d Hz begins after %d samples, want %d", codec, rate, got, want)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestLengthyShort decodes files of no samples and of few.
func TestLengthyShort(t *testing.T) {
	t.Parallel()
	for _, codec := range []audio.Codec{audio.MP3, audio.AAC} {
		for _, rate := range []int{8000, 24000, 48000} {
			if testing.Short() && rate != audio.DefaultSampleRate {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", codec, rate), func(t *testing.T) {
				t.Parallel()
				for _, n := range []int{0, 1, 700, 2000} {
					for _, mode := range []Mode{Stream, File} {
						f := audio.Format{Codec: codec, SampleRate: rate}
						file := encode(t, f, mode, audiotest.Speech(rate, n)).all()
						want := audiotest.Stream{Codec: string(codec), SampleRate: rate, Channels: 1}
						if got := audiotest.Probe(t, file); got != want {
							t.Errorf("%d samples, mode %d: ffprobe sees %+v, want %+v", n, mode, got, want)
						}
						got, most := len(audiotest.Decode(t, file, rate)), n+aacDelay+3*frameSamples(f)
						if codec == audio.MP3 && mode == File {
							most = n + 529 // of the shortest FFmpeg keeps its own delay
						}
						if got < n || got > most {
							t.Errorf("%s of %d samples at %d Hz, mode %d: %d decoded, want at most %d", codec, n, rate, mode, got, most)
						}
					}
				}
			})
		}
	}
}

// TestBlocks checks that it does not matter how samples are cut into blocks.
func TestBlocks(t *testing.T) {
	t.Parallel()
	pcm := audiotest.Speech(24000, 12000)
	rapid.Check(t, func(rt *rapid.T) {
		f := audio.Format{Codec: rapid.SampledFrom([]audio.Codec{audio.MP3, audio.AAC}).Draw(rt, "codec"),
			SampleRate: rapid.SampledFrom(audio.SampleRates).Draw(rt, "rate")}
		mode := rapid.SampledFrom([]Mode{Stream, File}).Draw(rt, "mode")
		pcm := pcm[:rapid.IntRange(0, len(pcm)).Draw(rt, "samples")]
		var blocks [][]int16
		for rest := pcm; len(rest) > 0; {
			n := rapid.IntRange(0, len(rest)).Draw(rt, "block")
			blocks, rest = append(blocks, rest[:n]), rest[n:]
			if len(blocks) > 50 {
				blocks, rest = append(blocks, rest), nil
			}
		}
		got, want := encode(t, f, mode, blocks...), encode(t, f, mode, pcm)
		if !bytes.Equal(got.all(), want.all()) {
			rt.Fatalf("%+v, mode %d: %d blocks make other bytes than one", f, mode, len(blocks))
		}
	})
}

func TestBitrates(t *testing.T) {
	t.Parallel()
	type kbps struct{ Least, Most, Usual int }
	got := make(map[string]kbps)
	for _, codec := range []audio.Codec{audio.MP3, audio.AAC} {
		e, _ := find(codec)
		for _, rate := range audio.SampleRates {
			f, err := Check(audio.Format{Codec: codec, SampleRate: rate})
			if err != nil {
				t.Fatal(err)
			}
			can := e.kbps(rate)
			got[fmt.Sprint(codec, " ", rate)] = kbps{can.least, can.most, f.BitrateKbps}
			for _, kbps := range []int{-1, 7, 321, 100000} {
				f.BitrateKbps = kbps
				if _, err := Check(f); fault.KindOf(err) != fault.Invalid || !strings.Contains(err.Error(), fmt.Sprintf("at %d Hz it has %d to %d", rate, can.least, can.most)) {
					t.Errorf("Check(%+v) = %v, want a refusal with what there is", f, err)
				}
			}
		}
	}
	want := map[string]kbps{
		"mp3 8000": {8, 64, 64}, "mp3 16000": {8, 160, 128}, "mp3 22050": {8, 160, 128}, "mp3 24000": {8, 160, 128},
		"mp3 32000": {32, 320, 128}, "mp3 44100": {32, 320, 128}, "mp3 48000": {32, 320, 128},
		"aac 8000": {24, 48, 48}, "aac 16000": {48, 96, 96}, "aac 22050": {67, 132, 96}, "aac 24000": {72, 144, 96},
		"aac 32000": {96, 160, 96}, "aac 44100": {96, 160, 96}, "aac 48000": {96, 160, 96},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bit rates:\n%s", diff)
	}
}

// TestNearestBitrate asks for bit rates that the codec has at other sample rates, or
// another codec has: the audio has the nearest, and a notice says so.
func TestNearestBitrate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		codec            audio.Codec
		rate, kbps, want int
	}{
		{audio.AAC, 24000, 64, 72}, {audio.AAC, 24000, 320, 144}, {audio.AAC, 44100, 32, 96}, {audio.AAC, 48000, 192, 160},
		{audio.AAC, 8000, 8, 24}, {audio.AAC, 24000, 96, 96},
		{audio.MP3, 24000, 192, 160}, {audio.MP3, 22050, 320, 160}, {audio.MP3, 8000, 128, 64}, {audio.MP3, 44100, 8, 32},
		{audio.MP3, 24000, 100, 96}, {audio.MP3, 24000, 128, 128},
		{audio.Opus, 8000, 256, 256},
	} {
		t.Run(fmt.Sprint(tt.codec, tt.rate, " ", tt.kbps), func(t *testing.T) {
			t.Parallel()
			asked := audio.Format{Codec: tt.codec, SampleRate: tt.rate, BitrateKbps: tt.kbps}
			f, err := Check(asked)
			if err != nil || f.BitrateKbps != tt.want {
				t.Fatalf("Check(%+v) = %+v, %v, want %d kbps", asked, f, err, tt.want)
			}
			if again, err := Check(f); err != nil || again != f {
				t.Errorf("Check(%+v) = %+v, %v, want the same", f, again, err)
			}
			notice := strings.Join(Notices(asked, f), "")
			if (notice != "") != (tt.kbps != tt.want) {
				t.Errorf("Notices(%+v, %+v) = %q", asked, f, notice)
			}
			for _, part := range []string{string(tt.codec), fmt.Sprint(tt.rate), fmt.Sprint(tt.kbps), fmt.Sprint(tt.want)} {
				if notice != "" && !strings.Contains(notice, part) {
					t.Errorf("Notices(%+v, %+v) = %q, without %s", asked, f, notice, part)
				}
			}
			// Ten seconds make little of what a file has once.
			pcm := audiotest.Speech(InputRate(f), 10*InputRate(f))
			bytes := len(encode(t, asked, Stream, pcm).all())
			if kbps := float64(8*bytes) / 10 / 1000; math.Abs(kbps/float64(tt.want)-1) > 0.06 {
				t.Errorf("%+v makes %.1f kbit/s, want %d", asked, kbps, tt.want)
			}
		})
	}
	if got := Notices(audio.Format{Codec: audio.AAC, SampleRate: 8000}, audio.Format{Codec: audio.AAC, SampleRate: 8000, BitrateKbps: 48}); got != nil {
		t.Errorf("a bit rate that nobody asked for: %q", got)
	}
}
