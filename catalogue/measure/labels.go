package measure

import (
	"cmp"
	"math"
	"reflect"
	"slices"

	"vaak/catalogue"
	"vaak/catalogue/measure/talk"
	"vaak/catalogue/transcript"
)

// How labelled segments form turns, in seconds. See [Labels].
const (
	joinUnder     = 0.2 // segments of a speaker with less than this between them are one unit
	shortUnit     = 1.0 // longest backchannel
	aloneFor      = 1.0 // silence of the speaker on both sides of an isolated backchannel
	answeredUnder = 1.0 // time before and after it in which another speaker is heard
)

// Labels returns how labelled speakers take turns, or nil if there are fewer than two.
//
// A speaker speaks in the union of the speaker's segments. Two segments of one speaker with
// less than 200 ms between them form one unit. A turn is a series of units of one speaker,
// in order of their start, without backchannels. A backchannel is a unit of at most 1 s that
// lies within one unit of another speaker, or that has 1 s of its speaker's silence on both
// sides while others speak within 1 s before and after it. The floor-transfer offset is the
// start of a turn minus the end of the turn before it.
func Labels(segments []transcript.Segment) *catalogue.SpeakerLabels {
	speakers, spoken := bySpeaker(segments)
	if len(speakers) < 2 {
		return nil
	}
	l := &catalogue.SpeakerLabels{Method: "transcript", Speakers: speakers}
	total, anybody := 0.0, []Interval{}
	for _, own := range spoken {
		total += talk.Length(own)
		anybody = append(anybody, own...)
	}
	for _, own := range spoken {
		l.SpeechShare = append(l.SpeechShare, talk.Length(own)/total)
	}
	whole := talk.Union(anybody)
	if share := ratio(talk.Length(overlapped(anybody)), talk.Length(whole)); share != nil {
		l.OverlapRatio = *share
	}
	turns := labelTurns(spoken)
	l.TurnCount = len(turns)
	offsets := make([]float64, 0, len(turns))
	for i := 1; i < len(turns); i++ {
		// Rounded to microseconds, so that decimals in a transcript do not get rounding errors.
		offsets = append(offsets, math.Round((turns[i].Start-turns[i-1].End)*1e6)/1e3)
	}
	l.FTO = talk.FloorTransfers(offsets)
	tidy(reflect.ValueOf(l).Elem())
	return l
}

// bySpeaker returns the speakers who say something, in order of their first segment, and when
// each speaks. Segments without a speaker or with no length are skipped.
func bySpeaker(segments []transcript.Segment) (speakers []string, spoken [][]Interval) {
	first := map[string]float64{}
	times := map[string][]Interval{}
	for _, s := range segments {
		v, ok := stretch(s)
		if s.Speaker == "" || !ok {
			continue
		}
		if at, known := first[s.Speaker]; !known {
			speakers = append(speakers, s.Speaker)
			first[s.Speaker] = s.Start
		} else {
			first[s.Speaker] = min(at, s.Start)
		}
		times[s.Speaker] = append(times[s.Speaker], v)
	}
	slices.SortStableFunc(speakers, func(a, b string) int { return cmp.Compare(first[a], first[b]) })
	for _, name := range speakers {
		spoken = append(spoken, talk.Union(times[name]))
	}
	return speakers, spoken
}

// overlapped returns the time that is in two or more of the intervals.
func overlapped(intervals []Interval) []Interval {
	type edge struct {
		at   float64
		step int
	}
	edges := make([]edge, 0, 2*len(intervals))
	for _, v := range intervals {
		edges = append(edges, edge{v.Start, 1}, edge{v.End, -1})
	}
	// At one time the ends come before the starts (-1 before 1), so intervals that touch do
	// not overlap.
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.step, b.step)) })
	var out []Interval
	depth, since := 0, 0.0
	for _, e := range edges {
		if depth >= 2 && e.at > since {
			out = append(out, Interval{Start: since, End: e.at})
		}
		depth += e.step
		since = e.at
	}
	return out
}
