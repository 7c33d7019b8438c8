package normalize

import (
	"strings"

	"vaak/text/normalize/cldr"
	"vaak/text/normalize/locale"
)

// tables are the written forms that a normalizer knows.
type tables struct {
	// starts says of words which begin a form, or stand where one may begin.
	starts map[string]bool
	first  runeSet // the first runes of starts
	// stops are abbreviations that are written with a full stop, without it.
	stops map[string]bool
	// numberStops are those that are abbreviations before a number only.
	numberStops map[string]bool

	abbr, abbrNumber, abbrAfter phrases[string]
	currency                    phrases[string] // to ISO codes
	coins                       map[string]*coin
	ending                      map[string]bool // words that are written on to numbers
	scale                       phrases[scale]
	joined                      []joinedEnding  // endings written after numbers with a mark
	clitic                      map[string]bool // words written before numbers with a hyphen
	scaleEnding                 []string        // case endings that a scale hands on to the currency
	unit                        phrases[*unit]
	month, weekday              phrases[int] // from 1; Sunday is 1
	mark                        phrases[timeMark]
	joint                       phrases[bool]     // words between the parts of a date
	marks                       [3]string         // after year, month and day where dates are numbers
	calendar                    calendar          // the other one that the language's countries keep
	suffix, prefix              phrases[string]   // of ordinals
	attached                    map[string]string // the same, by their letters
	nouns                       nouns
	yearOrdinal                 phrases[string] // rule sets of years by the word after them
	dayOrdinal                  phrases[string] // rule sets of days by the word after them
	ordinalNoun                 phrases[string] // rule sets of numbers by the word before them
	eraAfter                    phrases[string]
	eraBetween                  map[string]*phrases[string] // by the word before the year
	decade                      phrases[string]
	phone, pin, year, score     phrases[bool]
	timeWord                    phrases[bool] // words before a time of day
	dateWord                    phrases[bool] // words before a day and a month in numbers
	romanBefore, romanAfter     phrases[string]
	acronym                     map[string]string // "" is read as a word, "-" is spelled
	letters                     map[string]string
	fraction, special, add      map[string]string
	ordinalWord, decadeWord     map[string]string
	day, monthWord              map[string]string
	gender                      map[string]string
	countedNoun                 map[string]string   // rule sets by the word after a number
	inflect                     map[string][]ending // by the written ending
	dayPart                     map[string]string   // by the hour it begins with
	scaleMoney                  map[string]string   // scales as they are said before a currency
	counted                     []string            // beginnings of nouns that are counted
	signs, leads                map[string]string
	agree                       map[string]string // rule sets of ordinals by the word before them
	loose                       map[string]bool   // symbols of units that the language writes after a space
	agreeAfter                  map[string]string // and by the word after them
	dayWord                     phrases[bool]     // words after the day of a date that are part of it
	ordinals                    map[string]bool   // words before a number that then counts nothing
	phoneDigit                  map[string]string // digits that are said otherwise in telephone numbers
	phoneForms                  []phoneForm
	counters                    map[string]*unit

	abbrName                   phrases[string] // before a name
	decadeBefore, duringBefore map[string]bool
	rating                     map[string]bool // words beside one number of another
	phoneNot                   map[string]bool // words for what a short number counts
	phoneNotEnding             []string        // their endings
	shout                      map[string]bool // ordinary words in capitals
}

// runeSet holds runes by their last twelve bits, so it may have more than were
// added.
type runeSet [64]uint64

func (s *runeSet) add(r rune)      { s[r>>6&63] |= 1 << (r & 63) }
func (s *runeSet) has(r rune) bool { return s[r>>6&63]&(1<<(r&63)) != 0 }

// coin is a currency with its minor unit.
type coin struct {
	major, minor             map[cldr.Category]string // minor is nil when there is none
	majorGender, minorGender string
}

// scale is a word for a power of ten after a number; its forms are chosen by the
// number, which takes the word's gender.
type scale struct {
	forms  map[cldr.Category]string
	gender string
}

// calendar is one beside the Gregorian, whose years are told by their numbers.
type calendar struct {
	from, to int
	months   []string
}

// has says that a year is of the calendar.
func (k calendar) has(year string) bool {
	y := atoi(year)
	return len(k.months) == 12 && year != "" && y >= k.from && y <= k.to
}

