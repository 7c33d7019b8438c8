package level

import "math"

// amplitude sums up samples, and counts those in runs that are clipped or digital silence.
type amplitude struct {
	silence int // longest run of zeros that is not silence, in samples: 10 ms

	count           int
	sum, squares    float64
	clipped, silent int // samples in runs that count

	zeros int     // length of the current run of zeros
	full  int     // length of the current run at full scale
	side  float32 // sign of that run: 1, -1 or 0
}

// Clipping is recognised by runs, because a single sample may touch full scale unclipped.
const (
	clipLevel = 0.999
	clipRun   = 3
)

// measure reads the samples x. It writes them to dst, limited to the bounds, and the highest
// magnitude of each chunk to peaks.
func (a *amplitude) measure(dst, peaks []float64, x []float32) {
	a.count += len(x)
	for c := range peaks {
		from, to := c*chunk, min((c+1)*chunk, len(x))
		samples := dst[from:to]
		got := look(samples, x[from:to])
		if got.highest > math.Float32bits(loudest) {
			got = repair(samples, x[from:to])
		}
		a.sum += got.sum
		a.squares += got.squares
		peaks[c] = float64(math.Float32frombits(got.highest))
		switch {
		// The whole chunk is zeros.
		case got.highest == 0:
			a.zeros += len(samples)
		case a.silence < chunk:
			a.countZeros(samples)
		default:
			a.outerZeros(samples)
		}
		// A run at full scale may have begun in the chunk before.
		if got.highest >= math.Float32bits(clipLevel) || a.full > 0 {
			a.countFull(samples)
		}
	}
}

// found holds the sums over one chunk.
type found struct {
	sum, squares float64
	// highest is the highest magnitude, as the bits of a float32. Such bits sort like the
	// numbers, with NaN above all, and are compared without a branch.
	highest uint32
}

// look converts and sums up a chunk. Two sums each let the processor do two additions at once.
func look(dst []float64, x []float32) found {
	const sign = 1 << 31
	var high0, high1 uint32
	var sum0, sum1, squares0, squares1 float64
	dst = dst[:len(x)]
	i := 0
	for ; i < len(x)-1; i += 2 {
		v0, v1 := x[i], x[i+1]
		f0, f1 := float64(v0), float64(v1)
		dst[i], dst[i+1] = f0, f1
		high0 = max(high0, math.Float32bits(v0)&^sign)
		high1 = max(high1, math.Float32bits(v1)&^sign)
		sum0 += f0
		sum1 += f1
		squares0 += f0 * f0
		squares1 += f1 * f1
	}
	if i < len(x) {
		f := float64(x[i])
		dst[i] = f
		high0 = max(high0, math.Float32bits(x[i])&^sign)
		sum0 += f
		squares0 += f * f
	}
	return found{sum: sum0 + sum1, squares: squares0 + squares1, highest: max(high0, high1)}
}

// repair is look for a chunk that has NaN or samples out of bounds: NaN counts as 0.
func repair(dst []float64, x []float32) found {
	var sound [chunk]float32
	for i, v := range x {
		if v == v {
			sound[i] = min(max(v, -loudest), loudest)
		}
	}
	return look(dst, sound[:len(x)])
}

// outerZeros follows the run of zeros through a chunk that has another sample as well. The
// chunk is too short for a run that counts, so only the runs at its two ends matter.
func (a *amplitude) outerZeros(x []float64) {
	for i := 0; x[i] == 0; i++ {
		a.zeros++
	}
	a.endZeros()
	for i := len(x) - 1; x[i] == 0; i-- {
		a.zeros++
	}
}

// countZeros follows the run of zeros through a chunk that may contain several runs that
// count, which happens at rates under 3,200 Hz.
func (a *amplitude) countZeros(x []float64) {
	for _, v := range x {
		if v == 0 {
			a.zeros++
		} else {
			a.endZeros()
		}
	}
}

// endZeros ends the current run of zeros.
func (a *amplitude) endZeros() {
	if a.zeros > a.silence {
		a.silent += a.zeros
	}
	a.zeros = 0
}

// countFull follows the run at full scale through x.
func (a *amplitude) countFull(x []float64) {
	for _, v := range x {
		var side float32
		if v >= clipLevel32 {
			side = 1
		} else if v <= -clipLevel32 {
			side = -1
		}
		if side != a.side {
			a.endFull()
			a.side = side
		}
		if side != 0 {
			a.full++
		}
	}
}

// clipLevel32 is clipLevel with the precision of samples.
const clipLevel32 = float64(float32(clipLevel))

// endFull ends the current run at full scale.
func (a *amplitude) endFull() {
	if a.full >= clipRun {
		a.clipped += a.full
	}
	a.full = 0
}

// finish ends both runs at the end of the recording.
func (a *amplitude) finish() {
	a.endZeros()
	a.endFull()
}

// mean returns the mean of all samples.
func (a *amplitude) mean() float64 { return a.sum / float64(max(a.count, 1)) }

// meanSquare returns the mean of the squares of all samples.
func (a *amplitude) meanSquare() float64 { return a.squares / float64(max(a.count, 1)) }

// share returns n as a share of all samples.
func (a *amplitude) share(n int) float64 { return float64(n) / float64(max(a.count, 1)) }
