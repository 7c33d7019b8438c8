package talk

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vaak/catalogue"
)

func TestTurns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		a, b []Interval
		want []catalogue.Turn
		back int
	}{
		{"nobody", nil, nil, nil, 0},
		{"one speaker", []Interval{{0, 2}, {3, 5}}, nil, []catalogue.Turn{{Channel: 1, StartS: 0, EndS: 5}}, 0},
		{"gap and overlap", []Interval{{0, 2}, {4.8, 7}}, []Interval{{2.3, 5}},
			[]catalogue.Turn{{Channel: 1, StartS: 0, EndS: 2}, {Channel: 2, StartS: 2.3, EndS: 5}, {Channel: 1, StartS: 4.8, EndS: 7}}, 0},
		{"backchannel within", []Interval{{0, 5}}, []Interval{{2, 2.4}},
			[]catalogue.Turn{{Channel: 1, StartS: 0, EndS: 5}}, 1},
		{"backchannel in a pause", []Interval{{0, 2}, {3, 5}}, []Interval{{2.1, 2.9}},
			[]catalogue.Turn{{Channel: 1, StartS: 0, EndS: 5}}, 1},
		{"short answer at the end", []Interval{{0, 2}}, []Interval{{2.1, 2.9}},
			[]catalogue.Turn{{Channel: 1, StartS: 0, EndS: 2}, {Channel: 2, StartS: 2.1, EndS: 2.9}}, 0},
		{"short, but own speech near", []Interval{{0, 2}, {3, 5}}, []Interval{{2.1, 2.6}, {3.2, 6}},
			[]catalogue.Turn{{Channel: 1, StartS: 0, EndS: 2}, {Channel: 2, StartS: 2.1, EndS: 2.6}, {Channel: 1, StartS: 3, EndS: 5}, {Channel: 2, StartS: 3.2, EndS: 6}}, 0},
		{"long within the other", []Interval{{0, 10}, {10.5, 12}}, []Interval{{3, 5}},
			[]catalogue.Turn{{Channel: 1, StartS: 0, EndS: 12}}, 0},
		{"together, one longer", []Interval{{0, 2}}, []Interval{{0, 3}},
			[]catalogue.Turn{{Channel: 2, StartS: 0, EndS: 3}}, 0},
		{"the same", []Interval{{1, 3}}, []Interval{{1, 3}},
			[]catalogue.Turn{{Channel: 1, StartS: 1, EndS: 3}, {Channel: 2, StartS: 1, EndS: 3}}, 0},
		{"the same, then the first", []Interval{{1, 3}, {4, 6}}, []Interval{{1, 3}},
			[]catalogue.Turn{{Channel: 2, StartS: 1, EndS: 3}, {Channel: 1, StartS: 1, EndS: 6}}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := Turns(tt.a, tt.b, 12)
			want := append([]catalogue.Turn{}, tt.want...)
			if diff := cmp.Diff(want, got.Turns); diff != "" || got.BackchannelCount != tt.back {
				t.Errorf("Turns(%v, %v): %d backchannels, want %d; turns (-want +got):\n%s", tt.a, tt.b, got.BackchannelCount, tt.back, diff)
			}
		})
	}
}

