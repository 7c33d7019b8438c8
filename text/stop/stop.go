// Package stop tells a full stop that ends a sentence from one that ends no more than an
// abbreviation, a number or initials.
//
// Both stops look alike, and often one stop is both: "She works at Tesla Inc. Her brother
// does not." What the abbreviation is and what follows tell them apart. [Judge] looks at
// both. It is the only place where this is decided: what cuts a text, what reads it in
// words and what pauses follow.
//
// The words that a language needs for it are its [Usage].
package stop

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is what an abbreviation is, as far as the end of a sentence depends on it.
type Kind uint8

const (
	// Word is no abbreviation that is known.
	Word Kind = iota
	// Before stands before what it belongs to, so no sentence ends with it: Dr., e.g.
	Before
	// Count stands before a number, and is a word or ends a sentence elsewhere: No. 5.
	Count
	// Tail stands behind what it belongs to: etc., Inc., Ph.D.
	Tail
	// Unit is a tail behind a number, and another number may go on: 5 ft. 6 in.
	Unit
	// Time is a tail that a day may follow: 9 p.m. Monday.
	Time
	// Month is the name of a month, and Weekday that of a day.
	Month
	Weekday
	// Weak is any other abbreviation, such as initials. A name may follow, so only a word
	// with which sentences begin tells that a sentence ended.
	Weak
)

// kindNames are the kinds as the data name them.
var kindNames = map[string]Kind{
	"before": Before, "count": Count, "tail": Tail, "unit": Unit, "time": Time, "month": Month, "day": Weekday, "weak": Weak, "word": Word,
}

// Usage is what one language tells about its stops. It is read-only after the methods
// that add to it were called, and then safe for concurrent use. The zero value knows the
// abbreviations that are usual everywhere.
type Usage struct {
	// Nouns says that nouns are written with capitals, so a capital alone begins no
	// sentence.
	Nouns bool
	// Caseless says that the script has no capitals.
	Caseless bool
	// VerbFirst says that sentences often begin with their verb, so the end of a sentence
	// is not told by the verb before it. It is rather assumed where nothing goes on.
	VerbFirst bool
	// Ordinals says that a full stop after a number makes an ordinal, and Attributive that
	// such an ordinal stands before names as well: 2. Dünya Savaşı.
	Ordinals, Attributive bool

	kinds                     map[string]Kind
	endings                   []ending        // of abbreviations: Hauptstr.
	calendar                  map[string]bool // names of months and days
	doubtful                  map[string]bool // those that may be ordinary words
	opens, links, verbs, cuts words
}

// fronts reports whether a sentence whose verb comes first begins with something else, so
// that its verb may follow the stop: a time, or without a number before the stop a subject
// with its article.
func (u *Usage) fronts(c *context) bool {
	s := strings.TrimLeftFunc(c.sentence(u), func(r rune) bool { return !unicode.IsLetter(r) })
	first := s
	if i := strings.IndexFunc(s, unicode.IsSpace); i >= 0 {
		first = s[:i]
	}
	return u.cuts.has(first) || !c.numbered && strings.HasPrefix(first, "ال")
}

// ending is what abbreviations of a kind end with.
type ending struct {
	text string
	kind Kind
}

// words are words, and endings of words.
type words struct {
	whole   map[string]bool
	endings []string
}

// add adds words in small letters; those that begin with a hyphen are endings.
func (w *words) add(list []string) {
	for _, s := range list {
		if ending, ok := strings.CutPrefix(s, "-"); ok {
			w.endings = append(w.endings, ending)
			continue
		}
		if w.whole == nil {
			w.whole = map[string]bool{}
		}
		w.whole[s] = true
	}
}

// has reports whether a word is one of them.
func (w *words) has(s string) bool {
	if w.whole[s] {
		return true
	}
	for _, e := range w.endings {
		if len(s) > len(e) && strings.HasSuffix(s, e) {
			return true
		}
	}
	return false
}

// Abbreviations adds abbreviations of a kind, which the data name. They have their full
// stops. One that begins with "# " is of this kind behind a number only, and with a hyphen
// it is an ending. The first kind of an abbreviation stays.
func (u *Usage) Abbreviations(kind string, list ...string) {
	if u.kinds == nil {
		u.kinds = map[string]Kind{}
	}
	for _, w := range list {
		w = key(w)
		if w != "" && w[0] == '-' {
			u.endings = append(u.endings, ending{w[1:], kindNames[kind]})
			continue
		}
		if _, known := u.kinds[w]; !known && w != "" {
			u.kinds[w] = kindNames[kind]
		}
	}
}

// key returns the form in which an abbreviation is looked up: its last two words in small
// letters, without the last full stop.
func key(w string) string {
	w = strings.ToLower(strings.TrimSuffix(w, "."))
	if i := strings.LastIndexByte(w, ' '); i > 0 {
		if j := strings.LastIndexByte(w[:i], ' '); j >= 0 {
			w = w[j+1:]
		}
	}
	return w
}

// Weak adds abbreviations of which no more is known than that they are some, unless they
// are usual everywhere.
func (u *Usage) Weak(list ...string) {
	for _, w := range list {
		if usual(key(w)) == Word {
			u.Abbreviations("weak", w)
		}
	}
}

