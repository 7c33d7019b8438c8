package talk

import "math"

// Delays are tried on blocks of blockLen samples, at a rate of about blockRate Hz, and on one
// block of every blockEvery: comparing everything at every delay would cost more than the
// rest of the detector.
const (
	blockRate  = 8000
	blockLen   = 256
	blockEvery = 4
)

// correlator compares two channels in the band of speech.
type correlator struct {
	xy, xx, yy float64 // sums of products without delay, over all samples

	thin, skip int // every thin-th sample is used, after the next skip samples
	lag        int // the largest delay, in samples that are used
	x, y       []float64
	full       int       // samples that one block needs, with lag samples on either side
	left       int       // samples to pass over before the next block
	at         []float64 // sums of products by delay, from -lag to lag
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

// add hears samples of both channels. Both slices have the same length.
func (c *correlator) add(x, y []float64) {
	xy, xx, yy := c.xy, c.xx, c.yy
	for i, v := range x {
		w := y[i]
		xy += v * w
		xx += v * v
		yy += w * w
	}
	c.xy, c.xx, c.yy = xy, xx, yy
	// Samples between those that are used, and between blocks, are passed over without a look.
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

// block adds the products of a full block at every delay.
func (c *correlator) block() {
	x := c.x[c.lag : c.lag+blockLen]
	// The window of x is fixed, that of y moves by the delay.
	for i := range c.at {
		c.at[i] += dot(x, c.y[i:i+blockLen])
	}
	c.bx += dot(x, x)
	y := c.y[c.lag : c.lag+blockLen]
	c.by += dot(y, y)
}

// dot returns the scalar product of two slices of the same length, a multiple of 4. Four
// sums let the processor work on several products at once.
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

// correlation returns the coefficient, from -1 to 1, that is largest in magnitude over all
// delays, or 0 if a channel is silent.
func (c *correlator) correlation() float64 {
	best := normal(c.xy, c.xx, c.yy)
	for _, v := range c.at {
		if r := normal(v, c.bx, c.by); math.Abs(r) > math.Abs(best) {
			best = r
		}
	}
	return best
}

// normal returns the correlation coefficient from its three sums.
func normal(xy, xx, yy float64) float64 {
	if xx < 1e-12 || yy < 1e-12 {
		return 0
	}
	return min(max(xy/math.Sqrt(xx*yy), -1), 1)
}
