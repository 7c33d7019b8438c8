package espeak

import (
	_ "embed"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"

	"vaak/voice"
)

//go:embed timbres.tsv
var timbresTSV string

// Timbre is how a voice of the roster sounds on this engine.
//
// Only those variants of the library are used that sound like a person; timbres.tsv says
// which are left out and why. Only Volume sets the level.
type Timbre struct {
	Variant string // a file of the library's voices/!v; "" is the plain voice
	Pitch   int    // 0..99, 50 is the variant's own
	Range   int    // 0..99, 50 is the variant's own
	Rate    int    // words per minute
	Volume  int    // 0..200; amplitude is proportional to it until the library's limiter acts
	Hz      int    // measured median fundamental frequency; not used for synthesis
}

// plainTimbre is the timbre of voices outside the roster.
var plainTimbre = Timbre{Pitch: 50, Range: 50, Rate: 175, Volume: 70, Hz: 98}

var timbres = sync.OnceValue(func() map[voice.ID]Timbre { return readTimbres(timbresTSV) })

// Timbres returns the timbre of each voice of the roster, in a map that the caller may
// change.
func Timbres() map[voice.ID]Timbre { return maps.Clone(timbres()) }

// timbreOf returns the timbre of a voice.
func timbreOf(id voice.ID) Timbre { return timbreIn(timbres(), id) }

func timbreIn(table map[voice.ID]Timbre, id voice.ID) Timbre {
	if t, ok := table[id]; ok {
		return t
	}
	return plainTimbre
}

// readTimbres reads the table. It panics on a bad line, because the table is part of the
// program.
func readTimbres(tsv string) map[voice.ID]Timbre {
	const columns = 7
	m := map[voice.ID]Timbre{}
	for line := range strings.Lines(tsv) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		c := strings.Split(line, "\t")
		if len(c) != columns {
			panic(fmt.Sprintf("timbres.tsv: %d columns, want %d: %q", len(c), columns, line))
		}
		t := Timbre{Variant: c[1]}
		for i, p := range []*int{&t.Pitch, &t.Range, &t.Rate, &t.Volume, &t.Hz} {
			n, err := strconv.Atoi(c[2+i])
			if err != nil {
				panic(fmt.Sprintf("timbres.tsv: %q: %v", line, err))
			}
			*p = n
		}
		m[voice.ID(c[0])] = t
	}
	return m
}
