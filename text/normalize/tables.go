package normalize

// tables are the written forms that a normalizer knows, and the words around
// them that say what they are.
type tables struct {
	// starts says of words which begin a form, or stand where one may begin.
	starts map[string]bool
	first  runeSet // the first runes of starts

	// Numbers
	nouns                  nouns
	gender                 map[string]string // rule sets
	fraction, special, add map[string]string
	scale                  phrases[scale]
	scaleEnding            []string            // case endings that a scale hands on to the currency
	scaleMoney             map[string]string   // scales as they are said before a currency
	clitic                 map[string]bool     // words written before numbers with a hyphen
	ending                 map[string]bool     // words that are written on to numbers
	inflect                map[string][]ending // by the written ending
	joined                 []joinedEnding      // endings written after numbers with a mark
	rating                 map[string]bool     // words beside one number of another
	score                  phrases[bool]       // words before the result of a match
	signs, leads           map[string]string
	letters                map[string]string

	// Ordinals; the values are rule sets, patterns or "+".
	ordinalWord                 map[string]string
	suffix, prefix              phrases[string]
	attached                    map[string]string // suffixes by their letters
	ordinalBefore, ordinalAfter map[string]string // by the word before and after one
	ordinalNoun                 ordinalNouns
	romanBefore, romanAfter     phrases[string]

	// Dates and times
	month, weekday             phrases[int] // from 1; Sunday is 1
	day, monthWord             map[string]string
	joint                      phrases[bool] // words between the parts of a date
	marks                      [3]string     // after year, month and day where dates are numbers
	dayWord                    phrases[bool] // words after the day of a date that are part of it
	dateWord                   phrases[bool] // words before a day and a month in numbers
	calendar                   calendar      // the other one that the language's countries keep
	year                       phrases[bool] // words before or after one
	eraAfter                   phrases[string]
	eraBetween                 map[string]*phrases[string] // by the word before the year
	decade                     phrases[string]
	decadeWord                 map[string]string
	decadeBefore, duringBefore map[string]bool
	timeMark                   phrases[timeMark]
	timeWord                   phrases[bool]     // words before a time of day
	dayPart                    map[string]string // by the hour it begins with

	// Money and units
	currency   phrases[string] // to ISO codes
	coins      map[string]*coin
	unit       phrases[*unit]
	loose      map[string]bool // symbols of units that the language writes after a space
	counters   map[string]*unit
	counterNot map[string]bool // words before a number that then counts nothing

	// Telephone numbers and codes
	phone, pin     phrases[bool]
	phoneAfter     phrases[bool]     // words after a telephone number
	phoneDigit     map[string]string // digits that are said otherwise in telephone numbers
	phoneForms     []phoneForm
	phoneNot       map[string]bool // words for what a short number counts
	phoneNotEnding []string        // their endings

	// Abbreviations
	abbr, abbrNumber, abbrAfter phrases[string]
	abbrName                    phrases[string] // before a name
	// stops are abbreviations that are written with a full stop, without it, and
	// are so not only before a number.
	stops   map[string]bool
	acronym map[string]string // "" is read as a word, "-" is spelled
	shout   map[string]bool   // ordinary words in capitals
}

// runeSet holds runes by their last twelve bits, so it may have more than were
// added.
type runeSet [64]uint64

func (s *runeSet) add(r rune) { s[r>>6&63] |= 1 << (r & 63) }

func (s *runeSet) has(r rune) bool { return s[r>>6&63]&(1<<(r&63)) != 0 }

// compileTables reads the written forms from the lexicon and CLDR.
func (n *Normalizer) compileTables() {
	t := &n.tables
	t.starts = map[string]bool{}
	n.compileMaps()
	n.compileEndings()
	n.compileJoined()
	n.compileAbbreviations()
	n.compileCalendar()
	n.compileMoney()
	n.compileCounters()
	n.compileUnits()
	n.compilePhones()
	n.compileNouns()
	n.compileScales()
	n.compileOrdinals()
	n.compileOrdinalNouns()
	n.compileRoman()
	n.compileYears()
	n.compileTimes()
	n.compileContexts()
}

// compileMaps reads what is looked up by a single token.
func (n *Normalizer) compileMaps() {
	t := &n.tables
	t.fraction, t.special, t.add = n.byFirst("fraction"), n.byFirst("fraction.special"), n.byFirst("fraction.add")
	t.day, t.monthWord = n.byFirst("date.day"), n.byFirst("date.month")
	t.gender = n.byFirst("gender")
	t.signs, t.leads, t.letters = n.byFirst("sign"), n.byFirst("lead"), n.byFirst("letter")
	t.rating, t.shout, t.counterNot = n.wordSet("rating.word"), n.wordSet("shout.word"), n.wordSet("counter.not")
}

// byFirst returns the second values of a key's rows by the first ones.
func (n *Normalizer) byFirst(key string) map[string]string {
	rows := n.lex.Rows(key)
	m := make(map[string]string, len(rows))
	for _, r := range rows {
		m[r[0]] = r.Value(1)
	}
	return m
}

// byWord returns the values of a key's rows by the words of their lists.
func (n *Normalizer) byWord(key string) map[string]string {
	m := map[string]string{}
	for _, r := range n.lex.Rows(key) {
		for _, w := range r.List(0) {
			m[w] = r.Value(1)
		}
	}
	return m
}

// wordSet returns the words of a key that holds lists.
func (n *Normalizer) wordSet(key string) map[string]bool {
	m := map[string]bool{}
	for _, w := range n.lex.List(key) {
		m[w] = true
	}
	return m
}

// start remembers that a form may begin with a text.
func (t *tables) start(s string) {
	if toks := scan(s, nil); len(toks) > 0 && toks[0].kind == word {
		t.starts[toks[0].in(s)] = true
		t.first.add(toks[0].r)
	}
}

// listed reads rows of a list and what its items mean.
func (n *Normalizer) listed(key string, to *phrases[string], start bool) {
	for _, r := range n.lex.Rows(key) {
		for _, w := range r.List(0) {
			to.add(w, r.Value(1))
			if start {
				n.tables.start(w)
			}
		}
	}
}

// told reads the words that say what stands beside them.
func (n *Normalizer) told(key string, to *phrases[bool]) {
	for _, w := range n.lex.List(key) {
		to.add(w, true)
		n.tables.start(w)
	}
}
