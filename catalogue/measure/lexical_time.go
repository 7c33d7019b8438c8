package measure

import (
	"slices"

	"vaak/catalogue/measure/talk"
	"vaak/catalogue/transcript"
)

// slack is how long after the audio a segment may end, in seconds.
const slack = 0.05

// wrongTimes reports whether a segment ends after the audio or before its start.
func wrongTimes(s transcript.Segment, duration float64) bool {
	// Written with "not", so that NaN is wrong too: every comparison with it is false.
	return !(s.End >= s.Start) || s.End > duration+slack
}

// rates returns words per minute of the time in the segments, and of the measured speech in
// that time.
func rates(words int, segments []transcript.Segment, rec Recording) (perMin, perSpeechMin *float64) {
	rate := func(seconds float64) *float64 {
		if words == 0 || !(seconds > 1e-6) { // in less, a word can be at an infinite rate
			return nil
		}
		return new(float64(words) * 60 / seconds)
	}
	var held []Interval
	for _, s := range segments {
		held = append(held, Interval{Start: s.Start, End: s.End})
	}
	transcribed, speech := tracks(segments, rec)
	shared := 0.0
	for i := range speech {
		shared += talk.Length(talk.Intersection(talk.Union(speech[i]), talk.Union(transcribed[i])))
	}
	return rate(talk.Length(talk.Union(held))), rate(shared)
}

// agreement returns which share of the measured speech the segments cover, and the
// intersection over union (IoU) of both.
func agreement(segments []transcript.Segment, rec Recording) (coverage, iou *float64) {
	transcribed, speech := tracks(segments, rec)
	var spoken, both, either float64
	for i := range speech {
		a, b := talk.Union(speech[i]), talk.Union(transcribed[i])
		shared := talk.Length(talk.Intersection(a, b))
		spoken += talk.Length(a)
		both += shared
		either += talk.Length(a) + talk.Length(b) - shared
	}
	return ratio(both, spoken), ratio(both, either)
}

// tracks returns the times of segments and of measured speech that are compared with each
// other: channel by channel if each channel has one speaker and every segment names its
// channel, otherwise all in one track.
func tracks(segments []transcript.Segment, rec Recording) (transcribed, speech [][]Interval) {
	tracks := max(len(rec.Speech), 1)
	perChannel := separate(segments, rec)
	transcribed = make([][]Interval, tracks)
	for _, s := range segments {
		if v, ok := stretch(s); ok {
			// Where channels are not compared, all tracks are joined below and it does not
			// matter in which a segment is.
			at := max(s.Channel-1, 0) % tracks
			transcribed[at] = append(transcribed[at], v)
		}
	}
	if !perChannel {
		return [][]Interval{slices.Concat(transcribed...)}, [][]Interval{slices.Concat(rec.Speech...)}
	}
	return transcribed, rec.Speech
}

// separate reports whether segments and speech are compared channel by channel.
func separate(segments []transcript.Segment, rec Recording) bool {
	return rec.Layout == "dual" && len(rec.Speech) > 0 && !slices.ContainsFunc(segments, func(s transcript.Segment) bool {
		return s.Channel < 1 || s.Channel > len(rec.Speech)
	})
}

// stretch returns the time of a segment, and false if its length is not above 0 or its times
// are beyond any recording.
func stretch(s transcript.Segment) (Interval, bool) {
	const longest = 1e9
	d := s.End - s.Start
	return Interval{Start: s.Start, End: s.End}, d > 0 && d < longest
}

// ratio returns a share between 0 and 1, or nil if whole is 0.
func ratio(part, whole float64) *float64 {
	if !(whole > 0) {
		return nil
	}
	share := min(max(part/whole, 0), 1)
	return &share
}
