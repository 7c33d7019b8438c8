package translit

import "math"

// A word that no list has is written with the letters that follow each other best among all
// that it may be typed for: "t" may be one of two letters, and "a" short or long. Which
// letters follow each other is learnt from the words of the language.

// symbol is a letter of a word: its place, with symbolNukta where it has a dot; 0 is the edge
// of a word.
type symbol uint8

const (
	symbolNukta symbol = 0x80
	edge        symbol = 0
)

func symbolOf(s heard) symbol {
	y := symbol(s.place)
	if s.nukta {
		y |= symbolNukta
	}
	return y
}

// followCounts counts letters after two others.
type followCounts struct {
	three map[uint32]float32
	two   map[uint32]float32
	one   [256]float32
	total float32
}

func newFollowCounts() *followCounts {
	return &followCounts{three: map[uint32]float32{}, two: map[uint32]float32{}}
}

// take counts the letters of a word.
func (f *followCounts) take(i int, sounds []heard) {
	a, b := edge, edge
	for k := 0; k <= len(sounds); k++ {
		c := edge
		if k < len(sounds) {
			c = symbolOf(sounds[k])
			// The sign that doubles stands for the letter after it.
			if sounds[k].kind == sign && sounds[k].place == addak && k+1 < len(sounds) {
				c = symbolOf(sounds[k+1])
			}
		}
		f.three[uint32(a)<<16|uint32(b)<<8|uint32(c)]++
		f.two[uint32(b)<<8|uint32(c)]++
		f.one[c]++
		f.total++
		a, b = b, c
	}
}

// follow has the costs of letters after two others, in tenths of a nat.
type follow struct {
	three [slots]struct {
		key  uint32 // the three letters and taken; 0 for an empty slot
		cost uint8
	}
	two [256][256]uint8
}

// The costs of three letters are in a hash table with open addressing: where a slot is taken
// by other letters, the next one is tried. No language fills a quarter of it.
const (
	slotBits = 15
	slots    = 1 << slotBits
	taken    = 1 << 24 // tells the key of three edges, which is 0, from an empty slot
)

// slot returns where three letters are looked for first (Fibonacci hashing).
func slot(key uint32) uint32 { return key * 2654435761 >> (32 - slotBits) }

func nextSlot(at uint32) uint32 { return (at + 1) % slots }

const trust = 4 // letters after two others that weigh as much as those after one

func (f *followCounts) costs() *follow {
	t := new(follow)
	tenths := func(p float32) uint8 { return uint8(min(120, -10*math.Log(float64(p)))) }
	var after [256]float32
	for key, n := range f.two {
		after[key>>8] += n
	}
	two := func(b, c uint32) float32 {
		one := (f.one[c] + 0.1) / (f.total + 25)
		return (f.two[b<<8|c] + trust*one) / (after[b] + trust)
	}
	for b := range t.two {
		for c := range t.two[b] {
			t.two[b][c] = tenths(two(uint32(b), uint32(c)))
		}
	}
	pairs := map[uint32]float32{}
	for key, n := range f.three {
		pairs[key>>8] += n
	}
	for key, n := range f.three {
		p := (n + trust*two(key>>8&0xFF, key&0xFF)) / (pairs[key>>8] + trust)
		at := slot(key)
		for t.three[at].key != 0 {
			at = nextSlot(at)
		}
		t.three[at].key, t.three[at].cost = key|taken, tenths(p)
	}
	return t
}

// cost returns the cost of a letter after two others.
func (t *follow) cost(a, b, c symbol) int {
	key := uint32(a)<<16 | uint32(b)<<8 | uint32(c)
	for at := slot(key); t.three[at].key != 0; at = nextSlot(at) {
		if t.three[at].key == key|taken {
			return int(t.three[at].cost)
		}
	}
	return int(t.two[b][c]) + unseen
}

const (
	unseen = 10 // added where the three letters were never seen together
	beams  = 8  // ways to write a word that are followed at once
)

// choice is a way to write a sound: at most three letters.
type choice struct {
	letters [3]symbol
	n       int
	cost    int // in tenths of a nat, how unusual it is to type it so
}

// beam is a way to write the sounds of a word so far.
type beam struct {
	a, b   symbol // the last two letters
	cost   int
	before int32 // the beam that it goes on, in steps
	choice choice
}

