package transcript

import (
	"cmp"
	"slices"
)

// join adds the segments of all tiers. The words of a speaker who has a tier of segments are
// put into those segments; other words are grouped into segments of their own.
func (g *grid) join() {
	g.p.file.Recordings[""] = []Segment{}
	// Tiers get their speakers before words are looked up by speaker.
	g.adopt()
	bySpeaker := map[string][]tier{}
	for _, t := range g.tiers {
		if t.words {
			bySpeaker[t.speaker] = append(bySpeaker[t.speaker], t)
		}
	}
	for _, t := range g.tiers {
		if t.words {
			continue
		}
		segments := make([]Segment, len(t.intervals))
		for i, v := range t.intervals {
			segments[i] = Segment{Start: v.Start, End: v.End, Speaker: t.speaker, Text: v.Text, Line: v.line}
		}
		for _, words := range bySpeaker[t.speaker] {
			g.distribute(segments, words)
		}
		delete(bySpeaker, t.speaker) // these words are placed; what remains has no segments
		g.addAll(segments)
	}
	for _, t := range g.tiers {
		if _, alone := bySpeaker[t.speaker]; t.words && alone {
			segments := grouped(t.intervals)
			for i := range segments {
				segments[i].Speaker = t.speaker
			}
			g.addAll(segments)
		}
	}
}

// adopt gives a tier that is named "words" alone to the speaker of the grid, if there is only
// one.
func (g *grid) adopt() {
	only, n := "", 0
	for _, t := range g.tiers {
		if !t.words {
			only = t.speaker
			n++
		}
	}
	for i := range g.tiers {
		if t := &g.tiers[i]; n == 1 && t.words && t.speaker == "" {
			t.speaker = only
		}
	}
}

// addAll adds segments until enough problems are known.
func (g *grid) addAll(segments []Segment) {
	for _, s := range segments {
		if g.p.done() {
			return
		}
		g.p.add("", s)
	}
}

// distribute puts each word into the segment that holds the middle of the word: its ends may
// be slightly outside. segments must be in order of time.
func (g *grid) distribute(segments []Segment, words tier) {
	for _, w := range words.intervals {
		if g.p.done() {
			return
		}
		// Segments of a tier do not overlap, so the first that ends at or after the middle is the
		// only candidate.
		middle := (w.Start + w.End) / 2
		at, _ := slices.BinarySearchFunc(segments, middle, func(s Segment, t float64) int { return cmp.Compare(s.End, t) })
		if at == len(segments) || segments[at].Start > middle {
			g.p.problem(w.line, "the word %s at %v lies in no interval of its speaker %s", quote(w.Text), w.Start, quote(words.speaker))
			continue
		}
		segments[at].Words = append(segments[at].Words, w.Word)
	}
}
