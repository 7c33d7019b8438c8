package catalogue

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"vaak/catalogue"
	"vaak/web/site"
)

// specification returns what the files are: what was measured, and what the card declares.
func specification(d *catalogue.Dataset) []fact {
	sp := d.Specification
	if sp == nil {
		return nil
	}
	by := cmp.Or(method(sp.Method), "us")
	var out []fact
	add := func(name, value, source string) *fact {
		if value == "" || value == "–" {
			// A fact that nobody sees, so that callers may set its note without asking.
			return new(fact)
		}
		out = append(out, fact{Name: name, Value: value, Source: source})
		// Good until the next add, which may move the list.
		return &out[len(out)-1]
	}
	add("Measured from", extent(sp.MeasuredFrom), by)
	add("Volume", hours(d.Hours)+" in "+site.Plural(d.Recordings, "recording", "recordings"), by)
	add("Container", counts(sp.Container, nil), by)
	add("Codec", counts(sp.Codec, nil), by)
	add("Sample rate", counts(sp.SampleRateHz, hertz), by)
	add("Bits per sample", counts(sp.BitsPerSample, nil), by)
	add("Channels", counts(sp.Channels, nil), by)
	layout := add("What the channels hold", counts(sp.Layout, layoutWords), by)
	if c := sp.ChannelsClaimed; c != "" {
		layout.Note, layout.Warn = "The card says "+site.Clip(c, site.WordMax)+"; the files say "+site.Clip(sp.ChannelsMeasured, site.WordMax)+".", true
	}
	add("Length of a recording", durations(sp.DurationS), by)
	add("Size of all files", site.Size(sp.SizeBytes), by)
	add("Loudness", spread(sp.LoudnessLUFS, 1, " LUFS"), by)
	add("True peak", spread(sp.TruePeakDBTP, 1, " dBTP"), by)
	add("Signal to noise", spread(sp.SNRDB, 1, " dB"), by)
	add("Effective bandwidth", spread(sp.EffectiveBandwidthHz, 0, " Hz"), by)
	add("Band", counts(sp.Band, nil), by)
	if r := sp.ReverbTimeS; r != nil && r.P90 <= catalogue.DrySpeechS {
		add(reverberation, dry, by)
	} else {
		add(reverberation, spread(r, 2, " s"), by)
	}
	add("Before the first speech", spread(sp.LeadS, 1, " s"), by)
	add("After the last speech", spread(sp.TrailS, 1, " s"), by)
	add("Lag of transcripts (under 0: early)", spread(sp.AlignmentLagMs, 0, " ms"), by)
	add("Leakage between channels", spread(sp.LeakageDB, 1, " dB"), by)
	add("Speech that is transcribed", shareSpread(sp.TranscriptCoverage), by)
	warned := func(name string, n int, note string) {
		f := add(name, site.Plural(n, "file", "files"), by)
		if n > 0 {
			f.Note, f.Warn = note, true
		}
	}
	warned("Clipped", sp.ClippedFiles, "More than one sample in 10,000 is cut off.")
	warned("Upsampled", sp.UpsampledFiles, "The sound is narrower than the sample rate promises.")
	// Absent in records of earlier versions, so what is 0 says nothing.
	for _, w := range []struct {
		name string
		n    int
		note string
	}{
		{"Flattened", sp.FlattenedFiles, "Clipped before the level was reduced."},
		{"Cut off", sp.CutOffFiles, "The band ends at a cliff: a telephone line, a resampler or a codec."},
		{"Companded", sp.CompandedFiles, "Linear samples that came through a telephone coder."},
		{"Fewer bits", sp.FewBitsFiles, "The lowest bits of the samples are always 0."},
		{"Tones", sp.ToneFiles, "Such as ringing, on a channel."},
		{"Music", sp.MusicFiles, "Such as that on hold, on a channel."},
	} {
		if w.n > 0 {
			warned(w.name, w.n, w.note)
		}
	}
	if sp.DeadChannels > 0 {
		f := add("Dead channels", site.Plural(sp.DeadChannels, "channel", "channels"), by)
		f.Note, f.Warn = "They hold nothing but a constant.", true
	}
	if c := sp.Duplicates; c != nil {
		f := add("Copies", site.Whole(c.ExactFiles)+" exact, "+site.Whole(c.AcousticFiles)+" by their sound", by)
		if c.ExactFiles+c.AcousticFiles > 0 {
			f.Note, f.Warn = "Files with the sound of an earlier one: "+hours(c.Seconds/3600)+" are there twice.", true
		}
	}
	if sp.SilentChannels > 0 {
		add("Silent channels", site.Plural(sp.SilentChannels, "channel", "channels"), by)
	}
	return append(out, declared(d)...)
}

// declared returns the facts of the card, and those counted from manifests, that belong to
// the specification.
func declared(d *catalogue.Dataset) []fact {
	var out []fact
	from := func(source, name, value string) {
		if value != "" {
			out = append(out, fact{Name: name, Value: value, Source: source})
		}
	}
	add := func(name, value string) { from("declared", name, value) }
	for _, n := range []struct {
		name, source string
		count        *int
	}{{"Conversations", "counted from the sessions in its manifest", d.Conversations}, {"Speakers", "counted from the names in its manifest", d.Speakers}} {
		if n.count != nil {
			from(n.source, n.name, site.Whole(*n.count))
		}
	}
	add("Collection", collectionWords(d.Collection))
	add("Domains", listed(d.Domains, 12))
	add("Varieties", listed(d.Language.Varieties, 12))
	add("Other languages", listed(d.OtherLanguages, 12))
	add("Version of the data", site.Clip(d.Version, site.WordMax))
	for _, s := range d.Splits[:min(len(d.Splits), 20)] {
		from("counted from its manifest", "Part “"+site.Clip(s.Name, site.WordMax)+"”", site.Plural(s.Recordings, "recording", "recordings")+", "+hours(s.Hours))
	}
	return out
}

