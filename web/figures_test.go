package web_test

import (
	"strings"
	"testing"

	"vaak/catalogue"
)

// TestFiguresOfLaterVersions shows what method 1.3 measures, and no row of it for records of
// earlier versions.
func TestFiguresOfLaterVersions(t *testing.T) {
	t.Parallel()
	wants := []string{"Reverberation", "&lt; 0.3 s", "Low cut", "Cut-off", "Tones", "Music", "Flattened", "dead, it holds nothing", "G.711 mulaw", ">Band<", "Dead channels",
		"Copies", "2 exact, 1 by their sound", "Before the first speech", "Languages", "Hindi 66%, English 30%, not told 4%", "Segments are early by", "300 ms", "Pace out of reach",
		"Nothing to hear", "U&#43;0430", "As even as 211.4"}
	d := hindi()
	page := func() string {
		return get(t, withCatalogue(t, &library{sets: []*catalogue.Dataset{d}}), "/catalogue/datasets/"+d.Slug).Body.String()
	}
	before := page()
	for _, want := range wants {
		if strings.Contains(before, want) {
			t.Errorf("the page of an earlier version has %q", want)
		}
	}
	c := &d.Sample.Metrics.Audio[0]
	c.ReverbTimeS, c.LowCutHz, c.CutoffHz, c.ToneRatio, c.MusicRatio, c.FlattenedRatio = new(.42), new(270.0), new(3600.0), new(.02), new(.1), new(.001)
	d.Sample.Metrics.Audio[1].ReverbTimeS = new(.25)
	c.Dead, c.Companding = true, "mulaw"
	l := d.Sample.Metrics.Lexical
	l.LanguageShare, l.AlignmentLagMs, l.ImplausibleSegments, l.UnheardSegments = map[string]float64{"hi": .66, "en": .3, "und": .04}, new(-300.0), 2, 1
	l.OutsideShare, l.OutsideSigns = new(.0004), map[string]int{"U+0430": 3}
	s := d.Specification
	s.ReverbTimeS, s.LeadS, s.TrailS, s.Band = spreadOf(.2, .3, .5), spreadOf(0, 1, 2), spreadOf(0, 1, 2), map[string]int{"telephone": 5214}
	s.DeadChannels, s.ToneFiles, s.MusicFiles, s.FlattenedFiles = 1, 2, 3, 4
	s.Duplicates = &catalogue.Copies{ExactFiles: 2, AcousticFiles: 1, Seconds: 900}
	d.Measurements.Speakers = &catalogue.SpeakerBalance{Count: 318, Effective: 211.4, TopShare: .02, SecondsEach: spreadOf(60, 600, 900), PerRecording: spreadOf(2, 2, 2)}
	after := page()
	checkMarkup(t, after)
	for _, want := range wants {
		if !strings.Contains(after, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
