package level

import (
	"math/bits"
	"sync"
)

// grid tells which of the possible values the samples have. Linear samples that came through a
// coder of ITU-T G.711, or were made from fewer bits, have few.
type grid struct {
	low, high float64 // of all samples
	sum       uint32  // all bits that samples of 24 bits have
	law       uint8   // coders that may have made the samples
	whole     bool    // all samples are whole numbers of 24 bits
	values    map[int16]struct{}
	begun     bool
	blocks    int
}

// Of a long recording only one block in gridEvery is looked at, after the first gridAll.
const (
	gridAll   = 1024
	gridEvery = 8
)

const (
	mulaw uint8 = 1 << iota
	alaw
)

// valuesLeast is how many different values samples must have before they are said to come from a
// coder: a soft channel has few values anyway.
const valuesLeast = 64

// deadRange is the largest distance between samples of a dead channel: the two lowest of 16 bits
// may change.
const deadRange = 4.0 / (1 << 15)

// deadCode is the highest of the smallest codes of G.711: idle A-law changes between both of them.
const deadCode = 8.0 / (1 << 15)

// add looks at samples.
func (g *grid) add(x []float64) {
	if !g.begun && len(x) > 0 {
		g.begun, g.whole, g.law = true, true, mulaw|alaw
		g.low, g.high = x[0], x[0]
		g.values = map[int16]struct{}{}
	}
	if g.dead() {
		for _, v := range x {
			g.low, g.high = min(g.low, v), max(g.high, v)
		}
	}
	g.blocks++
	if !g.whole || g.blocks > gridAll && g.blocks%gridEvery != 0 {
		return
	}
	const scale = 1 << 23
	sum := g.sum
	for _, v := range x {
		n := int32(v * scale)
		if float64(n) != v*scale {
			g.whole, g.law = false, 0
			return
		}
		sum |= uint32(n)
	}
	g.sum = sum
	if g.law != 0 {
		g.companded(x)
	}
}

// companded rules out the coders that could not have made x.
func (g *grid) companded(x []float64) {
	laws := codes()
	for _, v := range x {
		if v < -1 || v >= 1 {
			g.law = 0
			return
		}
		s := int16(v * (1 << 15))
		if float64(s) != v*(1<<15) {
			g.law = 0
			return
		}
		if g.law &= laws[uint16(s)]; g.law == 0 {
			return
		}
		if len(g.values) < valuesLeast {
			g.values[s] = struct{}{}
		}
	}
}

// codes has, for each sample of 16 bits, the coders of G.711 that have it.
var codes = sync.OnceValue(func() *[1 << 16]uint8 {
	all := new([1 << 16]uint8)
	for code := range 128 {
		exponent, mantissa := code>>4, code&15
		mu := (mantissa<<3+0x84)<<exponent - 0x84
		a := mantissa<<4 + 8
		if exponent > 0 {
			a = (a + 0x100) << (exponent - 1)
		}
		for _, sign := range []int{1, -1} {
			all[uint16(int16(sign*mu))] |= mulaw
			all[uint16(int16(sign*a))] |= alaw
		}
	}
	return all
})

// companding returns the coder of G.711 that all samples come from; "" if there is none, or if
// it cannot be told which.
func (g *grid) companding() string {
	if len(g.values) < valuesLeast {
		return ""
	}
	switch g.law {
	case mulaw:
		return "mulaw"
	case alaw:
		return "alaw"
	}
	return ""
}

// usedBits returns how many bits the samples use, from the highest on; 0 if that cannot be told,
// because they are not whole numbers of 24 bits, or all 0.
func (g *grid) usedBits() int {
	if !g.whole || g.sum == 0 {
		return 0
	}
	return 24 - min(bits.TrailingZeros32(g.sum), 23)
}

// dead reports whether the channel holds nothing.
func (g *grid) dead() bool {
	return g.begun && (g.high-g.low <= deadRange || g.law != 0 && g.high <= deadCode && g.low >= -deadCode)
}
