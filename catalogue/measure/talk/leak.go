package talk

import (
	"math"

	"vaak/catalogue"
)

// gate decides whether a frame of one channel is speech or leaks in from the other channel.
//
// A frame is leakage if it is not louder than the other channel, less what leakage loses on
// the way, plus a margin as wide as leakage varies. (Letting only the louder channel speak
// would lose the quieter speaker whenever both speak.) The level of the other channel is the
// highest of the frames around, so that a short delay does not matter, and it decays instead
// of stopping, as sound in rooms does.
type gate struct {
	other []int16
	bias  int // leakage plus margin
}

// at returns the level that a frame must exceed to be speech. A nil gate lets all through.
func (g *gate) at(i int) int {
	if g == nil {
		return lowest
	}
	most := silent
	// The loop looks leakHold frames ahead and as far back as a decay can matter.
	for k := -leakHold; ; k++ {
		fall := max(0, k-leakHold) * leakDecay
		if fall > 4*leakDecay {
			break
		}
		if j := i - k; j >= 0 && j < len(g.other) && g.other[j] != silent {
			most = max(most, int(g.other[j])-fall)
		}
	}
	return most + g.bias
}

// leakage is how much of one channel is heard on the other.
type leakage struct {
	known bool
	level int // relative to the other channel; if noise hides the leakage, that of the noise
	seen  bool
	over  int // how far it varies above level
}

// leak returns how much of b is heard on a. It looks at the loudest frames of b in which a is
// not louder: in most of them only b speaks. Those in which a speaks too have larger
// differences; they are left out by using only the frames near the lower quartile.
func leak(a, b *voice) leakage {
	loud := b.loud()
	var d histogram
	each := func(visit func(i, d int)) {
		for _, r := range b.speech {
			for i := r.from; i < r.to; i++ {
				x, y := int(a.levels[i]), int(b.levels[i])
				if y >= loud && x <= y {
					visit(i, max(x, lowest)-y)
				}
			}
		}
	}
	each(func(_, diff int) { d.add(diff) })
	// Then the other speaker is hardly ever heard alone.
	if d.n < leakLeast {
		return leakage{}
	}
	most := d.quantile(leakQuantile) + leakNear
	under := quiet(a, b)
	var near, rise histogram
	each(func(i, diff int) {
		if diff <= most {
			near.add(diff)
			// How far these frames rise above the noise says whether leakage is heard at all.
			rise.add(int(a.levels[i]) - min(a.at(i), under))
		}
	})
	l := leakage{known: true, level: near.quantile(0.5), seen: rise.quantile(0.5) >= leakSeen}
	l.over = near.quantile(marginQuantile) - l.level
	return l
}

// quiet returns the level of a while b does not speak, if that is far below the floor of a:
// then the floor was leakage. Otherwise it returns a level far above any floor.
func quiet(a, b *voice) int {
	var h histogram
	i := 0
	for k := 0; k <= len(b.speech); k++ {
		to, next := len(a.levels), len(a.levels)
		if k < len(b.speech) {
			to, next = b.speech[k].from, b.speech[k].to
		}
		for ; i < to; i++ {
			h.add(max(int(a.levels[i]), lowest))
		}
		i = next
	}
	if l := h.quantile(floorQuantile); h.n > 0 && l < a.floor-leakHidden {
		return l
	}
	return -lowest
}

// loud returns the level that the loudest frames of the speech exceed.
func (v *voice) loud() int {
	var h histogram
	for _, r := range v.speech {
		for _, l := range v.levels[r.from:r.to] {
			h.add(int(l))
		}
	}
	return h.quantile(1 - leakTop)
}

// gate returns a gate against the leakage of b; nil if none is heard above the noise.
func (l leakage) gate(b *voice) *gate {
	if !l.known || !l.seen {
		return nil
	}
	margin := min(max(l.over+marginOver, marginLeast), marginMost)
	return &gate{other: b.levels, bias: l.level + margin}
}

// compare decides what two channels hold, and removes leakage from them if each holds one
// speaker.
//
// They do if the channels are not alike (correlation) and little of each is heard on the
// other (leakage). Both leakages must be known, that is, each speaker is heard alone for
// 0.2 s. Their mean is judged, because it does not change when one channel is recorded
// louder than the other.
func compare(a, b *voice, c *correlator) *catalogue.Pair {
	p := &catalogue.Pair{Correlation: round(c.correlation()), Layout: Stereo}
	// Each as the other channel hears it.
	lagB, lagA := lateness(a, b), lateness(b, a)
	laterB, laterA := b.later(lagB), a.later(lagA)
	ofB, ofA := leak(a, laterB), leak(b, laterA)
	if !ofA.known || !ofB.known {
		return p
	}
	p.LeakageDB = []float64{decibels(ofB.level), decibels(ofA.level)}
	if lagB+lagA > 0 {
		p.EchoDelayMs = []float64{1000 * hopS * float64(lagB), 1000 * hopS * float64(lagA)}
	}
	if math.Abs(p.Correlation) >= correlationMost || (ofA.level+ofB.level)/2 >= leakageMost {
		return p
	}
	// Each voice is detected again without the leakage of the other, whose levels do not change.
	p.Layout = Dual
	a.detectAgain(ofB.gate(laterB))
	b.detectAgain(ofA.gate(laterA))
	// Everything that was heard on one channel was leakage.
	if len(a.speech) == 0 || len(b.speech) == 0 {
		p.Layout = Stereo
	}
	return p
}

// decibels returns a level in dB.
func decibels(level int) float64 { return float64(level) / db }

// round rounds to three decimals.
func round(x float64) float64 { return math.Round(x*1000) / 1000 }