// Short adds short names of a kind, months or days, that may be ordinary words as well.
func (u *Usage) Short(kind string, names ...string) {
	if u.doubtful == nil {
		u.doubtful = map[string]bool{}
	}
	for _, n := range names {
		if _, known := u.kinds[key(n)]; !known {
			u.Abbreviations(kind, n)
			u.doubtful[key(n)] = true
		}
	}
}

// Calendar adds the names of months and days, whole and short ones.
func (u *Usage) Calendar(names ...string) {
	if u.calendar == nil {
		u.calendar = map[string]bool{}
	}
	for _, n := range names {
		u.calendar[key(n)] = true
	}
}

// Opens adds words with which sentences begin, and which are written with a small letter
// elsewhere.
func (u *Usage) Opens(list ...string) { u.opens.add(list) }

// Links adds words that go on a sentence, such as postpositions; with a hyphen endings of
// such words.
func (u *Usage) Links(list ...string) { u.links.add(list) }

// Verbs adds words that say that a sentence is complete, in languages whose verb ends it;
// with a hyphen endings.
func (u *Usage) Verbs(list ...string) { u.verbs.add(list) }

// Cuts adds words behind which a new clause begins, so that a verb before them completes
// nothing.
func (u *Usage) Cuts(list ...string) { u.cuts.add(list) }

// Unsure reports whether more than the next character may be needed to tell that a
// sentence ends behind a word, given with its full stop.
func (u *Usage) Unsure(word string) bool {
	w := strings.ToLower(strings.TrimSuffix(word, "."))
	if u.Ordinals && isRoman(strings.TrimSuffix(word, ".")) {
		return true
	}
	k, known := u.lookup(w)
	if !known {
		k, known = u.kinds["# "+w]
	}
	if !known {
		k = usual(w)
	}
	switch k {
	case Before, Weak:
		return true
	case Tail, Time, Count:
		return u.Caseless
	case Unit, Month, Weekday:
		return u.Caseless || u.Nouns
	}
	return false
}

// kind returns what the word before a stop is. guessed says that no list has it.
func (u *Usage) kind(c *context) (k Kind, guessed bool) {
	if k, ok := u.listed(c); ok {
		return k, false
	}
	if c.numbered {
		if k, ok := usualAfterNumber[c.low]; ok {
			return k, false
		}
	}
	if k := usual(c.low); k != Word {
		return k, false
	}
	switch {
	case isInitials(c.word):
		return Weak, false
	// A short word behind a number may be a unit that no list has.
	case c.numbered && utf8.RuneCountInString(c.word) <= shortUnit:
		return Unit, true
	}
	return Word, true
}

// shortUnit is how many letters an abbreviated unit has at most.
const shortUnit = 4

// listed returns the kind that the language gives to the word before a stop.
func (u *Usage) listed(c *context) (k Kind, ok bool) {
	if c.pair != "" {
		if k, ok := u.kinds[c.pair]; ok {
			return k, true
		}
		if k, ok := usualWords()[c.pair]; ok {
			return k, true
		}
	}
	if c.numbered {
		if k, ok := u.kinds["# "+c.low]; ok {
			return k, true
		}
	}
	k, ok = u.lookup(c.low)
	// A single capital is an initial, unless it is a title, such as the French M.
	if ok && k != Before && isCapital(c.word) {
		return Weak, true
	}
	return k, ok
}

// lookup returns the kind that the language gives to a word in small letters.
func (u *Usage) lookup(low string) (k Kind, ok bool) {
	if k, ok = u.kinds[low]; ok {
		return k, true
	}
	for _, e := range u.endings {
		if strings.HasSuffix(low, e.text) {
			return e.kind, true
		}
	}
	return Word, false
}

// isCapital reports whether a word is a single capital.
func isCapital(w string) bool {
	r, n := utf8.DecodeRuneInString(w)
	return n == len(w) && unicode.IsUpper(r)
}

// isInitials reports whether a word is a letter or letters parted by full stops, at most
// two between each: "J", "U.S", "Ph.D". Scripts without capitals write the names of Latin
// letters, which are longer.
func isInitials(w string) bool {
	dots, part, letters := 0, 0, 0
	for _, r := range w {
		switch {
		case r == '.' || r == '۔':
			dots++
			part = 0
		case r == '-': // J.-P.
			part = 0
		case unicode.IsLetter(r):
			letters++
			most := 2
			if r >= 0x590 {
				most = 4
			}
			// The Russian word for "I" may end a sentence. From U+2E80 on, one letter is a
			// word.
			if part++; part > most || r >= 0x2E80 || w == "я" {
				return false
			}
		case !unicode.Is(unicode.M, r):
			return false
		}
	}
	// A letter of India with a vowel sign is a word: "go" is போ in Tamil.
	r, n := utf8.DecodeRuneInString(w)
	return dots > 0 && letters > 1 || letters == 1 && part == 1 && (r < 0x590 || n == len(w))
}

// isSyllable reports whether a word is a single letter, perhaps with a vowel sign.
func isSyllable(w string) bool {
	letters := 0
	for _, r := range w {
		if !unicode.Is(unicode.M, r) {
			letters++
		}
	}
	return letters == 1 && len(w) > 1
}
