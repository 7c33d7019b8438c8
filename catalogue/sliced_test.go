package catalogue

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSlicedLaw checks that numbers by their digits are compared and added up as the numbers are, and
// that scores become such numbers.
func TestSlicedLaw(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfN(rapid.Uint64Range(0, 1<<rapid.IntRange(0, 40).Draw(t, "bits")), 1, 200).Draw(t, "numbers")
		n := len(numbers)
		s := newSliced(n, func(at int) uint64 { return numbers[at] })
		in := newBitset(n)
		for at := range n {
			if rapid.Bool().Draw(t, "in") {
				in.add(at)
			}
		}
		least := rapid.SampledFrom(append(numbers, 0, 1, 1<<41)).Draw(t, "least")
		sum, kept := uint64(0), []int(nil)
		for at := range in.from(0) {
			sum += numbers[at]
			if numbers[at] >= least {
				kept = append(kept, at)
			}
		}
		if got := s.sum(in); got != sum {
			t.Errorf("the sum of %v in %v is %d, want %d", numbers, in, got, sum)
		}
		s.keep(in, least)
		if got := slices.Collect(in.from(0)); !slices.Equal(got, kept) {
			t.Errorf("of %v %v are at least %d, want %v", numbers, got, least, kept)
		}
		scores := make([]uint8, (n+63)/64*64)
		for at, v := range numbers {
			scores[at] = uint8(v % (1 << scoreBits))
		}
		got := slicedScores(scores)
		for at, score := range scores {
			for k := range scoreBits {
				if got.words[at>>6*scoreBits+k]>>(at&63)&1 != uint64(score>>k&1) {
					t.Fatalf("digit %d of score %d of %v is wrong", k, at, scores)
				}
			}
		}
	})
}
