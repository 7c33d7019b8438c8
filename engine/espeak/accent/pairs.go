package accent

import (
	_ "embed"
	"fmt"
	"strconv"
	"sync"

	"vaak/lang"
)

// pairs.tsv tells how voices of each native language speak each other language.
//
//go:embed pairs.tsv
var pairsTSV string

// Kind tells how voices of a native language speak another language.
type Kind uint8

// The kinds.
const (
	// Unknown is the kind of pairs that are not in the table.
	Unknown Kind = iota
	// Native means that one voice of the library reads both languages, so nothing has to be
	// mapped.
	Native
	// Mapped means with the sounds of the native language.
	Mapped
	// Own means with the phonemes of the spoken language, in the voice's timbre.
	Own
)

var kinds = [...]string{Native: "native", Mapped: "mapped", Own: "own"}

// String returns the kind as the table has it.
func (k Kind) String() string {
	if k == Unknown || int(k) >= len(kinds) {
		return "unknown"
	}
	return kinds[k]
}

// Measurement is what was measured when a native language's voice spoke the preview sentence of
// another language with its own sounds; see [Measurement.Kind].
type Measurement struct {
	Sounds   int     // phonemes in the sentence
	Missed   int     // phonemes for which the native language has nothing near
	Tones    int     // phonemes with a tone, which the native language cannot express
	Cost     float64 // mean distance of the sounds spoken from those they stand for
	Duration float64 // relative to the spoken language's own voice
	Words    int     // word marks
	Silent   int     // word marks without sound
	Faintest int     // level of the faintest word relative to the whole, in dB
	Segments int     // phonemes that are heard: those of words that have sound
	Names    int     // letters that are spelled out, and word marks beyond the words
	Level    float64 // how much louder it is than the voice in its native language at the same volume, in dB
	Plain    float64 // Duration with the spoken language's phonemes in this voice's timbre
}

// What a pair needs to be spoken with the sounds of the native language. The range of the duration
// is what the product promises. A word counts as heard if its loudest 20 ms are less than 30 dB
// below the level of the whole; the faintest of all words, a short one with a voiceless consonant,
// is 12 dB below it. Half of 6,125 pairs have a mean distance of 0.07 to 0.15. By Tukey's rule
// (third quartile plus 1.5 times the interquartile range) those over 0.27 are outliers: they are
// so far from the language that its own phonemes serve a listener better. No pair misses a
// phoneme today; that limit is for languages to come.
const (
	Shortest    = 0.5
	Longest     = 2.0
	Faint       = -30
	maxMissed   = 0.02
	maxPairCost = 0.27
)

// Kind returns how the pair is to be spoken. It is [Mapped] if every word has sound, the duration
// is [Shortest] to [Longest] times that of the language's own voice, no letter is spelled out, no
// phoneme has a tone, at most 2 % of the phonemes have nothing near, and the mean distance is at
// most 0.27. Otherwise it is [Own].
func (m Measurement) Kind() Kind {
	if m.Words > 0 && m.Silent == 0 && m.Names == 0 && m.Tones == 0 && m.Duration >= Shortest && m.Duration <= Longest &&
		float64(m.Missed) <= maxMissed*float64(m.Sounds) && m.Cost <= maxPairCost {
		return Mapped
	}
	return Own
}

// Pair is a row of the table.
type Pair struct {
	Native, Spoken lang.Code
	Kind           Kind
	Measurement
}

type pairKey struct{ native, spoken lang.Code }

// pairEntry is the part of a row that is needed to speak.
type pairEntry struct {
	kind  Kind
	level float64
}

// table holds what speaking needs of each row. It is read when first used. A bad line panics,
// because the table is part of the program.
var table = sync.OnceValue(func() map[pairKey]pairEntry {
	m := map[pairKey]pairEntry{}
	for c := range rows(pairsTSV) {
		if len(c) != columns {
			panic(fmt.Sprintf("pairs.tsv: %q", c))
		}
		w := pairEntry{kind: kindOf(c[2])}
		var err error
		if w.level, err = strconv.ParseFloat(c[3], 64); err != nil || w.kind == Unknown {
			panic(fmt.Sprintf("pairs.tsv: %q", c))
		}
		m[pairKey{lang.Code(c[0]), lang.Code(c[1])}] = w
	}
	return m
})

func kindOf(word string) Kind {
	for k, w := range kinds {
		if w == word && w != "" {
			return Kind(k)
		}
	}
	return Unknown
}

// KindOf returns how voices of a native language speak another: [Unknown] if the pair is not in
// the table.
func KindOf(native, spoken lang.Code) Kind { return table()[pairKey{native, spoken}].kind }

// IsMapped reports whether voices of a native language speak another with their own sounds.
func IsMapped(native, spoken lang.Code) bool { return KindOf(native, spoken) == Mapped }

// Level returns how much louder, in dB, voices of a native language are in another than in their
// own, at the same volume and with their own sounds.
func Level(native, spoken lang.Code) float64 { return table()[pairKey{native, spoken}].level }

// Pairs returns the rows of the table in order. The slice belongs to the caller. It panics on a
// bad line.
func Pairs() []Pair {
	var all []Pair
	for c := range rows(pairsTSV) {
		p, err := parsePair(c)
		if err != nil {
			panic(fmt.Sprintf("pairs.tsv: %q: %v", c, err))
		}
		all = append(all, p)
	}
	return all
}

// columns is how many columns a row has.
const columns = 15

// Row formats the pair as a line of the table, without the line end.
func (p Pair) Row() string {
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%d\t%d\t%.2f\t%.2f\t%d\t%d\t%d\t%d\t%d\t%d\t%.2f",
		p.Native, p.Spoken, p.Kind, tenths(p.Level), p.Sounds, p.Missed, p.Cost, p.Duration, p.Words, p.Silent, p.Faintest, p.Segments, p.Names, p.Tones, p.Plain)
}

// tenths formats a level with one decimal, and 0 without a sign.
func tenths(db float64) string {
	if s := strconv.FormatFloat(db, 'f', 1, 64); s != "0.0" && s != "-0.0" {
		return s
	}
	return "0"
}

func parsePair(c []string) (p Pair, err error) {
	if len(c) != columns {
		return p, fmt.Errorf("%d columns, want %d", len(c), columns)
	}
	p.Native, p.Spoken, p.Kind = lang.Code(c[0]), lang.Code(c[1]), kindOf(c[2])
	if p.Kind == Unknown {
		return p, fmt.Errorf("kind %q", c[2])
	}
	for i, n := range map[int]*int{4: &p.Sounds, 5: &p.Missed, 8: &p.Words, 9: &p.Silent, 10: &p.Faintest, 11: &p.Segments, 12: &p.Names, 13: &p.Tones} {
		if *n, err = strconv.Atoi(c[i]); err != nil {
			return p, err
		}
	}
	for i, f := range map[int]*float64{3: &p.Level, 6: &p.Cost, 7: &p.Duration, 14: &p.Plain} {
		if *f, err = strconv.ParseFloat(c[i], 64); err != nil {
			return p, err
		}
	}
	return p, nil
}

var accents sync.Map // *Accent by pairKey, made when first used

// Of returns the accent of a native language in another, the same one in every call. It is nil if
// the phonemes of the native language are not known.
func Of(native, spoken lang.Code) *Accent {
	key := pairKey{native, spoken}
	if a, ok := accents.Load(key); ok {
		return a.(*Accent)
	}
	// Two first callers may each make one; both get the one that is stored.
	a, _ := accents.LoadOrStore(key, New(native, spoken))
	return a.(*Accent)
}
