package talk

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"vaak/catalogue"
)

// errors are how far a result is from the truth.
type errors struct {
	layout           string
	share, overlap   float64
	turns, wantTurns int
	fto              float64 // ms, the largest; where the count is right
}

// worst is the larger of each.
func (e *errors) worst(f errors) {
	e.share, e.overlap, e.fto = max(e.share, f.share), max(e.overlap, f.overlap), max(e.fto, f.fto)
	e.turns = max(e.turns, f.turns-f.wantTurns, f.wantTurns-f.turns)
}

// judge compares a result with a script.
func judge(s *script, r Result) errors {
	want := Turns(s.truth[0], s.truth[1], s.seconds())
	e := errors{layout: r.Layout, wantTurns: want.TurnCount}
	if r.TurnTaking == nil {
		return e
	}
	wantTime := speechTime(s.truth[:], true, s.seconds())
	e.share = math.Abs(r.Speech.SpeechShare[0] - wantTime.SpeechShare[0])
	e.overlap = math.Abs(r.TurnTaking.OverlapRatio - want.OverlapRatio)
	if e.turns = r.TurnTaking.TurnCount; e.turns == e.wantTurns {
		got, truth := ftos(r.TurnTaking.Turns), ftos(want.Turns)
		for i := range got {
			e.fto = max(e.fto, math.Abs(got[i]-truth[i]))
		}
	}
	return e
}

func ftos(turns []catalogue.Turn) []float64 {
	var out []float64
	for i := 1; i < len(turns); i++ {
		out = append(out, Offset(turns[i-1], turns[i]))
	}
	return out
}

// TestConversations measures scripted conversations under noise. What the script
// says must come out: shares and overlap within 0.01, each offset within 30 ms
// and every turn; with crosstalk of -20 dB, overlap within 0.02.
//
// Speech of espeak-ng has sounds 38 dB under its peak ("th" of "thank you"). At
// -45 dBFS they are under the noise, and with crosstalk under the other speaker:
// offsets and turns are told but not judged there.
func TestConversations(t *testing.T) {
	first := uint64(0)
	for _, kind := range []string{"bursts", "spoken"} {
		for _, level := range []float64{none, -60, -50, -45} {
			for _, leaks := range []bool{false, true} {
				name := fmt.Sprintf("%s/noise%g/crosstalk-%v", kind, level, leaks)
				seeds := first
				first += scripts
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					sharp := kind == "bursts" || level < -45
					conversations(t, seeds, kind, level, leaks, sharp && !leaks)
				})
			}
		}
	}
}

// conversations measures some scripts; sharp says whether turns and offsets are
// judged.
func conversations(t *testing.T, first uint64, kind string, level float64, leaks, sharp bool) {
	most := errors{share: 0.01, overlap: 0.01, fto: 30}
	if leaks {
		most.overlap, most.share = 0.02, 0.02
	}
	var all errors
	for seed := first; seed < first+scripts; seed++ {
		rate := []int{8000, 16000}[seed%2]
		r := rand.New(rand.NewPCG(seed, uint64(len(kind))))
		var m material = bursts{rate}
		if kind == "spoken" {
			m = speakers(t, rate)
		}
		s := newScript(r, m, rate, 30)
		p := s.plane
		if leaks {
			p = crosstalk(p, rate, -20, 3*r.Float64())
		}
		e := judge(s, hear(rate, mix(r, p, level, seed%4 < 2)...))
		if e.layout != Dual || e.share > most.share || e.overlap > most.overlap {
			t.Errorf("seed %d: %+v, want dual, share and overlap within %+v", seed, e, most)
		}
		if sharp && (e.turns != e.wantTurns || e.fto > most.fto) {
			t.Errorf("seed %d: %+v, want all turns and offsets within 30 ms", seed, e)
		}
		all.worst(e)
	}
	t.Logf("worst of %d scripts: share %.4f, overlap %.4f, offset %.0f ms, turns %d", scripts, all.share, all.overlap, all.fto, all.turns)
}

// none is a level at which 16 bits hold no noise: silence is digital.
const none = -140

// scripts is how many conversations each case measures.
const scripts = 2
