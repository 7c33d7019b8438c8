// Package talk tells who speaks when on a recording, and how two speakers take
// turns, from the audio alone.
//
// A [Detector] hears a recording once. It keeps one level per channel and 10 ms
// (2 bytes), and every 40 ms whether there is a pitch, and which (2 bytes); when the recording has ended, floor and peak of each channel are
// told from all of its levels, and speech from these: it begins above one level
// and lasts until it is under a lower one, as usual, and then its edges are
// followed down to where they meet the noise. What noise hides of an edge is made
// up for by the mean of what it hides. On two channels what leaks from one into
// the other is estimated and kept out. What leakage hides is taken for speech only
// between speech, and for 20 ms at its edges.
//
// Energy alone takes everything loud for speech. So what was found is weighed: how
// far it rises above the noise, how loud it is, and how much of it neither rises and
// falls nor has a pitch, or holds one, as noise, tones and music do. Where that speaks
// against it, confidence is low; what was found stays as it is.
//
// Against speech-like sounds and espeak-ng at known times, under noise of up to
// -50 dBFS, edges come out within 20 ms and floor-transfer offsets within 30 ms.
// At -45 dBFS a sound that is 38 dB under the peak is lost in the noise. With
// crosstalk of -20 dB the overlap ratio is within 0.02, and offsets in overlaps
// are off by as much as the weak sound is long that the other speaker covers, some
// 0.15 s; a backchannel that is partly covered may count as a turn.
package talk

import "vaak/catalogue"

// Interval is a stretch of time, in seconds from the start of a recording.
type Interval struct {
	Start float64 `json:"s"`
	End   float64 `json:"e"`
}

// The layouts: what the channels of a recording hold.
const (
	Dual         = "dual"         // two channels, a speaker each
	Stereo       = "stereo"       // two channels of anything else; one may be dead
	Multichannel = "multichannel" // three and more
	Mono         = "mono"
)

// Result is who speaks when.
type Result struct {
	// IPUs are the inter-pausal units of each channel, in order; on dual channels
	// without what leaks from the other.
	IPUs   [][]Interval
	Layout string
	// Channels has, for each channel, the figures that depend on speech:
	// NoiseFloorDBFS, SNRDB, VADSpanDB, SpeechLevelDBFS, UnlikeSpeechRatio,
	// LowConfidence and HasSpeech. Levels are of
	// the band from 200 to 3400 Hz. Without noise there is no floor and no ratio, and
	// the span is an assumed 60 dB. On channels that are not dual, speech is what is
	// heard there, whoever's it is.
	Channels []catalogue.Channel
	// Pair is there of two channels. Its leakage is the level of the other speaker
	// on a channel less that on the speaker's own, and at most that where noise hides
	// it; it is left out when one speaker is never heard alone.
	Pair       *catalogue.Pair
	Speech     catalogue.SpeechTime
	TurnTaking *catalogue.TurnTaking // of dual channels
	VAD        string
	Params     map[string]float64
}

// Detector hears a recording. It is not safe for concurrent use.
type Detector struct {
	rate   int
	n      int64 // samples heard of each channel
	steps  int64 // whole steps heard
	next   int64 // the sample that ends the step
	meters []*meter
	pair   *correlator
}

// NewDetector returns a detector for a rate in Hz and a number of channels, both
// above 0.
func NewDetector(sampleRate, channels int) *Detector {
	d := &Detector{rate: sampleRate, meters: make([]*meter, channels)}
	for i := range d.meters {
		d.meters[i] = newMeter(sampleRate)
	}
	if channels == 2 {
		d.pair = newCorrelator(sampleRate)
	}
	d.next = d.stepEnd(0)
	return d
}

// stepEnd is the sample at which a step ends.
func (d *Detector) stepEnd(step int64) int64 { return (step + 1) * int64(d.rate) / stepsPerS }

// Write hears the samples that follow, full scale at -1 and 1: one slice of the
// same length for each channel. It does not keep them. How a recording is cut
// into writes changes nothing.
func (d *Detector) Write(planes [][]float32) {
	if len(planes) == 0 {
		return
	}
	for from, n := 0, len(planes[0]); from < n; {
		to := from + int(min(int64(n-from), d.next-d.n))
		for c, m := range d.meters {
			m.add(planes[c][from:to])
		}
		if d.pair != nil {
			d.pair.add(d.meters[0].band, d.meters[1].band)
		}
		d.n += int64(to - from)
		from = to
		for d.n == d.next {
			d.steps++
			d.next = d.stepEnd(d.steps)
			for _, m := range d.meters {
				m.step()
			}
		}
	}
}

// Finish says what was heard. Nothing may be written after it.
func (d *Detector) Finish() Result {
	durationS := float64(d.n) / float64(d.rate)
	voices := make([]*voice, len(d.meters))
	for i, m := range d.meters {
		voices[i] = newVoice(m)
		voices[i].detect(nil)
	}
	r := Result{Layout: Multichannel, VAD: VAD, Params: params()}
	switch len(voices) {
	case 1:
		r.Layout = Mono
	case 2:
		r.Pair = compare(voices[0], voices[1], d.pair)
		r.Layout = r.Pair.Layout
	}
	for _, v := range voices {
		r.IPUs = append(r.IPUs, v.units(durationS))
	}
	r.Channels = figures(voices)
	r.Speech = speechTime(r.IPUs, r.Layout == Dual, durationS)
	if r.Layout == Dual {
		r.TurnTaking = Turns(r.IPUs[0], r.IPUs[1], durationS)
		r.Pair.LevelDifferenceDB = levelDifference(voices[0], voices[1])
	}
	return r
}