// decode returns the letters in which a word of these sounds is best written.
func decode(i int, t *follow, units []unit) []glyph {
	var (
		choices [24]choice
		steps   = make([]beam, 1, beams*(len(units)+1)+1)
	)
	from, to := 0, 1 // the beams of the step before
	for k := range units {
		n := choose(i, units, k, &choices)
		first := len(steps)
		for j := from; j < to; j++ {
			for c := range n {
				ch := &choices[c]
				a, b, cost := steps[j].a, steps[j].b, steps[j].cost+ch.cost
				for _, y := range ch.letters[:ch.n] {
					cost += t.cost(a, b, y)
					a, b = b, y
				}
				if k == len(units)-1 {
					cost += t.cost(a, b, edge)
				}
				steps = keep(steps, first, beam{a, b, cost, int32(j), *ch})
			}
		}
		from, to = first, len(steps)
	}
	best := from
	for j := from; j < to; j++ {
		if steps[j].cost < steps[best].cost {
			best = j
		}
	}
	var path []int
	for j := best; j > 0; j = int(steps[j].before) {
		path = append(path, j)
	}
	out := make([]glyph, 0, 2*len(units))
	for p := len(path) - 1; p >= 0; p-- {
		c := &steps[path[p]].choice
		for _, y := range c.letters[:c.n] {
			out = append(out, glyphOf(y))
		}
	}
	return out
}

// keep adds a beam to those from first on, of which it keeps the cheapest.
func keep(steps []beam, first int, b beam) []beam {
	worst := -1
	for j := first; j < len(steps); j++ {
		s := &steps[j]
		// Of two that go on alike only the cheaper one can win.
		if s.a == b.a && s.b == b.b {
			if b.cost < s.cost {
				*s = b
			}
			return steps
		}
		if worst < 0 || s.cost > steps[worst].cost {
			worst = j
		}
	}
	switch {
	case len(steps)-first < beams:
		return append(steps, b)
	case b.cost < steps[worst].cost:
		steps[worst] = b
	}
	return steps
}

func glyphOf(y symbol) glyph {
	g := glyph{place: uint8(y &^ symbolNukta), nukta: y&symbolNukta != 0}
	switch {
	case g.place == anusvara:
		g.kind = sign
	case g.place >= cK && g.place <= cH:
		g.kind = consonant
	}
	return g
}

// chooser collects the choices for a sound.
type chooser struct {
	choices *[24]choice
	n       int
}

func (c *chooser) add(cost int, letters ...symbol) {
	if c.n < len(c.choices) {
		ch := choice{n: len(letters), cost: cost}
		copy(ch.letters[:], letters)
		c.choices[c.n] = ch
		c.n++
	}
}

func isSouth(i int) bool {
	return i == tamilLanguage || i == telugu || i == kannada || i == malayalam
}

// choose fills in the ways to write the sound at a place and returns how many there are.
func choose(i int, units []unit, k int, choices *[24]choice) int {
	c := chooser{choices: choices}
	if units[k].vowel {
		c.vowel(i, units, k)
	} else {
		c.consonant(i, units, k)
	}
	return c.n
}

func (c *chooser) vowel(i int, units []unit, k int) {
	last := k == len(units)-1
	glide := symbol(0)
	if vowelAt(units, k-1) {
		glide = cY
		if among(at(units, k-1), "u", "uu", "o", "au") {
			glide = cV
		}
	}
	add := func(cost int, place symbol) {
		c.add(cost, place)
		switch {
		case glide == 0:
		case i == bengali || i == assamese || i == odia:
			c.add(cost, cY|symbolNukta, place)
		default:
			c.add(cost, glide, place)
		}
	}
	bengaliLike := i == bengali || i == assamese
	switch sound := units[k].sound; sound {
	case "a":
		switch {
		case bengaliLike:
			add(0, vAA)
			if i == assamese {
				add(15, vA)
			}
		case isSouth(i) || i == odia:
			add(0, vA)
			add(3, vAA)
		case last:
			add(0, vAA)
			if k < 2 {
				add(10, vA)
			}
		default:
			add(0, vA)
			add(3, vAA)
		}
	case "aa":
		add(0, vAA)
		if !bengaliLike {
			add(30, vA)
		}
	case "i":
		if last && !isSouth(i) && !bengaliLike && i != odia {
			add(0, vII)
			add(10, vI)
			break
		}
		add(0, vI)
		add(4, vII)
	case "ii":
		add(0, vII)
		add(8, vI)
	case "u":
		add(0, vU)
		add(4, vUU)
	case "uu":
		add(0, vUU)
		add(8, vU)
	case "e":
		add(0, vEE)
		if isSouth(i) {
			add(0, vE)
		}
		add(20, vAI)
	case "o":
		switch {
		case bengaliLike:
			add(0, vA)
			add(5, vOO)
			if last {
				add(20, vU)
			}
			return
		case isSouth(i):
			add(0, vO)
		}
		add(0, vOO)
		if !isSouth(i) {
			add(15, vAU)
		}
	case "ai":
		if bengaliLike || i == odia {
			c.add(0, vAA, vI)
		}
		add(3, vAI)
		if !bengaliLike {
			c.add(12, vA, vII)
			c.add(12, vAA, vII)
		}
	case "au":
		add(3, vAU)
		if bengaliLike || i == odia {
			c.add(0, vAA, vU)
		}
		c.add(15, vAA, vUU)
	default:
		add(0, vAU)
	}
	// The short u at the end of Malayalam words is heard and not written.
	if i == malayalam && last && units[k].sound == "u" && consonantAt(units, k-1) {
		c.add(3)
	}
}

