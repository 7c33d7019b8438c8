package write

import (
	"fmt"
	"strconv"

	"vaak/catalogue"
	"vaak/catalogue/clean"
)

// unit is a unit with its code of UN/CEFACT Recommendation 20, or a text if it has no code.
type unit struct{ code, text string }

var (
	ratio     = unit{code: "C62"} // one
	pieces    = unit{code: "C62"}
	hours     = unit{"HUR", "hours"}
	seconds   = unit{"SEC", "s"}
	millis    = unit{"C26", "ms"}
	perMinute = unit{"C94", "per minute"} // C94 is the reciprocal minute
	hertz     = unit{"HTZ", "Hz"}
	decibels  = unit{"2N", "dB"}
	lufs      = unit{text: "LUFS"}
	outOf100  = unit{text: "0 to 100"}
)

// figure is a measured value of the record. path is where the value is in the record: names of
// members and indices from 0, with dots between them.
type figure struct {
	name, path string
	value      float64
	min, max   *float64
	unit       unit
	how        string
}

// measuredValues returns all figures in the form of schema.org. Declared values are not among them.
func measuredValues(d *catalogue.Dataset) []measuredJSON {
	var out []measuredJSON
	for _, f := range append(wholeFigures(d), sampleFigures(d)...) {
		out = append(out, measuredJSON{
			Type: "PropertyValue", Name: f.name, PropertyID: f.path, Value: f.value, Min: f.min, Max: f.max,
			UnitCode: f.unit.code, UnitText: f.unit.text, Technique: f.how,
		})
	}
	return out
}

// wholeFigures returns the figures of all files together.
func wholeFigures(d *catalogue.Dataset) []figure {
	all := []figure{
		{name: "volume", path: "hours", value: d.Hours, unit: hours, how: "sum over the audio of all files"},
		{name: "recordings", path: "recordings", value: float64(d.Recordings), unit: pieces, how: "count of the audio files"},
	}
	if d.Speakers != nil {
		all = append(all, figure{name: "speakers", path: "speakers", value: float64(*d.Speakers), unit: pieces,
			how: "count of the different names of speakers"})
	}
	if s := d.Specification; s != nil {
		all = append(all, specified(s)...)
	}
	if m := d.Measurements; m != nil {
		all = append(all, talked(m)...)
	}
	return all
}

// specified returns the figures of what the files are.
func specified(s *catalogue.Specification) []figure {
	how := method(s.Method)
	all := spread(nil, "signal-to-noise ratio", "specification.snrDb", s.SNRDB, decibels, how)
	all = spread(all, "integrated loudness", "specification.loudnessLufs", s.LoudnessLUFS, lufs, how+", ITU-R BS.1770-4")
	all = spread(all, "effective bandwidth", "specification.effectiveBandwidthHz", s.EffectiveBandwidthHz, hertz, how)
	all = spread(all, "reverberation time", "specification.reverbTimeS", s.ReverbTimeS, seconds, how+"; "+blind)
	all = spread(all, "time before the first speech", "specification.leadS", s.LeadS, seconds, how)
	all = spread(all, "time after the last speech", "specification.trailS", s.TrailS, seconds, how)
	all = spread(all, "lag of transcripts", "specification.alignmentLagMs", s.AlignmentLagMs, millis, how)
	if c := s.Duplicates; c != nil {
		all = append(all,
			figure{name: "files that are copies", path: "specification.duplicates.exactFiles", value: float64(c.ExactFiles), unit: pieces, how: "SHA-256"},
			figure{name: "files with the sound of another", path: "specification.duplicates.acousticFiles", value: float64(c.AcousticFiles), unit: pieces,
				how: how + ", fingerprints after Haitsma and Kalker 2002"})
	}
	all = spread(all, "leakage between channels", "specification.leakageDb", s.LeakageDB, decibels, how)
	all = spread(all, "speech covered by transcripts", "specification.transcriptCoverage", s.TranscriptCoverage, ratio, how)
	if t := s.DurationS; s.MeasuredFrom.Files > 0 {
		all = spread(all, "duration of a recording", "specification.durationS", &catalogue.Spread{
			Count: s.MeasuredFrom.Files, Min: t.Min, Median: t.Median, Max: t.Max,
		}, seconds, how)
	}
	return all
}

