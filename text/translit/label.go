package translit

import (
	"slices"
	"strings"

	"vaak/lang"
)

// Label returns the language of each word of one sentence, given in order: an Indian
// language, or "" for English and everything else. The words are given as typed, without
// the space and punctuation around them.
// At most one Indian language is found in a sentence. Where the hint is an Indian language,
// that one is expected, and little is needed to find it; with Script "Latn" one word is
// enough.
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
	if best, ok := s.best(); ok && (s.hint >= 0 || s.plausible(best)) {
		s.label(labels, best)
	}
	return labels
}

// label sets the labels of the words of a language.
func (s *sentence) label(labels []lang.Code, best int) {
	code := codes[best]
	if best == hindi && s.isUrdu() {
		code = codes[urdu]
	}
	for k, indian := range s.path(best) {
		if indian {
			labels[k] = code
		}
	}
	s.prune(labels, best)
}

// isUrdu reports whether words of Hindi, as which Urdu is told first, are Urdu: the request
// says so or, where it names no language of India, some words are.
func (s *sentence) isUrdu() bool {
	if s.hint >= 0 {
		return s.urdu
	}
	n := 0
	for k := range s.words {
		n += s.words[k].urdu
	}
	return n >= leastUrdu
}

// mixes reports whether Indian words in Latin letters are expected in a text whose request
// names a language.
func mixes(code lang.Code) bool {
	switch code {
	case "", "en", "ne", "sd", "kok", "sa", "mai", "doi", "brx", "ks", "mni", "sat", "bho", "si":
		return true
	}
	return index(code) >= 0
}

// sentence is the evidence of a sentence's words.
type sentence struct {
	words  []evidence
	hint   int    // the language of the request, -1 for none or another
	asked  bool   // the request is for romanised text
	urdu   bool   // the request is for Urdu, which is told as Hindi
	likely uint64 // a bit for each language that has words enough
	held   uint64 // a bit for each language whose grammar holds the sentence together
}

func newSentence(words []string, hint lang.Tag) *sentence {
	s := &sentence{words: make([]evidence, len(words)), hint: index(hint.Code)}
	s.asked = s.hint >= 0 && hint.Script == "Latn"
	if s.hint == urdu {
		s.hint, s.urdu = hindi, true
	}
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
	// A sentence of a language has words of its lexicon, one of three letters at least. Only
	// then other words are worth looking up.
	if s.asked || s.begins() {
		for k, w := range words {
			s.words[k].list(w)
		}
	}
	for i := range numSpoken {
		if s.isHeld(i) {
			s.held |= 1 << i
		}
		var weight float32
		for k := range s.words {
			weight += s.words[k].speaks(i)
		}
		if s.asks(i) || weight >= s.least(i) || s.holds(i) {
			s.likely |= 1 << i
		}
	}
	// Most sentences end here: they have no word of India, and their letters need not be
	// looked at.
	if s.likely != 0 {
		for k, w := range words {
			s.words[k].look(w)
		}
	}
	return s
}

// begins reports whether the lexicon of any language has words enough to look further.
func (s *sentence) begins() bool {
	var any [numSpoken]float32
	for k := range s.words {
		e := &s.words[k]
		if e.any == 0 || e.rank != unknown && e.sure == 0 {
			continue
		}
		for i := range any {
			if any[i] += e.clear(i); any[i] >= leastBegun || s.hint == i && any[i] > 0 {
				return true
			}
		}
	}
	return false
}

// Numbers of the search, set by the development set.
const (
	switching      = 1   // cost of a switch between English and the language
	least          = 5   // weight of clear words that a sentence must have
	leastHinted    = 2   // the same for the language of the request
	leastBegun     = 3   // the same before other words are looked up
	leastAlone     = 7   // the same where only one word has three letters
	leastRun       = 6   // the same for a run of words in an English sentence
	preferred      = 3   // added to the language of the request
	expected       = 10  // the same when the request is for romanised text
	half           = 0.4 // share above which a sentence is Indian
	priorShare     = 0.25
	priorHinted    = 0.5  // for the language of the request
	borrowed       = 0.25 // of a word of grammar that another English word counts: they are borrowed
	leastUrdu      = 2    // weight of the words of Urdu in a sentence of Urdu
	surelyLooks    = 1.5  // of a word whose letters alone are evidence
	leastAlike     = 3    // such words that are enough in a sentence without words of a lexicon
	missing        = 1    // cost of a word that only the lexicons of other languages have
	missingGrammar = 3    // the same for a word of their grammar
	mostEnglish    = 2    // words of English grammar for each one of a language, in a sentence of the language
	nearPrior      = 1    // words as which the whole sentence counts beside those near a word
)

