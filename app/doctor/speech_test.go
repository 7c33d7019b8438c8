package doctor

import (
	"testing"
	"time"

	"vaak/audio"
	"vaak/engine/enginetest"
	"vaak/internal/checkup"
)

func TestSpeedFinding(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		first  time.Duration
		factor float64
		want   checkup.State
	}{
		{time.Millisecond, 0.002, checkup.OK}, {slowFirstAudio, slowRealTime, checkup.OK},
		{slowFirstAudio + 1, 0.002, checkup.Warning}, {time.Millisecond, 0.06, checkup.Warning},
	} {
		if f := speedFinding(audio.PCM, pace{tt.first, tt.factor}); f.State != tt.want {
			t.Errorf("%v, %v: %+v, want %s", tt.first, tt.factor, f, tt.want)
		}
	}
}

func TestLoudness(t *testing.T) {
	t.Parallel()
	l := &loudness{}
	for _, b := range [][]byte{{1, 0}, {0, 0x80, 5, 0}, {0xff, 0x7f}} {
		if n, err := l.Write(b); n != len(b) || err != nil {
			t.Fatal(n, err)
		}
	}
	if l.peak != 32768 {
		t.Errorf("peak %d, want 32768", l.peak)
	}
}

// TestVoiceBoxThatIsLate brings an engine after it was closed, which ends it.
func TestVoiceBoxThatIsLate(t *testing.T) {
	t.Parallel()
	var b voiceBox
	b.close()
	if version, err := b.open(enginetest.Worker(t), "", nil); err != nil || version != "" || b.speaker() != nil {
		t.Errorf("open = %q, %v; speaker %v; want nothing", version, err, b.speaker())
	}
}
