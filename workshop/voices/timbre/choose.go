package timbre

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"vaak/audio/acoustic"
	"vaak/engine/espeak"
	"vaak/lang"
	"vaak/voice"
)

// The search changes as little as it can. In every language it takes the pair
// that holds the floor least, and tries every other variant of the palette, at
// about the same pitch and at steps of it, for either voice; the choice that
// leaves the largest smallest ratio stays. It goes on until all pairs hold
// the margin, or nothing gets better. Nothing in it is random.
const (
	// margin is the ratio at which the search is content: the floor, and a quarter
	// more for texts that it has not heard.
	margin = 2.5
	// gain is the least that a change must bring.
	gain = 0.02
	// maxMoves bounds the search in one language.
	maxMoves = 24
)

// steps are the pitches that are tried, in parts of the pitch of the voice: the
// further ones where the nearer do not reach the margin.
var steps = [][]float64{{1}, {0.93, 1.08}, {0.87, 1.16}}

// chooser looks for timbres.
type chooser struct {
	studio *studio
	log    io.Writer
	pitch  map[string]register // by variant
}

// register is how the fundamental frequency of a variant follows its pitch
// parameter.
type register struct{ low, high float64 } // Hz at lowPitch and highPitch

const (
	lowPitch, highPitch     = 40, 60
	lowestPitch, upperPitch = 25, 78 // beyond which a variant sounds like a toy
)

// hz returns the fundamental frequency at a pitch parameter: its logarithm goes
// in a straight line.
func (r register) hz(pitch int) float64 {
	return r.low * math.Pow(r.high/r.low, float64(pitch-lowPitch)/(highPitch-lowPitch))
}

// pitch returns the parameter for a frequency.
func (r register) pitch(hz float64) int {
	at := lowPitch + (highPitch-lowPitch)*math.Log(hz/r.low)/math.Log(r.high/r.low)
	return int(math.Round(at))
}

// registers measures the palette, in English.
func (c *chooser) registers(ctx context.Context) error {
	var parts []part
	for _, b := range palette {
		for _, pitch := range []int{lowPitch, highPitch} {
			parts = append(parts, part{"en", "", espeak.Timbre{Variant: b.variant, Pitch: pitch, Range: 50, Rate: 175, Volume: b.volume}})
		}
	}
	takes, err := c.studio.record(ctx, "palette", parts)
	if err != nil {
		return err
	}
	c.pitch = map[string]register{}
	for i, b := range palette {
		c.pitch[b.variant] = register{low: takes[2*i].f0(), high: takes[2*i+1].f0()}
	}
	return nil
}

