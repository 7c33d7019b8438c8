package espeak

import (
	"testing"

	"vaak/voice"
)

func TestParametersOf(t *testing.T) {
	t.Parallel()
	v := voice.Default("hi")
	p, ok := ParametersOf("hi", v.ID)
	timbre := timbreOf(v.ID)
	want := Parameters{Voice: "hi+" + timbre.Variant, Rate: timbre.Rate, Pitch: timbre.Pitch, Range: timbre.Range, Volume: timbre.Volume}
	if timbre.Variant == "" {
		want.Voice = "hi"
	}
	if !ok || p != want {
		t.Errorf("ParametersOf(hi, %s) = %+v, %v; want %+v", v.ID, p, ok, want)
	}
	if p, ok := ParametersOf("en", ""); !ok || p.Voice != "en-us" {
		t.Errorf("ParametersOf(en, no voice) = %+v, %v; want the plain voice en-us", p, ok)
	}
	if _, ok := ParametersOf("xx", v.ID); ok {
		t.Error("ParametersOf speaks a language that there is not")
	}
}
