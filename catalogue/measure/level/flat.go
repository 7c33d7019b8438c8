package level

import "math"

// flat counts the samples that stand still at the highest and at the lowest level of a channel.
// Clipping leaves such plateaus, and they stay when the level is reduced afterwards.
type flat struct {
	side [2]plateau // of positive and negative samples
}

// How plateaus are recognised.
const (
	// flatWithin is how far below the highest sample one is that still belongs to the plateau: the
	// lowest bit of 16, which dither may change.
	flatWithin = 1.0 / (1 << 15)
	// flatRun is the shortest run on a plateau, in samples. A smooth top stays that high for longer
	// if samples are dense or coarse, and then a run must be longer than the top of a tone of
	// flatHz; see [flat.shortest]. A plateau needs flatRuns of them.
	flatRun  = 3
	flatHz   = 50
	flatRuns = 10
	// flatShare is the least share of samples on plateaus that is no accident.
	flatShare = 1e-5
	// flatFrom is the lowest level of a plateau: below it, rounding makes every top flat.
	flatFrom = 0.01
	// runMost is the length from which on runs are not told apart.
	runMost = 255
	// compandedStep is the largest step of G.711, as a share of the level.
	compandedStep = 1.0 / 16
)

// plateau follows the highest level of one side.
type plateau struct {
	base  float64 // level at which the plateau began: the highest so far, or a bit below it
	top   float64 // highest magnitude so far
	least float64 // from here on a sample is on the plateau
	run   int     // length of the current run
	ended bool    // runs are counted
	runs  [runMost + 1]run
}

// run counts the runs of a length, and the samples in them.
type run struct{ count, samples int }

// add follows samples; magnitude has the highest magnitude of each chunk of them. Most chunks are
// below both plateaus and need no look.
func (f *flat) add(x, magnitude []float64) {
	a, b := &f.side[0], &f.side[1]
	for c, m := range magnitude {
		if m < min(a.least, b.least) && a.run == 0 && b.run == 0 {
			continue
		}
		for _, v := range x[c*chunk : min((c+1)*chunk, len(x))] {
			a.next(v)
			b.next(-v)
		}
	}
}

func (p *plateau) next(v float64) {
	if v < p.least {
		if p.run > 0 {
			p.end()
		}
		return
	}
	if v > p.top {
		// Runs at a lower level than the new top were no plateau. The level where the plateau
		// began is kept, so that it does not creep up bit by bit.
		if v > p.base+flatWithin {
			p.base, p.run = v, 0
			if p.ended {
				p.ended, p.runs = false, [runMost + 1]run{}
			}
			p.least = max(v-flatWithin, flatFrom)
		}
		p.top = v
		if v < p.least {
			return
		}
	}
	p.run++
}

// end ends the current run.
func (p *plateau) end() {
	r := &p.runs[min(p.run, runMost)]
	r.count++
	r.samples += p.run
	p.run, p.ended = 0, true
}

// shortest returns how many samples a run must have: more than the top of a smooth tone of flatHz
// has within two steps of samples.
func (p *plateau) shortest(rate int, step float64) int {
	within := min(2*max(step, flatWithin)/p.top, 0.5)
	return max(flatRun, int(math.Ceil(math.Sqrt(2*within)/(math.Pi*flatHz)*float64(rate))))
}

// result returns the share of n samples that is on plateaus, and the level in dBFS of the higher
// of both; nil if there is none. Plateaus at full scale are clipping and do not count here. step is
// the distance between the samples; companded says that it grows with the level, as in G.711.
func (f *flat) result(n, rate int, step float64, companded bool) (ratio, level *float64) {
	count, top := 0, 0.0
	for i := range f.side {
		p := &f.side[i]
		p.end()
		if p.top < flatFrom || p.top >= clipLevel {
			continue
		}
		step := step
		if companded {
			step = max(step, compandedStep*p.top)
		}
		runs, samples := 0, 0
		for _, r := range p.runs[min(p.shortest(rate, step), runMost):] {
			runs, samples = runs+r.count, samples+r.samples
		}
		if runs >= flatRuns {
			count += samples
			top = max(top, p.top)
		}
	}
	if share := float64(count) / float64(max(n, 1)); share >= flatShare {
		return &share, new(20 * math.Log10(top))
	}
	return nil, nil
}