// talked returns the figures of how people talk.
func talked(m *catalogue.Measurements) []figure {
	how := method(m.Method)
	all := spread(nil, "silence ratio", "measurements.silenceRatio", m.SilenceRatio, ratio, how)
	if s := m.Speakers; s != nil {
		all = append(all,
			figure{name: "effective number of speakers", path: "measurements.speakers.effective", value: s.Effective, unit: pieces, how: "exponential of the entropy of their speech; " + how},
			figure{name: "share of the speaker who speaks most", path: "measurements.speakers.topShare", value: s.TopShare, unit: ratio, how: how})
	}
	if t := m.TurnTaking; t != nil {
		all = spread(all, "overlap ratio", "measurements.turnTaking.overlapRatio", t.OverlapRatio, ratio, how)
		all = spread(all, "floor-transfer offset, median of a recording", "measurements.turnTaking.ftoMedianMs", t.FTOMedianMs, millis, how)
		all = spread(all, "turns per minute", "measurements.turnTaking.turnsPerMin", t.TurnsPerMin, perMinute, how)
		all = spread(all, "backchannels per minute", "measurements.turnTaking.backchannelsPerMin", t.BackchannelsPerMin, perMinute, how)
	}
	if w := m.Words; w != nil {
		how := "words of the transcripts"
		all = spread(all, "words per minute", "measurements.lexical.wordsPerMin", w.WordsPerMin, perMinute, "of transcribed time; "+how)
		all = spread(all, "share of words in Latin letters", "measurements.lexical.englishShare", w.EnglishShare, ratio, how)
		all = spread(all, "code-mixing index", "measurements.lexical.codeMixIndex", w.CodeMixIndex, outOf100, codeMix+", "+how)
	}
	return all
}

// codeMix says who defined the code-mixing index, and how languages are told apart.
const codeMix = "Das and Gambäck 2014 with languages told by script"

// blind says what a reverberation time of speech is: no measurement of a room with an impulse.
const blind = "blind estimate from decays of speech, of which about 0.25 s are the speech itself"

// spread appends the median of a figure over files, with minimum and maximum if files differ.
func spread(all []figure, name, path string, s *catalogue.Spread, u unit, how string) []figure {
	// A figure of no files is unknown. Written as 0 it would read as a measurement.
	if s == nil || s.Count == 0 {
		return all
	}
	f := figure{name: name, path: path + ".median", value: s.Median, unit: u, how: "median over " + count(s.Count, "file") + "; " + how}
	// If all files have the same value, a range would say nothing.
	if s.Min < s.Max {
		f.min, f.max = &s.Min, &s.Max
	}
	return append(all, f)
}

// sampleFigures returns the figures of the sample.
func sampleFigures(d *catalogue.Dataset) []figure {
	s := d.Sample
	if s == nil {
		return nil
	}
	on := "; measured on the public sample"
	if id := clean.Line(s.Recording); id != "" {
		on += ", recording " + id
	}
	p := &s.Metrics
	how := method(p.Method) + on
	all := []figure{
		{name: "duration of the sample", path: "sample.durationS", value: s.DurationS, unit: seconds, how: how},
		{name: "silence ratio of the sample", path: "sample.metrics.speech.silenceRatio", value: p.Speech.SilenceRatio, unit: ratio, how: how},
	}
	for i, share := range p.Speech.SpeechShare {
		all = append(all, figure{name: fmt.Sprintf("speech share of channel %d of the sample", i+1),
			path: "sample.metrics.speech.speechShare." + strconv.Itoa(i), value: share, unit: ratio, how: how})
	}
	all = append(all, turnFigures(p, how, on)...)
	all = append(all, wordFigures(d, on)...)
	for i := range p.Audio {
		all = append(all, channelFigures(i, &p.Audio[i], how)...)
	}
	return all
}

