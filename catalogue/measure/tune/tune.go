// Package tune finds the tones and the music on a channel: dial, ringing and busy tones, beeps,
// and music on hold.
//
// Both hold pitches, which no voice does for long: in a sonogram they are straight horizontal
// lines, where the harmonics of speech rise and fall. The measure follows the peaks of each
// spectrum from frame to frame, after K. Seyerlehner, T. Pohle, M. Schedl and G. Widmer,
// Automatic Music Detection in Television Productions, DAFx 2007, who count for how long bins
// stay peaks. A frame is held if peaks that have stood still for 5 frames (0.3 s) carry most of
// its energy. Held frames with all energy in few peaks are a tone. A stretch of 2 s is music if
// enough of its frames are held.
//
// A line that stands for the whole recording at one level is noise of the line or the room, such as
// hum and whine, and no tone: it is heard again in each pause, and pauses are not softer than it.
//
// Limits: a recording that is one tone from its beginning to its end has none. Only what is under 2 kHz is heard. Drums without pitch, singing with vibrato and music
// far below speech are not found. Vowels that are held for a second, as in singing, chanting or
// a long "hmm" of a synthetic voice, read as a tone or as music.
package tune

import (
	"cmp"
	"math"
	"slices"

	"vaak/catalogue/measure/sonogram"
)

// Kind is what was heard.
type Kind string

// The kinds.
const (
	Tone  Kind = "tone"
	Music Kind = "music"
)

// Stretch is a time that holds a tone or music.
type Stretch struct {
	Kind  Kind    `json:"kind"`
	Start float64 `json:"s"` // seconds from the start of the recording
	End   float64 `json:"e"`
}

const (
	// lowHz is the lowest frequency of a peak; below it are hum and rumble.
	lowHz = 150
	// peaksMost is how many peaks of a frame are followed, the highest first.
	peaksMost = 12
	// peakOver is by how much a peak must exceed the mean of the bins around it, as a ratio of
	// powers.
	peakOver = 3
	around   = 10 // bins on either side
	// heldFrames is for how many frames a peak must stand still, and heldHz how far it may be
	// from where it began.
	heldFrames = 5
	heldHz     = 4
	// heldShare is the share of the energy that the held peaks of a held frame carry, and
	// toneShare that of a tone, in at most tonePeaks of them.
	heldShare = 0.5
	toneShare = 0.85
	tonePeaks = 4
	// toneLeast is how many frames a tone must last.
	toneLeast = 4
	// span is how many frames are judged together: 2 s. Music has musicShare of held frames,
	// of those that sound.
	span        = 2 * sonogram.PerSecond
	musicShare  = 0.5
	musicLeast  = span / 2                   // frames that must sound
	musicFrames = 5 * sonogram.PerSecond / 2 // shorter music is chance
	// Held frames with at most tuneFrames between them are judged together. They are music and
	// no tones if under tonesShare of them are toned, or if these have more than pitchesMost
	// pitches, pitchHz apart.
	tuneFrames  = 2 * sonogram.PerSecond
	tonesShare  = 0.6
	pitchesMost = 4
	pitchHz     = 8
	// A line is noise if it is at its level in standingShare of all frames, and gone from at most a
	// third as many. Frames up to standingOver of that level are it, as a ratio of powers; in
	// frames of less than a quarter it is gone.
	standingShare = 0.2
	standingOver  = 4
	standingMost  = 3 // pitches that are tried
)

// peak is a peak of a spectrum that is followed.
type peak struct {
	hz, power float64
	from      float64 // frequency in Hz with which it began
	age       int     // frames for which it stood still
	before    int     // its index in the frame before, if age is above 1
	held      bool
}

// frame is what is kept of one frame until it is known which of its peaks are held.
type frame struct {
	sum   float64 // of the powers from lowHz on
	level float64
	peaks []peak
}

// Finder follows one channel. It is not safe for concurrent use. It keeps 8 bytes for each frame.
type Finder struct {
	recent [heldFrames]frame // as a ring
	n      int               // frames so far
	marks  []mark            // of the frames that have left the ring
}

// mark says what one frame is.
type mark struct {
	level               float32 // mean square
	sounds, held, toned bool
	pitch               uint8 // of the highest held peak, or else of the highest, in steps of pitchHz
}

