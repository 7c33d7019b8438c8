package speech

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"vaak/engine"
	"vaak/internal/fault"
)

// MaxSeed is the largest seed; the smallest is 0.
const MaxSeed = engine.MaxSeed

// Seed returns a number as the value of [Sampling.Seed]. The error is of kind Invalid if it is no
// whole number from 0 to [MaxSeed].
func Seed(x float64) (*int64, error) {
	if !(x >= 0 && x <= MaxSeed) || x != math.Trunc(x) {
		return nil, fault.BadParameter("seed", "seed %.17g is not a whole number from 0 to %d", x, MaxSeed)
	}
	return new(int64(x)), nil
}

// knob is a parameter of [Sampling] and what the request sets it to.
type knob struct {
	engine.Parameter
	value *float64 // nil if the request does not set it
}

// set returns what the request sets, in words.
func (k knob) set() string { return k.Name + " " + plain(*k.value) }

// limits returns the range of a parameter in words.
func limits(p engine.Parameter) string { return plain(p.Min) + " to " + plain(p.Max) }

func plain(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// knobs returns the parameters that a request sets.
func knobs(s Sampling) []knob {
	var seed *float64
	if s.Seed != nil {
		seed = new(float64(*s.Seed))
	}
	// In the order of [engine.Usual].
	values := []*float64{s.Temperature, s.TopP, s.TopK, s.MinP, s.RepetitionPenalty, s.PresencePenalty, seed}
	var set []knob
	for i, p := range engine.Usual {
		if values[i] != nil {
			set = append(set, knob{p, values[i]})
		}
	}
	return set
}

// takes reports whether a value is in the range of a parameter.
func takes(p engine.Parameter, value float64) bool { return value >= p.Min && value <= p.Max }

func checkSampling(s Sampling) error {
	for _, k := range knobs(s) {
		if !takes(k.Parameter, *k.value) {
			return fault.BadParameter(k.Name, "%s is outside %s", k.set(), limits(k.Parameter))
		}
	}
	return nil
}

// within returns the parameters of a request without those that are outside the range of a voice,
// which it would not take. A voice that speaks instead may have other ranges than the one that was
// asked for.
func within(s Sampling, t engine.Traits) Sampling {
	for _, k := range knobs(s) {
		i := slices.IndexFunc(t.Parameters, func(p engine.Parameter) bool { return p.Name == k.Name })
		if i < 0 || takes(t.Parameters[i], *k.value) {
			continue
		}
		switch k.Name {
		case "temperature":
			s.Temperature = nil
		case "top_p":
			s.TopP = nil
		case "top_k":
			s.TopK = nil
		case "min_p":
			s.MinP = nil
		case "repetition_penalty":
			s.RepetitionPenalty = nil
		case "presence_penalty":
			s.PresencePenalty = nil
		case "seed":
			s.Seed = nil
		}
	}
	return s
}

// checkKnobs refuses parameters that are outside the range of the voice that speaks. Those that it
// does not use are named, with a notice that says so.
func checkKnobs(s Sampling, by speaker) (unused, notices []string, err error) {
	var known []string
	for _, p := range by.traits.Parameters {
		known = append(known, p.Name)
	}
	who := fmt.Sprintf("voice %s of engine %s", by.voice.ID, by.engine.Name())
	for _, k := range knobs(s) {
		i := slices.Index(known, k.Name)
		if i < 0 {
			unused = append(unused, k.Name)
			continue
		}
		if p := by.traits.Parameters[i]; !takes(p, *k.value) {
			return nil, nil, fault.BadParameter(k.Name, "%s is outside %s, which %s takes", k.set(), limits(p), who)
		}
	}
	if len(unused) == 0 {
		return nil, nil, nil
	}
	why := who + " is not sampled"
	if len(known) > 0 {
		why = who + " is sampled with " + strings.Join(known, " and ") + " alone"
	}
	return unused, []string{fmt.Sprintf("without effect, because %s: %s", why, strings.Join(unused, ", "))}, nil
}
