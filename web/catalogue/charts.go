package catalogue

import (
	"fmt"
	"math"
	"strings"

	"vaak/catalogue"
	"vaak/web/site"
)

// offsets is the histogram of floor-transfer offsets (the time from the end of one turn to
// the begin of the next). Its box is as wide as there are bins, and 100 high.
type offsets struct {
	By           string
	Words        string
	Width        int
	Early, Late  string // SVG paths of the bins below 0, and of those from 0 on
	Zero, Median string // x of 0 and of the median; "" where they are outside the box
	MedianWords  string
	Axis         []string // from the left end to the right one
	Count        string
	Shares       *bar
}

func newOffsets(f catalogue.FTO, by string) *offsets {
	if f.Count == 0 || f.Histogram == nil || len(f.Histogram.Bins) == 0 || !(f.Histogram.Width > 0) {
		return nil
	}
	h := f.Histogram
	bins := h.Bins[:min(len(h.Bins), 400)]
	o := &offsets{By: by, Width: len(bins), Count: site.Plural(f.Count, "change of speaker", "changes of speaker")}
	// At least 1, because heights are divided by it.
	top := 1
	for _, n := range bins {
		top = max(top, n)
	}
	var early, late strings.Builder
	for i, n := range bins {
		if n <= 0 {
			continue
		}
		b := &late
		// The left edge of the bin decides. Zero lies on an edge, so no bin is on both sides.
		if h.From+float64(i)*h.Width < 0 {
			b = &early
		}
		// 96 of 100 leaves room above the highest bar.
		height := float64(n) * 96 / float64(top)
		fmt.Fprintf(b, "M%.2f 100v-%.4gh.84v%.4gz", float64(i)+.08, height, height)
	}
	o.Early, o.Late = early.String(), late.String()
	o.Zero = position(0, h, len(bins))
	o.Words = "Histogram of " + o.Count
	if f.Median != nil {
		o.Median = position(*f.Median, h, len(bins))
		o.MedianWords = site.Decimal(*f.Median, 0) + " ms"
		o.Words += ", median " + o.MedianWords
	}
	for i := range 5 {
		o.Axis = append(o.Axis, site.Decimal((h.From+h.Width*float64(len(bins))*float64(i)/4)/1000, 1)+" s")
	}
	if s := f.Shares; s != nil {
		o.Shares = newBar("Offsets by size: ", []string{"overlap, under 0 ms", "0 to 200 ms", "200 to 700 ms", "over 700 ms"},
			[]float64{s.Under0, s.To200, s.To700, s.Over700}, func(i int) int { return i })
		o.Words += ". " + o.Shares.Words
	}
	return o
}

// position returns the x of a value among the bins, or "" where it is outside of them.
func position(v float64, h *catalogue.Histogram, bins int) string {
	x := (v - h.From) / h.Width
	if math.IsNaN(x) || x < 0 || x > float64(bins) {
		return ""
	}
	return fmt.Sprintf("%.2f", x)
}

// timeline is who speaks when, in a box 1000 wide.
type timeline struct {
	By       string
	Words    string
	Lanes    []lane
	Overlaps string // SVG path over all lanes, 100 high
	Axis     []string
}

type lane struct {
	Voice int
	Name  string
	Path  string // SVG path, 100 high
}

// stretchMax is how many stretches a timeline draws at most, to bound the page.
const stretchMax = 4000

func newTimeline(t *catalogue.TurnTaking, c *cast, seconds float64, by string) *timeline {
	if len(t.Turns) == 0 || len(c.names) < 2 || !(seconds > 0) || math.IsInf(seconds, 0) {
		return nil
	}
	out := &timeline{By: by}
	paths := make([]strings.Builder, len(c.names))
	for _, turn := range t.Turns[:min(len(t.Turns), stretchMax)] {
		if turn.Channel >= 1 && turn.Channel <= len(paths) {
			stretch(&paths[turn.Channel-1], turn.StartS/seconds, turn.EndS/seconds)
		}
	}
	for i, name := range c.names {
		out.Lanes = append(out.Lanes, lane{colour(i + 1), name, paths[i].String()})
	}
	var both strings.Builder
	for _, o := range t.Overlaps[:min(len(t.Overlaps), stretchMax)] {
		stretch(&both, o[0]/seconds, o[1]/seconds)
	}
	out.Overlaps = both.String()
	out.Words = fmt.Sprintf("Who speaks when: %s of %s, who overlap %s.", site.Plural(len(t.Turns), "turn", "turns"),
		listed(c.names, voiceColours), site.Plural(len(t.Overlaps), "time", "times"))
	for i := range 5 {
		out.Axis = append(out.Axis, clock(math.Round(seconds*float64(i)/4)))
	}
	return out
}

// stretch draws a stretch between two shares (0 to 1) of the width. It is at least wide
// enough to be seen.
func stretch(b *strings.Builder, from, to float64) {
	from, to = unit(from)*1000, unit(to)*1000
	if to < from {
		return
	}
	width := math.Max(1.5, to-from)
	fmt.Fprintf(b, "M%.4g 0h%.4gv100h-%.4gz", from, width, width)
}

