package measure

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"vaak/catalogue"
)

// clippedFrom is the clipping ratio from which a file counts as clipped.
const clippedFrom = 1e-4

// Specify returns what the files of a dataset are. lexical has an element per file, nil if the
// file has no transcript. claimed is what the card says about channels, or "".
func Specify(all []Recording, lexical []*catalogue.Lexical, claimed string) catalogue.Specification {
	s := catalogue.Specification{
		Container: map[string]int{}, Codec: map[string]int{}, SampleRateHz: map[string]int{},
		BitsPerSample: map[string]int{}, Channels: map[string]int{}, Layout: map[string]int{},
		Method: fileMethod(),
	}
	var durations []float64
	for i := range all {
		r := &all[i]
		count(&s, r)
		durations = append(durations, r.DurationS)
	}
	s.DurationS = lengths(durations)
	s.MeasuredFrom = catalogue.Extent{Files: len(all), Hours: Hours(s.DurationS.Total), Share: 1}
	s.LoudnessLUFS = channelSpread(all, func(c catalogue.Channel) *float64 { return c.LoudnessLUFS })
	s.TruePeakDBTP = channelSpread(all, func(c catalogue.Channel) *float64 { return c.TruePeakDBTP })
	s.SNRDB = channelSpread(all, func(c catalogue.Channel) *float64 { return c.SNRDB })
	s.EffectiveBandwidthHz = channelSpread(all, func(c catalogue.Channel) *float64 { return c.EffectiveBandwidthHz })
	s.LeakageDB = spreadOf(all, func(r *Recording) []float64 {
		if r.Profile.Pair == nil {
			return nil
		}
		return r.Profile.Pair.LeakageDB
	})
	s.TranscriptCoverage = Coverage(lexical)
	s.AlignmentLagMs = lexicalSpread(lexical, func(l *catalogue.Lexical) *float64 { return l.AlignmentLagMs })
	s.ReverbTimeS = channelSpread(all, func(c catalogue.Channel) *float64 { return c.ReverbTimeS })
	s.LeadS = spreadOf(all, func(r *Recording) []float64 { return known(r.Profile.Speech.LeadS) })
	s.TrailS = spreadOf(all, func(r *Recording) []float64 { return known(r.Profile.Speech.TrailS) })
	s.ChannelsMeasured = most(s.Layout)
	if claimed != "" && claimed != s.ChannelsMeasured {
		s.ChannelsClaimed = claimed
	}
	return s
}

// count adds one file to the counts.
func count(s *catalogue.Specification, r *Recording) {
	s.Container[r.Container]++
	s.Codec[r.Codec]++
	s.SampleRateHz[strconv.Itoa(r.SampleRateHz)]++
	if r.Bits > 0 {
		s.BitsPerSample[strconv.Itoa(r.Bits)]++
	}
	s.Channels[strconv.Itoa(r.Channels)]++
	s.Layout[r.Layout]++
	s.SizeBytes += r.SizeBytes
	clipped := false
	for _, c := range r.Profile.Audio {
		clipped = clipped || c.ClippingRatio > clippedFrom
		if c.Dead {
			s.DeadChannels++
		}
		if !c.HasSpeech {
			s.SilentChannels++
		}
	}
	if clipped {
		s.ClippedFiles++
	}
	if r.upsampled() {
		s.UpsampledFiles++
	}
	any := func(n *int, is func(catalogue.Channel) bool) {
		if slices.ContainsFunc(r.Profile.Audio, is) {
			*n++
		}
	}
	any(&s.CompandedFiles, func(c catalogue.Channel) bool { return c.Companding != "" })
	any(&s.CutOffFiles, func(c catalogue.Channel) bool { return c.CutoffHz != nil })
	any(&s.FewBitsFiles, func(c catalogue.Channel) bool { return c.UsedBits > 0 })
	any(&s.FlattenedFiles, func(c catalogue.Channel) bool { return c.FlattenedRatio != nil && *c.FlattenedRatio > clippedFrom })
	any(&s.ToneFiles, func(c catalogue.Channel) bool { return c.ToneRatio != nil })
	any(&s.MusicFiles, func(c catalogue.Channel) bool { return c.MusicRatio != nil })
	if band := widest(r.Profile.Audio); band != "" {
		if s.Band == nil {
			s.Band = map[string]int{}
		}
		s.Band[band]++
	}
}

