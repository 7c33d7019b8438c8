package measure

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"vaak/catalogue"
	"vaak/catalogue/transcript"
)

// said is a segment of a speaker.
func said(speaker string, start, end float64) transcript.Segment {
	return transcript.Segment{Speaker: speaker, Start: start, End: end}
}

// bins returns a histogram with one count in each of the bins.
func bins(at ...int) *catalogue.Histogram {
	h := &catalogue.Histogram{From: -2000, Width: 100, Bins: make([]int, 40)}
	for _, i := range at {
		h.Bins[i]++
	}
	return h
}

// TestLabels compares with figures that were computed by hand.
func TestLabels(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		segments []transcript.Segment
		want     *catalogue.SpeakerLabels
	}{
		{"nobody", nil, nil},
		{"one speaker", []transcript.Segment{said("a", 0, 1), said("", 1, 2), said("b", 2, 2)}, nil},
		// Offsets: 2.2-2.0 = 200, 3.5-4.2 = -700, 6.8-6.0 = 800 ms. Both speak from
		// 3.5 to 4.2, of 8.0 - 0.2 - 0.8 = 7.0 s in which anybody does. a speaks
		// 2.0 + 2.5, b 2.0 + 1.2 s.
		{"three offsets", []transcript.Segment{said("b", 2.2, 4.2), said("a", 0, 2), said("a", 3.5, 6), said("b", 6.8, 8)},
			&catalogue.SpeakerLabels{
				Speakers: []string{"a", "b"}, SpeechShare: []float64{4.5 / 7.7, 3.2 / 7.7}, OverlapRatio: 0.7 / 7, TurnCount: 4,
				FTO: catalogue.FTO{
					Count: 3, Median: ref(200), Mean: ref(100), P10: ref(-520), P90: ref(680), Histogram: bins(13, 22, 28),
					Shares: &catalogue.FTOShares{Under0: 1. / 3, To700: 1. / 3, Over700: 1. / 3},
				},
			}},
		// b's "haan" lies within a's unit, which is of two segments with 100 ms
		// between them; the second is alone between a's words: neither is a turn.
		{"backchannels", []transcript.Segment{
			said("a", 0, 3), said("a", 3.1, 6), said("b", 2.9, 3.4), said("b", 6.2, 6.6), said("a", 7, 9), said("b", 9.5, 12),
		}, &catalogue.SpeakerLabels{
			Speakers: []string{"a", "b"}, SpeechShare: []float64{7.9 / 11.3, 3.4 / 11.3}, OverlapRatio: 0.4 / 10.9, TurnCount: 2,
			FTO: catalogue.FTO{
				Count: 1, Median: ref(500), Mean: ref(500), P10: ref(500), P90: ref(500), Histogram: bins(25),
				Shares: &catalogue.FTOShares{To700: 1},
			},
		}},
		// A short answer with nobody behind it is a turn; three speakers have one
		// another as others. Offsets 200 and 4000, the last bin of the histogram.
		{"three speakers", []transcript.Segment{said("c", 0, 2), said("a", 2.2, 3), said("b", 7, 9), said("b", 10, 11)},
			&catalogue.SpeakerLabels{
				Speakers: []string{"c", "a", "b"}, SpeechShare: []float64{2 / 5.8, 0.8 / 5.8, 3 / 5.8}, TurnCount: 3,
				FTO: catalogue.FTO{
					Count: 2, Median: ref(2100), Mean: ref(2100), P10: ref(580), P90: ref(3620), Histogram: bins(22, 39),
					Shares: &catalogue.FTOShares{To700: 0.5, Over700: 0.5},
				},
			}},
		// b is no turn while a pauses for 100 ms, though b's words are near each other.
		{"within joined words", []transcript.Segment{said("a", 0, 3), said("a", 3.1, 6), said("b", 2.75, 3.5), said("b", 4, 4.5)},
			&catalogue.SpeakerLabels{
				Speakers: []string{"a", "b"}, SpeechShare: []float64{5.9 / 7.15, 1.25 / 7.15}, OverlapRatio: 1.15 / 6, TurnCount: 1,
			}},
		// After 2 s of silence a short unit is a turn, whoever speaks next.
		{"a late answer", []transcript.Segment{said("a", 0, 2), said("b", 4, 4.5), said("a", 5, 7)},
			&catalogue.SpeakerLabels{
				Speakers: []string{"a", "b"}, SpeechShare: []float64{4 / 4.5, 0.5 / 4.5}, TurnCount: 3,
				FTO: catalogue.FTO{
					Count: 2, Median: ref(1250), Mean: ref(1250), P10: ref(650), P90: ref(1850), Histogram: bins(25, 39),
					Shares: &catalogue.FTOShares{To700: 0.5, Over700: 0.5},
				},
			}},
		{"nothing but a backchannel", []transcript.Segment{said("a", 0, 5), said("b", 1, 2)},
			&catalogue.SpeakerLabels{
				Speakers: []string{"a", "b"}, SpeechShare: []float64{5. / 6, 1. / 6}, OverlapRatio: 0.2, TurnCount: 1,
			}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.want != nil {
				tt.want.Method = "transcript"
			}
			if diff := cmp.Diff(tt.want, Labels(tt.segments), near); diff != "" {
				t.Errorf("Labels (-want +got):\n%s", diff)
			}
		})
	}
}
