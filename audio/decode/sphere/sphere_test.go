package sphere

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vaak/audio/decode/decodetest"
	"vaak/audio/decode/recording"
)

// only opens this format and no other.
var only = decodetest.Only(Format())

// TestSPHERE compares what is read with what FFmpeg reads.
func TestSPHERE(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		codec, order, format string
		width, bits          int
		coding               string
	}{
		{"pcm_s16", "01", "s16le", 2, 16, "sample_coding -s3 pcm\n"},
		{"pcm_s16", "10", "s16be", 2, 16, ""},
		{"pcm_s32", "3210", "s32be", 4, 32, "sample_coding -s3 pcm\n"},
		{"alaw", "1", "alaw", 1, 0, "sample_coding -s4 alaw\n"},
		{"mulaw", "1", "mulaw", 1, 0, "sample_coding -s4 ulaw\n"},
	} {
		t.Run(tt.codec+tt.order, func(t *testing.T) {
			t.Parallel()
			const frames = 5000
			raw := decodetest.Made(t, 8000, 2, frames, "-f", tt.format)
			file := decodetest.SPHERE(fmt.Sprintf("sample_rate -i 8000\nchannel_count -i 2\nsample_n_bytes -i %d\nsample_byte_format -s%d %s\n"+
				"; a comment\nsample_count -i %d\n%s", tt.width, len(tt.order), tt.order, frames, tt.coding), raw)
			info, got, err := decodetest.All(only, file, recording.Limits{}, 999)
			want := recording.Info{Container: recording.SPHERE, Codec: tt.codec, SampleRate: 8000, Channels: 2, BitsPerSample: tt.bits, Frames: frames}
			if err != nil || info != want {
				t.Fatalf("%+v, error %v, want %+v", info, err, want)
			}
			in := []string{"-f", tt.format, "-ar", "8000", "-ac", "2"}
			for c, plane := range decodetest.Reference(t, decodetest.FFmpeg(t, raw, in, []string{"-f", "wav", "-c:a", "pcm_s32le"}), 2) {
				if !slices.Equal(got[c], plane) {
					t.Errorf("channel %d differs from FFmpeg's", c)
				}
			}
		})
	}
}

