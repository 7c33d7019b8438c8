package transcript

import (
	"cmp"
	"slices"
)

// join adds the segments of the tiers. Words of a speaker with a tier of segments
// go to the segment that holds their middle; those of another make segments.
func (g *grid) join() {
	g.p.file.Recordings[""] = []Segment{}
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
			g.place(segments, words)
		}
		delete(bySpeaker, t.speaker)
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

// adopt gives a tier that is called "words" and no more to the speaker of the grid,
// when there is one only.
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

func (g *grid) addAll(segments []Segment) {
	for _, s := range segments {
		if g.p.done() {
			return
		}
		g.p.add("", s)
	}
}

// place puts words into the segments, which are in order, that hold their middle.
func (g *grid) place(segments []Segment, words tier) {
	for _, w := range words.intervals {
		if g.p.done() {
			return
		}
		middle := (w.Start + w.End) / 2
		at, _ := slices.BinarySearchFunc(segments, middle, func(s Segment, t float64) int { return cmp.Compare(s.End, t) })
		if at == len(segments) || segments[at].Start > middle {
			g.p.problem(w.line, "the word %s at %v lies in no interval of its speaker %s", quote(w.Text), w.Start, quote(words.speaker))
			continue
		}
		segments[at].Words = append(segments[at].Words, w.Word)
	}
}
