package tempo

import "math"

// finder searches for the period of a voice. Lengths are in samples.
type finder struct {
	shortest, longest int // range of the search
	step              int // of the coarse search

	coarse []int16 // the input, averaged over step samples; memory is reused
}

// coarseRate is the lowest sample rate of the coarse search, in Hz.
const coarseRate = 4000

func newFinder(rate int) finder {
	f := finder{
		shortest: max(1, rate/highestPitch),
		longest:  max(2, rate/lowestPitch),
		step:     max(1, rate/coarseRate),
	}
	f.coarse = make([]int16, 2*f.longest/f.step)
	return f
}

// find returns the period at the beginning of x, at most longest. x must hold 2*longest
// samples. In silence the result is longest.
//
// The difference is always computed over longest samples. If it were computed over one period,
// short periods would be found wherever a voice is quiet for a moment.
func (f *finder) find(x []int16, longest int) int {
	shortest := min(f.shortest, longest)
	coarse, quiet := f.average(x[:2*longest])
	if quiet {
		return longest
	}
	n := len(coarse) / 2
	best, least := 0, math.Inf(1)
	for lag := max(1, shortest/f.step); lag <= n; lag++ {
		// Prefer the shorter of two equally good lags: two periods are a period too.
		weight := 1 + 0.25*float64(lag)/float64(n)
		// difference may stop as soon as it exceeds the best so far.
		if d := float64(difference(coarse[:n], coarse[lag:], int32(min(least/weight, math.MaxInt32)))) * weight; d < least {
			best, least = lag, d
		}
	}
	if f.step == 1 {
		return max(best, 1)
	}
	return f.refine(x, best*f.step, shortest, longest)
}

// refine returns the best period within a coarse step of about, searching outwards from it.
func (f *finder) refine(x []int16, about, shortest, longest int) int {
	best, least := min(max(about, shortest), longest), int32(math.MaxInt32)
	for i := range 2*f.step + 1 {
		lag := about + (i+1)/2
		if i%2 == 1 {
			lag = about - (i+1)/2
		}
		if lag < shortest || lag > longest {
			continue
		}
		if d := difference(x[:longest], x[lag:], least); d < least {
			best, least = lag, d
		}
	}
	return best
}

// average stores the means of step samples of x in coarse, and reports whether all are zero.
func (f *finder) average(x []int16) (coarse []int16, quiet bool) {
	coarse = f.coarse[:len(x)/f.step]
	any := int16(0) // a bit for each bit that is set in any mean
	for i := range coarse {
		sum := int32(0)
		for _, s := range x[i*f.step:][:f.step] {
			sum += int32(s)
		}
		coarse[i] = int16(sum / int32(f.step))
		any |= coarse[i]
	}
	return coarse, any == 0
}

// difference returns the sum of |a[i]-b[i]| over all of a. It may stop once the sum is limit or
// more, and returns the sum so far. Most of the time is spent here, so it adds in four
// independent sums over blocks of 16.
func difference(a, b []int16, limit int32) int32 {
	b = b[:len(a)]
	sum := int32(0)
	for len(a) >= 16 && len(b) >= 16 {
		p, q := (*[16]int16)(a), (*[16]int16)(b)
		s0 := magnitude(p[0], q[0]) + magnitude(p[4], q[4]) + magnitude(p[8], q[8]) + magnitude(p[12], q[12])
		s1 := magnitude(p[1], q[1]) + magnitude(p[5], q[5]) + magnitude(p[9], q[9]) + magnitude(p[13], q[13])
		s2 := magnitude(p[2], q[2]) + magnitude(p[6], q[6]) + magnitude(p[10], q[10]) + magnitude(p[14], q[14])
		s3 := magnitude(p[3], q[3]) + magnitude(p[7], q[7]) + magnitude(p[11], q[11]) + magnitude(p[15], q[15])
		if sum += s0 + s1 + (s2 + s3); sum >= limit {
			return sum
		}
		a, b = a[16:], b[16:]
	}
	for i, s := range a {
		sum += magnitude(s, b[i])
	}
	return sum
}

// magnitude returns |a-b| without a branch.
func magnitude(a, b int16) int32 {
	d := int32(a) - int32(b)
	return (d ^ d>>31) - d>>31
}