// choose returns better timbres.
func (c *chooser) choose(ctx context.Context, voices []voice.Voice, timbres map[voice.ID]espeak.Timbre) (map[voice.ID]espeak.Timbre, error) {
	if err := c.registers(ctx); err != nil {
		return nil, err
	}
	takes, err := c.studio.cast(ctx, "voices", voices, timbres)
	if err != nil {
		return nil, err
	}
	all := survey{voices: voices, takes: takes}
	out := maps.Clone(timbres)
	for _, l := range lang.All() {
		of := all.of(l.Code)
		if len(of) == 0 {
			continue
		}
		if err := c.improve(ctx, survey{voices: of, takes: takes}, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// improve changes the timbres of one language, and the takes with them.
func (c *chooser) improve(ctx context.Context, s survey, timbres map[voice.ID]espeak.Timbre) error {
	for range maxMoves {
		subjects, before := c.subjects(s, timbres)
		if len(subjects) == 0 {
			return nil
		}
		best, err := c.best(ctx, s, subjects, before, timbres)
		if err != nil {
			return err
		}
		if best.take == (take{}) {
			fmt.Fprintf(c.log, "%s: nothing is better than %.2f\n", s.voices[0].Native, before)
			return nil
		}
		old := timbres[best.voice.ID]
		fmt.Fprintf(c.log, "%s: %s was %s at %d, is %s at %d: %.2f, before %.2f\n", best.voice.Native, best.voice.Name,
			old.Variant, old.Pitch, best.timbre.Variant, best.timbre.Pitch, best.worth, before)
		timbres[best.voice.ID] = best.timbre
		s.takes[best.voice.ID] = best.take
	}
	return nil
}

// best returns the best move of any of the voices, one without a take if none
// gains.
func (c *chooser) best(ctx context.Context, s survey, subjects []voice.Voice, before float64, timbres map[voice.ID]espeak.Timbre) (move, error) {
	best := move{worth: before}
	for _, some := range steps {
		for _, v := range subjects {
			moves, err := c.moves(ctx, s, v, some, timbres)
			if err != nil {
				return best, err
			}
			for _, m := range moves {
				m.worth = s.with(m).worth(v)
				if m.better(best, s.takes) {
					best = m
				}
			}
		}
		if best.worth >= margin {
			break
		}
	}
	return best, nil
}

// subjects returns the voices that should change, and what they are worth now:
// first those whose variant is not in the palette, then two that speak at one
// pitch, then the pair that holds the floor least.
func (c *chooser) subjects(s survey, timbres map[voice.ID]espeak.Timbre) ([]voice.Voice, float64) {
	for _, v := range s.voices {
		if _, ok := c.pitch[timbres[v.ID].Variant]; !ok {
			return []voice.Voice{v}, math.Inf(-1)
		}
	}
	pairs := s.pairs()
	if i := slices.IndexFunc(pairs, s.onePitch); i >= 0 {
		return []voice.Voice{pairs[i].a, pairs[i].b}, math.Inf(-1)
	}
	worst := slices.MinFunc(pairs, func(p, q pair) int { return cmp.Compare(p.ratio, q.ratio) })
	if worst.ratio >= margin {
		return nil, 0
	}
	return []voice.Voice{worst.a, worst.b}, worst.ratio
}

// move is another timbre for a voice.
type move struct {
	voice  voice.Voice
	timbre espeak.Timbre
	take   take
	worth  float64
}

// better says whether a move is to be preferred: for what it is worth up to the
// margin, then for keeping the pitch of the voice.
func (m move) better(other move, now map[voice.ID]take) bool {
	a, b := min(m.worth, margin), min(other.worth, margin)
	if other.take == (take{}) {
		return a > b+gain
	}
	if a != b {
		return a > b
	}
	shift := func(m move) float64 {
		return math.Abs(acoustic.Semitones(now[m.voice.ID].f0(), m.take.f0()))
	}
	return shift(m) < shift(other)
}

// with returns the survey as it would be after a move.
func (s survey) with(m move) survey {
	takes := maps.Clone(s.takes)
	takes[m.voice.ID] = m.take
	return survey{voices: s.voices, takes: takes}
}

// human are the medians of pitch, in Hz, that a grown speaker of a gender has in
// reading.
var human = map[voice.Gender]struct{ low, high float64 }{
	voice.Female: {155, 270},
	voice.Male:   {76, 155},
}

// worth returns the smallest ratio of a voice to others, and less than nothing
// when its pitch is nobody's of its gender, or too near to another's.
func (s survey) worth(v voice.Voice) float64 {
	worth := math.Inf(1)
	f0 := s.takes[v.ID].f0()
	if limits := human[v.Gender]; f0 < limits.low || f0 > limits.high {
		return math.Inf(-1)
	}
	for _, u := range s.voices {
		if u.ID == v.ID {
			continue
		}
		p := s.pair(u, v)
		if s.onePitch(p) {
			return math.Inf(-1)
		}
		worth = min(worth, p.ratio)
	}
	return worth
}

// moves measures what a voice could be.
func (c *chooser) moves(ctx context.Context, s survey, v voice.Voice, steps []float64, timbres map[voice.ID]espeak.Timbre) ([]move, error) {
	taken := map[string]bool{}
	for _, u := range s.voices {
		if u.ID != v.ID {
			taken[timbres[u.ID].Variant] = true
		}
	}
	now, hz := timbres[v.ID], s.takes[v.ID].f0()
	// A language raises or lowers every variant alike.
	key := 1.0
	if r, ok := c.pitch[now.Variant]; ok {
		key = hz / r.hz(now.Pitch)
	}
	var moves []move
	var parts []part
	for _, b := range palette {
		if b.gender != v.Gender || taken[b.variant] {
			continue
		}
		for _, step := range steps {
			t := now
			t.Variant, t.Volume = b.variant, b.volume
			t.Pitch = c.pitch[b.variant].pitch(hz * step / key)
			if t.Pitch >= lowestPitch && t.Pitch <= upperPitch {
				moves = append(moves, move{voice: v, timbre: t})
				parts = append(parts, part{v.Native, v.Region, t})
			}
		}
	}
	takes, err := c.studio.record(ctx, fmt.Sprint(v.Native, " ", v.Name), parts)
	for i := range takes {
		moves[i].take = takes[i]
	}
	return moves, err
}
