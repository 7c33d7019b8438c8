package catalogue

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vaak/catalogue"
	"vaak/web/site"
)

// voiceColours is how many colours there are. With more speakers, some share a colour.
const voiceColours = 6

// segmentMax is how many lines of a transcript a page shows.
const segmentMax = 50

// spectrogramMax is how long a sample may be for a spectrogram, in seconds: the browser holds all of
// its samples then.
const spectrogramMax = 900

// player is the part of the page on which people see and hear the sample.
type player struct {
	URL        string
	Length     string
	Seconds    string // length of the sample, for the script
	Rate       int    // of its samples, in Hz, for the script; 0 where it is too long for a spectrogram
	Facts      string // format, rate, size
	Waves      []wave
	Mixer      bool // the sample has channels that can be muted
	Speakers   []speaker
	Lines      []transcriptLine
	Lang       string // BCP 47 tag of the transcript
	Transcript string // address of the whole transcript
	More       string // how many lines are not shown; "" for none
	Licence    fact
}

// wave is the picture of a channel.
type wave struct {
	Channel int // from 1
	Voice   int // number of the speaker's colour; 0 for none
	Name    string
	Path    string // SVG path in a box of Points by 40
	Points  int
	URL     string // address of the sound of this channel alone
}

// speaker is a person in the sample.
type speaker struct {
	Voice int
	Name  string
}

// transcriptLine is a segment of the transcript.
type transcriptLine struct {
	Voice      int
	Name       string
	Start, End string // seconds, for the script
	Clock      string
	Href       string // address of the sample from the start of the segment
	Text       string
}

// newPlayer returns the player of the sample, or nil for a dataset without a sample.
func (s *pages) newPlayer(d *catalogue.Dataset) *player {
	x := d.Sample
	if x == nil || x.URL == "" {
		return nil
	}
	c := newCast(x)
	p := &player{
		URL: s.local(x.URL), Lang: tag(d.BCP47), Length: clock(x.DurationS), Seconds: stamp(x.DurationS), Speakers: c.speakers(),
		Facts: strings.Join(nonEmpty(strings.ToUpper(site.Clip(x.Codec, site.WordMax)), hertz(fmt.Sprint(x.SampleRateHz)),
			site.Plural(x.Channels, "channel", "channels"), site.Size(x.SizeBytes)), " · "),
	}
	if x.DurationS <= spectrogramMax && x.SampleRateHz >= 8000 && x.SampleRateHz <= 96_000 && len(x.Waveform.Peaks) > 0 {
		p.Rate = x.SampleRateHz
	}
	for i, peaks := range x.Waveform.Peaks[:min(len(x.Waveform.Peaks), voiceColours)] {
		w := wave{Channel: i + 1, Voice: c.ofChannel(i + 1), Name: c.channel(i + 1), Path: bars(peaks), Points: max(1, len(peaks))}
		for _, stream := range x.Streams {
			if stream.Channel == i+1 {
				w.URL = s.local(stream.URL)
			}
		}
		p.Waves = append(p.Waves, w)
	}
	p.Mixer = len(p.Waves) > 1
	if x.Transcript != nil {
		p.transcribe(x.Transcript, c, s.local(x.Transcript.URL))
	}
	if x.Licence != nil {
		p.Licence = fact{Value: site.Clip(x.Licence.Name, site.TitleMax), Href: outside(x.Licence.URL)}
	}
	return p
}

func (p *player) transcribe(t *catalogue.SampleTranscript, c *cast, url string) {
	p.Transcript = url
	for _, seg := range t.Segments[:min(len(t.Segments), segmentMax)] {
		voice, name := c.of(seg)
		p.Lines = append(p.Lines, transcriptLine{
			Voice: voice, Name: name, Start: stamp(seg.StartS), End: stamp(seg.EndS), Clock: clock(seg.StartS),
			Href: p.URL + "#t=" + stamp(seg.StartS), Text: site.Clip(seg.Text, 1000),
		})
	}
	if more := t.Count - len(p.Lines); more > 0 {
		p.More = site.Plural(more, "more line", "more lines")
	}
}

func nonEmpty(parts ...string) []string {
	return slices.DeleteFunc(parts, func(s string) bool { return s == "" })
}

