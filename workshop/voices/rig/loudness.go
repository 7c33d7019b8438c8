package rig

import (
	"context"
	"fmt"

	"vaak/catalogue/measure/level"
	"vaak/engine"
	"vaak/lang"
	"vaak/voice"
)

// TargetLUFS is the level to which the volume of every voice is set, in LUFS.
const TargetLUFS = -24.5

// Speak returns the samples of a text.
func Speak(ctx context.Context, e engine.Engine, v voice.Voice, code lang.Code, text string) ([]int16, error) {
	var pcm []int16
	u := engine.Utterance{Text: text, Language: code, Voice: v}
	err := e.Synthesize(ctx, u, engine.SinkFunc(func(f engine.Frame) error {
		pcm = append(pcm, f.PCM...)
		return nil
	}))
	if err != nil {
		return nil, fmt.Errorf("speak %s with %s: %w", code, v.ID, err)
	}
	return pcm, nil
}

// Loudness measures the level of speech as one listener hears it: all that was
// spoken, in a row.
type Loudness struct {
	meter   *level.Meter
	Peak    int // highest magnitude of a sample, 0..32,768
	Clipped int // samples at full scale
}

// NewLoudness returns a meter of samples at a rate in Hz.
func NewLoudness(rate int) *Loudness { return &Loudness{meter: level.NewMeter(rate)} }

// Write adds samples.
func (l *Loudness) Write(pcm []int16) {
	x := make([]float32, len(pcm))
	for i, s := range pcm {
		x[i] = float32(s) / 32768
		m := int(max(s, -max(s, -32767)))
		l.Peak = max(l.Peak, m)
		if m == 32767 {
			l.Clipped++
		}
	}
	l.meter.Write(x)
}

// LUFS returns the integrated loudness; the error says that there is none.
func (l *Loudness) LUFS() (float64, error) {
	v := l.meter.Result().Channel.LoudnessLUFS
	if v == nil {
		return 0, fmt.Errorf("less than 0.4 s of sound")
	}
	return *v, nil
}