func extent(e catalogue.Extent) string {
	out := site.Plural(e.Files, "file", "files") + ", " + hours(e.Hours)
	if e.Share > 0 {
		out += " (" + percent(e.Share) + " of all files)"
	}
	return out
}

// counts writes how many files have each value, the most frequent values first.
func counts(m map[string]int, words func(string) string) string {
	var parts []string
	for _, key := range byCount(m)[:min(len(m), 8)] {
		value := site.Clip(key, site.WordMax)
		if words != nil {
			value = words(value)
		}
		if len(m) > 1 {
			value += " (" + site.Plural(m[key], "file", "files") + ")"
		}
		parts = append(parts, value)
	}
	if len(m) > 8 {
		parts = append(parts, site.Plural(len(m)-8, "other value", "other values"))
	}
	return strings.Join(parts, ", ")
}

// byCount returns the keys sorted by descending count, then by name.
func byCount(m map[string]int) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(cmp.Compare(m[b], m[a]), cmp.Compare(a, b))
	})
}

// most returns the most frequent value, or "".
func most(m map[string]int) string {
	if len(m) == 0 {
		return ""
	}
	return site.Clip(byCount(m)[0], site.WordMax)
}

// hertz writes a sample rate that is the key of a map, in Hz: 8 kHz, 22.05 kHz.
func hertz(rate string) string {
	n, err := strconv.Atoi(rate)
	if err != nil {
		return rate
	}
	return site.Decimal(float64(n)/1000, 3) + " kHz"
}

func layoutWords(layout string) string {
	switch layout {
	case "dual":
		return "one speaker each"
	case "stereo":
		return "a stereo mix"
	case "multichannel":
		return "a mix on many channels"
	case "mono":
		return "all speakers on one"
	}
	return layout
}

func durations(d catalogue.Durations) string {
	if d.Max <= 0 {
		return ""
	}
	if d.P10 == d.P90 {
		return clock(d.Median)
	}
	return "median " + clock(d.Median) + ", p10–p90 " + clock(d.P10) + " to " + clock(d.P90) + ", longest " + clock(d.Max)
}

// method returns the name and version of a method of measurement: "conv 1.0".
func method(m catalogue.Method) string {
	out := strings.TrimSpace(site.Clip(m.Name, site.WordMax) + " " + site.Clip(m.Version, site.WordMax))
	if m.VAD != "" {
		out += ", " + site.Clip(m.VAD, site.WordMax)
	}
	return out
}

// wholeProfile returns the conversation profile over all recordings.
func wholeProfile(m *catalogue.Measurements) *section {
	if m == nil {
		return nil
	}
	out := &section{ID: "whole", Title: "All recordings",
		Lead: "The same figures of every recording, from " + site.Plural(m.Files, "file", "files") + ". The median, and between which values eight recordings in ten lie (p10 to p90)."}
	if by := method(m.Method); by != "" {
		out.Lead += " Measured by " + by + "."
	}
	add := func(name, value, note string) {
		if value != "" {
			out.Facts = append(out.Facts, fact{Name: name, Value: value, Note: note})
		}
	}
	add("Speech in all", hours(m.SpeechSeconds/3600), "Time in which somebody speaks, each speaker counted.")
	add("Silence", shareSpread(m.SilenceRatio), "Of a recording, while nobody speaks.")
	if t := m.TurnTaking; t != nil {
		add("Balance", shareSpread(t.Balance), "Share of the speech of whoever speaks less; 50% is even.")
		add("Overlap", shareSpread(t.OverlapRatio), "Both speak, of the time in which anybody does.")
		add("Floor-transfer offset", spread(t.FTOMedianMs, 0, " ms"), "Median of each recording; below 0 the next speaker starts early.")
		add("Turns", site.Whole(t.TurnCount), "In all "+site.Plural(t.Files, "recording", "recordings")+" with a channel per speaker.")
		add("Turns a minute", spread(t.TurnsPerMin, 1, ""), "")
		add("Backchannels a minute", spread(t.BackchannelsPerMin, 1, ""), "Short words such as “hmm”, told by their length and place.")
	}
	if s := m.Speakers; s != nil {
		add("Speakers", site.Whole(s.Count), "As even as "+site.Decimal(s.Effective, 1)+" with equal shares; who speaks most has "+percent(s.TopShare)+" of the speech.")
		add("Speech of a speaker", spread(s.SecondsEach, 0, " s"), "")
	}
	if w := m.Words; w != nil {
		add("Words", site.Whole(w.Words), "In "+site.Plural(w.Files, "transcript", "transcripts")+" with words.")
		add("Words a minute", spread(w.WordsPerMin, 0, ""), "Of the time that is transcribed.")
		add("English words", shareSpread(w.EnglishShare), "Written in Latin letters.")
		add("Code-mixing index", spread(w.CodeMixIndex, 1, ""), "0 is one script only, 50 is an even mix of two.")
	}
	return out
}