// least returns the weight of clear words that a sentence must have of a language.
func (s *sentence) least(i int) float32 {
	if s.hint == i {
		return leastHinted
	}
	return least
}

// share returns how much of the sentence is clearly of a language against
// English, from 0 to 1, and the weight of its clear words. Of the English words those of
// grammar count, since the language of a sentence is that of its grammar.
func (s *sentence) share(i int) (share, weight float32) {
	prior := float32(priorShare)
	switch {
	case s.asks(i):
		prior = 1
	case s.hint == i:
		prior = priorHinted
	}
	holds := s.holds(i)
	var indian, english float32
	for k := range s.words {
		e := &s.words[k]
		w := e.speaks(i)
		weight += w
		indian += min(w/4, 1)
		switch {
		case e.grammar && e.known[i] == 0:
			english++
		case e.english(i):
			english += borrowed
		case e.rank == basic && !holds:
			english += borrowed // of both, and no word of grammar says that it is not English
		}
	}
	// The prior counts as one word more, so a sentence of one word is not all of one
	// language.
	return (indian + prior) / (indian + english + 1), weight
}

// enough reports whether a sentence has enough words of a language: one sure word; words of
// its grammar, against those of English; two other words of three letters and more; or one
// such word and many short ones.
func (s *sentence) enough(i int, weight float32) bool {
	if s.holds(i) {
		return true
	}
	if weight < s.least(i) {
		return false
	}
	solid, small, grammar, alike, held := 0, 0, 0, 0, false
	for k := range s.words {
		e := &s.words[k]
		if e.sure == int8(i)+1 {
			return true
		}
		if e.solid(i) {
			solid++
		}
		if e.shape == lower && e.clear(i) > 0 {
			small++
		}
		if e.shape == lower && e.looks[i] > surelyLooks && e.isOf(i) {
			alike++
		}
		held = held || e.holds&(1<<uint(i)) != 0
		if e.grammar && e.known[i] == 0 {
			grammar++
		}
	}
	switch {
	case s.hint == i:
		return solid >= 1 && grammar == 0
	case grammar > 0:
		return held && solid >= 2
	case small == 0 && alike == 0:
		return false // names
	}
	return solid >= 2 || solid == 1 && weight >= leastAlone || alike >= leastAlike && weight >= leastRun
}

// holds reports whether words of the grammar of a language hold the sentence together.
func (s *sentence) holds(i int) bool { return s.held&(1<<uint(i)) != 0 }

// isHeld reports whether there are words of the grammar of a language, one of three letters or
// two, and not many more English ones. A capital in front may be a name.
func (s *sentence) isHeld(i int) bool {
	indian, english, letters, long := 0, 0, 0, false
	for k := range s.words {
		e := &s.words[k]
		long = long || e.solid(i) || i == hindi && e.strong
		switch {
		case e.again:
		case e.holds&(1<<uint(i)) != 0:
			indian++
			if letters++; !e.short && e.shape != title || i == hindi && e.strong {
				letters++
			}
		case e.grammar && e.known[i] == 0:
			english++
		}
	}
	return long && letters >= 2 && english <= mostEnglish*indian
}

func (s *sentence) asks(i int) bool { return s.asked && s.hint == i }

