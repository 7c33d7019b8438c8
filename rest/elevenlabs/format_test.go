package elevenlabs_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"vaak/audio"
	"vaak/internal/fault"
	"vaak/rest/elevenlabs"
)

func TestParseFormat(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]audio.Format{
		"":               {Codec: audio.MP3, SampleRate: 44100, BitrateKbps: 128},
		"mp3_44100":      {Codec: audio.MP3, SampleRate: 44100, BitrateKbps: 128},
		"mp3_44100_128":  {Codec: audio.MP3, SampleRate: 44100, BitrateKbps: 128},
		"mp3_44100_192":  {Codec: audio.MP3, SampleRate: 44100, BitrateKbps: 192},
		"mp3_22050_32":   {Codec: audio.MP3, SampleRate: 22050, BitrateKbps: 32},
		"mp3_24000_48":   {Codec: audio.MP3, SampleRate: 24000, BitrateKbps: 48},
		"mp3_8000":       {Codec: audio.MP3, SampleRate: 8000}, // 128 cannot be made there
		"pcm_8000":       {Codec: audio.PCM, SampleRate: 8000},
		"pcm_16000":      {Codec: audio.PCM, SampleRate: 16000},
		"pcm_22050":      {Codec: audio.PCM, SampleRate: 22050},
		"pcm_24000":      {Codec: audio.PCM, SampleRate: 24000},
		"pcm_32000":      {Codec: audio.PCM, SampleRate: 32000},
		"pcm_44100":      {Codec: audio.PCM, SampleRate: 44100},
		"pcm_48000":      {Codec: audio.PCM, SampleRate: 48000},
		"ulaw_8000":      {Codec: audio.ULaw, SampleRate: 8000},
		"alaw_8000":      {Codec: audio.ALaw, SampleRate: 8000},
		"ulaw_16000":     {Codec: audio.ULaw, SampleRate: 16000},
		"opus_48000_32":  {Codec: audio.Opus, SampleRate: 48000, BitrateKbps: 32},
		"opus_48000_192": {Codec: audio.Opus, SampleRate: 48000, BitrateKbps: 192},
		"opus_48000":     {Codec: audio.Opus, SampleRate: 48000},
		"wav_16000":      {Codec: audio.WAV, SampleRate: 16000},
		"flac_44100":     {Codec: audio.FLAC, SampleRate: 44100},
		"aac_24000_96":   {Codec: audio.AAC, SampleRate: 24000, BitrateKbps: 96},
	} {
		if got, err := elevenlabs.ParseFormat(s); err != nil || got != want {
			t.Errorf("ParseFormat(%q) = %+v, %v, want %+v", s, got, err, want)
		}
	}
}

func TestParseFormatRefuses(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"mp3", "mp3_", "_44100", "mp3_44100_", "mp3_44100_128_", "mp3_44100_128_1", "MP3_44100_128", "mp3-44100-128", " mp3_44100", "mp3_44100 ",
		"ogg_44100", "mp4_44100", "mp3_11025", "mp3_96000", "mp3_0", "mp3_-44100", "mp3_+44100", "mp3_044100", "mp3_44100.0", "mp3_4.41e4",
		"mp3_44100_0", "mp3_44100_-128", "mp3_44100_0128", "mp3_44100_128k", "mp3_44100_99999999999999999999", "mp3_44100_1234567",
		"pcm_16000_256", "wav_44100_128", "ulaw_8000_64", "flac_44100_1", "mp3_44100_128\n", "\xff", strings.Repeat("mp3_", 1000),
	} {
		_, err := elevenlabs.ParseFormat(s)
		f, ok := errors.AsType[*fault.Error](err)
		if !ok || f.Kind != fault.Invalid || f.Code != fault.CodeInvalidParameter || f.Field != "output_format" {
			t.Errorf("ParseFormat(%q) = %v, want an error about output_format", s, err)
			continue
		}
		sent := strings.Trim(fmt.Sprintf("%.64q", s), `"`)
		if !strings.Contains(f.Msg, sent) || !strings.Contains(f.Msg, "pcm_24000") || len(f.Msg) > 600 {
			t.Errorf("ParseFormat(%q): %q does not say what was sent and what is allowed", s, f.Msg)
		}
	}
}

// FuzzParseFormat: what is taken is what was written, and is refused otherwise.
func FuzzParseFormat(f *testing.F) {
	for _, s := range []string{"", "mp3_44100_128", "pcm_16000", "opus_48000_64", "mp3_٤٤١٠٠", "aac__", "mp3_44100_1e2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := elevenlabs.ParseFormat(s)
		if err != nil {
			if fault.KindOf(err) != fault.Invalid {
				t.Errorf("ParseFormat(%q) = %v", s, err)
			}
			return
		}
		if !got.Codec.Known() || !slices.Contains(audio.SampleRates, got.SampleRate) || got.BitrateKbps < 0 || got.BitrateKbps > 0 && !got.Codec.Lossy() {
			t.Errorf("ParseFormat(%q) = %+v", s, got)
		}
		short := fmt.Sprintf("%s_%d", got.Codec, got.SampleRate)
		if long := fmt.Sprintf("%s_%d", short, got.BitrateKbps); s != "" && s != short && s != long {
			t.Errorf("ParseFormat(%q) = %+v", s, got)
		}
	})
}
