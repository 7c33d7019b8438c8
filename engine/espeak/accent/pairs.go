package accent

import (
	_ "embed"
	"fmt"
	"strconv"
	"sync"

	"vaak/lang"
)

// pairs.tsv has how voices of each native language speak each language.
//
//go:embed pairs.tsv
var pairsTSV string

// Kind is how voices of a native language speak another.
type Kind uint8

// The kinds.
const (
	// Unknown is that of codes that are not in the table.
	Unknown Kind = iota
	// Native is where one voice of the library reads both languages, so that there
	// is nothing to map.
	Native
	// Mapped is with the sounds of the native language.
	Mapped
	// Own is with the language's own phonemes in the voice's timbre.
	Own
)

var kinds = [...]string{Native: "native", Mapped: "mapped", Own: "own"}

// String returns the word of the table.
func (k Kind) String() string {
	if k == Unknown || int(k) >= len(kinds) {
		return "unknown"
	}
	return kinds[k]
}

// Measurement is what was measured of a native language's voice speaking the
// preview sentence of a language with the sounds of its own; see [Measurement.Kind].
type Measurement struct {
	Sounds   int     // phonemes of the sentence
	Missed   int     // of them, those for which the native language has nothing near
	Tones    int     // of the sentence, which sounds of the native language have none of
	Cost     float64 // mean distance of what is said from what it stands for
	Duration float64 // in durations of the language's own voice
	Words    int     // word marks
	Silent   int     // of them, those without sound
	Faintest int     // the level of the faintest word against the whole, in dB
	Segments int     // phonemes that are heard: those of words that have sound
	Names    int     // letters that are named, and word marks beyond the words
	Level    float64 // how much louder it is than the voice is in its native language at the same volume, in dB
	Plain    float64 // the duration with the language's own phonemes in this voice's timbre
}

// What a pair must have to be spoken with the sounds of the native language. The
// duration is the product's promise. A word counts as heard whose loudest 20 ms lie
// less than 30 dB below the level of the whole; the faintest of all, a short word of a
// voiceless consonant, lies 12 dB below it. Of 6,125 pairs half have a mean distance of
// 0.07 to 0.15, so that those beyond 0.27 are outliers by Tukey's rule (the third
// quartile and one and a half times the range between the quartiles): what is said
// there is so far from the language that its own phonemes serve a listener better.
// Not one pair misses a phoneme; the bound is for languages to come.
const (
	Shortest   = 0.5
	Longest    = 2.0
	Faint      = -30
	mostMissed = 0.02
	mostCost   = 0.27
)

// Kind returns how the pair is to be spoken: [Mapped] if each word has sound, the
// duration is from [Shortest] to [Longest] times that of the language's own voice, no
// letter is named, no tone tells words apart, at most 2 % of the phonemes have nothing near them and the mean
// distance is at most 0.27; else [Own].
func (m Measurement) Kind() Kind {
	if m.Words > 0 && m.Silent == 0 && m.Names == 0 && m.Tones == 0 && m.Duration >= Shortest && m.Duration <= Longest &&
		float64(m.Missed) <= mostMissed*float64(m.Sounds) && m.Cost <= mostCost {
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

// way is what of a row is needed to speak.
type way struct {
	kind  Kind
	level float64
}

// table is what of the rows is needed to speak, read at its first use, which the
// first listener waits for; a fault in it is a fault of the program.
var table = sync.OnceValue(func() map[pairKey]way {
	m := map[pairKey]way{}
	for c := range rows(pairsTSV) {
		if len(c) != columns {
			panic(fmt.Sprintf("pairs.tsv: %q", c))
		}
		w := way{kind: kindOf(c[2])}
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

// KindOf returns how voices of a native language speak another: [Unknown] for codes
// that are not in the table.
func KindOf(native, spoken lang.Code) Kind { return table()[pairKey{native, spoken}].kind }

// IsMapped says whether voices of a native language speak another with the sounds of
// their own.
func IsMapped(native, spoken lang.Code) bool { return KindOf(native, spoken) == Mapped }

// Level returns how much louder voices of a native language are in another than in
// their own, at the same volume and with the sounds of their own, in dB.
func Level(native, spoken lang.Code) float64 { return table()[pairKey{native, spoken}].level }

// Pairs returns the rows of the table, in its order, in a slice of the caller's own.
// A fault in it is a fault of the program.
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

// columns are how many a row has.
const columns = 15

// Row returns the row as the table has it, without the end of the line.
func (p Pair) Row() string {
	return fmt.Sprintf("%s\t%s\t%s\t%s\t%d\t%d\t%.2f\t%.2f\t%d\t%d\t%d\t%d\t%d\t%d\t%.2f",
		p.Native, p.Spoken, p.Kind, tenths(p.Level), p.Sounds, p.Missed, p.Cost, p.Duration, p.Words, p.Silent, p.Faintest, p.Segments, p.Names, p.Tones, p.Plain)
}

// tenths writes a level, and none of its sign where it is nothing.
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

var accents sync.Map // of *Accent by pairKey

// Of returns the accent of a native language in another, always the same one. It
// is nil where nothing is known of the native one's phonemes.
func Of(native, spoken lang.Code) *Accent {
	key := pairKey{native, spoken}
	if a, ok := accents.Load(key); ok {
		return a.(*Accent)
	}
	a, _ := accents.LoadOrStore(key, New(native, spoken))
	return a.(*Accent)
}
