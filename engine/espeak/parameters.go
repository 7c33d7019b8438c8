package espeak

import (
	"vaak/lang"
	"vaak/voice"
)

// Parameters are what the library is set to when a voice of the roster speaks a
// language: for measurements that compare with the library alone.
type Parameters struct {
	Voice  string // the library's name of the language, with "+variant"
	Rate   int    // words per minute
	Pitch  int    // 0..99
	Range  int    // 0..99
	Volume int    // 0..200
}

// ParametersOf returns the parameters of a voice in a language, and false for a
// language that the engine does not speak. A voice that is not in the roster
// has the library's plain voice.
func ParametersOf(code lang.Code, id voice.ID) (Parameters, bool) {
	name, ok := voiceName(code)
	if !ok {
		return Parameters{}, false
	}
	t := timbreOf(id)
	if t.Variant != "" {
		name += "+" + t.Variant
	}
	return Parameters{Voice: name, Rate: t.Rate, Pitch: t.Pitch, Range: t.Range, Volume: t.Volume}, true
}