// channelTable is what was measured of each channel.
type channelTable struct {
	Names []string
	Rows  []channelRow
	Notes []string // warnings
}

type channelRow struct {
	Name, Note string
	Values     []string
}

func newChannelTable(m catalogue.Profile, c *cast) *channelTable {
	if len(m.Audio) == 0 {
		return nil
	}
	channels := m.Audio[:min(len(m.Audio), voiceColours)]
	t := &channelTable{}
	for i, ch := range channels {
		name := c.channel(i + 1)
		t.Names = append(t.Names, name)
		t.warn(ch, name)
	}
	t.rows(channels)
	if p := m.Pair; p != nil {
		if p.Layout == "stereo" {
			t.Notes = append(t.Notes, "The two channels are a stereo mix: they do not hold one speaker each.")
		}
		if len(p.LeakageDB) == len(channels) {
			row := channelRow{Name: "Leakage of the other", Note: "Lower is better; under −12 dB the channels count as separate."}
			for _, v := range p.LeakageDB {
				row.Values = append(row.Values, site.Decimal(v, 1)+" dB")
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

func (t *channelTable) warn(ch catalogue.Channel, name string) {
	if !ch.HasSpeech {
		t.Notes = append(t.Notes, name+": no speech was found.")
	}
	if ch.Dead {
		t.Notes = append(t.Notes, name+": dead, it holds nothing but a constant.")
	}
	if ch.Companding != "" {
		t.Notes = append(t.Notes, name+": its samples came through a telephone coder, G.711 "+site.Clip(ch.Companding, site.WordMax)+".")
	}
	if ch.Upsampled {
		t.Notes = append(t.Notes, name+": upsampled, the sound is narrower than the sample rate promises.")
	}
	if ch.LowConfidence {
		t.Notes = append(t.Notes, name+": it is doubtful where people speak. The line is very quiet, noisy, or much of what counts as speech sounds like music, tones or noise. Shares, pauses and turns may be wrong.")
	}
}

// hundredfold returns a share in percent; nil if it is not known.
func hundredfold(share *float64) *float64 {
	if share == nil {
		return nil
	}
	return new(100 * *share)
}

// reverberation is the name of a figure that tells nothing of the room up to
// [catalogue.DrySpeechS]; it is written as dry then.
const reverberation, dry = "Reverberation", "< 0.3 s"

// rows adds a row for every figure that at least one channel has.
func (t *channelTable) rows(channels []catalogue.Channel) {
	for _, r := range []struct {
		name, unit, note string
		places           int
		of               func(catalogue.Channel) *float64
	}{
		{"Loudness", " LUFS", "Integrated, ITU-R BS.1770.", 1, func(c catalogue.Channel) *float64 { return c.LoudnessLUFS }},
		{"True peak", " dBTP", "Above 0 it clips on conversion.", 1, func(c catalogue.Channel) *float64 { return c.TruePeakDBTP }},
		{"Signal to noise", " dB", "Speech over the noise between words.", 1, func(c catalogue.Channel) *float64 { return c.SNRDB }},
		{"Speech level", " dBFS", "Of what counts as speech.", 1, func(c catalogue.Channel) *float64 { return c.SpeechLevelDBFS }},
		{"Noise floor", " dBFS", "", 1, func(c catalogue.Channel) *float64 { return c.NoiseFloorDBFS }},
		{"Effective bandwidth", " Hz", "Up to where there is sound, whatever the sample rate.", 0, func(c catalogue.Channel) *float64 { return c.EffectiveBandwidthHz }},
		{reverberation, " s", "Blind estimate of the time in which sound falls by 60 dB, from how words end; about 0.25 s is the speech itself.", 2, func(c catalogue.Channel) *float64 { return c.ReverbTimeS }},
		{"Low cut", " Hz", "Below it is hardly any sound: a filter, such as that of a telephone, or a high voice.", 0, func(c catalogue.Channel) *float64 { return c.LowCutHz }},
		{"Cut-off", " Hz", "What is above was cut off: by a line, a resampler or a codec.", 0, func(c catalogue.Channel) *float64 { return c.CutoffHz }},
		{"Tones", "%", "Ringing, beeps; of the time.", 1, func(c catalogue.Channel) *float64 { return hundredfold(c.ToneRatio) }},
		{"Music", "%", "Such as that on hold; of the time.", 1, func(c catalogue.Channel) *float64 { return hundredfold(c.MusicRatio) }},
		{"Flattened samples", "%", "Clipped before the level was reduced.", 3, func(c catalogue.Channel) *float64 { return hundredfold(c.FlattenedRatio) }},
		{"Clipped samples", "%", "", 3, func(c catalogue.Channel) *float64 { v := c.ClippingRatio * 100; return &v }},
	} {
		row, held := channelRow{Name: r.name, Note: r.note}, false
		for _, c := range channels {
			value := "–"
			if v := r.of(c); v != nil {
				value, held = site.Decimal(*v, r.places)+r.unit, true
				if r.name == reverberation && *v <= catalogue.DrySpeechS {
					value = dry
				}
			}
			row.Values = append(row.Values, value)
		}
		if held {
			t.Rows = append(t.Rows, row)
		}
	}
}
