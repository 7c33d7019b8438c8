package translit

import (
	"math"
	"sync"
)

// side is the number of letters of a model: a to z and the edge of a word.
const side = 27

// lanes is the number of models that are read together: one a language and
// English, rounded up.
const lanes = 16

// englishLane is the lane of English; the others are in the order of codes.
const englishLane = numCodes

// models hold for each letter after two others its log probability in each
// language, in steps of 1/16 of a nat, times minus one.
type models [side * side * side][lanes]uint8

// step is the number of steps in a nat.
const step = 16

// counts gather letters for a model.
type counts struct {
	three [side * side * side]float32
	two   [side * side]float32
	one   [side]float32
}

// letter returns the place of a small letter in a model.
func letter(c byte) int { return int(c-'a') + 1 }

// take counts the letters of a word in small letters.
func (c *counts) take(word string, weight float32) {
	a, b := 0, 0
	for i := 0; i <= len(word); i++ {
		// Place 0 is the edge of the word. The loop runs one place beyond the last letter,
		// so the model learns endings too.
		l := 0
		if i < len(word) {
			l = letter(word[i])
		}
		c.three[(a*side+b)*side+l] += weight
		c.two[b*side+l] += weight
		c.one[l] += weight
		a, b = b, l
	}
}

// Weights of back-off smoothing in the manner of Witten and Bell (1991): after how many
// observed letters a longer context counts as much as the shorter one that it falls back
// on. The values were chosen on the development set.
const (
	trustTwo   = 12
	trustThree = 6
)

// fill makes one model: three letters fall back on two, two on one.
func (m *models) fill(lane int, c *counts) {
	var total float32
	for _, n := range c.one {
		total += n
	}
	for b := range side {
		after := sum(c.two[b*side : (b+1)*side])
		var two [side]float32
		for l := range side {
			// Add-one smoothing: no letter has probability 0, whose logarithm would be
			// infinite.
			one := (c.one[l] + 1) / (total + side)
			two[l] = (c.two[b*side+l] + trustTwo*one) / (after + trustTwo)
		}
		for a := range side {
			row := (a*side + b) * side
			seen := sum(c.three[row : row+side])
			for l := range side {
				p := (c.three[row+l] + trustThree*two[l]) / (seen + trustThree)
				// 255 steps are 16 nats, a probability of 1 in 8 million.
				m[row+l][lane] = uint8(min(255, -step*math.Log(float64(p))))
			}
		}
	}
}

func sum(list []float32) (total float32) {
	for _, n := range list {
		total += n
	}
	return total
}

// costs returns how unlikely each model finds a word in small letters, in steps.
func (m *models) costs(word []byte) (costs [lanes]int32) {
	a, b := 0, 0
	for i := 0; i <= len(word); i++ {
		l := 0
		if i < len(word) {
			l = letter(word[i])
		}
		row := &m[(a*side+b)*side+l]
		for lane := range numCodes + 1 {
			costs[lane] += int32(row[lane])
		}
		a, b = b, l
	}
	return costs
}

// modelsOf are learnt from the lexicons and from the list of English words.
var modelsOf = sync.OnceValue(func() *models {
	all := new(models)
	for i := range codes {
		c := new(counts)
		for word := range lexiconOf(i).exact {
			c.take(word, 1)
		}
		all.fill(i, c)
	}
	c := new(counts)
	eachEnglish(func(word string, r rank) {
		if r > name {
			// A word counts 1, 2 or 4 times by its rank, as English texts have frequent
			// words more often.
			c.take(word, float32(int(1)<<(r-common)))
		}
	})
	all.fill(englishLane, c)
	return all
})
