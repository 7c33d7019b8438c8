package demo

import (
	"cmp"
	"math"
	"slices"

	"vaak/catalogue/transcript"
)

// units returns the inter-pausal units of each speaker.
func (sc *scene) units() [2][]span {
	var all [2][]span
	for _, u := range sc.all {
		all[u.speaker] = append(all[u.speaker], u.units()...)
	}
	for i := range all {
		slices.SortFunc(all[i], func(a, b span) int { return cmp.Compare(a.Start, b.Start) })
		all[i] = joined(all[i])
	}
	return all
}

// interval returns a span in seconds.
func interval(s span) Interval { return Interval{seconds(s.Start), seconds(s.End)} }

// truth returns what is known about the scene.
func (sc *scene) truth() Truth {
	t := Truth{DurationS: seconds(sc.length)}
	for i, units := range sc.units() {
		for _, u := range units {
			t.IPUs[i] = append(t.IPUs[i], interval(u))
		}
	}
	for _, u := range sc.all {
		turn := Turn{u.speaker, interval(span{u.start(), u.end()})}
		t.Words = append(t.Words, u.heard()...)
		n := len(t.Turns)
		switch {
		case u.backchannel:
			t.Backchannels = append(t.Backchannels, turn)
		// Two lines of one speaker in a row are one turn with a pause inside.
		case n > 0 && t.Turns[n-1].Speaker == u.speaker:
			t.Turns[n-1].EndS = turn.EndS
		default:
			t.Turns = append(t.Turns, turn)
		}
	}
	for i := 1; i < len(t.Turns); i++ {
		t.OffsetsMs = append(t.OffsetsMs, (t.Turns[i].StartS-t.Turns[i-1].EndS)*1000)
	}
	return t
}

// segments returns the transcript in order of time. A segment begins with its first word, which may
// be a little before the word is heard.
func (sc *scene) segments(t dialogue) []transcript.Segment {
	var out []transcript.Segment
	for _, u := range sc.all {
		heard, start := u.heard(), seconds(u.start())
		if len(heard) > 0 {
			start = min(start, heard[0].StartS)
		}
		s := transcript.Segment{
			Start: toMs(start), End: toMs(seconds(u.end())), Channel: u.speaker + 1,
			Speaker: t.names[u.speaker], Role: t.plan.roles[u.speaker], Text: u.spoken(),
		}
		if t.plan.mono {
			s.Channel = 1
		}
		for _, w := range heard {
			s.Words = append(s.Words, transcript.Word{Start: max(toMs(w.StartS), s.Start), End: min(toMs(w.EndS), s.End), Text: w.Text})
		}
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b transcript.Segment) int { return cmp.Compare(a.Start, b.Start) })
	return out
}

// toMs rounds seconds to milliseconds, the precision of transcripts.
func toMs(s float64) float64 { return math.Round(s*1000) / 1000 }
