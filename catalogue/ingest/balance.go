package ingest

import (
	"vaak/catalogue"
	"vaak/catalogue/measure"
)

// balance returns how the speech is divided among the named speakers; nil unless it is known of
// every recording who speaks on it: one name for all of it, or, if each channel has a speaker,
// a name for each channel.
func balance(all []Measured) *catalogue.SpeakerBalance {
	seconds := map[string]float64{}
	var each []int
	for _, m := range all {
		each = append(each, len(m.Speakers))
		switch {
		// A second person speaks on a dual recording, whose name is not known.
		case len(m.Speakers) == 1 && m.Measure.Layout != catalogue.Dual:
			seconds[m.Speakers[0]] += m.Measure.Profile.Speech.SpeechS
		case m.ByChannel && len(m.Speakers) == len(m.Measure.Speech) && m.Measure.Layout == catalogue.Dual:
			for c, name := range m.Speakers {
				seconds[name] += measure.Seconds(m.Measure.Speech[c])
			}
		default:
			return nil
		}
	}
	return measure.Balance(seconds, each)
}
