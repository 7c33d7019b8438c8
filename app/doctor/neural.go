package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"vaak/account"
	"vaak/app/speaker"
	"vaak/audio"
	"vaak/engine/onnx/collection"
	"vaak/internal/checkup"
	"vaak/speech"
	"vaak/voice"
)

// neural checks the voices that the operator has added: their files, ONNX Runtime, and a sentence
// by the first of them.
func (p *Patient) neural(ctx context.Context) (f checkup.Finding) {
	models, err := collection.In(p.Engine.Neural.Dir).List()
	if err != nil {
		return checkup.Fail("Add these models again with vaak voice add, or remove their folders.", "%v", err)
	}
	if len(models) == 0 {
		return checkup.Good("no voices were added")
	}
	voices := 0
	for _, m := range models {
		voices += len(m.Speakers)
		info, err := os.Stat(m.ModelPath())
		if err == nil && info.Size() != m.Bytes {
			err = fmt.Errorf("%s has %d bytes, and had %d when it was added", m.ModelPath(), info.Size(), m.Bytes)
		}
		if err != nil {
			return checkup.Fail("Add the model again with vaak voice add.", "%s: %v", m.Name, err)
		}
	}
	if p.voice.speaker() == nil {
		return checkup.Skip("the engine does not start")
	}
	local := p.Engine
	local.Pools = "" // which have a check of their own
	engines, err := local.Open(p.log)
	if err != nil {
		return checkup.Fail("See what engine says.", "%v", err)
	}
	defer func() { _ = engines.Close() }() // nothing depends on how it ends
	if err := engines.Neural.Start(); err != nil {
		return checkup.Fail("Install ONNX Runtime (tools/install onnx), or name its library with --onnxruntime.", "%v", err)
	}
	if usable := engines.Neural.Figures().Voices; usable < voices {
		return checkup.Fail("Add their models again with vaak voice add; the log of the server says what is wrong with each.",
			"%d of %d added voices cannot be used", voices-usable, voices)
	}
	first := models[0].Voice(models[0].Speakers[0])
	m, err := p.tried(ctx, engines, first)
	if err != nil {
		return checkup.Fail("Try vaak voice test, and add the model again with vaak voice add.", "%s (%s): %v", first.ID, first.Name, err)
	}
	f = checkup.Good("ONNX Runtime %s, models %d, voices %d; %s: first audio after %.0f ms, real-time factor %.3f",
		engines.Neural.Version(), len(models), voices, first.Name, float64(m.first.Microseconds())/1000, m.factor)
	f.Figures = map[string]float64{
		"models": float64(len(models)), "voices": float64(voices), "first_audio_ms": float64(m.first.Microseconds()) / 1000, "real_time_factor": m.factor,
	}
	return f
}

// tried has an added voice speak its preview twice, and measures the second time: before that its
// model is loaded.
func (p *Patient) tried(ctx context.Context, engines *speaker.Engines, v voice.Voice) (pace, error) {
	svc, err := speaker.New(engines, account.Unmetered{}, speaker.Voices{}, speaker.Kept{}, p.log)
	if err != nil {
		return pace{}, err
	}
	var last pace
	for range 2 {
		heard, first := &loudness{}, &firstWrite{}
		began := time.Now()
		r, err := svc.Speak(ctx, account.Local, speech.Request{
			Text: voice.PreviewText(v.PreviewLanguage), Language: string(v.PreviewLanguage), Voice: string(v.ID), Stream: true,
			Format: audio.Format{Codec: audio.PCM, SampleRate: measuredRate},
		}, both{heard, first})
		switch took := time.Since(began); {
		case err != nil:
			return pace{}, err
		case heard.peak < audiblePeak || r.Duration < audibleTime:
			return pace{}, errors.New("there is no audio, or it is too quiet")
		default:
			last = pace{first.at.Sub(began), took.Seconds() / r.Duration.Seconds()}
		}
	}
	return last, nil
}

// both writes to two measures.
type both struct {
	loud  *loudness
	first *firstWrite
}

// Write takes samples.
func (b both) Write(p []byte) (int, error) {
	_, _ = b.first.Write(p) // never fails
	return b.loud.Write(p)
}
