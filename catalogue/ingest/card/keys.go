package card

import (
	"reflect"
	"strings"
	"sync"
	"unicode"

	"vaak/catalogue"
	"vaak/catalogue/ingest/report"
)

// unknown adds the fault for a key that a card does not have, and says why or suggests
// another.
func (f *filler) unknown(k nodeKey, path string, known []string) {
	where := "a card"
	if path != "" {
		where = path
	}
	switch folded := foldKey(k.name); {
	case len(f.faults) >= maxFaults: // searching the nearest name is the slow part
	case measuredKeys()[folded]:
		f.fault(k.line, "%s: measured fields cannot be declared; vaak computes them from the files", report.Quote(k.name))
	case givenKeys[folded]:
		f.fault(k.line, "%s cannot be declared; the catalogue gives it", report.Quote(k.name))
	default:
		f.fault(k.line, "%s has no key %s; the nearest is %q", where, report.Quote(k.name), Nearest(k.name, known))
	}
}

// givenKeys are the fields of the record that the catalogue fills, folded by foldKey.
var givenKeys = map[string]bool{
	"id": true, "status": true, "gaps": true, "record": true, "manifest": true,
	"datepublished": true, "datemodified": true, "croissant": true, "revision": true,
}

// usualKeys are more names that people use for measured figures, folded.
const usualKeys = "duration durations totalduration samplerate samplingrate bitdepth bitrate snr loudness " +
	"lufs truepeak bandwidth numchannels numrecordings numspeakers wordcount turncount overlap leakage crosstalk " +
	"size filesize filecount files format"

// measuredKeys returns the folded names of all measured fields of the record. They come from
// the types of the catalogue, so that a new figure cannot be forgotten here. Names that a
// card has as keys are left out.
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
	// Last, since some words are both: "channels" is measured and also declared.
	forgetCardKeys(reflect.TypeFor[Card](), keys)
	return keys
})

// jsonNames adds the folded JSON names of the fields of a type, at any depth.
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

// forgetCardKeys removes the keys that a card has.
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

// foldKey maps sampleRateHz, sample_rate_hz and Sample-Rate-Hz to one name.
func foldKey(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// Nearest returns the name that is the fewest changes away from s.
func Nearest(s string, names []string) string {
	best, least := "", 1<<30
	for _, name := range names {
		if d := changes(s, name); d < least {
			best, least = name, d
		}
	}
	return best
}

// changes returns the Levenshtein distance of two words: how many bytes to replace, insert or
// remove. It compares the first 64 bytes.
func changes(a, b string) int {
	a, b = a[:min(len(a), 64)], b[:min(len(b), 64)]
	last := make([]int, len(b)+1) // the last row of the matrix of distances
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		// One row is enough: diagonal keeps the value that the row above had one column
		// before, and which has just been overwritten.
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

// IsMeasured reports whether a name is that of a figure that Vaak measures, so that nobody
// may declare it. "channels" is a key of the card, but measured for a single recording.
func IsMeasured(name string) bool {
	folded := foldKey(name)
	return measuredKeys()[folded] || folded == "channels"
}