// timeMark is a word that follows a time: am, pm, or 24 for one that is part of
// it, hm where it is so only after hours and minutes. The patterns are those of
// the time with the word, which may inflect the minutes; "" for the usual ones.
type timeMark struct{ sort, hour, minutes string }

// unit is a unit of measurement; its forms have {n} for the number, or {n:SET}
// for the number by a rule set. From the number limit on, if there is one, the
// forms of above are used.
type unit struct {
	key    string
	gender string
	forms  map[cldr.Category]string
	limit  int
	above  map[cldr.Category]string
	// counter is a word that counts things: an ordinal may be written with it.
	counter bool
}

// categories turns forms of a file into those by category.
func categories(f locale.Forms) map[cldr.Category]string {
	if f == nil {
		return nil
	}
	m := make(map[cldr.Category]string, len(f))
	for c := cldr.Zero; c <= cldr.Other; c++ {
		if s, ok := f[c.String()]; ok {
			m[c] = s
		}
	}
	return m
}

// unitForms turns CLDR's patterns into ours, with a space after the number if
// the language parts words, and none if it does not. A pattern that has a sign
// instead of a word is none.
func (n *Normalizer) unitForms(f cldr.Forms) map[cldr.Category]string {
	m := make(map[cldr.Category]string, len(f))
	for c, s := range f {
		if strings.ContainsAny(s, "%٪‰") {
			return nil
		}
		s = strings.NewReplacer("\u00a0", " ", "\u202f", " ").Replace(s)
		before, after, found := strings.Cut(s, "{0}")
		switch {
		case !found:
		case !n.spaced:
			s = strings.TrimSpace(before) + "{n}" + strings.TrimSpace(after)
		case after != "" && letter(firstRune(after)):
			s = before + "{n} " + after
		default:
			s = before + "{n}" + after
		}
		m[c] = s
	}
	return m
}

// pick returns the form of a category, or the one of Other.
func pick(forms map[cldr.Category]string, c cldr.Category) string {
	if s, ok := forms[c]; ok {
		return s
	}
	return forms[cldr.Other]
}

// compileTables reads the written forms from the lexicon and CLDR.
func (n *Normalizer) compileTables() {
	t := &n.tables
	t.starts, t.stops, t.numberStops = map[string]bool{}, map[string]bool{}, map[string]bool{}
	fillMap(n.lex, "fraction", &t.fraction)
	fillMap(n.lex, "fraction.special", &t.special)
	fillMap(n.lex, "fraction.add", &t.add)
	fillMap(n.lex, "ordinal.word", &t.ordinalWord)
	fillMap(n.lex, "decade.word", &t.decadeWord)
	fillMap(n.lex, "date.day", &t.day)
	fillMap(n.lex, "date.month", &t.monthWord)
	fillMap(n.lex, "gender", &t.gender)
	fillMap(n.lex, "sign", &t.signs)
	t.agree, t.agreeAfter, t.countedNoun = map[string]string{}, map[string]string{}, map[string]string{}
	for _, r := range n.lex.Rows("counting.noun") {
		for _, w := range r.List(1) {
			t.countedNoun[w] = r[0]
		}
	}
	for _, r := range n.lex.Rows("ordinal.after") {
		for _, w := range r.List(0) {
			t.agreeAfter[w] = r.Value(1)
		}
	}
	for _, r := range n.lex.Rows("ordinal.before") {
		for _, w := range r.List(0) {
			t.agree[w] = r.Value(1)
		}
	}
	fillMap(n.lex, "lead", &t.leads)
	fillMap(n.lex, "letter", &t.letters)
	n.compileEndings()
	fillMap(n.lex, "scale.money", &t.scaleMoney)
	fillMap(n.lex, "time.part", &t.dayPart)
	t.counted = n.lex.List("counting.before")
	for _, w := range n.lex.List("date.day-word") {
		t.dayWord.add(w, true)
	}
	n.compileAbbreviations()
	n.compileCalendar()
	n.compileMoney()
	n.compileCounters()
	n.compileUnits()
	n.compilePhones()
	n.compileLists()
	n.compileContexts()
}

func fillMap(l *locale.Lexicon, key string, m *map[string]string) {
	rows := l.Rows(key)
	*m = make(map[string]string, len(rows))
	for _, r := range rows {
		(*m)[r[0]] = r.Value(1)
	}
}

