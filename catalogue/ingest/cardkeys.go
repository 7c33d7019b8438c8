package ingest

import (
	"reflect"
	"strings"
	"sync"
	"unicode"

	"vaak/catalogue"
)

// unknown tells of a key that a card does not have.
func (f *filler) unknown(k nodeKey, path string, known []string) {
	where := "a card"
	if path != "" {
		where = path
	}
	switch folded := foldKey(k.name); {
	case len(f.faults) >= maxCardFaults: // the nearest of many takes long
	case measuredKeys()[folded]:
		f.fault(k.line, "%s: measured fields cannot be declared; vaak computes them from the files", shown(k.name))
	case givenKeys[folded]:
		f.fault(k.line, "%s cannot be declared; the catalogue gives it", shown(k.name))
	default:
		f.fault(k.line, "%s has no key %s; the nearest is %q", where, shown(k.name), nearestName(k.name, known))
	}
}

// givenKeys are fields of the record that the catalogue fills, folded.
var givenKeys = map[string]bool{
	"id": true, "status": true, "gaps": true, "record": true, "manifest": true,
	"datepublished": true, "datemodified": true, "croissant": true, "revision": true,
}

// usualKeys are other names under which people write measured figures, folded.
const usualKeys = "duration durations totalduration samplerate samplingrate bitdepth bitrate snr loudness " +
	"lufs truepeak bandwidth numchannels numrecordings numspeakers wordcount turncount overlap leakage crosstalk " +
	"size filesize filecount files format"

// measuredKeys are the names of all measured fields of the record, folded: those
// of its measured blocks and of the figures beside them, less the names that a
// card has itself.
var measuredKeys = sync.OnceValue(func() map[string]bool {
	keys := map[string]bool{}
	for _, t := range []reflect.Type{
		reflect.TypeFor[catalogue.Specification](), reflect.TypeFor[catalogue.Measurements](),
		reflect.TypeFor[catalogue.Sample](), reflect.TypeFor[catalogue.Transcripts](),
		reflect.TypeFor[catalogue.Profile](), reflect.TypeFor[catalogue.Split](),
	} {
		jsonNames(t, keys)
	}
	for _, k := range []string{"hours", "recordings", "conversations", "speakers", "transcribed", "hassample",
		"englishshare", "specification", "measurements", "transcripts", "splits"} {
		keys[k] = true
	}
	for k := range strings.FieldsSeq(usualKeys) {
		keys[k] = true
	}
	forgetCardKeys(reflect.TypeFor[Card](), keys)
	return keys
})

// jsonNames adds the folded names of a type's fields, and of those below.
func jsonNames(t reflect.Type, to map[string]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		jsonNames(t.Elem(), to)
	case reflect.Struct:
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			if name == "" || name == "-" {
				continue
			}
			to[foldKey(name)] = true
			jsonNames(t.Field(i).Type, to)
		}
	}
}

// forgetCardKeys takes the keys of a card out.
func forgetCardKeys(t reflect.Type, from map[string]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		forgetCardKeys(t.Elem(), from)
	case reflect.Struct:
		for i := range t.NumField() {
			delete(from, foldKey(t.Field(i).Tag.Get("yaml")))
			forgetCardKeys(t.Field(i).Type, from)
		}
	}
}

// foldKey makes sampleRateHz, sample_rate_hz and Sample-Rate-Hz one.
func foldKey(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// nearestName returns the name that takes the fewest changes to write.
func nearestName(s string, names []string) string {
	best, least := "", 1<<30
	for _, name := range names {
		if d := changes(s, name); d < least {
			best, least = name, d
		}
	}
	return best
}

// changes counts the letters to change, add or take away between two words
// (Levenshtein), of which it looks at the first 64 bytes.
func changes(a, b string) int {
	a, b = a[:min(len(a), 64)], b[:min(len(b), 64)]
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		diagonal := last[0]
		last[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = last[j+1]
			last[j+1] = min(cost, last[j]+1, last[j+1]+1)
		}
	}
	return last[len(b)]
}
