package talk

import "math"

// lateness returns by how many frames the other speaker is heard late on a: 0 if that is at once, as
// with crosstalk, or not at all. Lines return an echo after up to half a second.
//
// The levels of an echo follow those of the other channel. So the lag is the one at which they
// correlate best, over the frames in which b speaks and a is softer, and it must do so clearly
// better than without a lag.
func lateness(a, b *voice) int {
	best, at, now := echoLeast, 0, 0.0
	for lag := range echoFrames + 1 {
		r := alike(a, b, lag)
		if lag == 0 {
			now = r
		}
		if r > best && r > now+echoOver {
			best, at = r, lag
		}
	}
	if at <= leakHold {
		return 0 // the gate looks that far anyway
	}
	return at
}

// alike returns the correlation of the levels of a with those that b had lag frames before.
func alike(a, b *voice, lag int) float64 {
	var n, x, y, xx, yy, xy float64
	for _, r := range b.speech {
		for i := r.from; i < min(r.to, len(a.levels)-lag); i++ {
			l, m := int(a.levels[i+lag]), int(b.levels[i])
			if a.levels[i+lag] == silent || l > m-echoUnder {
				continue
			}
			// In decibels, so that products stay exact.
			u, v := float64(max(l, a.floor))/db, float64(m)/db
			n++
			x, y = x+u, y+v
			xx, yy, xy = xx+u*u, yy+v*v, xy+u*v
		}
	}
	vx, vy := n*xx-x*x, n*yy-y*y
	if n < leakLeast*5 || vx <= 0 || vy <= 0 {
		return 0
	}
	return (n*xy - x*y) / math.Sqrt(vx*vy)
}

// later returns b as it is heard so many frames later; b itself for none.
func (v *voice) later(frames int) *voice {
	if frames == 0 {
		return v
	}
	w := *v
	w.levels = make([]int16, len(v.levels))
	for i := range w.levels {
		w.levels[i] = silent
		if i >= frames {
			w.levels[i] = v.levels[i-frames]
		}
	}
	w.speech = nil
	for _, r := range v.speech {
		if r = (run{r.from + frames, min(r.to+frames, len(v.levels))}); r.from < r.to {
			w.speech = append(w.speech, r)
		}
	}
	return &w
}
