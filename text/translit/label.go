package translit

import (
	"strings"

	"vaak/lang"
)

// Label returns the language of each word of one sentence, given in order: an Indian
// language, or "" for English and everything else. The words are given as typed, without
// the space and punctuation around them.
// At most one Indian language is found in a sentence. Where the hint has an
// Indian language and Script "Latn", that one is expected and one word is enough
// to find it; an Indian language without it is preferred where two fit alike.
//
// A hint of a language from outside South Asia other than English finds nothing.
//
// Label takes time linear in the words.
func Label(words []string, hint lang.Tag) []lang.Code {
	labels := make([]lang.Code, len(words))
	if !mixes(hint.Code) {
		return labels
	}
	s := newSentence(words, hint)
	if best, ok := s.best(); ok {
		for k, indian := range s.path(best) {
			if indian {
				labels[k] = codes[best]
			}
		}
		s.prune(labels, best)
	}
	return labels
}

// mixes reports whether Indian words in Latin letters are expected in a text whose request
// names a language.
func mixes(code lang.Code) bool {
	switch code {
	case "", "en", "or", "as", "ne", "sd", "kok", "sa", "mai", "doi", "brx", "ks", "mni", "sat", "bho", "si":
		return true
	}
	return index(code) >= 0
}

// sentence is the evidence of a sentence's words.
type sentence struct {
	words []evidence
	hint  int  // the language of the request, -1 for none or another
	asked bool // the request is for romanised text
}

func newSentence(words []string, hint lang.Tag) *sentence {
	s := &sentence{words: make([]evidence, len(words)), hint: index(hint.Code)}
	s.asked = s.hint >= 0 && hint.Script == "Latn"
	// When all words are capitals, capitals say nothing: without this every word would
	// count as an acronym.
	shouted := len(words) > 2
	for k, w := range words {
		s.words[k].weigh(w, k == 0)
		s.words[k].again = k > 0 && strings.EqualFold(w, words[k-1])
		shouted = shouted && s.words[k].shape != lower && s.words[k].shape != title
	}
	if shouted {
		for k := range s.words {
			if s.words[k].shape == upper {
				s.words[k].shape = lower
			}
		}
	}
	return s
}

// Numbers of the search, set by the development set.
const (
	switching  = 1   // cost of a switch between English and the language
	least      = 5   // weight of clear words that a sentence must have
	leastAlone = 7   // the same where only one word has three letters
	leastRun   = 6   // the same for a run of words in an English sentence
	preferred  = 1   // added to the language of the request
	expected   = 10  // the same when the request is for romanised text
	half       = 0.4 // share above which a sentence is Indian
	priorShare = 0.25
)

// share returns how much of the sentence is clearly of a language against
// English, from 0 to 1, and the weight of its clear words.
func (s *sentence) share(i int) (share, weight float32) {
	prior := float32(priorShare)
	if s.asks(i) {
		prior = 1
	}
	var indian, english float32
	for k := range s.words {
		e := &s.words[k]
		w := e.speaks(i)
		weight += w
		indian += min(w/4, 1)
		if e.english(i) {
			english++
		}
	}
	// The prior counts as one word more, so a sentence of one word is not all of one
	// language.
	return (indian + prior) / (indian + english + 1), weight
}

// enough reports whether a sentence has enough words of a language: one sure word, or two
// other words of three letters and more, or one such word and many short ones.
func (s *sentence) enough(i int, weight float32) bool {
	if weight < least {
		return false
	}
	solid := 0
	for k := range s.words {
		e := &s.words[k]
		if e.sure == int8(i)+1 {
			return true
		}
		if e.solid(i) {
			solid++
		}
	}
	return solid >= 2 || solid == 1 && weight >= leastAlone
}

func (s *sentence) asks(i int) bool { return s.asked && s.hint == i }

