package measure

import (
	"cmp"
	"slices"

	"vaak/catalogue/transcript"
)

// slack is how long after the audio a segment may end, in seconds.
const slack = 0.05

// wrongTimes says that a segment ends after the audio, or before it starts.
func wrongTimes(s transcript.Segment, duration float64) bool {
	return !(s.End >= s.Start) || s.End > duration+slack
}

// rates returns words by the minute of the time that segments hold, and of the
// measured speech in it.
func rates(words int, segments []transcript.Segment, rec Recording) (perMin, perSpeechMin *float64) {
	rate := func(seconds float64) *float64 {
		if words == 0 || !(seconds > 0) {
			return nil
		}
		return new(float64(words) * 60 / seconds)
	}
	var held []Interval
	for _, s := range segments {
		held = append(held, Interval{Start: s.Start, End: s.End})
	}
	said, speech := tracks(segments, rec)
	shared := 0.0
	for i := range speech {
		shared += length(intersection(union(speech[i]), union(said[i])))
	}
	return rate(length(union(held))), rate(shared)
}

// agreement compares segments with the speech that was measured: what part of the
// speech they cover, and what both share of what either holds.
func agreement(segments []transcript.Segment, rec Recording) (coverage, iou *float64) {
	said, speech := tracks(segments, rec)
	var spoken, both, either float64
	for i := range speech {
		a, b := union(speech[i]), union(said[i])
		shared := length(intersection(a, b))
		spoken += length(a)
		both += shared
		either += length(a) + length(b) - shared
	}
	return ratio(both, spoken), ratio(both, either)
}

// tracks returns the times of segments and of measured speech that are to be
// compared: channel by channel where each has one speaker and every segment tells
// its channel, else all in one.
func tracks(segments []transcript.Segment, rec Recording) (said, speech [][]Interval) {
	tracks := max(len(rec.Speech), 1)
	perChannel := rec.Layout == "dual" && !slices.ContainsFunc(segments, func(s transcript.Segment) bool {
		return s.Channel < 1 || s.Channel > tracks
	})
	said = make([][]Interval, tracks)
	for _, s := range segments {
		if v, ok := stretch(s); ok {
			at := max(s.Channel-1, 0) % tracks
			said[at] = append(said[at], v)
		}
	}
	if !perChannel {
		return [][]Interval{slices.Concat(said...)}, [][]Interval{slices.Concat(rec.Speech...)}
	}
	return said, rec.Speech
}

// stretch returns the time of a segment; false when it has no length, or one that
// no recording has.
func stretch(s transcript.Segment) (Interval, bool) {
	const longest = 1e9
	d := s.End - s.Start
	return Interval{Start: s.Start, End: s.End}, d > 0 && d < longest
}

// ratio is a share between 0 and 1; nil where there is nothing to share.
func ratio(part, whole float64) *float64 {
	if !(whole > 0) {
		return nil
	}
	share := min(max(part/whole, 0), 1)
	return &share
}

// union returns the time that any of the intervals holds, in order and apart. Those
// that end before they start hold none.
func union(intervals []Interval) []Interval {
	sorted := slices.Clone(intervals)
	slices.SortFunc(sorted, func(a, b Interval) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	var out []Interval
	for _, v := range sorted {
		switch last := len(out) - 1; {
		case !(v.End > v.Start):
		case last >= 0 && v.Start <= out[last].End:
			out[last].End = max(out[last].End, v.End)
		default:
			out = append(out, v)
		}
	}
	return out
}

// intersection returns the time that both hold; each is in order and apart.
func intersection(a, b []Interval) []Interval {
	var out []Interval
	for len(a) > 0 && len(b) > 0 {
		v := Interval{Start: max(a[0].Start, b[0].Start), End: min(a[0].End, b[0].End)}
		if v.End > v.Start {
			out = append(out, v)
		}
		if a[0].End < b[0].End {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return out
}

// length is how long the intervals are together.
func length(intervals []Interval) float64 {
	total := 0.0
	for _, v := range intervals {
		total += v.End - v.Start
	}
	return total
}
