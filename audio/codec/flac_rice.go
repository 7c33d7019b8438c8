package codec

import (
	"math"
	"math/bits"

	"github.com/mewkiz/flac/frame"
)

const (
	flacMaxPartitions = 1 << 8 // as decoders of the streamable subset expect
	flacMinPartition  = 16     // samples
	flacMaxRice       = 14     // 15 marks numbers that are not coded
)

// partition sets rice to the shortest coding of what is left of n samples, of
// which the first skip are not coded, and returns the bits that it takes at most.
func (s *flacScratch) partition(n, skip int) int {
	residual, order := s.residual[:n], 0
	for parts := 2; parts <= flacMaxPartitions && n%parts == 0 && n/parts >= flacMinPartition; parts *= 2 {
		order++
	}
	var sums [flacMaxPartitions]uint64
	for i := range 1 << order {
		for _, v := range part(residual, skip, order, i) {
			sums[i] += uint64(v)
		}
	}
	least := math.MaxInt
	for ; order >= 0; order-- {
		var parts [flacMaxPartitions]frame.RicePartition
		const head = 2 + 4
		total := head + 4<<order
		for i := range 1 << order {
			k, size := riceParameter(sums[i], len(part(residual, skip, order, i)))
			parts[i].Param = k
			total += size
		}
		if total < least {
			least = total
			s.rice.PartOrder = order
			s.rice.Partitions = append(s.rice.Partitions[:0], parts[:1<<order]...)
		}
		for i := range 1 << order / 2 {
			sums[i] = sums[2*i] + sums[2*i+1]
		}
	}
	return least
}

// part returns part i of the 1<<order of a residual whose first skip samples are
// not coded.
func part(residual []uint32, skip, order, i int) []uint32 {
	size := len(residual) >> order
	from := i * size
	if i == 0 {
		from = skip
	}
	return residual[from : (i+1)*size]
}

// riceParameter returns the parameter for n numbers of a known sum, and how many
// bits they take at most: n for the ones, k each for the low bits, and sum>>k for
// the zeros, which is least where 1<<k is the mean or up to a half of it.
func riceParameter(sum uint64, n int) (uint, int) {
	k := min(max(bits.Len64(sum/uint64(n))-1, 0), flacMaxRice)
	return uint(k), n*(k+1) + int(sum>>k)
}
