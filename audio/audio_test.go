package audio

import (
	"mime"
	"slices"
	"strconv"
	"testing"
)

func TestContentType(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		format    Format
		want, ext string
	}{
		{Format{Codec: MP3, SampleRate: 24000}, "audio/mpeg", "mp3"},
		{Format{Codec: Opus, SampleRate: 24000}, "audio/ogg", "ogg"},
		{Format{Codec: AAC, SampleRate: 44100}, "audio/aac", "aac"},
		{Format{Codec: FLAC, SampleRate: 48000}, "audio/flac", "flac"},
		{Format{Codec: WAV, SampleRate: 24000}, "audio/wav", "wav"},
		{Format{Codec: PCM, SampleRate: 22050}, "audio/pcm; rate=22050; channels=1", "pcm"},
		{Format{Codec: ULaw, SampleRate: 8000}, "audio/basic", "ulaw"},
		{Format{Codec: ULaw, SampleRate: 16000}, "audio/PCMU; rate=16000", "ulaw"},
		{Format{Codec: ALaw, SampleRate: 8000}, "audio/x-alaw-basic", "alaw"},
		{Format{Codec: ALaw, SampleRate: 24000}, "audio/PCMA; rate=24000", "alaw"},
	} {
		if got := tt.format.ContentType(); got != tt.want {
			t.Errorf("%+v: ContentType() = %q, want %q", tt.format, got, tt.want)
		}
		if got := tt.format.Extension(); got != tt.ext {
			t.Errorf("%+v: Extension() = %q, want %q", tt.format, got, tt.ext)
		}
	}
}

// TestContentTypesAreTrue checks every format: the type parses, and raw formats
// carry the rate unless their type implies it.
func TestContentTypesAreTrue(t *testing.T) {
	t.Parallel()
	for _, c := range Codecs {
		for _, rate := range SampleRates {
			f := Format{Codec: c, SampleRate: rate}
			_, params, err := mime.ParseMediaType(f.ContentType())
			if err != nil {
				t.Errorf("%+v: %q: %v", f, f.ContentType(), err)
				continue
			}
			raw := c == PCM || (c == ULaw || c == ALaw) && rate != 8000
			want := ""
			if raw {
				want = strconv.Itoa(rate)
			}
			if got := params["rate"]; got != want {
				t.Errorf("%+v: rate parameter %q, want %q", f, got, want)
			}
		}
	}
}

func TestCodecs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		codec        Codec
		known, lossy bool
	}{
		{MP3, true, true}, {Opus, true, true}, {AAC, true, true},
		{FLAC, true, false}, {WAV, true, false}, {PCM, true, false}, {ULaw, true, false}, {ALaw, true, false},
		{"", false, false}, {"MP3", false, false}, {"ogg", false, false},
	} {
		if got := tt.codec.Known(); got != tt.known {
			t.Errorf("%q.Known() = %t, want %t", tt.codec, got, tt.known)
		}
		if got := tt.codec.Lossy(); got != tt.lossy {
			t.Errorf("%q.Lossy() = %t, want %t", tt.codec, got, tt.lossy)
		}
	}
	if !slices.IsSorted(SampleRates) || !slices.Contains(SampleRates, DefaultSampleRate) {
		t.Errorf("SampleRates %v are not ascending or lack %d", SampleRates, DefaultSampleRate)
	}
}
