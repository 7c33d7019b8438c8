package speech_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"vaak/audio"
	"vaak/audio/audiotest"
	"vaak/audio/codec"
	"vaak/speech"
)

// marks begin the one container of each format that has one.
var marks = map[audio.Codec]string{audio.WAV: "RIFF", audio.Opus: "OpusHead", audio.FLAC: "fLaC"}

// raw are ffmpeg's arguments for what does not describe itself.
func raw(f audio.Format) []string {
	name := map[audio.Codec]string{audio.PCM: "s16le", audio.ULaw: "mulaw", audio.ALaw: "alaw"}[f.Codec]
	if name == "" {
		return nil
	}
	return []string{"-f", name, "-ar", fmt.Sprint(f.SampleRate)}
}

// delay is how many samples later than it was put in a decoder gives out sound.
func delay(f audio.Format) int {
	switch f.Codec {
	case audio.MP3:
		return 1105
	case audio.AAC:
		return 1600
	}
	return 0
}

// TestOneEncoderASession has 20 flushes in each format and speed, each when what
// was flushed before was said.
func TestOneEncoderASession(t *testing.T) {
	t.Parallel()
	var steps []string
	for i := range 20 {
		steps = append(steps, []string{"Hello there. ", "And so ", "on it goes"}[i%3], flush)
	}
	text := strings.ReplaceAll(strings.Join(steps, ""), flush, "")
	for i, c := range codec.Available() {
		for _, speed := range []float64{1, []float64{0.7, 1.5}[i%2]} {
			f, err := codec.Check(audio.Format{Codec: c, SampleRate: []int{24000, 8000, 48000}[i%3]})
			if err != nil {
				t.Fatal(err)
			}
			t.Run(fmt.Sprintf("%s/%d/%g", c, f.SampleRate, speed), func(t *testing.T) {
				t.Parallel()
				testFormat(t, f, speed, text, steps)
			})
		}
	}
}

func testFormat(t *testing.T, f audio.Format, speed float64, text string, steps []string) {
	w, pcm := &follower{}, &listener{}
	var sent, heard []int
	synctest.Test(t, func(t *testing.T) {
		s := newService(t, speech.Config{})
		req := speech.SessionRequest{Language: "en", Format: f, Speed: speed}
		sent = slowly(t, s, req, w, steps...)
		req.Format = audio.Format{Codec: audio.PCM, SampleRate: f.SampleRate}
		heard = slowly(t, s, req, pcm, steps...)
	})
	file := w.got()
	if mark := marks[f.Codec]; mark != "" && bytes.Count(file, []byte(mark)) != 1 {
		t.Errorf("%d times %s, want once", bytes.Count(file, []byte(mark)), mark)
	}
	decoded := audiotest.Decode(t, file, f.SampleRate, raw(f)...)
	told := w.written[len(w.written)-1].End
	if got, want := len(decoded), told*f.SampleRate/1000; got < want-20 || got > want+delay(f)+3*1152 {
		t.Errorf("%d samples, %d were told of", got, want)
	}
	var written strings.Builder
	for _, a := range w.written {
		written.WriteString(strings.Join(a.Characters, ""))
	}
	if strings.TrimSpace(written.String()) != strings.TrimSpace(text) {
		t.Errorf("told %q, want %q", written.String(), text)
	}
	// LAME makes everything a little softer.
	gain := energy(decoded) / energy(pcm.pcm())
	if gain < 0.85 || gain > 1.05 {
		t.Errorf("all has %.3f of the sound", gain)
	}
	for _, flush := range []int{0, 1, 2, 10, 19} {
		i := 2*flush + 1
		want := gain * energy(audiotest.Samples(pcm.got()[:heard[i]]))
		if got := energy(cut(t, file[:sent[i]], f)); got < 0.97*want || got > 1.03*want {
			t.Errorf("flush %d: what was sent has %.3f of the sound that was said", flush, got/want)
		}
	}
}

func energy(pcm []int16) (sum float64) {
	for _, v := range pcm {
		sum += float64(v) * float64(v)
	}
	return sum
}

// cut decodes a file that was cut off, of which ffmpeg may complain.
func cut(t *testing.T, file []byte, f audio.Format) []int16 {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-v", "quiet"}, raw(f)...)
	out, err := exec.Command("ffmpeg", append(args, "-i", path, "-f", "s16le", "-ac", "1", "-ar", fmt.Sprint(f.SampleRate), "-")...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return audiotest.Samples(out)
}
