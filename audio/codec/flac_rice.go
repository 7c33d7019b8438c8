package codec

import (
	"math"
	"math/bits"

	"github.com/mewkiz/flac/frame"
)

const (
	flacMaxPartitions = 1 << 8 // limit of the streamable subset (RFC 9639, section 7)
	flacMinPartition  = 16     // samples
	flacMaxRice       = 14     // 15 is the escape code for numbers without Rice coding
)

// partition chooses the shortest Rice coding of the residual of n samples, of which the first
// skip are not coded, and stores it in rice. It returns an upper bound of its bits.
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
	// From the finest partitioning to none: the sums of a coarser one are sums of pairs.
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

// part returns part i of the 1<<order parts of a residual whose first skip samples are not
// coded.
func part(residual []uint32, skip, order, i int) []uint32 {
	size := len(residual) >> order
	from := i * size
	if i == 0 {
		from = skip
	}
	return residual[from : (i+1)*size]
}

// riceParameter returns the best Rice parameter k for n numbers with a known sum, and an upper
// bound of their bits: n for the end marks, n*k for the low bits, and sum>>k for the high
// parts in unary. The bound is least where 1<<k is between half the mean and the mean.
func riceParameter(sum uint64, n int) (uint, int) {
	k := min(max(bits.Len64(sum/uint64(n))-1, 0), flacMaxRice)
	return uint(k), n*(k+1) + int(sum>>k)
}
