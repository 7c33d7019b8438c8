package speech

import (
	"math"

	"github.com/danielgtaylor/huma/v2"

	"vaak/internal/document"
	"vaak/speech"
)

// seed is a number that makes voices which sample speak a little differently. One that cannot be
// used is refused.
type seed struct {
	number *int64
}

// SetJSON takes a whole number.
func (s *seed) SetJSON(v document.Value) error {
	if v.Kind() != document.Number {
		return v.Mistyped("a whole number")
	}
	x, ok := v.Float()
	if !ok {
		x = math.Inf(1)
	}
	var err error
	s.number, err = speech.Seed(x)
	return err
}

// Schema describes the number.
func (seed) Schema(huma.Registry) *huma.Schema {
	least, most := 0.0, float64(speech.MaxSeed)
	return &huma.Schema{Type: "integer", Minimum: &least, Maximum: &most,
		Description: "Voices that sample say the text a little differently with another seed, and always the same with the same one, or none. Others ignore it, and x-ignored-parameters names it."}
}

// lenientSeed is a seed of the ElevenLabs dialect. One that cannot be used is ignored, as that
// service does.
type lenientSeed struct {
	seed
	strange bool // a value was sent that is no seed
}

// SetJSON takes anything.
func (s *lenientSeed) SetJSON(v document.Value) error {
	s.strange = s.seed.SetJSON(v) != nil
	return nil
}
