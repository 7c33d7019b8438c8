package talk

import "math"

// Channels are compared at delays in blocks of blockLen samples, one of every
// blockEvery, at a rate that is brought down to about 8 kHz first.
const (
	blockRate  = 8000
	blockLen   = 256
	blockEvery = 4
)

// correlator compares two channels, in the band of speech.
type correlator struct {
	xy, xx, yy float64 // at no delay, over all samples

	thin, skip int // one of thin samples is taken; skip more are left out first
	lag        int // the largest delay, in samples taken
	x, y       []float64
	full       int       // samples of a block with what delays need
	left       int       // samples to take until the next block
	at         []float64 // by delay
	bx, by     float64
}

func newCorrelator(rate int) *correlator {
	thin := max(1, rate/blockRate)
	lag := int(math.Ceil(delayS * float64(rate) / float64(thin)))
	n := blockLen + 2*lag
	return &correlator{
		thin: thin, lag: lag, at: make([]float64, 2*lag+1),
		x: make([]float64, 0, n), y: make([]float64, 0, n), full: n,
	}
}

// add hears samples of both channels.
func (c *correlator) add(x, y []float64) {
	xy, xx, yy := c.xy, c.xx, c.yy
	for i, v := range x {
		w := y[i]
		xy += v * w
		xx += v * v
		yy += w * w
	}
	c.xy, c.xx, c.yy = xy, xx, yy
	i := c.skip
	for i < len(x) {
		if c.left > 0 { // between blocks
			n := min(c.left, (len(x)-i+c.thin-1)/c.thin)
			c.left -= n
			i += n * c.thin
			continue
		}
		c.x, c.y = append(c.x, x[i]), append(c.y, y[i])
		i += c.thin
		if len(c.x) == c.full {
			c.block()
			c.x, c.y = c.x[:0], c.y[:0]
			c.left = blockEvery*blockLen - c.full
		}
	}
	c.skip = i - len(x)
}

// block compares a block at every delay.
func (c *correlator) block() {
	x := c.x[c.lag : c.lag+blockLen]
	for i := range c.at {
		c.at[i] += dot(x, c.y[i:i+blockLen])
	}
	c.bx += dot(x, x)
	y := c.y[c.lag : c.lag+blockLen]
	c.by += dot(y, y)
}

// dot is the scalar product of slices of the same length, a multiple of 4.
func dot(x, y []float64) float64 {
	y = y[:len(x)]
	var a, b, c, d float64
	for i := 0; i+3 < len(x); i += 4 {
		a += x[i] * y[i]
		b += x[i+1] * y[i+1]
		c += x[i+2] * y[i+2]
		d += x[i+3] * y[i+3]
	}
	return a + b + c + d
}

// correlation is the coefficient, -1 to 1, that is largest in magnitude over the
// delays; 0 where a channel is silent.
func (c *correlator) correlation() float64 {
	best := normal(c.xy, c.xx, c.yy)
	for _, v := range c.at {
		if r := normal(v, c.bx, c.by); math.Abs(r) > math.Abs(best) {
			best = r
		}
	}
	return best
}

// normal is a coefficient from its sums.
func normal(xy, xx, yy float64) float64 {
	if xx < 1e-12 || yy < 1e-12 {
		return 0
	}
	return min(max(xy/math.Sqrt(xx*yy), -1), 1)
}
