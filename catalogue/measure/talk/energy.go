package talk

import "math"

// silent is the level of a frame of digital silence: samples that are all equal.
const silent = math.MinInt16

// lowest is the least level that is told.
const lowest = -150 * db

// loudest sample that is believed; floating-point files may hold anything.
const loudest = 256

// meter measures the levels of one channel.
type meter struct {
	filter bandpass
	levels []int16 // of frames
	pitch  *pitcher
	tones  []tone    // of every toneFrames frames
	band   []float64 // what add filtered last
	sum    float64   // of squares, in this step
	last   float32   // the last sample of what was added before
	varies bool      // samples differ from it, in this step
	begun  bool
	offset float64 // the first sample, from which the filter starts at rest

	energy    [frameSteps]float64 // of the last steps, in a ring
	sounds    [frameSteps]bool
	steps     int
	stepScale float64 // 1 / samples of a frame
}

func newMeter(rate int) *meter {
	return &meter{pitch: newPitcher(rate), filter: newBandpass(float64(rate)), stepScale: stepsPerS / float64(frameSteps*rate)}
}

// add hears samples of one step.
func (m *meter) add(in []float32) {
	if cap(m.band) < len(in) {
		m.band = make([]float64, len(in))
	}
	m.band = m.band[:len(in)]
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

// sane is a sample without what no sample is.
func sane(x float32) float64 {
	if x > -loudest && x < loudest {
		return float64(x)
	}
	return 0
}

// step ends a step, and with every second one a frame.
func (m *meter) step() {
	at := m.steps % frameSteps
	m.energy[at], m.sounds[at] = m.sum, m.varies
	m.sum, m.varies = 0, false
	m.filter.rest()
	m.pitch.rest()
	m.steps++
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
	if len(m.levels)%toneFrames == toneFrames/2 {
		var t tone
		if sounds {
			t = m.pitch.tone()
		}
		m.tones = append(m.tones, t)
	}
}

// level is a mean power as a level.
func level(power float64, sounds bool) int16 {
	if !sounds {
		return silent
	}
	return int16(min(max(math.Round(10*db*math.Log10(power)), lowest), math.MaxInt16))
}

// power is a level as a mean power.
func power(level float64) float64 { return math.Pow(10, level/(10*db)) }