// bands are the names of bands, from the narrowest to the widest.
var bands = []string{"telephone", "narrow", "wide", "super-wide", "full"}

// widest returns the widest band of channels; "" if none has one.
func widest(channels []catalogue.Channel) string {
	at := -1
	for _, c := range channels {
		at = max(at, slices.Index(bands, c.Band))
	}
	if at < 0 {
		return ""
	}
	return bands[at]
}

// known returns a figure as a list: empty if it is not known.
func known(v *float64) []float64 {
	if v == nil {
		return nil
	}
	return []float64{*v}
}

// most returns the most frequent value; of equally frequent ones, the first by name.
func most(counts map[string]int) string {
	best := ""
	for _, value := range slices.Sorted(maps.Keys(counts)) {
		if best == "" || counts[value] > counts[best] {
			best = value
		}
	}
	return best
}

// fileMethod returns the method by which files are measured.
func fileMethod() catalogue.Method {
	name, version, _ := strings.Cut(Method, "/")
	return catalogue.Method{Name: name, Version: version, Tool: Tool}
}

// Hours returns seconds as hours with two decimals.
func Hours(seconds float64) float64 { return math.Round(seconds/36) / 100 }

// Coverage returns the distribution over files of the share of speech that transcripts cover.
func Coverage(lexical []*catalogue.Lexical) *catalogue.Spread {
	return lexicalSpread(lexical, func(l *catalogue.Lexical) *float64 { return l.Coverage })
}

// Agreement returns the distribution over files of how well segments and speech agree.
func Agreement(lexical []*catalogue.Lexical) *catalogue.Spread {
	return lexicalSpread(lexical, func(l *catalogue.Lexical) *float64 { return l.IoU })
}

func lexicalSpread(lexical []*catalogue.Lexical, figure func(*catalogue.Lexical) *float64) *catalogue.Spread {
	var values []float64
	for _, l := range lexical {
		if l == nil {
			continue
		}
		if v := figure(l); v != nil {
			values = append(values, *v)
		}
	}
	return spread(values)
}

func channelSpread(all []Recording, figure func(catalogue.Channel) *float64) *catalogue.Spread {
	return spreadOf(all, func(r *Recording) (out []float64) {
		for _, c := range r.Profile.Audio {
			if v := figure(c); v != nil {
				out = append(out, *v)
			}
		}
		return out
	})
}

// spreadOf returns the distribution of a figure over the files that have it. If a file has
// several values, such as one per channel, their mean counts.
func spreadOf(all []Recording, figures func(*Recording) []float64) *catalogue.Spread {
	var values []float64
	for i := range all {
		if some := figures(&all[i]); len(some) > 0 {
			values = append(values, mean(some))
		}
	}
	return spread(values)
}

func mean(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// spread sorts values and returns their distribution, or nil if there are none.
func spread(values []float64) *catalogue.Spread {
	if len(values) == 0 {
		return nil
	}
	slices.SortFunc(values, cmp.Compare[float64])
	return &catalogue.Spread{
		Count: len(values), Min: round(values[0]), Max: round(values[len(values)-1]), Mean: round(mean(values)),
		P10: round(quantile(values, 0.1)), Median: round(quantile(values, 0.5)), P90: round(quantile(values, 0.9)),
	}
}

// quantile returns a quantile of sorted values, interpolated between the two nearest.
func quantile(sorted []float64, q float64) float64 {
	// Type 7 of Hyndman and Fan (1996), as in R and NumPy by default.
	at := q * float64(len(sorted)-1)
	below := int(at)
	if below+1 == len(sorted) {
		return sorted[below]
	}
	return sorted[below] + (at-float64(below))*(sorted[below+1]-sorted[below])
}

func round(v float64) float64 { return math.Round(v*places) / places }

func lengths(values []float64) catalogue.Durations {
	s := spread(values)
	if s == nil {
		return catalogue.Durations{}
	}
	total := 0.0
	for _, v := range values {
		total += v
	}
	return catalogue.Durations{Min: s.Min, P10: s.P10, Median: s.Median, P90: s.P90, Max: s.Max, Total: round(total)}
}
