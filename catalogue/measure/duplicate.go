package measure

import (
	"cmp"
	"context"
	"slices"

	"vaak/catalogue"
	"vaak/catalogue/measure/fingerprint"
)

// How much two recordings must share to be told of.
const (
	// sharedLeast is the shortest sound in seconds, and sharedShare the least share of the sound
	// of the shorter channel. Calls that share the music on hold share less.
	sharedLeast = 2
	sharedShare = 0.3
)

// Kinds of duplicates.
const (
	Exact    = "exact"    // the files are the same, byte for byte
	Acoustic = "acoustic" // they hold the same sound
)

// Duplicate is sound that two recordings share. A and B are their indices.
type Duplicate struct {
	A, B int
	Kind string
	// Channels are those of A and of B that match, from 1. They are 0 if the files are the same.
	Channels [2]int
	// FromS is where the shared sound begins in A and in B, and Seconds how much there is.
	FromS   [2]float64
	Seconds float64
	Share   float64 // of the sound of the shorter of both channels, 0 to 1
	// ShareOfB is the share of the sound on all channels of B that A has too, 0 to 1.
	ShareOfB float64
	Errors   float64 // share of the bits of the fingerprints that differ, 0 to 1
}

// copyShare is the share of its own sound, on all channels, from which on a file counts as a copy
// of an earlier one. Many calls open with the same greeting, and are no copies of it.
const copyShare = 0.5

// Copies counts the files that hold the sound of an earlier one; nil if no file has a fingerprint,
// because an older method measured them. found is the result of [Duplicates].
func Copies(all []Recording, found []Duplicate) *catalogue.Copies {
	if !slices.ContainsFunc(all, func(r Recording) bool { return len(r.Prints) > 0 }) {
		return nil
	}
	var c catalogue.Copies
	most := map[int]Duplicate{} // of each file, with the earlier one that it shares most with
	for _, d := range found {
		if d.Kind == Acoustic && d.ShareOfB < copyShare {
			continue
		}
		if d.Seconds > most[d.B].Seconds {
			most[d.B] = d
		}
	}
	for _, d := range most {
		if d.Kind == Exact {
			c.ExactFiles++
		} else {
			c.AcousticFiles++
		}
		c.Seconds += d.Seconds
	}
	c.Seconds = round(c.Seconds)
	return &c
}

// Duplicates returns which recordings are the same or share sound, in order of A and B. Each pair
// is there once, with the channels that share most. Of several files that are the same, the first
// stands for all when sound is compared. Recordings measured by an older method have no
// fingerprints and are compared by their bytes only.
//
// The first from recordings are not compared with each other; those are of other datasets.
//
// Comparing may take as long as measuring. progress, if not nil, is called as each of the others is
// compared, with their number as Of. The error is that of ctx.
func Duplicates(ctx context.Context, all []Recording, from int, progress func(Progress)) ([]Duplicate, error) {
	var out []Duplicate
	first := map[string]int{}
	seconds := 0.0
	for i := range all {
		for _, p := range all[i].Prints {
			seconds += p.Indexed()
		}
	}
	index := fingerprint.NewIndex(seconds)
	for i := range all {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r := &all[i]
		if at, ok := first[r.SHA256]; ok && r.SHA256 != "" {
			if i >= from {
				out = append(out, Duplicate{A: at, B: i, Kind: Exact, Seconds: r.DurationS, Share: 1, ShareOfB: 1})
			}
			continue
		}
		first[r.SHA256] = i
		for c, p := range r.Prints {
			index.Add(fingerprint.Channel{Recording: i, Channel: c}, p)
		}
	}
	for i := from; i < len(all); i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if progress != nil {
			progress(Progress{Done: len(all) - from, Of: len(all) - from, Compared: i - from + 1})
		}
		if first[all[i].SHA256] != i {
			continue
		}
		best := map[int]Duplicate{}
		shared := map[int]float64{} // seconds on all channels of i
		own := 0.0
		for c, p := range all[i].Prints {
			own += p.Seconds()
			here := map[int]float64{} // on this channel
			// Each pair is looked for once, from its second recording.
			for _, m := range index.Match(p, func(o fingerprint.Channel) bool { return o.Recording < i }) {
				if m.Seconds < sharedLeast || m.Share < sharedShare {
					continue
				}
				here[m.Recording] = max(here[m.Recording], m.Seconds)
				if m.Seconds <= best[m.Recording].Seconds {
					continue
				}
				best[m.Recording] = Duplicate{A: m.Recording, B: i, Kind: Acoustic, Channels: [2]int{m.Channel.Channel + 1, c + 1},
					FromS: [2]float64{round(m.OtherFromS), round(m.FromS)}, Seconds: round(m.Seconds), Share: round(m.Share), Errors: round(m.Errors)}
			}
			for other, seconds := range here {
				shared[other] += seconds
			}
		}
		for other, d := range best {
			d.ShareOfB = round(min(1, shared[other]/own))
			out = append(out, d)
		}
	}
	slices.SortFunc(out, func(a, b Duplicate) int { return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B)) })
	return out, nil
}
