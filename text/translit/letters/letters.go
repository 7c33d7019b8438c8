// Package letters tells languages apart by their letters: for each letter after two others it
// has the probability in each language. The generator of package translit counts them, and
// the package looks them up.
package letters

import "math"

// side is the number of letters of a model: a to z and the edge of a word.
const side = 27

// Lanes is the number of models that are read together.
const Lanes = 32

// Models hold for each letter after two others its log probability in each
// language, in steps of 1/16 of a nat, times minus one.
type Models [side * side * side][Lanes]uint8

// Step is the number of steps in a nat.
const Step = 16

// Counts gather letters for a model.
type Counts struct {
	three [side * side * side]float32
	two   [side * side]float32
	one   [side]float32
}

// letter returns the place of a small letter in a model.
func letter(c byte) int { return int(c-'a') + 1 }

// Take counts the letters of a word in small letters.
func (c *Counts) Take(word string, weight float32) {
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

// TakeGram counts three letters, of which "_" is the edge of a word.
func (c *Counts) TakeGram(gram string, weight float32) {
	place := func(c byte) int {
		if c == '_' {
			return 0
		}
		return letter(c)
	}
	a, b, l := place(gram[0]), place(gram[1]), place(gram[2])
	c.three[(a*side+b)*side+l] += weight
	c.two[b*side+l] += weight
	c.one[l] += weight
}

// Weights of back-off smoothing in the manner of Witten and Bell (1991): after how many
// observed letters a longer context counts as much as the shorter one that it falls back
// on. The values were chosen on the development set.
const (
	trustTwo   = 12
	trustThree = 6
)

// Fill makes one model: three letters fall back on two, two on one.
func (m *Models) Fill(lane int, c *Counts) {
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
				m[row+l][lane] = uint8(min(255, -Step*math.Log(float64(p))))
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

// Costs returns how unlikely each model finds a word in small letters, in steps.
func (m *Models) Costs(word []byte) (costs [Lanes]int32) {
	a, b := 0, 0
	for i := 0; i <= len(word); i++ {
		l := 0
		if i < len(word) {
			l = letter(word[i])
		}
		row := &m[(a*side+b)*side+l]
		for lane := range row {
			costs[lane] += int32(row[lane])
		}
		a, b = b, l
	}
	return costs
}
