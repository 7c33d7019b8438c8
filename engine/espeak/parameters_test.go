package espeak

import (
	"testing"

	"vaak/engine"
	"vaak/voice"
)

func TestParametersOf(t *testing.T) {
	t.Parallel()
	v := voice.Default("hi")
	p, ok := ParametersOf(engine.Utterance{Language: "hi", Voice: v})
	timbre := timbreOf(v.ID)
	want := Parameters{Voice: "hi+" + timbre.Variant, Rate: timbre.Rate, Pitch: timbre.Pitch, Range: timbre.Range, Volume: timbre.Volume}
	if timbre.Variant == "" {
		want.Voice = "hi"
	}
	if !ok || p != want {
		t.Errorf("ParametersOf(hi, %s) = %+v, %v; want %+v", v.ID, p, ok, want)
	}
	if p, ok := ParametersOf(engine.Utterance{Language: "en"}); !ok || p.Voice != "en-us" {
		t.Errorf("ParametersOf(en, no voice) = %+v, %v; want the plain voice en-us", p, ok)
	}
	if _, ok := ParametersOf(engine.Utterance{Language: "xx", Voice: v}); ok {
		t.Error("ParametersOf speaks a language that there is not")
	}
}