func (c *chooser) consonant(i int, units []unit, k int) {
	sound, before, next := units[k].sound, at(units, k-1), at(units, k+1)
	south, last := isSouth(i), k == len(units)-1
	inner := vowelAt(units, k-1) && vowelAt(units, k+1)
	closed := last || consonantAt(units, k+1) // no vowel is typed after it
	add := func(cost int, place symbol) {
		switch {
		case !closed:
			c.add(cost, place)
			if south && inner && (i == tamilLanguage || i == malayalam) && among(sound, "k", "ch", "t", "p", "th", "l", "n", "s") {
				c.add(cost+6, place, place) // doubled and typed once
			}
		case south && last:
			c.add(cost, place)
		case south:
			c.add(cost, place)
			c.add(cost+40, place, vA)
		case last:
			c.add(cost, place, vA)
		case twins(sound, next):
			c.add(cost, place)
		default:
			// The vowel of a consonant that is written and not spoken, or two letters joined.
			c.add(cost, place)
			c.add(cost+3, place, vA)
		}
	}
	nasalSign := func(cost int) {
		if vowelAt(units, k-1) && closed {
			c.add(cost, anusvara)
		}
	}
	switch sound {
	case "k":
		add(0, cK)
		if i != tamilLanguage {
			add(25, cKH)
		}
	case "g":
		switch {
		case i == tamilLanguage:
			add(0, cK)
			return
		case i == malayalam && before == "n":
			add(0, cNG)
		}
		add(0, cG)
		if i != malayalam {
			add(25, cGH)
		}
	case "ch":
		add(0, cC)
		if i == malayalam && inner {
			c.add(0, cC, cC)
		}
		if i == assamese {
			add(5, cCH)
		} else if i != tamilLanguage {
			add(12, cCH)
		}
	case "j":
		add(0, cJ)
		if i == tamilLanguage && before == "n" {
			add(0, cC)
		}
		if i == bengali || i == assamese || i == odia {
			add(3, cY)
		}
		if i == hindi || i == punjabi {
			add(20, cJ|symbolNukta)
		}
		if i == malayalam && before == "n" {
			add(0, cNY)
		}
	case "t":
		if i == tamilLanguage {
			add(0, cTT)
			add(3, cT)
			if next == "r" {
				add(0, cRR)
			}
			return
		}
		add(0, cT)
		add(4, cTT)
		if i == malayalam {
			add(3, cRR)
		}
		if !south {
			add(25, cTH)
		}
	case "th":
		switch {
		case i == tamilLanguage || i == malayalam || i == kannada || i == telugu:
			add(0, cT)
			if i != tamilLanguage {
				add(15, cTH)
				add(15, 0x20)
			}
		default:
			add(0, cTH)
			add(4, 0x20)
			add(15, cT)
		}
	case "d":
		switch i {
		case tamilLanguage:
			add(0, cTT)
			add(8, cT)
			if next == "r" {
				add(0, cRR)
			}
			return
		case malayalam:
			add(0, cTT)
			add(2, cD)
			add(6, cDD)
			return
		}
		add(0, cD)
		add(4, cDD)
		if i == hindi || i == punjabi || i == bengali || i == assamese || i == odia {
			if i == punjabi {
				add(4, cDD|symbolNukta)
			} else if vowelAt(units, k-1) {
				add(4, cDD|symbolNukta)
			}
		}
	case "dh":
		if i == tamilLanguage {
			add(0, cT)
			return
		}
		add(0, cDH)
		if south {
			add(0, cD)
		} else {
			add(4, cDDH)
			if i == hindi && vowelAt(units, k-1) {
				add(5, cDDH|symbolNukta)
			}
		}
	case "n":
		if i == tamilLanguage {
			switch {
			case among(next, "th", "dh"):
				add(0, cN)
			case k == 0:
				add(0, cN)
			case among(next, "k", "g"):
				add(0, cNG)
			case among(next, "ch", "j", "s"):
				add(0, cNY)
			default:
				add(0, cN2)
				add(5, cNN)
				add(12, cN)
			}
			return
		}
		add(0, cN)
		if !(k == 0) {
			add(8, cNN)
		}
		if among(next, "k", "kh", "g", "gh") && (south || i == bengali || i == assamese || i == odia) {
			add(0, cNG)
		}
		if among(next, "ch", "chh", "j", "jh") && (south || i == bengali || i == assamese || i == odia) {
			add(0, cNY)
		}
		if next == "g" && (i == bengali || i == assamese) {
			c.add(3, anusvara)
		}
		if i == malayalam && next == "j" {
			add(0, cNY)
		}
		if i == malayalam && next == "" {
			return
		}
		if !south || !last {
			nasalSign(2)
		}
	case "m":
		add(0, cM)
		switch i {
		case telugu, malayalam:
			nasalSign(0)
		case kannada:
			if !last {
				nasalSign(2)
			}
		case tamilLanguage:
		default:
			nasalSign(8)
		}
	case "p":
		add(0, cP)
		if !south {
			add(30, cPH)
		}
	case "b":
		if i == tamilLanguage {
			add(0, cP)
			return
		}
		add(0, cB)
		if south {
			add(15, cBH)
		} else {
			add(25, cBH)
		}
	case "bh":
		if i == tamilLanguage {
			add(0, cP)
			return
		}
		add(0, cBH)
	case "ph", "f":
		switch i {
		case tamilLanguage:
			add(0, cP)
		case hindi, punjabi:
			if sound == "f" {
				add(0, cPH|symbolNukta)
			}
			add(3, cPH)
		default:
			add(0, cPH)
		}
	case "l":
		add(0, cL)
		if south || i == marathi || i == gujarati || i == odia || i == punjabi {
			add(6, cLL)
		}
		if i == tamilLanguage || i == malayalam {
			add(20, cZH)
		}
	case "zh":
		if i == tamilLanguage || i == malayalam {
			add(0, cZH)
		} else {
			add(0, cJ)
		}
	case "r":
		add(0, cR)
		switch i {
		case tamilLanguage, malayalam:
			add(5, cRR)
		case hindi, punjabi, bengali, assamese, odia:
			if vowelAt(units, k-1) {
				add(15, cDD|symbolNukta)
			}
		}
	case "v":
		switch i {
		case bengali:
			add(0, cBH)
			add(6, cB)
			if vowelAt(units, k-1) {
				c.add(3, vOO, cY|symbolNukta)
			}
			return
		case odia:
			add(0, cB)
			add(5, cBH)
			return
		}
		add(0, cV)
		if i == assamese {
			add(5, cBH)
		}
	case "s":
		switch i {
		case tamilLanguage:
			add(0, cC)
			add(6, cS)
			return
		case assamese:
			add(0, cS)
			add(3, cSH)
			add(3, cC)
			add(3, cCH)
			return
		}
		add(0, cS)
		if i == bengali || i == odia || i == malayalam || i == kannada || i == telugu || i == gujarati || i == marathi {
			add(12, cSH)
			add(20, cSS)
		}
	case "sh":
		if i == tamilLanguage {
			add(0, cSS)
			return
		}
		add(0, cSH)
		add(4, cSS)
		if i == bengali || i == assamese || i == odia {
			add(5, cS)
		}
		if i == punjabi {
			add(0, cS|symbolNukta)
		}
	case "z":
		switch i {
		case hindi, punjabi:
			add(0, cJ|symbolNukta)
		case marathi:
			add(0, cJH)
		}
		add(5, cJ)
	case "y":
		if i == bengali || i == assamese || i == odia {
			add(0, cY|symbolNukta)
		}
		add(0, cY)
	default:
		place := plainConsonants()[sound]
		if i == tamilLanguage {
			switch sound {
			case "kh", "gh":
				place = cK
			case "chh", "jh":
				place = cC
			}
		}
		add(0, symbol(place))
		switch {
		case sound == "h" && i == tamilLanguage:
			add(5, cK)
		case south && sound == "kh":
			add(10, cK)
		case south && sound == "gh":
			add(10, cG)
		}
	}
}
