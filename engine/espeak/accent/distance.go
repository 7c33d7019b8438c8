package accent

import "math"

// far is the distance of two sounds that no listener confuses; equal sounds have distance 0.
//
// The weights in this file follow what listeners use to tell sounds apart: first the qualities of
// vowels, then manner, then place and voicing, and last what many languages do not distinguish,
// such as length and aspiration.
const far = 3.0

// maxCost is the largest distance at which one sound may stand for another.
const maxCost = 1.6

// The costs of leaving a sound out and of inserting one.
const (
	omissionCost  = 1.8
	insertionCost = 1.1
)

// placePosition puts the places of articulation on a line, such that neighbours sound alike.
var placePosition = [...]float64{
	bilabial: 0, labiodental: 0.3, labiovelar: 0.6, dental: 2.3, alveolar: 2.8, retroflex: 3.2, postalveolar: 3.4, alveolopalatal: 3.6,
	palatal: 4.2, velar: 5.6, uvular: 6.4, pharyngeal: 7.4, glottal: 8.2,
}

// mannerDistance is the distance between manners of articulation; it is symmetric.
var mannerDistance = func() (m [8][8]float64) {
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

// distance returns how far sound b, which is to stand for a, is from a. It is not symmetric.
func distance(a, b segment) float64 {
	switch {
	case a == b:
		return 0
	case a.vowel && b.vowel:
		return vowelDistance(a, b)
	case a.vowel != b.vowel:
		return glideDistance(a, b)
	}
	return consonantDistance(a, b)
}

func vowelDistance(a, b segment) float64 {
	d := 0.27*math.Abs(a.height-b.height) + 0.22*math.Abs(a.back-b.back)
	if a.rounded != b.rounded {
		d += 0.35
	}
	if a.height == 3.5 && a.back == 2 { // schwa takes on the colour of its neighbours
		d *= 0.8
	}
	return d + costIf(a.nasal, b.nasal, 0.3) + costIf(a.long, b.long, 0.2) + costIf(a.nonsyllabic, b.nonsyllabic, 0.3)
}

// glideDistance compares a vowel and a consonant, which are near only in pairs like i and j.
func glideDistance(a, b segment) float64 {
	// A consonant for a vowel takes a syllable away, so it costs more than a vowel for a
	// consonant.
	v, c, cost := a, b, 1.2
	if b.vowel {
		v, c, cost = b, a, 0.5
	}
	// Such a vowel is half a glide already.
	if v.offglide || v.nonsyllabic {
		cost = 0.12
	}
	switch {
	case c.manner == approximant && c.place == palatal && !c.lateral && v.height <= 1 && v.back < 2:
		return cost
	case c.manner == approximant && (c.place == labiovelar || c.place == labiodental) && v.height <= 2 && v.back > 2:
		return cost + costIf(c.place == labiodental, false, 0.1)
	}
	return far
}

func consonantDistance(a, b segment) float64 {
	// Languages pronounce r in many ways, and listeners take each for r. So these weights are far
	// below those of other consonants.
	if a.rhotic && b.rhotic {
		return 0.3*mannerDistance[a.manner][b.manner] + 0.05*math.Abs(placePosition[a.place]-placePosition[b.place]) + costIf(a.palatalized, b.palatalized, 0.15) + costIf(a.long, b.long, 0.1)
	}
	if labialGlide(a) && labialGlide(b) { // v, w and sounds between them
		return 0.1 + 0.3*math.Abs(placePosition[a.place]-placePosition[b.place]) + costIf(a.manner == fricative, b.manner == fricative, 0.15)
	}
	if a.lateral && b.rhotic && b.place < uvular {
		return 0.5 + costIf(b.manner == tap, true, 0.2)
	}
	if a.rhotic && b.lateral {
		return 0.7 + costIf(b.place, alveolar, 0.2) + costIf(a.place < uvular, true, 0.3)
	}
	if affricated(a) && affricated(b) {
		return 0.1*math.Abs(placePosition[a.place]-placePosition[b.place]) + costIf(a.manner, b.manner, 0.15) + costIf(a.voiced, b.voiced, 0.5) +
			costIf(a.aspirated, b.aspirated, 0.2) + costIf(a.palatalized, b.palatalized, 0.1) + costIf(a.long, b.long, 0.15)
	}
	// th, which speakers without it replace by t or d.
	if a.place == dental && a.manner == fricative && b.manner == stop && (b.place == dental || b.place == alveolar) {
		return 0.3 + costIf(a.voiced, b.voiced, 0.5) + costIf(a.voiced, !b.aspirated, 0.1) + costIf(b.place, dental, 0.05) + costIf(a.long, b.long, 0.15)
	}
	d := mannerDistance[a.manner][b.manner] + math.Min(0.28*math.Abs(placePosition[a.place]-placePosition[b.place]), 1.2)
	return d + costIf(a.voiced, b.voiced, 0.5) + costIf(a.sibilant, b.sibilant, 0.45) + costIf(a.lateral, b.lateral, 0.7) +
		costIf(a.rhotic, b.rhotic, 0.4) + costIf(a.dark, b.dark, 0.1) + costIf(a.aspirated, b.aspirated, 0.2) +
		costIf(a.palatalized, b.palatalized, 0.2) + costIf(a.ejective, b.ejective, 0.15) + costIf(a.velar, b.velar, 0.15) + costIf(a.long, b.long, 0.15) + sibilantDistance(a, b)
}

// sibilantDistance is an additional distance between sounds like s and sounds like sh: most
// languages that have both distinguish words by them.
func sibilantDistance(a, b segment) float64 {
	if !a.sibilant || !b.sibilant {
		return 0
	}
	return costIf(a.place <= alveolar, b.place <= alveolar, 0.15)
}

// labialGlide reports whether a sound is one of v, ʋ, β and w.
func labialGlide(s segment) bool {
	return s.voiced && (s.place <= labiovelar) && !s.lateral &&
		(s.manner == approximant || s.manner == fricative && s.place != bilabial)
}

// affricated reports whether a sound is tʃ or one near it, including palatal stops, which are
// pronounced like it.
func affricated(s segment) bool {
	return s.manner == affricate && s.place != alveolar || s.manner == stop && s.place == palatal
}

// costIf returns cost if a and b differ.
func costIf[T comparable](a, b T, cost float64) float64 {
	if a != b {
		return cost
	}
	return 0
}

// editCost returns the least cost of turning one sequence of sounds into another by replacing,
// omitting and inserting (weighted Levenshtein distance).
func editCost(from, to []segment) float64 {
	// row[j] is the cost of turning what was taken of from so far into to[:j].
	row := make([]float64, len(to)+1)
	for j := range to {
		row[j+1] = row[j] + insertion(to[j])
	}
	for _, s := range from {
		diagonal := row[0]
		row[0] += omission(s)
		for j, u := range to {
			best := min(diagonal+distance(s, u), row[j+1]+omission(s), row[j]+insertion(u))
			diagonal, row[j+1] = row[j+1], best
		}
	}
	return row[len(to)]
}

// omission returns the cost of leaving a sound out. The second half of a diphthong that begins at
// mid height is missed least, because a long vowel can stand for it. Sounds like h, the glottal
// stop and the ayin are cheap, because speakers of languages without them leave them out.
func omission(s segment) float64 {
	switch {
	case s.offglide:
		return 0.15 + 0.5*costIf(s.after, midHeight, 1)
	case s.place == glottal && s.manner == fricative:
		return 0.8
	case s.place == glottal && !s.vowel:
		return 0.4
	case s.place == pharyngeal && s.voiced && !s.vowel:
		return 0.6
	}
	return omissionCost
}

// insertion returns the cost of a sound that should not be there.
func insertion(s segment) float64 {
	if s.offglide {
		return 0.15 + 0.5*costIf(s.after, midHeight, 1)
	}
	return insertionCost
}