// turnFigures returns how the speakers of the sample take turns: measured on the audio if each has
// a channel, otherwise from the labels of the transcript.
func turnFigures(p *catalogue.Profile, how, on string) []figure {
	var all []figure
	if t := p.TurnTaking; t != nil {
		at := "sample.metrics.turnTaking."
		all = append(all, figure{name: "overlap ratio of the sample", path: at + "overlapRatio", value: t.OverlapRatio, unit: ratio, how: how})
		all = optional(all, figure{name: "floor-transfer offset of the sample, median", path: at + "ftoMs.median", unit: millis, how: how}, t.FTO.Median)
		all = append(all,
			figure{name: "turns per minute of the sample", path: at + "turnsPerMin", value: t.TurnsPerMin, unit: perMinute, how: how},
			figure{name: "backchannels per minute of the sample", path: at + "backchannelsPerMin", value: t.BackchannelsPerMin, unit: perMinute, how: how})
	}
	if l := p.SpeakerLabels; l != nil {
		how, at := "times and speaker labels of the transcript"+on, "sample.metrics.speakerLabels."
		all = append(all, figure{name: "overlap ratio of the sample, by labels", path: at + "overlapRatio", value: l.OverlapRatio, unit: ratio, how: how})
		all = optional(all, figure{name: "floor-transfer offset of the sample, median, by labels", path: at + "ftoMs.median", unit: millis, how: how}, l.FTO.Median)
	}
	return all
}

// wordFigures returns the figures of the words in the sample's transcript.
func wordFigures(d *catalogue.Dataset, on string) []figure {
	how := "words of the transcript" + on
	all := optional(nil, figure{name: "share of words in Latin letters in the sample", path: "englishShare", unit: ratio, how: how}, d.EnglishShare)
	if l := d.Sample.Metrics.Lexical; l != nil {
		at := "sample.metrics.lexical."
		all = optional(all, figure{name: "code-mixing index of the sample", path: at + "codeMixIndex", unit: outOf100, how: codeMix + ", " + how}, l.CodeMixIndex)
		all = optional(all, figure{name: "words per minute of the sample", path: at + "wordsPerMin", unit: perMinute, how: "of transcribed time; " + how}, l.WordsPerMin)
	}
	return all
}

// channelFigures returns how one channel of the sample sounds.
func channelFigures(i int, c *catalogue.Channel, how string) []figure {
	of, at := fmt.Sprintf(" of channel %d of the sample", i+1), "sample.metrics.audio."+strconv.Itoa(i)+"."
	all := optional(nil, figure{name: "signal-to-noise ratio" + of, path: at + "snrDb", unit: decibels, how: how}, c.SNRDB)
	all = optional(all, figure{name: "reverberation time" + of, path: at + "reverbTimeS", unit: seconds, how: blind + "; " + how}, c.ReverbTimeS)
	all = optional(all, figure{name: "share of tones" + of, path: at + "toneRatio", unit: ratio, how: how}, c.ToneRatio)
	all = optional(all, figure{name: "share of music" + of, path: at + "musicRatio", unit: ratio, how: how}, c.MusicRatio)
	all = optional(all, figure{name: "integrated loudness" + of, path: at + "loudnessLufs", unit: lufs, how: "ITU-R BS.1770-4; " + how}, c.LoudnessLUFS)
	return optional(all, figure{name: "effective bandwidth" + of, path: at + "effectiveBandwidthHz", unit: hertz, how: how}, c.EffectiveBandwidthHz)
}

// optional appends a figure if its value is known.
func optional(all []figure, f figure, value *float64) []figure {
	if value == nil {
		return all
	}
	f.value = *value
	return append(all, f)
}

// method returns the method of figures as text.
func method(m catalogue.Method) string {
	out := clean.Line("method " + m.Name + " " + m.Version)
	if m.VAD != "" {
		out += ", voice activity detection " + clean.Line(m.VAD)
	}
	return out
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
