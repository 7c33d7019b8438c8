package talk

import "math"

// silent is the level of a frame of digital silence, in which all samples are equal.
const silent = math.MinInt16

// lowest is the lowest level of a frame that is not digital silence.
const lowest = -150 * db

// loudest is the largest magnitude that a sample can have. Files in floating point may hold
// anything, and one absurd sample would make every filter ring for the rest of the file.
const loudest = 256

// meter measures the levels and the pitch of one channel.
type meter struct {
	filter bandpass
	levels []int16 // one for each frame
	pitch  *pitcher
	tones  []tone    // one for every toneFrames frames
	band   []float64 // the samples that add has filtered last
	sum    float64   // sum of squares in this step
	last   float32   // the last sample heard
	varies bool      // some sample of this step differs from the one before it
	begun  bool
	offset float64 // the first sample. It is subtracted so that a constant offset does not click.

	energy    [frameSteps]float64 // of the last steps, as a ring
	sounds    [frameSteps]bool
	steps     int
	stepScale float64 // 1 / samples of a frame
}

func newMeter(rate int) *meter {
	return &meter{pitch: newPitcher(rate), filter: newBandpass(float64(rate)), stepScale: stepsPerS / float64(frameSteps*rate)}
}

// add hears samples that lie in one step.
func (m *meter) add(in []float32) {
	if cap(m.band) < len(in) {
		m.band = make([]float64, len(in))
	}
	m.band = m.band[:len(in)]
	// The filter starts at rest on the first sample.
	if !m.begun && len(in) > 0 {
		m.begun, m.last, m.offset = true, in[0], sane(in[0])
	}
	last, offset, varies := m.last, m.offset, m.varies
	for i, x := range in {
		varies = varies || x != last
		m.band[i] = sane(x) - offset
	}
	if len(in) > 0 {
		m.last = in[len(in)-1]
	}
	m.varies = varies
	m.sum = m.filter.run(m.band, m.sum)
	m.pitch.add(m.band)
}

// sane returns a sample, or 0 for NaN and for values that no sample has.
func sane(x float32) float64 {
	if x > -loudest && x < loudest {
		return float64(x)
	}
	return 0
}

// step ends a step of 5 ms, and with every second step a frame.
func (m *meter) step() {
	at := m.steps % frameSteps
	m.energy[at], m.sounds[at] = m.sum, m.varies
	m.sum, m.varies = 0, false
	m.filter.clearTiny()
	m.pitch.clearTiny()
	m.steps++
	// A frame is complete after frameSteps steps, and then one every hopSteps.
	if m.steps < frameSteps || (m.steps-frameSteps)%hopSteps != 0 {
		return
	}
	var power float64
	sounds := false
	for i, e := range m.energy {
		power += e
		sounds = sounds || m.sounds[i]
	}
	m.levels = append(m.levels, level(power*m.stepScale, sounds))
	// In the middle of its toneFrames frames, so that the tone is of the same time as they.
	if len(m.levels)%toneFrames == toneFrames/2 {
		var t tone
		if sounds {
			t = m.pitch.tone()
		}
		m.tones = append(m.tones, t)
	}
}

// level returns a mean power as a level, or silent where no sample varies.
func level(power float64, sounds bool) int16 {
	if !sounds {
		return silent
	}
	return int16(min(max(math.Round(10*db*math.Log10(power)), lowest), math.MaxInt16))
}

// power returns a level as a mean power.
func power(level float64) float64 { return math.Pow(10, level/(10*db)) }