// Add hears the next frame.
func (f *Finder) Add(s sonogram.Frame) {
	now := &f.recent[f.n%heldFrames]
	if f.n >= heldFrames {
		f.marks = append(f.marks, now.mark())
	}
	now.sum, now.level, now.peaks = s.Sum, s.Level, peaks(now.peaks[:0], s)
	if s.Sum > 0 {
		for _, p := range s.Power[:min(int(lowHz/s.BinHz), len(s.Power))] {
			now.sum -= p
		}
	}
	if f.n > 0 {
		before := f.recent[(f.n-1)%heldFrames].peaks
		for i := range now.peaks {
			f.follow(&now.peaks[i], before)
		}
	}
	f.n++
}

// follow finds the peak of the frame before that p goes on from, and marks both as held when the
// peak has stood still for long enough.
func (f *Finder) follow(p *peak, before []peak) {
	for i, b := range before {
		if math.Abs(p.hz-b.from) <= heldHz && (p.age == 1 || b.age+1 > p.age) {
			p.from, p.age, p.before = b.from, b.age+1, i
		}
	}
	if p.age < heldFrames {
		return
	}
	p.held = true
	for at, back := p.before, 1; back < heldFrames; back++ {
		q := &f.recent[(f.n-back)%heldFrames].peaks[at]
		if q.held {
			break // and so are those before it
		}
		q.held, at = true, q.before
	}
}

// mark judges a frame whose held peaks are known.
func (f *frame) mark() mark {
	if f.sum <= 0 {
		return mark{level: float32(f.level)}
	}
	// Highest first: a tone is few peaks, whatever else is held.
	slices.SortFunc(f.peaks, func(a, b peak) int { return cmp.Compare(b.power, a.power) })
	m := mark{sounds: true, level: float32(f.level)}
	if len(f.peaks) > 0 {
		m.pitch = uint8(f.peaks[0].from / pitchHz)
	}
	all, first, n := 0.0, 0.0, 0
	for _, p := range f.peaks {
		if !p.held {
			continue
		}
		all += p.power
		if n++; n <= tonePeaks {
			first += p.power
		}
		if n == 1 {
			m.pitch = uint8(p.from / pitchHz)
		}
	}
	m.held, m.toned = all >= heldShare*f.sum, first >= toneShare*f.sum
	return m
}

// peaks appends the highest peaks of a spectrum.
func peaks(to []peak, s sonogram.Frame) []peak {
	p := s.Power
	first := max(int(lowHz/s.BinHz), around)
	if s.Sum == 0 || first+around >= len(p) {
		return to
	}
	near := 0.0 // sum of the bins around i
	for _, v := range p[first-around : first+around] {
		near += v
	}
	for i := first; i+around < len(p); i++ {
		near += p[i+around]
		if v := p[i]; v > p[i-1] && v >= p[i+1] && v*(2*around+1) > peakOver*near {
			to = append(to, peak{hz: (float64(i) + top(p[i-1], v, p[i+1])) * s.BinHz, age: 1,
				power: p[i-2] + p[i-1] + v + p[i+1] + p[i+2]})
		}
		near -= p[i-around]
	}
	if len(to) > peaksMost {
		slices.SortFunc(to, func(a, b peak) int { return cmp.Compare(b.power, a.power) })
		to = to[:peaksMost]
	}
	for i := range to {
		to[i].from = to[i].hz
	}
	return to
}

// top returns where the highest point of a parabola through the logarithms of three powers is,
// from -0.5 to 0.5 bins beside the middle one.
func top(a, b, c float64) float64 {
	const nothing = 1e-30
	x, y, z := math.Log(a+nothing), math.Log(b+nothing), math.Log(c+nothing)
	if d := x - 2*y + z; d < 0 {
		return max(-0.5, min(0.5, 0.5*(x-z)/d))
	}
	return 0
}

// Stretches returns the tones and the music of what was heard, in order of time. They do not
// overlap. Nothing may be added after it.
func (f *Finder) Stretches() []Stretch {
	for i := max(0, f.n-heldFrames); i < f.n; i++ {
		f.marks = append(f.marks, f.recent[i%heldFrames].mark())
	}
	f.n = 0
	f.dropStanding()
	tones := f.tones()
	toned := make([]bool, len(f.marks))
	for _, t := range tones {
		for i := t.from; i < t.to; i++ {
			toned[i] = true
		}
	}
	music := f.music(toned)
	var out []Stretch
	add := func(kind Kind, all []run) {
		for _, r := range all {
			out = append(out, Stretch{kind, sonogram.At(r.from), sonogram.At(r.to)})
		}
	}
	add(Tone, tones)
	add(Music, runs(len(music), musicFrames, func(i int) bool { return music[i] }))
	slices.SortFunc(out, func(a, b Stretch) int { return cmp.Compare(a.Start, b.Start) })
	return out
}

