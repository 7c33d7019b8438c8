package accent

import (
	"math"
	"slices"
)

// group is a word as it is read, with the range of code points in which it is written.
type group struct {
	word       string
	start, end int
}

// pair finds the written word or words from which each read word comes. The library joins some
// short words, reads some words as several, skips others, and does not report this. pair finds
// the assignment in which the lengths of written and read words agree best.
func pair(tokens []token, words []string) []group {
	if len(tokens) == 0 {
		return nil
	}
	groups := make([]group, 0, len(words))
	if len(tokens) == len(words) {
		for i, w := range words {
			groups = append(groups, group{w, tokens[i].start, tokens[i].end})
		}
		return groups
	}
	way, ok := newLengths(tokens, words).cheapestSteps()
	if !ok { // too different: assign by proportion
		for j, w := range words {
			t := tokens[j*len(tokens)/len(words)]
			groups = append(groups, group{w, t.start, t.end})
		}
		return groups
	}
	i, j := 0, 0
	for _, s := range way {
		for range s.words {
			groups = append(groups, group{words[j], tokens[i].start, tokens[i+s.tokens-1].end})
			j++
		}
		i += s.tokens
	}
	return groups
}

// step assigns so many written words to so many read words. At least one of the two is 1.
type step struct{ tokens, words int }

// Limits of a step: how many written words are read as one, such as "of the", and as how many
// words one is read, such as an address.
const (
	maxJoined = 4
	maxParts  = 12
)

// steps are all the steps that are considered.
var steps = func() []step {
	all := []step{{1, 1}, {1, 0}}
	for k := 2; k <= maxJoined; k++ {
		all = append(all, step{k, 1})
	}
	for k := 2; k <= maxParts; k++ {
		all = append(all, step{1, k})
	}
	return all
}()

// Costs of steps other than one word for one.
const (
	unevenCost = 0.3 // for each additional word
	unreadCost = 2.0 // for a word that is not read
)

// lengths are sums of word lengths, from the first word on.
type lengths struct {
	written, read []float64 // in letters; read is scaled to the same total
}

func newLengths(tokens []token, words []string) lengths {
	l := lengths{make([]float64, len(tokens)+1), make([]float64, len(words)+1)}
	for i, t := range tokens {
		l.written[i+1] = l.written[i] + float64(t.size)
	}
	for j, w := range words {
		l.read[j+1] = l.read[j] + float64(len(Phonemes(w)))
	}
	// Letters and phonemes are different units; scale so that the totals agree.
	ratio := l.written[len(tokens)] / max(1, l.read[len(words)])
	for j := range l.read {
		l.read[j] *= ratio
	}
	return l
}

// cost returns the cost of a step after i written and j read words.
func (l lengths) cost(i, j int, s step) float64 {
	written, read := l.written[i+s.tokens]-l.written[i], l.read[j+s.words]-l.read[j]
	// Like chi-squared: a difference weighs less between long words.
	c := (written - read) * (written - read) / (written + read + 1)
	if s.words == 0 {
		return c + unreadCost
	}
	return c + unevenCost*float64(s.tokens+s.words-2)
}

// band is how far, in words, an assignment may be from proportional. It limits the work: a clause
// of a few hundred words takes a millisecond.
const band = 32

// cheapestSteps returns the steps with the least total cost, by dynamic programming in a band
// around the diagonal. ok is false if none lead to the end.
func (l lengths) cheapestSteps() ([]step, bool) {
	n, m := len(l.written)-1, len(l.read)-1
	const width = 2*band + 1
	at := func(i, j int) (int, bool) { // the cell for i written and j read words, if it is in the band
		k := j - i*m/n + band
		return i*width + k, k >= 0 && k < width
	}
	least := slices.Repeat([]float64{math.Inf(1)}, (n+1)*width)
	from := make([]step, len(least))
	// The start, no word of either, is on the diagonal.
	least[band] = 0
	// Every step takes at least one written word, so a row is complete when the loop comes to it.
	for i := range n {
		for j := max(0, i*m/n-band); j <= min(m, i*m/n+band); j++ {
			here, _ := at(i, j)
			if math.IsInf(least[here], 1) {
				continue
			}
			for _, s := range steps {
				if i+s.tokens > n || j+s.words > m {
					continue
				}
				to, ok := at(i+s.tokens, j+s.words)
				if c := least[here] + l.cost(i, j, s); ok && c < least[to] {
					least[to], from[to] = c, s
				}
			}
		}
	}
	if end, _ := at(n, m); math.IsInf(least[end], 1) {
		return nil, false
	}
	var way []step // collected from the end
	for i, j := n, m; i > 0 || j > 0; {
		here, _ := at(i, j)
		s := from[here]
		way = append(way, s)
		i, j = i-s.tokens, j-s.words
	}
	slices.Reverse(way)
	return way, true
}
