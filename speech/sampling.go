package speech

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vaak/internal/fault"
)

// MaxSeed is the largest seed; the smallest is 0.
const MaxSeed = 1<<32 - 1

// Seed returns a number as the value of [Sampling.Seed]. The error is of kind Invalid if it is no
// whole number from 0 to [MaxSeed].
func Seed(x float64) (*int64, error) {
	if !(x >= 0 && x <= MaxSeed) || x != math.Trunc(x) {
		return nil, fault.BadParameter("seed", "seed %.17g is not a whole number from 0 to %d", x, MaxSeed)
	}
	return new(int64(x)), nil
}

// knob is a parameter of [Sampling] and the range it must be in.
type knob struct {
	name     string
	value    *float64 // nil if the request does not set it
	min, max float64
}

func knobs(s Sampling) []knob {
	all := []knob{
		{"temperature", s.Temperature, 0, 2},
		{"top_p", s.TopP, 0, 1},
		{"top_k", s.TopK, 0, 1000},
		{"min_p", s.MinP, 0, 1},
		{"repetition_penalty", s.RepetitionPenalty, 0.5, 2},
		{"presence_penalty", s.PresencePenalty, -2, 2},
	}
	seed := knob{name: "seed", min: 0, max: MaxSeed}
	if s.Seed != nil {
		value := float64(*s.Seed)
		seed.value = &value
	}
	return append(all, seed)
}

func checkSampling(s Sampling) error {
	for _, k := range knobs(s) {
		if k.value != nil && !(*k.value >= k.min && *k.value <= k.max) {
			return fault.BadParameter(k.name, "%s %.17g is outside %.17g to %.17g", k.name, *k.value, k.min, k.max)
		}
	}
	return nil
}

// unusedKnobs returns the names of the parameters that were set and have no effect on what a
// speaker says, and a notice that says so.
func unusedKnobs(s Sampling, by speaker) (names, notices []string) {
	for _, k := range knobs(s) {
		if k.value != nil && !slices.Contains(by.traits.Samples, k.name) {
			names = append(names, k.name)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	who := fmt.Sprintf("voice %s of engine %s", by.voice.ID, by.engine.Name())
	why := who + " is not sampled"
	if has := by.traits.Samples; len(has) > 0 {
		why = who + " is sampled with " + strings.Join(has, " and ") + " alone"
	}
	return names, []string{fmt.Sprintf("without effect, because %s: %s", why, strings.Join(names, ", "))}
}