// start remembers that a form may begin with a text.
func (t *tables) start(s string) {
	if toks := scan(s, nil); len(toks) > 0 && toks[0].kind == word {
		t.starts[toks[0].in(s)] = true
		t.first.add(toks[0].r)
	}
}

// stop remembers an abbreviation that is written with a full stop, whole and
// by its last part.
func (t *tables) stop(written string, number bool) {
	w, ok := strings.CutSuffix(written, ".")
	if !ok {
		return
	}
	to := t.stops
	if number {
		to = t.numberStops
	}
	to[w] = true
	to[w[strings.LastIndexAny(w, " .")+1:]] = true
}

// compileAbbreviations reads abbreviations and acronyms.
func (n *Normalizer) compileAbbreviations() {
	t := &n.tables
	for _, k := range []struct {
		key string
		to  *phrases[string]
	}{{"abbr", &t.abbr}, {"abbr.name", &t.abbrName}, {"abbr.number", &t.abbrNumber}, {"abbr.after", &t.abbrAfter}} {
		for _, r := range n.lex.Rows(k.key) {
			k.to.add(r[0], r[1])
			t.start(r[0])
			t.stop(r[0], k.key == "abbr.number")
		}
	}
	t.acronym = map[string]string{}
	for _, w := range n.lex.List("acronym.word") {
		t.acronym[w] = ""
	}
	for _, w := range n.lex.List("acronym.spell") {
		t.acronym[w] = "-"
		t.start(w)
	}
	for _, r := range n.lex.Rows("acronym") {
		t.acronym[r[0]] = r[1]
		t.start(r[0])
	}
}

// compileLists reads the words that tell what stands beside them.
func (n *Normalizer) compileLists() {
	t := &n.tables
	for _, k := range []struct {
		key string
		to  *phrases[bool]
	}{{"phone.word", &t.phone}, {"pin.word", &t.pin}, {"year.word", &t.year}, {"score.word", &t.score}, {"time.word", &t.timeWord}, {"date.word", &t.dateWord}} {
		for _, w := range n.lex.List(k.key) {
			k.to.add(w, true)
			t.start(w)
		}
	}
	for _, w := range n.lex.List("roman.before") {
		t.romanBefore.add(w, "")
		t.start(w)
	}
	n.listed("roman.ordinal", &t.romanBefore, true)
	n.listed("roman.after", &t.romanAfter, false)
	n.listed("year.era", &t.eraAfter, true)
	n.listed("ordinal.prefix", &t.prefix, true)
	n.listed("ordinal.noun", &t.ordinalNoun, true)
	n.listed("year.ordinal", &t.yearOrdinal, false)
	n.listed("day.ordinal", &t.dayOrdinal, false)
	t.eraBetween = map[string]*phrases[string]{}
	for _, r := range n.lex.Rows("year.era.after") {
		to := t.eraBetween[r[0]]
		if to == nil {
			to = new(phrases[string])
			t.eraBetween[r[0]] = to
		}
		for _, w := range r.List(1) {
			to.add(w, r.Value(2))
		}
	}
	n.listed("decade", &t.decade, false)
	t.ending = map[string]bool{}
	for _, w := range n.lex.List("ending") {
		t.ending[w] = true
	}
	for _, r := range n.lex.Rows("scale") {
		for _, w := range r.List(0) {
			v := r.Value(1)
			if v == "" {
				v = w
			}
			t.scale.add(w, scale{forms(v), r.Value(2)})
		}
	}
	t.compileJoined(n.lex.Rows("ending.mark"))
	t.clitic = map[string]bool{}
	for _, w := range n.lex.List("prefix") {
		t.clitic[w] = true
		t.start(w)
	}
	t.scaleEnding = n.lex.List("scale.ending")
	for _, r := range n.lex.Rows("time.mark") {
		for _, w := range r.List(0) {
			t.mark.add(w, timeMark{r.Value(1), r.Value(2), r.Value(3)})
		}
	}
	t.attached = map[string]string{}
	n.compileNouns()
	for _, r := range n.lex.Rows("ordinal.suffix") {
		for s := range strings.FieldsSeq(r[0]) {
			t.suffix.add(strings.ReplaceAll(s, "_", " "), r.Value(1))
			t.attached[s] = r.Value(1)
		}
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

// forms reads plural forms as files write them.
func forms(value string) map[cldr.Category]string { return categories(locale.ParseForms(value)) }
