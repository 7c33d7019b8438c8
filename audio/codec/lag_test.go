package codec

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"vaak/audio"
	"vaak/audio/audiotest"
)

// TestLag encodes speech and as much silence as [Lag] says, at odd lengths, and
// has what was written until then decoded: all of the speech must be in it, as late
// as the decoder gives it out.
func TestLag(t *testing.T) {
	t.Parallel()
	for _, codec := range Available() {
		for _, rate := range audio.SampleRates {
			f, err := Check(audio.Format{Codec: codec, SampleRate: rate})
			if err != nil {
				t.Fatal(err)
			}
			t.Run(fmt.Sprintf("%s/%d", codec, rate), func(t *testing.T) {
				t.Parallel()
				in := InputRate(f)
				lag := int(Lag(f) * time.Duration(in) / time.Second)
				if held := time.Duration(lag) * time.Second / time.Duration(in); held > 350*time.Millisecond {
					t.Errorf("Lag(%+v) = %v, want a third of a second at most", f, held)
				}
				for _, n := range []int{in/4 + 577, in*83/100 + 1023} {
					testLag(t, f, n, lag)
				}
			})
		}
	}
}

func testLag(t *testing.T, f audio.Format, n, lag int) {
	var r record
	w, err := NewEncoder(&r, f, Stream)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = w.Close() }() // only what came before counts
	if err := w.WritePCM(append(audiotest.Speech(InputRate(f), n), make([]int16, lag)...)); err != nil {
		t.Fatal(err)
	}
	late, in := 0, InputRate(f)
	switch f.Codec {
	case audio.MP3:
		late = mp3Delay
	case audio.AAC:
		late = aacDelay
	}
	if got := decodeCut(t, r.all(), f); got < n+late {
		t.Errorf("%d samples at %d Hz and a lag of %d decode to %d before Close, want %d", n, in, lag, got, n+late)
	}
}

// decodeCut returns how many samples, at the encoder's rate, are in a file that was
// cut off.
func decodeCut(t *testing.T, file []byte, f audio.Format) int {
	t.Helper()
	path, rate := filepath.Join(t.TempDir(), "file"), InputRate(f)
	switch f.Codec {
	case audio.ULaw, audio.ALaw:
		return len(file)
	case audio.WAV, audio.PCM:
		return len(file) / 2
	}
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	if f.Codec == audio.Opus {
		rate = opusRate // of every decoder; converting it would cost samples
	}
	out, err := exec.Command("ffmpeg", "-v", "quiet", "-i", path, "-f", "s16le", "-ac", "1", "-ar", fmt.Sprint(rate), "-").Output()
	if err != nil {
		t.Fatal(err)
	}
	return len(out) / 2 * InputRate(f) / rate
}
