package catalogue

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"vaak/catalogue"
	"vaak/catalogue/measure"
	"vaak/console/page"
)

// fact is a name with a value.
type fact struct{ Name, Value string }

// measured is what was measured of a dataset.
type measured struct {
	Files, Talk []fact // of the files; of how people talk on them
	Warnings    []string
	Method      string    // by which it was measured
	At          time.Time // zero: not known
}

// report returns what was measured of a dataset, with warnings of what an operator should
// look at.
func report(d *catalogue.Dataset) measured {
	var m measured
	if s := d.Specification; s != nil {
		m.Files, m.Warnings = fileFacts(s), fileWarnings(s)
		m.Method = strings.TrimSpace(s.Method.Name + " " + s.Method.Version)
		if s.Method.MeasuredAt != nil {
			m.At = *s.Method.MeasuredAt
		}
	} else {
		m.Warnings = append(m.Warnings, "The files were not measured.")
	}
	if d.Measurements != nil {
		m.Talk = talkFacts(d.Measurements, d.Specification)
	}
	if d.Sample != nil {
		for i, c := range d.Sample.Metrics.Audio {
			if c.LowConfidence {
				m.Warnings = append(m.Warnings, fmt.Sprintf("Channel %d of the sample: it is doubtful where people speak. It is very quiet or noisy, or holds music or tones.", i+1))
			}
		}
	}
	return m
}

func fileFacts(s *catalogue.Specification) []fact {
	facts := []fact{
		{"Measured", fmt.Sprintf("%s files, %s, %s of all files", page.Whole(s.MeasuredFrom.Files), page.Hours(s.MeasuredFrom.Hours), inPercent(s.MeasuredFrom.Share))},
		{"Duration", duration(s.DurationS.Total)},
		{"Duration of a file", fmt.Sprintf("%s to %s, median %s", duration(s.DurationS.Min), duration(s.DurationS.Max), duration(s.DurationS.Median))},
		{"Size", page.Bytes(s.SizeBytes)},
		{"Channels", s.ChannelsMeasured},
		{"Layout", counted(s.Layout, "")},
		{"Sample rate", counted(s.SampleRateHz, " Hz")},
		{"Codec", counted(s.Codec, "")},
		{"Container", counted(s.Container, "")},
		{"Bits a sample", counted(s.BitsPerSample, "")},
		{"Loudness, LUFS", overFiles(s.LoudnessLUFS)},
		{"True peak, dBTP", overFiles(s.TruePeakDBTP)},
		{"Signal to noise, dB", overFiles(s.SNRDB)},
		{"Bandwidth, Hz", overFiles(s.EffectiveBandwidthHz)},
		{"Band", counted(s.Band, "")},
		{"Reverberation, s (to 0.3: dry)", overFiles(s.ReverbTimeS)},
		{"Before the first speech, s", overFiles(s.LeadS)},
		{"After the last speech, s", overFiles(s.TrailS)},
		{"Lag of transcripts, ms (under 0: early)", overFiles(s.AlignmentLagMs)},
		{"Leakage, dB", overFiles(s.LeakageDB)},
		{"Speech in transcripts", shareOverFiles(s.TranscriptCoverage)},
	}
	return knownFacts(facts)
}

func fileWarnings(s *catalogue.Specification) (out []string) {
	if s.ChannelsClaimed != "" {
		out = append(out, fmt.Sprintf("The card says %s, and the files are %s.", s.ChannelsClaimed, s.ChannelsMeasured))
	}
	for _, w := range []struct {
		n     int
		words string
	}{
		{s.ClippedFiles, "Files that are clipped"},
		{s.UpsampledFiles, "Files that were upsampled"},
		{s.SilentChannels, "Channels that are silent"},
		{s.DeadChannels, "Channels that are dead"},
		{s.FlattenedFiles, "Files that were clipped before their level was reduced"},
		{s.FewBitsFiles, "Files that use fewer bits than they have"},
		{s.ToneFiles, "Files with tones"},
		{s.MusicFiles, "Files with music"},
		{copies(s.Duplicates), "Files with the sound of an earlier one"},
	} {
		if w.n > 0 {
			out = append(out, w.words+": "+page.Whole(w.n)+".")
		}
	}
	if by := s.Method.Name + "/" + s.Method.Version; s.Method.Version != "" && by != measure.Method {
		out = append(out, fmt.Sprintf("Measured by %.40s; %s measures more or otherwise. Bring the folder in again for its figures.", by, measure.Method))
	}
	if s.MeasuredFrom.Share < 1 {
		out = append(out, "Only "+inPercent(s.MeasuredFrom.Share)+" of the files were measured.")
	}
	return out
}

