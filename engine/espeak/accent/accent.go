// Package accent speaks one language with the sounds of another, as people do who learned the
// language later. It maps each phoneme of the spoken language to the nearest phonemes of the
// speaker's native language.
package accent

import (
	"math"
	"slices"
	"strings"
	"sync"

	"vaak/lang"
)

// Accent is how native speakers of one language speak another.
type Accent struct {
	native []Phoneme // the phonemes to speak with
	other  inventory // of the spoken language
	code   lang.Code // the native language
	source lang.Code // the spoken language

	mu    sync.Mutex
	known map[string]Rendering // by IPA without stress
}

// Rendering is what is spoken for a phoneme.
type Rendering struct {
	Mnemonics string  // the library's phonemes of the native language, with bars between; "" is silence
	IPA       string  // the same in IPA
	Native    string  // the same as the library writes it in IPA, with bars between and without stress
	Cost      float64 // distance from the phoneme it stands for, per sound; 0 is the same
	Sounds    int     // sounds in the phoneme it stands for
}

// New returns the accent of a native language in another. It is nil if the phonemes of the
// native language are not known.
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

// Render returns what is spoken for a phoneme in IPA, with its stress. ok reports whether the
// native language has something near enough.
func (a *Accent) Render(ipa string) (r Rendering, ok bool) {
	stress, mark := "", ""
	// The library marks stress by ' and , in its mnemonics, where IPA has ˈ and ˌ.
	switch {
	case strings.HasPrefix(ipa, primary):
		stress, mark, ipa = "'", primary, ipa[len(primary):]
	case strings.HasPrefix(ipa, secondary):
		stress, mark, ipa = ",", secondary, ipa[len(secondary):]
	}
	ipa = Toneless(a.source, ipa)
	// The search is slow, but a language has few phonemes, so it is done once for each.
	a.mu.Lock()
	defer a.mu.Unlock()
	r, seen := a.known[ipa]
	if !seen {
		r = a.find(ipa)
		// A text can hold phonemes of any kind, so the memory must be bounded.
		if len(a.known) < maxKnown {
			a.known[ipa] = r
		}
	}
	if r.Mnemonics != "" {
		r.Mnemonics, r.IPA = stress+r.Mnemonics, mark+r.IPA
	}
	return r, r.Sounds > 0 && r.Cost <= maxCost
}

// maxKnown limits how many phonemes an accent remembers; a language has about 60.
const maxKnown = 1024

// maxSegments limits the sounds of a phoneme, because the ways to split it double with each. The
// library has no phoneme with more than four.
const maxSegments = 6

// find searches for what is spoken for a phoneme.
func (a *Accent) find(ipa string) Rendering {
	segments, ok := parse(respelled(a.source, ipa))
	if !ok || len(segments) > maxSegments {
		return Rendering{}
	}
	// The table has sounds as the library writes them; what is compared is what the language
	// means, such as a dental t in Hindi.
	a.other.adapt(segments)
	said, cost := a.cover(segments)
	// Per sound, or a phoneme of several sounds would look worse than it is.
	r := Rendering{Cost: cost / float64(len(segments)), Sounds: len(segments)}
	for i, p := range said {
		if i > 0 {
			r.Mnemonics += "|"
			r.Native += "|"
		}
		r.Mnemonics += p.Mnemonic
		r.Native += p.IPA
		r.IPA += cleanIPA(a.code, p.IPA)
	}
	return r
}

// joinCost is the cost of speaking two phonemes where the other language has one.
const joinCost = 0.25

// splitCost is the cost of speaking an affricate as a stop and a fricative.
const splitCost = 0.05

// cover returns the native phonemes that together come nearest to a sequence of sounds.
func (a *Accent) cover(segments []segment) ([]*Phoneme, float64) {
	one, cost := a.nearest(segments)
	best := []*Phoneme{one}
	if len(segments) == 1 {
		if parts, sum := a.splitAffricate(segments[0]); sum < cost {
			best, cost = parts, sum
		}
		if omission(segments[0]) < cost { // saying nothing is nearer than anything else
			return nil, omission(segments[0])
		}
	}
	// Try every way to split the sequence in two, and each part again.
	for i := 1; i < len(segments); i++ {
		head, first := a.cover(segments[:i])
		tail, second := a.cover(segments[i:])
		if sum := first + second + joinCost; sum < cost {
			// Clip makes append copy, so that no two splits share memory.
			best, cost = append(slices.Clip(head), tail...), sum
		}
	}
	return best, cost
}

// splitAffricate returns the native phonemes that are nearest to the two halves of an affricate.
// Most speakers whose language has none say a stop and a fricative.
func (a *Accent) splitAffricate(s segment) ([]*Phoneme, float64) {
	if s.vowel || s.manner != affricate && !affricated(s) {
		return nil, math.Inf(1)
	}
	closure, release := s, s
	closure.manner, closure.sibilant, closure.long, closure.aspirated = stop, false, false, false
	// A retroflex affricate keeps its place. Every other begins like the t of the spoken
	// language.
	if closure.place != retroflex {
		closure.place = alveolar
		if a.other.dentalStops {
			closure.place = dental
		}
	}
	release.manner, release.sibilant, release.aspirated = fricative, true, false
	// A palatal stop that sounds like an affricate is released into sh.
	if release.place == palatal {
		release.place = postalveolar
	}
	head, first := a.nearest([]segment{closure})
	tail, second := a.nearest([]segment{release})
	return []*Phoneme{head, tail}, first + second + splitCost
}

// nearest returns the native phoneme that comes nearest to some sounds.
func (a *Accent) nearest(segments []segment) (best *Phoneme, cost float64) {
	cost = math.Inf(1)
	for i := range a.native {
		p := &a.native[i]
		if c := editCost(segments, p.segments) + rarityCost(p.Share); c < cost {
			best, cost = p, c
		}
	}
	return best, cost
}

// rarityCost prefers the more frequent of two equally near phonemes; share is in percent.
func rarityCost(share float64) float64 { return 0.1 / (1 + 10*share) }

// IPA returns how a word is spoken. The word is its phonemes in IPA with bars between them.
func (a *Accent) IPA(word string) string {
	var b strings.Builder
	for _, p := range Phonemes(word) {
		r, _ := a.Render(p)
		b.WriteString(r.IPA)
	}
	return b.String()
}
