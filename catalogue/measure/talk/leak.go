package talk

import (
	"math"

	"vaak/catalogue"
)

// gate tells speech of a channel from what leaks into it from the other one.
//
// A frame is leakage when it is no louder than the other channel's level, less
// what leakage loses, and a margin as wide as leakage varies. A gate that let the
// louder channel alone speak would lose the quieter speaker wherever both do. The
// other's level is the highest of the frames around, so that a short delay does
// not matter, and dies away rather than stops, as rooms do.
type gate struct {
	other []int16
	bias  int // leakage and margin
}

// at is the level that a frame must exceed.
func (g *gate) at(i int) int {
	if g == nil {
		return lowest
	}
	most := silent
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

// leakage is what of another channel is heard on one.
type leakage struct {
	known bool
	level int // less the other's level; the noise, where that hides it
	seen  bool
	over  int // how far it varies above level
}

// leak tells what of b is heard on a, from the loudest frames of b in which a is
// no louder: mostly those in which only b speaks. The differences of the others
// are set aside by taking those near the lower quartile.
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
	if d.n < leakLeast {
		return leakage{}
	}
	most := d.quantile(leakQuantile) + leakNear
	under := quiet(a, b)
	var near, rise histogram
	each(func(i, diff int) {
		if diff <= most {
			near.add(diff)
			rise.add(int(a.levels[i]) - min(a.at(i), under))
		}
	})
	l := leakage{known: true, level: near.quantile(0.5), seen: rise.quantile(0.5) >= leakSeen}
	l.over = near.quantile(marginQuantile) - l.level
	return l
}

// quiet is the level of a while b does not speak, where it is far below what was
// taken for the floor of a: that was leakage then. It is far above any floor else.
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

// loud is the level that the loudest frames of speech exceed.
func (v *voice) loud() int {
	var h histogram
	for _, r := range v.speech {
		for _, l := range v.levels[r.from:r.to] {
			h.add(int(l))
		}
	}
	return h.quantile(1 - leakTop)
}

// gate keeps out what leaks into a channel from b; nil where nothing is heard.
func (l leakage) gate(b *voice) *gate {
	if !l.known || !l.seen {
		return nil
	}
	margin := min(max(l.over+marginOver, marginLeast), marginMost)
	return &gate{other: b.levels, bias: l.level + margin}
}

// compare tells what two channels hold, and keeps leakage out of them where each
// holds one speaker.
//
// They do when they are not alike (correlation) and little of each is heard on
// the other (leakage). Both must be known: each speaker is heard alone for 0.2 s.
// The mean of both directions is judged, since it does not change when one
// channel is recorded louder than the other.
func compare(a, b *voice, c *correlator) *catalogue.Pair {
	p := &catalogue.Pair{Correlation: round(c.correlation()), Layout: Stereo}
	ofB, ofA := leak(a, b), leak(b, a)
	if !ofA.known || !ofB.known {
		return p
	}
	p.LeakageDB = []float64{decibels(ofB.level), decibels(ofA.level)}
	if math.Abs(p.Correlation) >= correlationMost || (ofA.level+ofB.level)/2 >= leakageMost {
		return p
	}
	p.Layout = Dual
	a.detectAgain(ofB.gate(b))
	b.detectAgain(ofA.gate(a))
	if len(a.speech) == 0 || len(b.speech) == 0 {
		p.Layout = Stereo
	}
	return p
}

// decibels is a level in dB.
func decibels(level int) float64 { return float64(level) / db }

// round rounds to a thousandth.
func round(x float64) float64 { return math.Round(x*1000) / 1000 }