// best returns the language that explains the sentence best beside English.
func (s *sentence) best() (int, bool) {
	best, top := -1, float32(0)
	for i := range codes {
		share, weight := s.share(i)
		if !s.asks(i) && !s.enough(i, weight) {
			continue
		}
		gain := s.gain(i, share)
		switch {
		case s.asks(i):
			gain += expected
		case s.hint == i:
			gain += preferred
		}
		if gain > top {
			best, top = i, gain
		}
	}
	return best, best >= 0
}

// gain returns by how much the best path through English and a language beats
// English alone.
func (s *sentence) gain(i int, share float32) float32 {
	asked := s.asks(i)
	var english, indian float32
	for k := range s.words {
		score := s.words[k].score(i, share, asked)
		// One step of the Viterbi search with two states. English words score 0; score is
		// by how much the language explains the word better.
		english, indian = max(english, indian-switching), max(indian, english-switching)+score
		if k == 0 {
			english, indian = 0, score
		}
	}
	return max(english, indian)
}

// path returns which words of the best path are of the language.
func (s *sentence) path(i int) []bool {
	share, _ := s.share(i)
	asked := s.asks(i)
	type from struct{ english, indian bool } // that the state before was indian
	back := make([]from, len(s.words))
	var english, indian float32
	for k := range s.words {
		score := s.words[k].score(i, share, asked)
		if k == 0 {
			indian = score
			continue
		}
		// Which state was better before this word, for each of the two states now. A tie
		// stays in the state.
		back[k] = from{indian-switching > english, indian >= english-switching}
		english, indian = max(english, indian-switching), max(indian, english-switching)+score
	}
	path := make([]bool, len(s.words))
	state := indian > english
	// The path is read backwards from the better end.
	for k := len(path) - 1; k >= 0; k-- {
		path[k] = state
		if state {
			state = back[k].indian
		} else {
			state = back[k].english
		}
	}
	return path
}

// prune removes the labels of runs with too little evidence in an English sentence, and all
// labels when the lexicon has too few of the words: letters alone are not enough, because
// words of a third language may look Indian.
func (s *sentence) prune(labels []lang.Code, i int) {
	if s.asks(i) {
		return
	}
	found, known := 0, 0
	for k := range labels {
		if labels[k] != "" {
			found++
			if s.words[k].known[i] > 0 {
				known++
			}
		}
	}
	if float64(known) < leastKnown*float64(found) {
		clear(labels)
		return
	}
	// In a sentence that is Indian as a whole, short runs are well supported by the others.
	if share, _ := s.share(i); share > half {
		return
	}
	for k := 0; k < len(labels); k++ {
		start, weight := k, float32(0)
		for ; k < len(labels) && labels[k] != ""; k++ {
			weight += s.words[k].speaks(i)
		}
		if weight < leastRun {
			clear(labels[start:k])
		}
	}
}

// Detect tells whether the Latin letters of a text are mostly romanised Indian,
// in which language, and which share of its Latin words is in it, from 0 to 1;
// "" and 0 if they are not. English words in between are allowed for. At most
// the first [maxDetect] words are looked at.
func Detect(text string) (code lang.Code, share float64) {
	words := latinWords(text)
	if len(words) == 0 {
		return "", 0
	}
	s := newSentence(words, lang.Tag{})
	best, ok := s.best()
	if !ok {
		return "", 0
	}
	labels := Label(words, lang.Tag{})
	found, known := 0, 0
	for k := range labels {
		if labels[k] != "" {
			found++
		}
		if s.words[k].known[best] > 0 {
			known++
		}
	}
	n := float64(len(words))
	share = float64(found) / n
	if share < leastShare || float64(known)/n < leastKnown {
		return "", 0
	}
	return codes[best], share
}

const (
	maxDetect  = 400
	leastShare = 0.4 // of the words that must be Indian
	leastKnown = 0.4 // of the words that a lexicon must have: other languages look Indian to a model
)

// latinWords returns the first words of a text that are in Latin letters.
func latinWords(text string) []string {
	var words []string
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		c, _ := plainLetter(r)
		return c == 0 && r != '\'' && r != '’'
	}) {
		if len(words) == maxDetect {
			break
		}
		words = append(words, word)
	}
	return words
}
