package level

import (
	"bytes"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"testing"

	"vaak/audio/audiotest"
	"vaak/catalogue"
	"vaak/internal/needed"
)

// FFmpeg's measurement of speech, by an implementation that is not ours.
func TestAgreesWithFFmpeg(t *testing.T) {
	t.Parallel()
	for _, rate := range []int{8000, 22050} {
		compare(t, "synthetic", rate, speech(rate, 10))
		compare(t, "low voice", rate, voice(rate, 8, 14, -60))
	}
	for _, voice := range []string{"en-gb", "hi", "ta"} {
		t.Run(voice, func(t *testing.T) {
			t.Parallel()
			x := espeak(t, voice)
			for _, rate := range []int{8000, 16000, 44100, 48000} {
				compare(t, voice, rate, resampled(t, x, 22050, rate))
			}
		})
	}
}

func compare(t *testing.T, name string, rate int, x []float32) {
	t.Helper()
	x = floats(int16s(x))
	got, want := measure(rate, x), ebur128(t, rate, x)
	what := fmt.Sprintf("%s at %d Hz: ", name, rate)
	near(t, what+"loudness", got.LoudnessLUFS, *want.LoudnessLUFS, 0.1)
	near(t, what+"range", got.LoudnessRangeLU, *want.LoudnessRangeLU, 0.1)
	near(t, what+"true peak", got.TruePeakDBTP, *want.TruePeakDBTP, 0.2)
	t.Logf("%s%.2f LUFS (%.1f), %.2f LU (%.1f), %.2f dBTP (%.1f)", what, *got.LoudnessLUFS, *want.LoudnessLUFS,
		*got.LoudnessRangeLU, *want.LoudnessRangeLU, *got.TruePeakDBTP, *want.TruePeakDBTP)
}

// ebur128 is what FFmpeg's filter of that name tells of samples as 16-bit ones. It
// measures at 48 kHz: at other rates its high pass gains what the standard's does
// not, 0.2 dB at 8 kHz.
func ebur128(t *testing.T, rate int, x []float32) catalogue.Channel {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "ffmpeg", "-hide_banner", "-nostats", "-f", "s16le", "-ac", "1", "-ar", strconv.Itoa(rate),
		"-i", "-", "-af", "aresample=48000:filter_size=256:cutoff=0.99,ebur128=peak=true", "-f", "null", "-")
	cmd.Stdin = bytes.NewReader(bytesOf(x))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("ffmpeg: %v\n%s", err, out)
	}
	_, summary, _ := bytes.Cut(out, []byte("Summary:"))
	figure := func(name string) *float64 {
		m := regexp.MustCompile(name + `:\s+(-?[0-9.]+) `).FindSubmatch(summary)
		if m == nil {
			t.Fatalf("no %s in what ffmpeg says:\n%s", name, out)
		}
		v, err := strconv.ParseFloat(string(m[1]), 64)
		if err != nil {
			t.Fatal(err)
		}
		return &v
	}
	return catalogue.Channel{LoudnessLUFS: figure("I"), LoudnessRangeLU: figure("LRA"), TruePeakDBTP: figure("Peak")}
}

// espeak is a text read by the program espeak-ng, at 22,050 Hz.
func espeak(t *testing.T, voice string) []float32 {
	t.Helper()
	program := needed.Program(t, "espeak-ng")
	text := map[string]string{
		"en-gb": "She sells sea shells by the sea shore, and sees sixty six ships. Good morning, this is the bank. How may I help you today?",
		"hi":    "नमस्ते, मैं बैंक से बोल रहा हूँ। आपका खाता कल बंद हो गया था। कृपया थोड़ी देर रुकिए, मैं देखता हूँ।",
		"ta":    "வணக்கம், நான் வங்கியிலிருந்து பேசுகிறேன். உங்கள் கணக்கு நேற்று மூடப்பட்டது. தயவுசெய்து காத்திருக்கவும்.",
	}[voice]
	wav, err := exec.CommandContext(t.Context(), program, "-v", voice, "--stdout", text).Output()
	if err != nil {
		t.Fatalf("espeak-ng: %v", err)
	}
	const header = 44
	pcm := wav[header:]
	return floats(audiotest.Samples(pcm))
}