func TestTurnFigures(t *testing.T) {
	t.Parallel()
	got := Turns([]Interval{{0, 2}, {4.7, 7}, {7.4, 9}}, []Interval{{2.3, 5}, {9.85, 12}}, 60)
	want := &catalogue.TurnTaking{
		Method: "audio-vad", OverlapRatio: 0.3 / (12 - 0.3 - 0.4 - 0.85),
		FTO: catalogue.FTO{
			Count: 3, Median: new(300.0), Mean: new(283.333), P10: new(-180.0), P90: new(740.0),
			Histogram: &catalogue.Histogram{From: -2000, Width: 100, Bins: make([]int, 40)},
			Shares:    &catalogue.FTOShares{Under0: 1.0 / 3, To700: 1.0 / 3, Over700: 1.0 / 3},
		},
		GapMs: new(575.0), OverlapMs: new(300.0), ResponseMs: []float64{-300, 575},
		TurnCount: 4, TurnsPerMin: 4,
		TurnLengthS: &catalogue.Quantiles{Median: 2.425, P90: 3.82},
		IPULengthS:  &catalogue.Quantiles{Median: 2.15, P90: 2.54},
		PauseMs:     &catalogue.Quantiles{Median: 400, P90: 400}, PausesPerMin: 1,
		OverlappedStartsPerMin: 1,
		Turns: []catalogue.Turn{
			{Channel: 1, StartS: 0, EndS: 2}, {Channel: 2, StartS: 2.3, EndS: 5},
			{Channel: 1, StartS: 4.7, EndS: 9}, {Channel: 2, StartS: 9.85, EndS: 12},
		},
		Overlaps: [][2]float64{{4.7, 5}},
	}
	for _, bin := range []int{17, 23, 28} {
		want.FTO.Histogram.Bins[bin] = 1
	}
	near := cmp.Comparer(func(x, y float64) bool { return math.Abs(x-y) < 1e-9 })
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Errorf("Turns (-want +got):\n%s", diff)
	}
}

// unitsOf draws units of one speaker in steps of 0.25 s, so that ties are common.
func unitsOf(t *rapid.T, label string) []Interval {
	var out []Interval
	at := 0.0
	for range rapid.IntRange(0, 12).Draw(t, label) {
		at += 0.25 * float64(rapid.IntRange(1, 8).Draw(t, label+" pause"))
		from := at
		at += 0.25 * float64(rapid.IntRange(1, 12).Draw(t, label+" unit"))
		out = append(out, Interval{from, at})
	}
	return out
}

func TestTurnLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := unitsOf(t, "a"), unitsOf(t, "b")
		got, swapped := Turns(a, b, 100), Turns(b, a, 100)
		mirrored := slices.Clone(swapped.Turns)
		for i := range mirrored {
			mirrored[i].Channel = 3 - mirrored[i].Channel
		}
		if !slices.Equal(a, b) && !slices.Equal(got.Turns, mirrored) {
			t.Errorf("turns %v, swapped %v", got.Turns, swapped.Turns)
		}
		if got.TurnCount != swapped.TurnCount || got.BackchannelCount != swapped.BackchannelCount {
			t.Errorf("%d turns, %d backchannels; swapped %d, %d", got.TurnCount, got.BackchannelCount, swapped.TurnCount, swapped.BackchannelCount)
		}
		if got.OverlapRatio != swapped.OverlapRatio || !slices.Equal(got.Overlaps, swapped.Overlaps) {
			t.Errorf("overlap %v, swapped %v", got.Overlaps, swapped.Overlaps)
		}
		checkOffsets(t, got)
		time := speechTime([][]Interval{a, b}, true, 100)
		if sum := total(time.SpeechShare); len(a)+len(b) > 0 && math.Abs(sum-1) > 1e-9 {
			t.Errorf("shares %v sum to %v", time.SpeechShare, sum)
		}
	})
}

// checkOffsets holds the figures of offsets against the turns.
func checkOffsets(t *rapid.T, got *catalogue.TurnTaking) {
	if want := FloorTransfers(ftos(got.Turns)); !cmp.Equal(want, got.FTO) {
		t.Errorf("offsets %+v, of the turns %+v", got.FTO, want)
	}
	for i := 1; i < len(got.Turns); i++ {
		if got.Turns[i].Channel == got.Turns[i-1].Channel || got.Turns[i].StartS < got.Turns[i-1].StartS {
			t.Errorf("turns %v are not in order", got.Turns)
		}
	}
	if got.FTO.Count != max(got.TurnCount-1, 0) {
		t.Errorf("%d offsets of %d turns", got.FTO.Count, got.TurnCount)
	}
	if got.FTO.Count == 0 {
		return
	}
	n := 0
	for _, c := range got.FTO.Histogram.Bins {
		n += c
	}
	s := got.FTO.Shares
	if sum := s.Under0 + s.To200 + s.To700 + s.Over700; n != got.FTO.Count || math.Abs(sum-1) > 1e-9 {
		t.Errorf("histogram of %d, shares sum to %v, want %d and 1", n, sum, got.FTO.Count)
	}
}

func total(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += v
	}
	return sum
}
