package accent

import "math"

// How far two sounds are from each other: 0 is the same, [far] is one that no
// listener takes for the other. The weights say what listeners tell sounds apart
// by: what makes a vowel a vowel first, then manner, then place and voice, then
// what many languages leave open, as length and aspiration.
const far = 3.0

// maxCost is the distance up to which a sound of a language stands for another.
const maxCost = 1.6

// left is the cost of a sound that is left out, added that of one too many.
const (
	left  = 1.8
	added = 1.1
)

// where puts the places on a line, so that near ones sound alike.
var where = [...]float64{
	bilabial: 0, labiodental: 0.3, labiovelar: 0.6, dental: 2.3, alveolar: 2.8, retroflex: 3.2, postalveolar: 3.4, alveolopalatal: 3.6,
	palatal: 4.2, velar: 5.6, uvular: 6.4, pharyngeal: 7.4, glottal: 8.2,
}

// kinship is the distance of manners, symmetric.
var kinship = func() (m [8][8]float64) {
	for i := range m {
		for j := range m[i] {
			if i != j {
				m[i][j] = 1.4
			}
		}
	}
	set := func(a, b manner, d float64) { m[a][b], m[b][a] = d, d }
	set(stop, affricate, 0.6)
	set(stop, fricative, 0.7)
	set(affricate, fricative, 0.5)
	set(fricative, approximant, 0.6)
	set(rhotic, tap, 0.25)
	set(rhotic, trill, 0.3)
	set(tap, trill, 0.2)
	set(rhotic, approximant, 0.7)
	set(tap, approximant, 0.9)
	set(tap, stop, 0.9)
	set(fricative, rhotic, 0.9)
	return m
}()

// distance returns how far a sound is from one that is to stand for it.
func distance(a, b segment) float64 {
	switch {
	case a == b:
		return 0
	case a.vowel && b.vowel:
		return ofVowels(a, b)
	case a.vowel != b.vowel:
		return ofGlide(a, b)
	}
	return ofConsonants(a, b)
}

func ofVowels(a, b segment) float64 {
	d := 0.27*math.Abs(a.height-b.height) + 0.22*math.Abs(a.back-b.back)
	if a.rounded != b.rounded {
		d += 0.35
	}
	if a.height == 3.5 && a.back == 2 { // schwa colours itself by what stands beside it
		d *= 0.8
	}
	return d + differ(a.nasal, b.nasal, 0.3) + differ(a.long, b.long, 0.2) + differ(a.nonsyllabic, b.nonsyllabic, 0.3)
}

// ofGlide compares a vowel and a consonant, which are near only as i and j are.
func ofGlide(a, b segment) float64 {
	v, c, cost := a, b, 1.2
	if b.vowel {
		v, c, cost = b, a, 0.5
	}
	if v.offglide || v.nonsyllabic {
		cost = 0.12
	}
	switch {
	case c.manner == approximant && c.place == palatal && !c.lateral && v.height <= 1 && v.back < 2:
		return cost
	case c.manner == approximant && (c.place == labiovelar || c.place == labiodental) && v.height <= 2 && v.back > 2:
		return cost + differ(c.place == labiodental, false, 0.1)
	}
	return far
}

func ofConsonants(a, b segment) float64 {
	if a.rhotic && b.rhotic {
		return 0.3*kinship[a.manner][b.manner] + 0.05*math.Abs(where[a.place]-where[b.place]) + differ(a.palatalized, b.palatalized, 0.15) + differ(a.long, b.long, 0.1)
	}
	if labial(a) && labial(b) { // v, w and what lies between
		return 0.1 + 0.3*math.Abs(where[a.place]-where[b.place]) + differ(a.manner == fricative, b.manner == fricative, 0.15)
	}
	if a.lateral && b.rhotic && b.place < uvular {
		return 0.5 + differ(b.manner == tap, true, 0.2)
	}
	if a.rhotic && b.lateral {
		return 0.7 + differ(b.place, alveolar, 0.2) + differ(a.place < uvular, true, 0.3)
	}
	if affricated(a) && affricated(b) {
		return 0.1*math.Abs(where[a.place]-where[b.place]) + differ(a.manner, b.manner, 0.15) + differ(a.voiced, b.voiced, 0.5) +
			differ(a.aspirated, b.aspirated, 0.2) + differ(a.palatalized, b.palatalized, 0.1) + differ(a.long, b.long, 0.15)
	}
	if a.place == dental && a.manner == fricative && b.manner == stop && (b.place == dental || b.place == alveolar) {
		return 0.3 + differ(a.voiced, b.voiced, 0.5) + differ(a.voiced, !b.aspirated, 0.1) + differ(b.place, dental, 0.05) + differ(a.long, b.long, 0.15)
	}
	d := kinship[a.manner][b.manner] + math.Min(0.28*math.Abs(where[a.place]-where[b.place]), 1.2)
	return d + differ(a.voiced, b.voiced, 0.5) + differ(a.sibilant, b.sibilant, 0.45) + differ(a.lateral, b.lateral, 0.7) +
		differ(a.rhotic, b.rhotic, 0.4) + differ(a.dark, b.dark, 0.1) + differ(a.aspirated, b.aspirated, 0.2) +
		differ(a.palatalized, b.palatalized, 0.2) + differ(a.ejective, b.ejective, 0.15) + differ(a.velar, b.velar, 0.15) + differ(a.long, b.long, 0.15) + ofHisses(a, b)
}

// ofHisses is the distance of s and its like from sh and its like, beyond that of
// their places: most languages that have both tell words apart by them.
func ofHisses(a, b segment) float64 {
	if !a.sibilant || !b.sibilant {
		return 0
	}
	return differ(a.place <= alveolar, b.place <= alveolar, 0.15)
}

// labial says whether a sound is one of v, ʋ, β and w.
func labial(s segment) bool {
	return s.voiced && (s.place <= labiovelar) && !s.lateral &&
		(s.manner == approximant || s.manner == fricative && s.place != bilabial)
}

// affricated says whether a sound is one of tʃ, its neighbours, and the palatal
// stops that are said like them.
func affricated(s segment) bool {
	return s.manner == affricate && s.place != alveolar || s.manner == stop && s.place == palatal
}

func differ[T comparable](a, b T, cost float64) float64 {
	if a != b {
		return cost
	}
	return 0
}

// between returns the cost of saying to for from: the edits of least cost that
// make one of the other.
func between(from, to []segment) float64 {
	row := make([]float64, len(to)+1)
	for j := range to {
		row[j+1] = row[j] + adding(to[j])
	}
	for _, s := range from {
		diagonal := row[0]
		row[0] += leaving(s)
		for j, u := range to {
			best := min(diagonal+distance(s, u), row[j+1]+leaving(s), row[j]+adding(u))
			diagonal, row[j+1] = row[j+1], best
		}
	}
	return row[len(to)]
}

// leaving is the cost of leaving a sound out. Of a diphthong from the middle the
// second half is missed least: a long vowel stands for it. Many languages have
// nothing like h, the glottal stop and the ayin, whose speakers leave them out.
func leaving(s segment) float64 {
	switch {
	case s.offglide:
		return 0.15 + 0.5*differ(s.after, middle, 1)
	case s.place == glottal && s.manner == fricative:
		return 0.8
	case s.place == glottal && !s.vowel:
		return 0.4
	case s.place == pharyngeal && s.voiced && !s.vowel:
		return 0.6
	}
	return left
}

// adding is the cost of a sound too many.
func adding(s segment) float64 {
	if s.offglide {
		return 0.15 + 0.5*differ(s.after, middle, 1)
	}
	return added
}
