// Package accent says one language with the sounds of another, as people do who
// learned it later.
package accent

import (
	"math"
	"slices"
	"strings"
	"sync"

	"vaak/lang"
)

// Accent is how those who grew up with one language say another.
type Accent struct {
	native []Phoneme
	other  inventory
	code   lang.Code // native
	source lang.Code // the other

	mu    sync.Mutex
	known map[string]Rendering
}

// Rendering is what is said for a phoneme.
type Rendering struct {
	Mnemonics string  // of the native language's phonemes, with bars between them; "" is nothing
	IPA       string  // how these sound
	Cost      float64 // how far it is from what it stands for, a sound; 0 is the same
	Sounds    int     // of what it stands for
}

// New returns the accent of a native language in another. It is nil where nothing
// is known of the native one's phonemes.
func New(native, other lang.Code) *Accent {
	own := Inventory(native)
	if len(own) == 0 {
		return nil
	}
	return &Accent{native: own, other: inventories()[other], code: native, source: other, known: map[string]Rendering{}}
}

const (
	primary   = "ˈ"
	secondary = "ˌ"
)

// Render returns what is said for a phoneme in IPA, with its stress. It is ok if
// the native language has something near enough.
func (a *Accent) Render(ipa string) (r Rendering, ok bool) {
	stress, mark := "", ""
	switch {
	case strings.HasPrefix(ipa, primary):
		stress, mark, ipa = "'", primary, ipa[len(primary):]
	case strings.HasPrefix(ipa, secondary):
		stress, mark, ipa = ",", secondary, ipa[len(secondary):]
	}
	ipa = Toneless(a.source, ipa)
	a.mu.Lock()
	defer a.mu.Unlock()
	r, seen := a.known[ipa]
	if !seen {
		r = a.find(ipa)
		if len(a.known) < maxKnown {
			a.known[ipa] = r
		}
	}
	if r.Mnemonics != "" {
		r.Mnemonics, r.IPA = stress+r.Mnemonics, mark+r.IPA
	}
	return r, r.Sounds > 0 && r.Cost <= maxCost
}

// maxKnown bounds how many phonemes an accent remembers; a language has about 60.
const maxKnown = 1024

// maxSegments bounds the sounds of a phoneme, since the ways to cut it double with
// each. The library has none with more than four.
const maxSegments = 6

// find looks for what is said for a phoneme.
func (a *Accent) find(ipa string) Rendering {
	segments, ok := parse(respelled(a.source, ipa))
	if !ok || len(segments) > maxSegments {
		return Rendering{}
	}
	a.other.adapt(segments)
	said, cost := a.cover(segments)
	r := Rendering{Cost: cost / float64(len(segments)), Sounds: len(segments)}
	for i, p := range said {
		if i > 0 {
			r.Mnemonics += "|"
		}
		r.Mnemonics += p.Mnemonic
		r.IPA += plain(a.code, p.IPA)
	}
	return r
}

// joint is the cost of saying two phonemes where the other language has one.
const joint = 0.25

// halves is the cost of saying an affricate as a stop and a fricative.
const halves = 0.05

// cover returns the native phonemes that come nearest to some sounds in a row.
func (a *Accent) cover(segments []segment) ([]*Phoneme, float64) {
	one, cost := a.nearest(segments)
	best := []*Phoneme{one}
	if len(segments) == 1 {
		if parts, sum := a.apart(segments[0]); sum < cost {
			best, cost = parts, sum
		}
		if leaving(segments[0]) < cost {
			return nil, leaving(segments[0])
		}
	}
	for i := 1; i < len(segments); i++ {
		head, first := a.cover(segments[:i])
		tail, second := a.cover(segments[i:])
		if sum := first + second + joint; sum < cost {
			best, cost = append(slices.Clip(head), tail...), sum
		}
	}
	return best, cost
}

// apart returns the native phonemes that come nearest to the two halves of an
// affricate: most who have none say a stop and a fricative for it.
func (a *Accent) apart(s segment) ([]*Phoneme, float64) {
	if s.vowel || s.manner != affricate && !affricated(s) {
		return nil, math.Inf(1)
	}
	closure, release := s, s
	closure.manner, closure.sibilant, closure.long, closure.aspirated = stop, false, false, false
	if closure.place != retroflex {
		closure.place = alveolar
		if a.other.dental {
			closure.place = dental
		}
	}
	release.manner, release.sibilant, release.aspirated = fricative, true, false
	if release.place == palatal {
		release.place = postalveolar
	}
	head, first := a.nearest([]segment{closure})
	tail, second := a.nearest([]segment{release})
	return []*Phoneme{head, tail}, first + second + halves
}

// nearest returns the phoneme that comes nearest.
func (a *Accent) nearest(segments []segment) (best *Phoneme, cost float64) {
	cost = math.Inf(1)
	for i := range a.native {
		p := &a.native[i]
		if c := between(segments, p.segments) + rare(p.Share); c < cost {
			best, cost = p, c
		}
	}
	return best, cost
}

// rare makes one of two like phonemes the more common one.
func rare(share float64) float64 { return 0.1 / (1 + 10*share) }

// IPA returns how a word is said: the IPA of what stands for its phonemes, which are
// in IPA with bars between them.
func (a *Accent) IPA(word string) string {
	var b strings.Builder
	for _, p := range Phonemes(word) {
		r, _ := a.Render(p)
		b.WriteString(r.IPA)
	}
	return b.String()
}
