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

// levelTable holds how loud the library is at one volume setting, in dB, by its name of a
// language and then by variant. Only differences within a variant are meaningful.
type levelTable map[string]map[string]float64

var levels = sync.OnceValue(func() levelTable { return readLevels(levelsTSV) })

// readLevels reads the table. Its first line names the variants. It panics on a bad line,
// because the table is part of the program.
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

// maxVolume is the library's highest volume setting.
const maxVolume = 200

// volumeIn returns the volume at which a timbre is as loud in another language as in the
// native language of its voice; spoken is the library's voice for the other language. Some
// are 6 dB softer than others at the same setting. A pair that was not measured keeps the
// timbre's volume; a regional variety is treated as its language.
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

// maxGain limits, in dB, how much louder a voice is made. Text with hardly any vowels is
// soft; with more gain, text with vowels would be clipped in that language.
const maxGain = 6

// softer returns the volume at which the timbre is softer by db decibels, or louder if db is
// negative. Amplitude is proportional to the volume.
func (t Timbre) softer(db float64) int {
	db = max(db, -maxGain)
	return min(int(math.Round(float64(t.Volume)*math.Pow(10, -db/20))), maxVolume)
}

// LibraryName returns the library's name of the voice that reads a language. ok is false if
// the language is not supported. Measurements use it.
func LibraryName(code lang.Code) (string, bool) { return voiceName(code) }
