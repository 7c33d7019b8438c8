// Package talk finds out who speaks when on a recording, and how two speakers take turns,
// from the audio alone.
//
// A [Detector] hears a recording once. For every 10 ms of each channel it keeps one level (2
// bytes), and for every 40 ms the pitch (2 bytes). When the recording has ended, it finds
// noise floor and speech peak of each channel from all levels, and then speech by two
// thresholds: speech begins above the higher one and lasts until the level is under the lower
// one. Its edges are then followed to where they meet the noise, and corrected by the mean of
// what noise hides. On two channels, the leakage of each into the other is estimated and
// removed. What leakage hides counts as speech only between speech, and for 20 ms at its
// edges.
//
// By energy alone every loud sound is speech. So the result is judged: how far it rises above
// the noise, how loud it is, and how much of it does not rise and fall, has no pitch, or
// holds one pitch, as noise, tones and music do. If that speaks against it, the confidence is
// marked as low; the speech that was found is not changed.
//
// Accuracy, measured with speech-like sounds and espeak-ng at known times, under noise of up
// to -50 dBFS: edges within 20 ms, floor-transfer offsets within 30 ms. At -45 dBFS a sound
// 38 dB under the peak is lost in the noise. With crosstalk of -20 dB the overlap ratio is
// within 0.02, and offsets in overlaps are wrong by the length of the weak sound that the
// other speaker covers, about 0.15 s; a backchannel that is partly covered may count as a
// turn.
package talk

import "vaak/catalogue"

// Interval is a stretch of time, in seconds from the start of a recording.
type Interval struct {
	Start float64 `json:"s"`
	End   float64 `json:"e"`
}

// The layouts say what the channels of a recording hold.
const (
	Dual         = "dual"         // two channels with one speaker each
	Stereo       = "stereo"       // two channels of any other kind; one may be silent
	Multichannel = "multichannel" // three channels or more
	Mono         = "mono"
)

// Result says who speaks when.
type Result struct {
	// IPUs are the inter-pausal units of each channel, in order. On dual channels they are
	// without what leaks from the other channel.
	IPUs   [][]Interval
	Layout string
	// Channels has the figures of each channel that depend on speech: NoiseFloorDBFS, SNRDB,
	// VADSpanDB, SpeechLevelDBFS, UnlikeSpeechRatio, LowConfidence and HasSpeech. Levels
	// are of the band from 200 to 3400 Hz. Without noise there is no floor and no ratio, and
	// the span is assumed to be 60 dB. On channels that are not dual, the speech of a
	// channel is whatever is heard there, of any speaker.
	Channels []catalogue.Channel
	// Pair compares two channels. Its leakage is the level of the other speaker on a channel
	// relative to that on the speaker's own channel, or an upper bound if noise hides it.
	// It is missing if one speaker is never heard alone.
	Pair       *catalogue.Pair
	Speech     catalogue.SpeechTime
	TurnTaking *catalogue.TurnTaking // of dual channels only
	VAD        string
	Params     map[string]float64
}

// Detector hears one recording. It is not safe for concurrent use.
type Detector struct {
	rate   int
	n      int64 // samples heard of each channel
	steps  int64 // whole steps heard
	next   int64 // the sample at which the current step ends
	meters []*meter
	pair   *correlator
}

// NewDetector returns a detector for a sample rate in Hz and a number of channels. Both must
// be above 0.
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

// stepEnd returns the sample at which a step ends. Computed anew for each step, so that rates
// that are no multiple of stepsPerS do not drift.
func (d *Detector) stepEnd(step int64) int64 { return (step + 1) * int64(d.rate) / stepsPerS }

// Write hears the next samples, with full scale at -1 and 1: one slice for each channel, all
// of the same length. It does not keep the slices. The result does not depend on how a
// recording is divided into writes.
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

// Finish returns what was heard. Nothing may be written after it.
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
