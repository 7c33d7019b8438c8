package timbre

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"vaak/audio/acoustic"
	"vaak/voice"
)

// What is asked of the voices.
const (
	// floor is how often two voices of a language must differ by what one of them
	// differs from itself between two sentences.
	floor = 2.0
	// levelLU is how far apart the levels of the softest and the loudest may be.
	levelLU = 1.0
	// pitchApart is how far, in Hz, voices of one gender in one language lie apart
	// at the least, where there are at most crowd of them all.
	pitchApart = 10.0
	crowd      = 8
)

// survey is what was measured of voices, in the order of the roster.
type survey struct {
	voices []voice.Voice
	takes  map[voice.ID]take
}

// pair is two voices of one native language.
type pair struct {
	a, b                 voice.Voice
	distance, ratio      float64 // in dB; and against the larger distance of one from itself
	timbre, timbresRatio float64 // the same by timbre alone
}

func (s survey) pair(a, b voice.Voice) pair {
	t, u := s.takes[a.ID], s.takes[b.ID]
	p := pair{
		a: a, b: b,
		distance: t.apart(u, acoustic.Print.Distance),
		timbre:   t.apart(u, acoustic.Print.TimbreDistance),
	}
	p.ratio = p.distance / max(t.self.sentences, u.self.sentences)
	p.timbresRatio = p.timbre / max(t.self.timbre, u.self.timbre)
	return p
}

// pairs returns all pairs inside a native language.
func (s survey) pairs() []pair {
	var all []pair
	for i, a := range s.voices {
		for _, b := range s.voices[i+1:] {
			if a.Native == b.Native {
				all = append(all, s.pair(a, b))
			}
		}
	}
	return all
}

// neighbours returns the pair of a voice with the one of its language that is
// nearest, and the smallest ratio of all its pairs. Every language has at least
// three voices.
func (s survey) neighbours(v voice.Voice) (nearest pair, least float64) {
	least, nearest.distance = math.Inf(1), math.Inf(1)
	for _, w := range s.voices {
		if w.Native != v.Native || w.ID == v.ID {
			continue
		}
		p := s.pair(v, w)
		least = min(least, p.ratio)
		if p.distance < nearest.distance {
			nearest = p
		}
	}
	return nearest, least
}

// violations says in sentences what the voices fail.
func (s survey) violations() []string {
	var list []string
	fail := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	for _, p := range s.pairs() {
		if p.ratio < floor {
			fail("%s: %s and %s are %.2f dB apart, %.2f times what one is from itself; want %.1f",
				p.a.Native, p.a.Name, p.b.Name, p.distance, p.ratio, floor)
		}
		if s.onePitch(p) {
			fail("%s: %s and %s speak at %.0f and %.0f Hz; want %.0f Hz between them",
				p.a.Native, p.a.Name, p.b.Name, s.takes[p.a.ID].f0(), s.takes[p.b.ID].f0(), pitchApart)
		}
	}
	softest, loudest := s.extremes(func(t take) float64 { return t.lufs })
	if spread := s.takes[loudest.ID].lufs - s.takes[softest.ID].lufs; spread > levelLU {
		fail("%s (%s) is %.2f LU louder than %s (%s); want at most %.1f",
			loudest.Name, loudest.Native, spread, softest.Name, softest.Native, levelLU)
	}
	for _, v := range s.voices {
		if n := s.takes[v.ID].clipped; n > 0 {
			fail("%s (%s) has %d samples at full scale", v.Name, v.Native, n)
		}
	}
	return list
}

// onePitch says whether two voices of one gender speak at about one pitch. Where
// a language has many there is no room for a pitch for each.
func (s survey) onePitch(p pair) bool {
	return p.a.Gender == p.b.Gender && len(voice.ForLanguage(p.a.Native)) <= crowd &&
		math.Abs(s.takes[p.a.ID].f0()-s.takes[p.b.ID].f0()) < pitchApart
}

// extremes returns the voices with the least and the most of something.
func (s survey) extremes(of func(take) float64) (least, most voice.Voice) {
	by := func(a, b voice.Voice) int { return cmp.Compare(of(s.takes[a.ID]), of(s.takes[b.ID])) }
	return slices.MinFunc(s.voices, by), slices.MaxFunc(s.voices, by)
}
