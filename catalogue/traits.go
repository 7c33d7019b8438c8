package catalogue

import "math"

// Traits say how a dataset sounds and how its people talk: each figure of its profile as one
// byte, from 1 to 255, and 0 where it is not known. The order is that of traits.
type Traits [8]byte

// trait is a figure with the range in which datasets differ. What lies outside counts as its
// nearer end.
type trait struct {
	of        func(d *Dataset) *float64
	low, high float64
	ratio     bool // steps are ratios and not differences
}

var traits = [len(Traits{})]trait{
	{ofMeasured(func(m *Measurements) *Spread { return m.SilenceRatio }), 0, 0.8, false},
	{ofTurns(func(t *Turns) *Spread { return t.OverlapRatio }), 0, 0.4, false},
	{ofTurns(func(t *Turns) *Spread { return t.FTOMedianMs }), -600, 1400, false},
	{ofTurns(func(t *Turns) *Spread { return t.TurnsPerMin }), 1, 60, true},
	{ofMeasured(func(m *Measurements) *Spread {
		if m.Words == nil {
			return nil
		}
		return m.Words.WordsPerMin
	}), 40, 280, false},
	{ofFiles(func(s *Specification) *Spread { return s.SNRDB }), 0, 60, false},
	{ofFiles(func(s *Specification) *Spread { return s.EffectiveBandwidthHz }), 1000, 24_000, true},
	{func(d *Dataset) *float64 { return d.EnglishShare }, 0, 1, false},
}

func ofMeasured(of func(*Measurements) *Spread) func(*Dataset) *float64 {
	return func(d *Dataset) *float64 {
		if d.Measurements == nil {
			return nil
		}
		return middle(of(d.Measurements))
	}
}

func ofTurns(of func(*Turns) *Spread) func(*Dataset) *float64 {
	return ofMeasured(func(m *Measurements) *Spread {
		if m.TurnTaking == nil {
			return nil
		}
		return of(m.TurnTaking)
	})
}

func ofFiles(of func(*Specification) *Spread) func(*Dataset) *float64 {
	return func(d *Dataset) *float64 {
		if d.Specification == nil {
			return nil
		}
		return middle(of(d.Specification))
	}
}

// middle returns the median of a spread, nil for nil.
func middle(s *Spread) *float64 {
	if s == nil {
		return nil
	}
	return &s.Median
}

// traitsOf returns the traits of a record.
func traitsOf(d *Dataset) (out Traits) {
	for i, t := range traits {
		if v := t.of(d); v != nil && !math.IsNaN(*v) {
			out[i] = t.step(*v)
		}
	}
	return out
}

// step returns a figure as a byte, 1 to 255.
func (t trait) step(v float64) byte {
	low, high := t.low, t.high
	v = min(max(v, low), high)
	if t.ratio {
		v, low, high = math.Log(v), math.Log(low), math.Log(high)
	}
	return byte(1 + math.Round(254*(v-low)/(high-low)))
}
