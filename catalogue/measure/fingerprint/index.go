package fingerprint

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

const (
	// entriesMost bounds the entries of an index: 12 bytes each. With more sound, only keys that
	// a hash chooses are kept.
	entriesMost = 1 << 24
	// commonFrom is from how many places on a key says little: it is that of a steady sound, or of
	// one that many recordings have. Then only its first commonKept places count, so that many
	// copies are found with the first of them.
	commonFrom, commonKept = 64, 16
	// votesLeast is how many keys must agree before two channels are compared. Short ones have
	// few keys.
	votesLeast, votesShort = 3, 1
	shortPrints            = 30 * perSecond
	// nearMost is up to how many entries keys that differ by a bit are looked for, too, for short
	// channels: it takes 33 times as long.
	nearMost = 1 << 22

	// block is how many prints are compared at once: 2 s. Blocks with at most blockErrors of
	// their bits different are the same sound, if all of them together have at most meanErrors.
	// Prints of different sounds differ by a half, with a deviation that falls with the root of
	// their number: the fewer there are, the fewer may differ. See [errorsMost].
	block       = 2 * perSecond
	blockErrors = 0.36
	meanErrors  = 0.32
	sureErrors  = 1.12
)

// Channel names a channel of a recording in an [Index]. The numbers are the caller's.
type Channel struct{ Recording, Channel int }

// Match is sound that two channels share.
type Match struct {
	Channel         // of the index
	Seconds float64 // how much is shared
	// FromS is where it begins in the channel that was asked for, and OtherFromS in the other.
	FromS, OtherFromS float64
	// Share is Seconds as a share of the sound of the shorter of both channels, 0 to 1.
	Share float64
	// Errors is the share of bits that differ, 0 to 1: 0 for the same samples.
	Errors float64
}

// Index finds channels by their prints. Add all channels, then call Match.
type Index struct {
	tracks   []track
	entries  []entry
	sampling uint32 // keys whose hash is a multiple are kept
	sorted   bool
}

// track is the prints of a channel that are an eighth of a second apart. A dense print makes two, so
// that what is found does not depend on which of two recordings was added.
type track struct {
	Channel
	prints   []uint16
	sounding int // prints that are not silence
	phase    int
	dense    bool
}

// entry says that a key stands in a track at a place.
type entry struct{ key, track, at uint32 }

// NewIndex returns an index with room for the prints of so many seconds in all, see
// [Print.Indexed]. With more than its memory holds, about 580 hours of channels, it keeps a part of
// the keys; then it may miss short matches, and of 58,000 hours those of some minutes.
func NewIndex(seconds float64) *Index {
	return &Index{sampling: max(1, uint32(min(seconds, 1e9)*perSecond/entriesMost)+1)}
}

// keys calls visit with the keys of prints: two prints in a row that are not silence.
func keys(prints []uint16, visit func(key uint32, at int)) {
	for i := 1; i < len(prints); i++ {
		if prints[i-1] != none && prints[i] != none && prints[i-1] != prints[i] {
			visit(uint32(prints[i-1])<<16|uint32(prints[i]), i)
		}
	}
}

// Add adds a channel.
func (x *Index) Add(c Channel, p Print) {
	for phase := range every {
		prints := p.phase(phase)
		if len(prints) == 0 {
			continue
		}
		n := uint32(len(x.tracks))
		x.tracks = append(x.tracks, track{c, prints, sounding(prints), phase, p.Dense})
		keys(prints, func(key uint32, at int) {
			if x.chosen(key) {
				x.entries = append(x.entries, entry{key, n, uint32(at)})
			}
		})
	}
	x.sorted = false
}

// chosen reports whether a key is kept; the same for both of two channels.
func (x *Index) chosen(key uint32) bool { return (key*2654435761>>8)%x.sampling == 0 }

func sounding(prints []uint16) (n int) {
	for _, p := range prints {
		if p != none {
			n++
		}
	}
	return n
}

// offset is where a track of the index would begin in the channel that is asked for.
type offset struct {
	track  uint32
	prints int
}

