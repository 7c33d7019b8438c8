package voice

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"vaak/lang"
)

//go:embed roster.tsv
var rosterTSV string

// roster is the table with its indexes.
type roster struct {
	voices   []Voice
	byID     map[ID]int
	byNative map[lang.Code][]Voice
	words    [][]string    // the words that a search compares, by voice
	accents  [][]string    // words of the accent, by voice
	names    map[ID]string // names as they are sorted
}

// table reads the roster when first used. It panics on a bad line, because the roster is part
// of the program.
var table = sync.OnceValue(func() roster { return readRoster(rosterTSV) })

func readRoster(tsv string) roster {
	const columns = 9
	var all []Voice
	for line := range strings.Lines(tsv) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		c := strings.Split(line, "\t")
		if len(c) != columns {
			panic(fmt.Sprintf("roster.tsv: %d columns, want %d: %q", len(c), columns, line))
		}
		all = append(all, Voice{
			ID: ID(c[0]), Name: c[1], Gender: Gender(c[2]), Native: lang.Code(c[3]), Region: strings.Trim(c[4], "-"),
			Accent: c[5], QualityBand: c[6], NativeSource: c[7] == "true", Description: c[8],
			PreviewLanguage: lang.Code(c[3]),
		})
	}
	return newRoster(all)
}

// newRoster returns voices with their indexes.
func newRoster(all []Voice) roster {
	r := roster{voices: all, byID: map[ID]int{}, byNative: map[lang.Code][]Voice{}, names: map[ID]string{}}
	for i, v := range all {
		r.byID[v.ID] = i
		r.byNative[v.Native] = append(r.byNative[v.Native], v)
		r.words = append(r.words, searchWords(v))
		r.accents = append(r.accents, split(v.Accent))
		r.names[v.ID] = folded(v.Name)
	}
	return r
}

// All returns the roster, grouped by native language in the order of the language table. The
// order is the same in every run.
func All() []Voice { return slices.Clone(table().voices) }

// Lookup returns the voice of the roster with an id.
func Lookup(id ID) (Voice, bool) { return table().lookup(id) }

func (r roster) lookup(id ID) (Voice, bool) {
	i, ok := r.byID[id]
	if !ok {
		return Voice{}, false
	}
	return r.voices[i], true
}

// Nearest returns the voice of the roster that is most like an added one: of its native
// language, then its gender, then its region.
func Nearest(v Voice) Voice {
	best, most := Default(v.Native), -1
	for _, other := range table().byNative[v.Native] {
		like := 0
		if other.Gender == v.Gender {
			like += 2
		}
		if other.Region == v.Region {
			like++
		}
		if like > most {
			best, most = other, like
		}
	}
	return best
}

// ForLanguage returns the voices with a native language, in the order of the roster. There are
// none for Sanskrit, Esperanto and unsupported codes. Every voice speaks every supported
// language; this is about accents.
func ForLanguage(code lang.Code) []Voice { return slices.Clone(table().byNative[code]) }

// standIns gives, for a language without native voices, the language whose voices speak it best.
var standIns = map[lang.Code]lang.Code{
	"sa": "kn", // keeps the short vowels at word ends, which Hindi drops
	"eo": "it", // has five plain vowels and stress on the last syllable but one
}

// Default returns the voice that speaks a language if none is requested: the first native one,
// or one of a language that sounds similar. For an unsupported code it is [DefaultVoice].
func Default(code lang.Code) Voice {
	if stand, ok := standIns[code]; ok {
		code = stand
	}
	if v := table().byNative[code]; len(v) > 0 {
		return v[0]
	}
	return DefaultVoice()
}

// DefaultVoice returns the voice to use if neither a voice nor a language is known: the first
// English one.
func DefaultVoice() Voice { return table().byNative["en"][0] }