// best returns the language that explains the sentence best beside English.
func (s *sentence) best() (int, bool) {
	best, top := -1, float32(0)
	for i := range numSpoken {
		if s.likely&(1<<i) == 0 {
			continue
		}
		share, weight := s.share(i)
		if !s.enough(i, weight) && (!s.asks(i) || s.isEnglish(i)) {
			continue
		}
		gain := s.gain(i, share) - s.missing(i)
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

// window is how many words on each side of a word say whether it is Indian.
const window = 4

// near returns how much of the words around a word is clearly of a language against English,
// from 0 to 1. Nearer words count more, and the sentence as a whole counts as one word.
func (s *sentence) near(i, k int, share float32) float32 {
	if !s.words[k].ambiguous(i) {
		return share // not asked for
	}
	indian, english := nearPrior*share, nearPrior*(1-share)
	for j := max(0, k-window); j < min(len(s.words), k+window+1); j++ {
		if j == k {
			continue
		}
		e := &s.words[j]
		w := 1 / float32(max(j-k, k-j))
		indian += w * min(e.speaks(i)/4, 1)
		switch {
		case e.grammar && e.known[i] == 0:
			english += w
		case e.english(i):
			english += borrowed * w
		}
	}
	return indian / (indian + english)
}

// isEnglish reports whether a sentence has English grammar and no word of a language.
func (s *sentence) isEnglish(i int) bool {
	grammar := false
	for k := range s.words {
		e := &s.words[k]
		if e.clear(i) > 0 {
			return false
		}
		grammar = grammar || e.grammar && e.known[i] == 0
	}
	return grammar
}

// missing returns the cost of the words that other languages have and language i has not.
func (s *sentence) missing(i int) (cost float32) {
	bit := uint64(1) << uint(i)
	for k := range s.words {
		switch e := &s.words[k]; {
		case e.known[i] > 0 || e.any&bit != 0:
		case e.holds != 0:
			cost += missingGrammar
		case e.rank == unknown && e.any != 0:
			cost += missing
		}
	}
	return cost
}

// gain returns by how much the best path through English and a language beats
// English alone.
func (s *sentence) gain(i int, share float32) float32 {
	asked := s.asks(i)
	var english, indian float32
	for k := range s.words {
		score := s.words[k].score(i, share, s.near(i, k, share), asked)
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
		score := s.words[k].score(i, share, s.near(i, k, share), asked)
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
			if s.words[k].isOf(i) {
				known++
			}
		}
	}
	if float64(known) < leastKnown*float64(found) {
		clear(labels)
		return
	}
	// In a sentence that is Indian as a whole, short runs are well supported by the others.
	if share, _ := s.share(i); share > half || s.holds(i) {
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

// Detect tells whether a text in Latin letters is romanised Indian, in which language, and
// which share of its Latin words is in it, from 0 to 1; "" and 0 if it is not. The language
// of a text is that of its grammar: its other words may be English. At most the first
// [maxDetect] words are looked at.
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
	if share, _ := s.share(best); share <= half && !s.holds(best) {
		return "", 0
	}
	labels := make([]lang.Code, len(words))
	s.label(labels, best)
	found := 0
	for _, label := range labels {
		if label != "" {
			found++
			code = label
		}
	}
	explained := s.explained(best)
	if found == 0 || !s.plausible(best) {
		return "", 0
	}
	// Where the letters of the text tell another language, more is asked for.
	if lang.DetectIn(text, "Latn") != "en" && (explained < leastAgainst || s.foreign(best)) {
		return "", 0
	}
	return code, float64(found) / float64(len(words))
}

// plausible reports whether the words may be of a language rather than of one from elsewhere.
func (s *sentence) plausible(i int) bool {
	explained := s.explained(i)
	return explained >= leastSurely || explained >= leastExplained && !s.foreign(i)
}

// explained returns the share of the words that are known: of the language, English, or names.
func (s *sentence) explained(i int) float32 {
	known, all := 0, 0
	for k := range s.words {
		e := &s.words[k]
		if e.number {
			continue
		}
		all++
		if e.isOf(i) || e.rank != unknown || e.shape == title {
			known++
		}
	}
	return float32(known) / float32(max(1, all))
}

// foreign reports whether the words are more like those of a language from elsewhere than
// like those of language i.
func (s *sentence) foreign(i int) bool {
	var indian float32
	var others [elsewhere]float32
	for k := range s.words {
		e := &s.words[k]
		// An English word is no evidence for either, nor is a name.
		if e.known[i] == 0 && (e.rank != unknown || e.shape != lower) {
			continue
		}
		indian += e.looks[i] + knownShare*e.known[i]
		for l, like := range e.elsewhere {
			others[l] += like
		}
	}
	return slices.Max(others[:]) > indian
}

const (
	maxDetect = 200
	// leastExplained is the share of the words that must be in the lexicon or English: words
	// of other languages are in neither.
	leastExplained = 0.4
	leastSurely    = 0.85 // from here on letters are not looked at
	leastAgainst   = 0.55
	knownShare     = 0.5 // of the weight of a word in the lexicon, against languages from elsewhere
	leastKnown     = 0.4 // of the words that a lexicon must have: other languages look Indian to a model
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