// copies returns how many files are copies of others.
func copies(c *catalogue.Copies) int {
	if c == nil {
		return 0
	}
	return c.ExactFiles + c.AcousticFiles
}

func talkFacts(m *catalogue.Measurements, s *catalogue.Specification) []fact {
	facts := []fact{
		{"Files with a profile", page.Whole(m.Files)},
		{"Speech", duration(m.SpeechSeconds)},
	}
	if s != nil && s.DurationS.Total > 0 {
		// Speakers who talk at the same time both count, so the share can exceed 100 %.
		facts = append(facts, fact{"Speech share", inPercent(m.SpeechSeconds / s.DurationS.Total)})
	}
	facts = append(facts, fact{"Silence, share of a file", shareOverFiles(m.SilenceRatio)})
	if t := m.TurnTaking; t != nil {
		facts = append(facts,
			fact{"Turns", page.Whole(t.TurnCount)}, fact{"Turns a minute", overFiles(t.TurnsPerMin)},
			fact{"Lesser speaker's share", shareOverFiles(t.Balance)}, fact{"Overlap", shareOverFiles(t.OverlapRatio)},
			fact{"Offset between turns, ms", overFiles(t.FTOMedianMs)})
	}
	if s := m.Speakers; s != nil {
		facts = append(facts, fact{"Named speakers", page.Whole(s.Count)}, fact{"As even as so many", page.Decimal(s.Effective)},
			fact{"Share of who speaks most", inPercent(s.TopShare)})
	}
	if w := m.Words; w != nil {
		facts = append(facts, fact{"Words", page.Whole(w.Words)}, fact{"Words a minute", overFiles(w.WordsPerMin)},
			fact{"English words", shareOverFiles(w.EnglishShare)})
	}
	return knownFacts(facts)
}

// knownFacts returns the facts whose value is known.
func knownFacts(facts []fact) []fact {
	return slices.DeleteFunc(facts, func(f fact) bool { return f.Value == "" })
}

// mostValues is how many values counted writes at most.
const mostValues = 8

// counted writes how many files have each value, those with most files first: 8,000 Hz (12
// files).
func counted(by map[string]int, unit string) string {
	values := slices.SortedFunc(maps.Keys(by), func(a, b string) int {
		// Equal counts go by name, because maps have no order.
		if by[a] != by[b] {
			return by[b] - by[a]
		}
		return strings.Compare(a, b)
	})
	var parts []string
	for _, value := range values[:min(len(values), mostValues)] {
		words := fmt.Sprintf("%.40s", value)
		if _, err := strconv.Atoi(value); err == nil {
			words = page.Whole(value)
		}
		parts = append(parts, words+unit+" ("+page.Plural(by[value], "file")+")")
	}
	if more := len(values) - mostValues; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}

// overFiles writes the spread of a figure over files; "" where there is none.
func overFiles(s *catalogue.Spread) string { return spreadIn(s, page.Decimal) }

// shareOverFiles writes the spread of a share (0 to 1) over files, in percent; "" where
// there is none.
func shareOverFiles(s *catalogue.Spread) string { return spreadIn(s, inPercent) }

func spreadIn(s *catalogue.Spread, write func(float64) string) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%s (%s to %s in most files)", write(s.Median), write(s.P10), write(s.P90))
}

func inPercent(share float64) string { return page.Decimal(share*100) + " %" }

// duration writes seconds as [length] does.
func duration(seconds float64) string {
	return page.Length(time.Duration(seconds * float64(time.Second)))
}
