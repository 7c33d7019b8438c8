package timbre

import (
	"context"
	"fmt"
	"math"
	"slices"

	"vaak/audio/acoustic"
	"vaak/engine"
	"vaak/voice"
	"vaak/workshop/voices/rig"
)

// self is how far a voice is from itself.
type self struct {
	sentences float64 // between two sentences, the median
	timbre    float64 // the same by timbre alone
	sets      float64 // between the two sets
}

// take is what was measured of a voice in one language.
type take struct {
	a, b    acoustic.Print // of the two sets of sentences
	self    self
	lufs    float64
	peak    int
	clipped int
}

// apart returns how far two voices are apart: in the set in which they are
// nearer to each other, each speaking the same sentences.
func (t take) apart(u take, distance func(p, q acoustic.Print) float64) float64 {
	return min(distance(t.a, u.a), distance(t.b, u.b))
}

// f0 returns the fundamental frequency over both sets, in Hz.
func (t take) f0() float64 { return math.Sqrt(t.a.F0 * t.b.F0) }

// span returns the range over both sets, in semitones.
func (t take) span() float64 { return (t.a.Range + t.b.Range) / 2 }

// record has a voice speak both sets of its native language and measures it.
func record(ctx context.Context, e engine.Engine, v voice.Voice, s rig.Sets) (take, error) {
	traits, err := e.Voice(v)
	if err != nil {
		return take{}, err
	}
	loud := rig.NewLoudness(traits.SampleRate)
	var whole [2]acoustic.Print
	var single [2][]acoustic.Print
	for i, texts := range [][]string{s.A, s.B} {
		set, err := acoustic.NewMeter(traits.SampleRate)
		if err != nil {
			return take{}, err
		}
		for _, text := range texts {
			pcm, err := rig.Speak(ctx, e, v, v.Native, text)
			if err != nil {
				return take{}, err
			}
			loud.Write(pcm)
			one, err := acoustic.NewMeter(traits.SampleRate)
			if err != nil {
				return take{}, err
			}
			one.Write(pcm)
			set.Join(one)
			p, ok := one.Print()
			if !ok {
				return take{}, fmt.Errorf("%s in %s hardly voices %.64q", v.ID, v.Native, text)
			}
			single[i] = append(single[i], p)
		}
		var ok bool
		if whole[i], ok = set.Print(); !ok {
			return take{}, fmt.Errorf("%s in %s is hardly voiced", v.ID, v.Native)
		}
	}
	t := take{a: whole[0], b: whole[1], peak: loud.Peak, clipped: loud.Clipped}
	t.self = selfOf(t, single[0], single[1])
	if t.lufs, err = loud.LUFS(); err != nil {
		return t, fmt.Errorf("%s in %s: %w", v.ID, v.Native, err)
	}
	return t, nil
}

// selfOf compares each sentence of one set with one of the other.
func selfOf(t take, a, b []acoustic.Print) self {
	var whole, timbre []float64
	for i := range a {
		whole = append(whole, a[i].Distance(b[i]))
		timbre = append(timbre, a[i].TimbreDistance(b[i]))
	}
	return self{sentences: median(whole), timbre: median(timbre), sets: t.a.Distance(t.b)}
}

// median sorts x.
func median(x []float64) float64 {
	slices.Sort(x)
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}
