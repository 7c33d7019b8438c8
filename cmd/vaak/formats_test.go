package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"vaak/audio"
	"vaak/audio/audiotest"
)

// decoded says how a format is read back.
type decoded struct {
	codec string                  // as FFmpeg names it
	input func(rate int) []string // of a file that does not describe itself
	// slack is by how many samples a decoded stream may be longer than its PCM,
	// for want of a place to declare delay and padding, whole and streamed: the
	// codec's delay and two frames.
	whole, streamed func(rate int) int
}

func bare(format string) func(int) []string {
	return func(rate int) []string { return []string{"-f", format, "-ar", strconv.Itoa(rate)} }
}

// within is 25 ms.
func within(rate int) int { return rate / 40 }

func decodings() map[audio.Codec]decoded {
	none := func(int) []string { return nil }
	mp3 := func(rate int) int { // LAME delays by 1,105 samples, the decoder by 529
		frame := 576
		if rate >= 32000 {
			frame = 1152
		}
		return 1105 + 529 + 2*frame
	}
	aac := func(int) int { return 1600 + 2*1024 }
	return map[audio.Codec]decoded{
		audio.MP3:  {"mp3", none, within, mp3},
		audio.Opus: {"opus", none, within, within},
		audio.AAC:  {"aac", none, aac, aac},
		audio.FLAC: {"flac", none, within, within},
		audio.WAV:  {"pcm_s16le", none, within, within},
		audio.PCM:  {"pcm_s16le", bare("s16le"), within, within},
		audio.ULaw: {"pcm_mulaw", bare("mulaw"), within, within},
		audio.ALaw: {"pcm_alaw", bare("alaw"), within, within},
	}
}

const sentence = "Seven brave sailors crossed the shallow river, singing."

// TestLengthyFormats asks for every format at every rate, buffered and streamed, and
// has an independent decoder judge what comes.
func TestLengthyFormats(t *testing.T) {
	t.Parallel()
	s := start(t)
	rates := audio.SampleRates
	if testing.Short() {
		rates = []int{8000, 24000, 44100}
	}
	for _, rate := range rates {
		plain := audiotest.Samples(s.mustSpeak(map[string]any{"input": sentence, "response_format": "pcm", "sample_rate": rate}))
		for _, codec := range audio.Codecs {
			for _, stream := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%d/stream=%t", codec, rate, stream), func(t *testing.T) {
					body := map[string]any{"input": sentence, "response_format": codec, "sample_rate": rate, "stream": stream}
					checkFormat(t, s.mustSpeak(body), plain, codec, rate, stream)
				})
			}
		}
	}
}

func checkFormat(t *testing.T, file []byte, plain []int16, codec audio.Codec, rate int, stream bool) {
	t.Helper()
	how := decodings()[codec]
	played := rate
	if codec == audio.Opus {
		played = 48000
		head := strings.Index(string(file), "OpusHead")
		if got := binary.LittleEndian.Uint32(file[head+12:]); int(got) != rate {
			t.Errorf("OpusHead declares an input rate of %d, want %d", got, rate)
		}
	}
	want := audiotest.Stream{Codec: how.codec, SampleRate: played, Channels: 1}
	if got := audiotest.Probe(t, file, how.input(rate)...); got != want {
		t.Errorf("ffprobe reads %+v, want %+v", got, want)
	}
	got := audiotest.Decode(t, file, rate, how.input(rate)...)
	slack := how.whole(rate)
	if stream {
		slack = how.streamed(rate)
	}
	if d := len(got) - len(plain); d < -within(rate) || d > slack {
		t.Errorf("%d samples decoded, %d more than the PCM of the same request; want at most %d", len(got), d, slack)
	}
	switch codec {
	case audio.WAV, audio.FLAC, audio.PCM:
		if !slices.Equal(got, plain) {
			t.Errorf("a lossless format differs from the PCM: SNR %.1f dB", audiotest.SNR(plain, got))
		}
	case audio.ULaw, audio.ALaw:
		if snr := audiotest.SNR(plain, got); snr < 30 || math.IsInf(snr, 1) {
			t.Errorf("SNR %.1f dB, want at least 30", snr)
		}
	default:
		if rate != 24000 {
			return
		}
		if c, lag := audiotest.Correlate(plain, got, slack); c < 0.95 {
			t.Errorf("correlation with the PCM %.3f at a lag of %d, want at least 0.95", c, lag)
		}
	}
}

// TestMissingLibrary starts a server whose LAME cannot be loaded.
func TestMissingLibrary(t *testing.T) {
	libraries := t.TempDir()
	if err := os.WriteFile(filepath.Join(libraries, "libmp3lame.so.0"), []byte("no library"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("LD_LIBRARY_PATH", libraries)
	s := start(t)
	resp, err := http.Get(s.public + "/health")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	health, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(health), `"stream_formats":["opus","aac","flac","wav","pcm","ulaw","alaw"]`) {
		t.Errorf("/health = %s, %v; want all formats but mp3", health, err)
	}
	_, err = s.speak(map[string]any{"input": "Hello.", "response_format": "mp3"})
	if want := `is not available here; available: opus, aac, flac, wav, pcm, ulaw, alaw`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("mp3: %v, want a refusal that says %q", err, want)
	}
	s.mustSpeak(map[string]any{"input": "Hello.", "response_format": "opus"})
	// The clip of a voice comes in a format that there is.
	voices, err := http.Get(s.public + "/v1/voices")
	if err != nil {
		t.Fatal(err)
	}
	defer voices.Body.Close()
	list, err := io.ReadAll(voices.Body)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(list), `"preview_url":"`)
	url, _, _ := strings.Cut(rest, `"`)
	preview, err := http.Get(s.public + url)
	if err != nil {
		t.Fatal(err)
	}
	defer preview.Body.Close()
	if got := preview.Header.Get("Content-Type"); preview.StatusCode != http.StatusOK || got != "audio/wav" {
		t.Errorf("preview: status %d, %s; want a WAV", preview.StatusCode, got)
	}
}
