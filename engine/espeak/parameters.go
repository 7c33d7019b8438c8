package espeak

import (
	"vaak/engine"
	"vaak/voice"
)

// Parameters are the library's settings for an utterance. They are exported for measurements
// that compare the engine with the bare library.
type Parameters struct {
	Voice  string // the library's name of the language, with "+variant"
	Rate   int    // words per minute
	Pitch  int    // 0..99
	Range  int    // 0..99
	Volume int    // 0..200
}

// ParametersOf returns the parameters of an utterance. ok is false if the engine does not
// speak its language. A voice outside the roster gets the library's plain voice.
func ParametersOf(u engine.Utterance) (Parameters, bool) {
	return parametersOf(u, measuredAccents, timbres())
}

func parametersOf(u engine.Utterance, accented accents, table map[voice.ID]Timbre) (Parameters, bool) {
	region := u.Region
	if region == "" && u.Language == u.Voice.Native {
		region = u.Voice.Region
	}
	name, ok := voiceFor(u.Language, region, u.Text)
	if !ok {
		return Parameters{}, false
	}
	t := timbreIn(table, u.Voice.ID)
	volume := volumeIn(t, u.Voice.Native, u.Language, name)
	// In an accent the library speaks with the voice of the native language.
	if own, ok := accented.nativeOf(u); ok {
		name, volume = own, t.softer(accented.level(u.Voice.Native, u.Language))
	}
	if t.Variant != "" {
		name += "+" + t.Variant
	}
	return Parameters{Voice: name, Rate: t.Rate, Pitch: t.Pitch, Range: t.Range, Volume: volume}, true
}