// Match returns what a channel shares with those of the index that wanted accepts, the longest
// first. There is at most one match with a channel for a distance in time.
func (x *Index) Match(p Print, wanted func(Channel) bool) []Match {
	if !x.sorted {
		slices.SortFunc(x.entries, func(a, b entry) int {
			return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.track, b.track), cmp.Compare(a.at, b.at))
		})
		x.sorted = true
	}
	var all []Match
	for phase := range every {
		prints := p.phase(phase)
		// Both of two dense prints have two phases: one with both of the other are all distances.
		for o, n := range x.votes(prints, func(t *track) bool { return (phase == 0 || !t.dense) && wanted(t.Channel) }) {
			other := x.tracks[o.track].prints
			least := votesLeast
			if min(len(prints), len(other)) <= shortPrints {
				least = votesShort
			}
			if n < least {
				continue
			}
			if m, ok := compare(prints, &x.tracks[o.track], o.prints); ok {
				m.FromS += float64(phase) / (perSecond * every)
				all = append(all, m)
			}
		}
	}
	return best(all)
}

// votes counts, for each offset of a track, the keys that agree with it.
func (x *Index) votes(prints []uint16, wanted func(*track) bool) map[offset]int {
	votes := map[offset]int{}
	look := func(key uint32, at int) {
		if !x.chosen(key) {
			return
		}
		from, _ := slices.BinarySearchFunc(x.entries, key, func(e entry, k uint32) int { return cmp.Compare(e.key, k) })
		to := from
		for to < len(x.entries) && x.entries[to].key == key {
			if to++; to-from >= commonFrom {
				to = from + commonKept
				break
			}
		}
		for _, e := range x.entries[from:to] {
			if wanted(&x.tracks[e.track]) {
				votes[offset{e.track, at - int(e.at)}]++
			}
		}
	}
	near := len(prints) <= shortPrints && len(x.entries) <= nearMost
	keys(prints, func(key uint32, at int) {
		look(key, at)
		for bit := 0; near && bit < 32; bit++ {
			look(key^1<<bit, at)
		}
	})
	return votes
}

// errorsMost returns which share of the bits of so many prints may differ in the same sound.
func errorsMost(prints int) float64 {
	return min(meanErrors, 0.5-sureErrors/math.Sqrt(float64(max(prints, 1))))
}

// compare compares prints with those of a track that begins shift prints later.
func compare(prints []uint16, with *track, shift int) (Match, bool) {
	other := with.prints
	from, to := max(shift, 0), min(len(prints), len(other)+shift)
	shared, wrong, compared := 0, 0, 0
	first := -1
	for at := from; at < to; at += block {
		end := min(at+block, to)
		n, errors := 0, 0
		for i := at; i < end; i++ {
			if a, b := prints[i], other[i-shift]; a != none && b != none {
				n++
				errors += bits.OnesCount16(a ^ b)
			}
		}
		if n*4 < block || float64(errors) > blockErrors*float64(bands*n) {
			continue
		}
		if first < 0 {
			first = at
		}
		shared += n
		wrong += errors
		compared += bands * n
	}
	if shared < block/2 || float64(wrong) > errorsMost(shared)*float64(compared) {
		return Match{}, false
	}
	shorter := min(sounding(prints), with.sounding)
	return Match{
		Channel: with.Channel, Seconds: float64(shared) / perSecond,
		FromS: float64(first) / perSecond, OtherFromS: float64(first-shift)/perSecond + float64(with.phase)/(perSecond*every),
		Share: min(float64(shared)/float64(max(shorter, 1)), 1), Errors: float64(wrong) / float64(compared),
	}, true
}

// best returns the longest of the matches that are the same but for a print or two, the longest
// first.
func best(all []Match) []Match {
	slices.SortFunc(all, func(a, b Match) int {
		return cmp.Or(cmp.Compare(a.Channel.Recording, b.Channel.Recording), cmp.Compare(a.Channel.Channel, b.Channel.Channel),
			cmp.Compare(b.Seconds, a.Seconds), cmp.Compare(a.Errors, b.Errors), cmp.Compare(a.FromS, b.FromS))
	})
	var out []Match
	for _, m := range all {
		lag := m.FromS - m.OtherFromS
		if !slices.ContainsFunc(out, func(o Match) bool {
			d := o.FromS - o.OtherFromS - lag
			return o.Channel == m.Channel && -0.6 < d && d < 0.6
		}) {
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b Match) int { return cmp.Compare(b.Seconds, a.Seconds) })
	return out
}