// TestSPHEREHeaders reads headers of all kinds before the bytes 00 40 00 C0.
func TestSPHEREHeaders(t *testing.T) {
	t.Parallel()
	const fields = "sample_rate -i 8000\nsample_n_bytes -i 2\nsample_byte_format -s2 01\n"
	without := func(line, instead string) string { return strings.Replace(fields, line, instead, 1) }
	for _, tt := range []struct {
		name, fields, code, says string
		samples                  []float32
	}{
		{"least", fields, "", "", []float32{.5, -.5}},
		{"spaces and unknown fields", "a_b  -s3 x y z\r\n" + fields + "\nsample_sig_bits -i 12\n", "", "", []float32{.5, -.5}},
		{"count", fields + "sample_count -i 2\n", "", "", []float32{.5, -.5}},
		{"signed bytes", "sample_rate -i 8000\nsample_n_bytes -i 1\nsample_byte_format -s1 1\n", "", "", []float32{0, .5, 0, -.5}},
		{"24 bits", "sample_rate -i 8000\nsample_n_bytes -i 3\nsample_byte_format -s3 210\n", recording.CodeBroken, "1 bytes into one of 3", []float32{0x4000 / float32(1<<23)}},
		{"count too high", fields + "sample_count -i 3\n", recording.CodeBroken, "tells of 3 samples in a channel and the file ends after 2 of them: 0.000 s", []float32{.5, -.5}},
		{"count too low", fields + "sample_count -i 1\n", recording.CodeBroken, "2 bytes more", []float32{.5}},
		{"count below zero", fields + "sample_count -i -1\n", recording.CodeBroken, "sample_count", nil},
		{"count of everything", fields + "sample_count -i 99999999999999999999\n", recording.CodeBroken, "sample_count", nil},
		{"no rate", without("sample_rate -i 8000\n", ""), recording.CodeBroken, "sample_rate", nil},
		{"rate of words", without("8000", "fast"), recording.CodeBroken, `sample_rate "fast"`, nil},
		{"rate twice", fields + "sample_rate -i 16000\n", recording.CodeBroken, "twice", nil},
		{"slow", without("8000", "1"), recording.CodeTooLarge, "1 Hz", nil},
		{"no channels", fields + "channel_count -i 0\n", recording.CodeBroken, "0 channels", nil},
		{"channels", fields + "channel_count -i 9\n", recording.CodeTooLarge, "has 9", nil},
		{"channels beyond all", fields + "channel_count -i 99999999999\n", recording.CodeTooLarge, "65536", nil},
		{"no width", without("sample_n_bytes -i 2\n", ""), recording.CodeBroken, "sample_n_bytes", nil},
		{"width of 0", without("-i 2\n", "-i 0\n"), recording.CodeUnsupported, "0 bytes", nil},
		{"width of 8", without("-i 2\n", "-i 8\n"), recording.CodeUnsupported, "8 bytes", nil},
		{"no order", without("sample_byte_format -s2 01\n", ""), recording.CodeBroken, "01 or 10", nil},
		{"order", without("01", "02"), recording.CodeBroken, `"02"`, nil},
		{"shorten", fields + "sample_coding -s26 pcm,embedded-shorten-v2.00\n", recording.CodeUnsupported, "sph2pipe", nil},
		{"wide mu-law", fields + "sample_coding -s4 ulaw\n", recording.CodeUnsupported, "ulaw", nil},
		{"unknown coding", fields + "sample_coding -s5 adpcm\n", recording.CodeUnsupported, "adpcm", nil},
		{"one channel after the other", fields + "channel_count -i 2\nchannels_interleaved -s5 FALSE\n", recording.CodeUnsupported, "interleave", nil},
		{"no field", fields + "rubbish\n", recording.CodeBroken, "not a name, a type and a value", nil},
		{"no type", fields + "a b c\n", recording.CodeBroken, "not a name, a type and a value", nil},
	} {
		_, got, err := decodetest.All(only, decodetest.SPHERE(tt.fields, []byte("\x00\x40\x00\xC0")), recording.Limits{}, 1)
		if decodetest.Code(err) != tt.code || tt.code != "" && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: error %q: %v, want %q: %s", tt.name, decodetest.Code(err), err, tt.code, tt.says)
		}
		if tt.samples != nil && (len(got) == 0 || !slices.Equal(got[0], tt.samples)) {
			t.Errorf("%s: samples %v, want %v", tt.name, got, tt.samples)
		}
	}
}

// TestSPHERETruncated cuts a file at every byte, and lies about the header's size.
func TestSPHERETruncated(t *testing.T) {
	t.Parallel()
	file := decodetest.SPHERE("sample_rate -i 8000\nsample_n_bytes -i 2\nsample_byte_format -s2 01\nsample_count -i 4\n", []byte("12345678"))
	for n := range file {
		_, got, err := decodetest.All(only, file[:n], recording.Limits{}, 3)
		if code := decodetest.Code(err); code != recording.CodeBroken && code != recording.CodeUnsupported {
			t.Errorf("the first %d bytes: error %v, want a fault", n, err)
		}
		if held := max(n-1024, 0) / 2; held > 0 && len(got[0]) != held {
			t.Errorf("the first %d bytes: %d samples, want %d", n, len(got[0]), held)
		}
	}
	for _, size := range []string{"     16", "      0", "     -1", "  99999", "9999999", "    abc", "    100", "   2048"} {
		lie := []byte(strings.Replace(string(file), "   1024", size, 1))
		if _, _, err := decodetest.All(only, lie, recording.Limits{}, 3); decodetest.Code(err) != recording.CodeBroken {
			t.Errorf("header of %q bytes: error %v, want a fault", size, err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	file := decodetest.SPHERE("sample_rate -i 8000\nchannel_count -i 2\nsample_n_bytes -i 2\nsample_byte_format -s2 01\n", make([]byte, 4*8000*60))
	decodetest.Benchmark(b, only, file)
}
