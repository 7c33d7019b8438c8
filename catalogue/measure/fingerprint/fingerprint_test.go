package fingerprint

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"vaak/catalogue/measure/sonogram"
)

const rate = 8000

// sound is noise whose bands rise and fall at random, so that no two seeds have the same.
func sound(seed uint64, seconds float64) []float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	x := make([]float32, int(seconds*rate))
	var low, pole, gain float64
	for i := range x {
		if i%800 == 0 { // 0.1 s
			pole, gain = 0.9*r.Float64(), 0.1*r.Float64()
		}
		low = pole*low + (1-pole)*r.NormFloat64()
		x[i] = float32(gain * low)
	}
	return x
}

func printOf(x []float32) Print {
	var maker Maker
	m := sonogram.New(rate, maker.Add)
	m.Write(x)
	m.Finish()
	return maker.Print()
}

// TestMatch finds copies among others: a part, one that begins later, and none of a sound that is
// not there.
func TestMatch(t *testing.T) {
	t.Parallel()
	index := NewIndex(200)
	var all [][]float32
	for i := range 6 {
		all = append(all, sound(uint64(i), []float64{4, 20, 90}[i%3]))
		index.Add(Channel{Recording: i}, printOf(all[i]))
	}
	any := func(Channel) bool { return true }
	for i, x := range all {
		m := index.Match(printOf(x), any)
		if len(m) != 1 || m[0].Recording != i || m[0].Share < 0.99 || m[0].Errors != 0 || m[0].FromS != m[0].OtherFromS {
			t.Errorf("%d: %+v, want itself alone", i, m)
		}
	}
	m := index.Match(printOf(append(make([]float32, 3*rate), all[2][30*rate:50*rate]...)), any)
	if len(m) != 1 || m[0].Recording != 2 || m[0].Seconds < 18 || m[0].Seconds > 21 || m[0].OtherFromS-m[0].FromS < 26.8 || m[0].OtherFromS-m[0].FromS > 27.2 {
		t.Errorf("20 s of the third, 3 s later: %+v", m)
	}
	if m := index.Match(printOf(sound(99, 90)), any); len(m) > 0 {
		t.Errorf("another sound: %+v", m)
	}
	if m := index.Match(printOf(make([]float32, 5*rate)), any); len(m) > 0 {
		t.Errorf("silence: %+v", m)
	}
	if m := index.Match(printOf(all[1]), func(c Channel) bool { return c.Recording != 1 }); len(m) > 0 {
		t.Errorf("one that is not wanted: %+v", m)
	}
}

// TestManyCopies adds a sound more often than a key may stand: each is found with the first ones.
func TestManyCopies(t *testing.T) {
	t.Parallel()
	p := printOf(sound(7, 12))
	index := NewIndex(12 * 100)
	for i := range 100 {
		index.Add(Channel{Recording: i}, p)
	}
	for _, i := range []int{1, 50, 99} {
		m := index.Match(p, func(c Channel) bool { return c.Recording < i })
		if !slices.ContainsFunc(m, func(m Match) bool { return m.Recording == 0 && m.Share > 0.99 }) {
			t.Errorf("%d of 100 copies: %d matches, none with the first", i, len(m))
		}
	}
}

// TestEitherIsFound looks for a short part of a long sound, that begins half an interval beside its
// prints, and for the long sound by the part.
func TestEitherIsFound(t *testing.T) {
	t.Parallel()
	x := sound(8, 70)
	for _, late := range []int{0, rate / 32, rate / 16, 3 * rate / 32} {
		long, part := printOf(x), printOf(x[20*rate+late:32*rate+late])
		if long.Dense || !part.Dense {
			t.Fatal("want one of both kinds")
		}
		for name, pair := range map[string][2]Print{"the part": {long, part}, "the whole": {part, long}} {
			index := NewIndex(100)
			index.Add(Channel{}, pair[0])
			m := index.Match(pair[1], func(Channel) bool { return true })
			if len(m) != 1 || m[0].Seconds < 10 || m[0].Errors > 0.2 {
				t.Errorf("%s, %d samples late: %+v", name, late, m)
			}
			if len(m) == 1 {
				want := 20 + float64(late)/rate
				if got := math.Abs(m[0].FromS - m[0].OtherFromS); math.Abs(got-want) > 0.07 {
					t.Errorf("%s, %d samples late: begins %.3f s later, want %.3f", name, late, got, want)
				}
			}
		}
	}
}

// TestPrintsAreBounded makes prints of long sound: it has half as many a second, and none after an
// hour.
func TestPrintsAreBounded(t *testing.T) {
	t.Parallel()
	var maker Maker
	f := sonogram.Frame{Power: make([]float64, 513), BinHz: 3.9}
	for i := range longest + 1000 {
		maker.Add(f)
		if i == dense-1 {
			if p := maker.Print(); !p.Dense || len(p.Bits) != 2*dense {
				t.Errorf("a minute: dense %v, %d bytes", p.Dense, len(p.Bits))
			}
		}
	}
	p := maker.Print()
	if p.Dense || len(p.Bits) != longest {
		t.Errorf("over an hour: dense %v, %d bytes, want %d", p.Dense, len(p.Bits), longest)
	}
	if p.phase(1) != nil || len(p.phase(0)) != longest/2 {
		t.Errorf("over an hour: %d and %d prints", len(p.phase(0)), len(p.phase(1)))
	}
}

// TestHostilePrints compares what no maker made.
func TestHostilePrints(t *testing.T) {
	t.Parallel()
	index := NewIndex(0)
	for i, p := range []Print{{}, {Bits: []byte{1}}, {Dense: true, Bits: []byte{1, 2, 3}}, {Bits: make([]byte, 1000)}} {
		index.Add(Channel{Recording: i}, p)
		if m := index.Match(p, func(Channel) bool { return true }); len(m) > 0 {
			t.Errorf("%d: found %+v in what has no sound", i, m)
		}
	}
}