// dropStanding takes the lines that stand for the whole recording off the marks.
func (f *Finder) dropStanding() {
	var levels [256][]float32 // of held frames, by pitch
	for _, m := range f.marks {
		if m.held {
			levels[m.pitch] = append(levels[m.pitch], m.level)
		}
	}
	for range standingMost {
		p := 0
		for i := range levels {
			if len(levels[i]) > len(levels[p]) {
				p = i
			}
		}
		if len(levels[p]) < toneLeast {
			return
		}
		slices.Sort(levels[p])
		level := levels[p][len(levels[p])/2]
		levels[p] = nil
		if !f.stands(p, level) {
			continue
		}
		for i := range f.marks {
			if m := &f.marks[i]; m.level <= standingOver*level {
				m.held, m.toned = false, false
			}
		}
	}
}

// stands reports whether a line is in the recording throughout, as far as it is not covered.
func (f *Finder) stands(pitch int, level float32) bool {
	there, gone := 0, 0
	for _, m := range f.marks {
		switch {
		case m.level < level/4:
			gone++
		case m.level < level/2 || m.level > 2*level:
			// Something covers it, or it is half in the frame.
		case m.sounds && (int(m.pitch) < pitch-1 || int(m.pitch) > pitch+1):
			gone++
		default:
			there++ // or the frame counts as silence, and has no spectrum
		}
	}
	return float64(there) >= standingShare*float64(len(f.marks)) && there > 3*gone
}

// tones returns the runs of frames that are tones. Held frames that follow each other are left
// out if too few of them are tones, or at too many pitches: they are music.
func (f *Finder) tones() []run {
	all := runs(len(f.marks), toneLeast, func(i int) bool { return f.marks[i].held })
	var out []run
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && all[to].from-all[to-1].to <= tuneFrames {
			to++
		}
		begin := all[from].from
		n, toned := 0, runs(all[to-1].to-begin, toneLeast, func(i int) bool { return f.marks[begin+i].toned })
		for i := range toned {
			toned[i].from, toned[i].to = toned[i].from+begin, toned[i].to+begin
			n += toned[i].to - toned[i].from
		}
		held := 0
		for _, r := range all[from:to] {
			held += r.to - r.from
		}
		if float64(n) >= tonesShare*float64(held) && f.pitches(toned) <= pitchesMost {
			out = append(out, toned...)
		}
		from = to
	}
	return out
}

// pitches counts the pitches that last for some frames in all. Neighbours count as one.
func (f *Finder) pitches(all []run) (n int) {
	var frames [256]int
	for _, r := range all {
		for _, m := range f.marks[r.from:r.to] {
			frames[m.pitch]++
		}
	}
	last := -2
	for p, k := range frames {
		if k < toneLeast {
			continue
		}
		if p > last+1 {
			n++
		}
		last = p
	}
	return n
}

// music returns which frames are music, and no tones.
func (f *Finder) music(toned []bool) []bool {
	music := make([]bool, len(f.marks))
	for from := 0; from+span <= len(f.marks); from += span / 4 {
		n, held := 0, 0
		for i, m := range f.marks[from : from+span] {
			if m.sounds && !toned[from+i] {
				n++
				if m.held {
					held++
				}
			}
		}
		if n >= musicLeast && float64(held) >= musicShare*float64(n) {
			for i := from; i < from+span; i++ {
				music[i] = !toned[i]
			}
		}
	}
	return music
}

// run is a range of frames, from the first to before the last.
type run struct{ from, to int }

// runs returns the runs of at least least of n frames for which is holds.
func runs(n, least int, is func(int) bool) []run {
	var out []run
	from := 0
	for i := 0; i <= n; i++ {
		if i < n && is(i) {
			continue
		}
		if i-from >= least {
			out = append(out, run{from, i})
		}
		from = i + 1
	}
	return out
}
