package espeak

import (
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"vaak/lang"
)

//go:embed levels.tsv
var levelsTSV string

// levelTable says how loud the library is at one volume, in dB: by its name of a
// language, then by variant. Only differences inside a variant mean something.
type levelTable map[string]map[string]float64

var levels = sync.OnceValue(func() levelTable { return readLevels(levelsTSV) })

// readLevels reads the table, whose first line names the variants; a fault in it
// is a fault of the program.
func readLevels(tsv string) levelTable {
	m := levelTable{}
	var variants []string
	for line := range strings.Lines(tsv) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		c := strings.Split(line, "\t")
		if variants == nil {
			variants = c[1:]
			continue
		}
		if len(c) != 1+len(variants) {
			panic(fmt.Sprintf("levels.tsv: %d columns, want %d: %q", len(c), 1+len(variants), line))
		}
		m[c[0]] = map[string]float64{}
		for i, variant := range variants {
			db, err := strconv.ParseFloat(c[1+i], 64)
			if err != nil {
				panic(fmt.Sprintf("levels.tsv: %q: %v", line, err))
			}
			m[c[0]][variant] = db
		}
	}
	return m
}

// loudest is the library's highest volume.
const loudest = 200

// volumeIn returns the volume at which a timbre whose own volume is right in the
// native language of its voice is as loud in another language, spoken by one of
// the library's voices: some are 6 dB softer than others. What was not measured
// changes nothing; a regional variety counts as its language.
func volumeIn(t Timbre, native, code lang.Code, spoken string) int {
	own, ok := voiceName(native)
	if !ok || own == spoken {
		return t.Volume
	}
	from, ok := levels()[own][t.Variant]
	if !ok {
		return t.Volume
	}
	to, ok := levels()[spoken][t.Variant]
	if !ok {
		spoken, _ = voiceName(code)
		if to, ok = levels()[spoken][t.Variant]; !ok {
			return t.Volume
		}
	}
	return t.softer(to - from)
}

// mostGain is by how many dB a voice is made louder at the most: text of hardly any
// vowels is soft, and the same text with them would be clipped.
const mostGain = 6

// softer returns the volume at which a timbre is softer by so many dB, or louder
// where they are negative.
func (t Timbre) softer(db float64) int {
	db = max(db, -mostGain)
	return min(int(math.Round(float64(t.Volume)*math.Pow(10, -db/20))), loudest)
}

// LibraryName returns the library's name of the voice that reads a language, and
// false when code is not a supported language. It is public for measurements.
func LibraryName(code lang.Code) (string, bool) { return voiceName(code) }