// bars draws peaks of 0..1 as bars around the middle of a box that is 40 high and has one
// unit of width for each peak.
func bars(peaks []float64) string {
	var b strings.Builder
	for i, p := range peaks[:min(len(peaks), 400)] {
		// At most 19 to each side leaves 1 of 20 as a margin, and at least 0.5 shows silence as a
		// line. A bar is 0.68 wide, so that gaps stay between them.
		h := math.Max(0.5, unit(p)*19)
		fmt.Fprintf(&b, "M%d %.4gh.68v%.4gh-.68z", i, 20-h, 2*h)
	}
	return b.String()
}

// cast is the speakers of a sample, with their numbers from 1. Where each channel holds one
// speaker, a speaker has the number of the channel. Otherwise speakers are numbered in the
// order in which segments name them.
type cast struct {
	byChannel bool
	names     []string // the name of speaker n is at n-1
}

func newCast(x *catalogue.Sample) *cast {
	// Labels of speakers mean that the channels are a mix, whose speakers were told apart by voice.
	c := &cast{byChannel: x.Channels > 1 && len(x.Waveform.Peaks) > 1 && x.Metrics.SpeakerLabels == nil}
	if c.byChannel {
		for i := range x.Waveform.Peaks[:min(len(x.Waveform.Peaks), voiceColours)] {
			c.names = append(c.names, channelName(x, i+1))
		}
		return c
	}
	if l := x.Metrics.SpeakerLabels; l != nil {
		for _, name := range l.Speakers {
			c.number(name)
		}
	}
	if x.Transcript != nil {
		for _, seg := range x.Transcript.Segments {
			c.number(seg.Speaker)
		}
	}
	return c
}

// channelName returns the best known name of the speaker on a channel.
func channelName(x *catalogue.Sample, channel int) string {
	name, role := "", ""
	for _, s := range x.Streams {
		if s.Channel == channel {
			name, role = s.Speaker, s.Role
		}
	}
	if x.Transcript != nil && name == "" && role == "" {
		for _, seg := range x.Transcript.Segments {
			if seg.Channel == channel && seg.Speaker+seg.Role != "" {
				name, role = seg.Speaker, seg.Role
				break
			}
		}
	}
	name, role = site.Clip(name, 40), site.Clip(role, 40)
	switch {
	case name != "" && role != "" && !strings.EqualFold(name, role):
		return name + ", " + role
	case name+role != "":
		// One of them is empty, or both are the same but for case. max takes the one that is not
		// empty.
		return max(name, role)
	}
	return fmt.Sprintf("Speaker %d", channel)
}

// number returns the number of a speaker, which is new for a new name. It returns 0 for no
// name, and for names after the first 50.
func (c *cast) number(name string) int {
	if name = site.Clip(name, 40); name == "" {
		return 0
	}
	if i := slices.Index(c.names, name); i >= 0 {
		return i + 1
	}
	if len(c.names) == 50 {
		return 0
	}
	c.names = append(c.names, name)
	return len(c.names)
}

// of returns the colour and the name of the speaker of a segment.
func (c *cast) of(seg catalogue.Segment) (voice int, name string) {
	if c.byChannel {
		if seg.Channel >= 1 && seg.Channel <= len(c.names) {
			return colour(seg.Channel), c.names[seg.Channel-1]
		}
		return 0, site.Clip(seg.Speaker, 40)
	}
	return colour(c.number(seg.Speaker)), site.Clip(seg.Speaker, 40)
}

func (c *cast) ofChannel(channel int) int {
	if c.byChannel {
		return colour(channel)
	}
	return 0
}

// channel returns what the picture calls a channel.
func (c *cast) channel(channel int) string {
	if c.byChannel && channel <= len(c.names) {
		return c.names[channel-1]
	}
	return "All speakers"
}

func (c *cast) speakers() []speaker {
	var out []speaker
	for i, name := range c.names {
		out = append(out, speaker{colour(i + 1), name})
	}
	return out
}

// colour returns the number of the colour of speaker n, from 1, or 0 for speaker 0.
func colour(n int) int {
	if n < 1 {
		return 0
	}
	return (n-1)%voiceColours + 1
}
