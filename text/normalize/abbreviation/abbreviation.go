// Package abbreviation reads abbreviations, initials and acronyms.
package abbreviation

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/text/normalize/ordinal"
	"vaak/text/normalize/scan"
	"vaak/text/normalize/speak"
)

// Recognizer reads abbreviations of one language. It is safe for concurrent use.
type Recognizer struct {
	say                              *speak.Speaker
	ordinals                         *ordinal.Recognizer
	plain, beforeNumber, afterNumber scan.Phrases[string]
	beforeName                       scan.Phrases[string]
	// stops are the abbreviations with a full stop, given without it. Those that are
	// abbreviations only before a number are left out.
	stops    map[string]bool
	acronyms map[string]string // their words; "" means read as a word, "-" spelled
	shout    map[string]bool   // ordinary words in capitals
	letters  map[string]bool   // names of letters that are written with full stops
	slavic   bool              // many consonants may stand together
	plainly  bool              // what is no word by its sounds is none
	endings  []ending          // ends of words with a full stop
}

// ending is the abbreviated end of a word, without its full stop, and the whole end.
type ending struct{ short, whole string }

// New returns the recognizer of a speaker's language, and adds the words with which
// abbreviations begin to starts.
func New(say *speak.Speaker, ordinals *ordinal.Recognizer, starts *scan.Starts) *Recognizer {
	ar := &Recognizer{
		say: say, ordinals: ordinals,
		stops: map[string]bool{}, acronyms: map[string]string{}, shout: say.Lexicon.Set("shout.word"), letters: say.Lexicon.Set("letter.word"),
	}
	switch say.Code {
	case "pl", "cs", "sk", "hr", "sl", "sr", "lt", "lv", "sq", "mt", "cy", "ga":
		ar.slavic = true
	case "en", "es", "pt", "it", "fr", "ca", "ro", "id", "ms", "tr", "az", "sw", "vi", "fi", "eo", "ru", "uk", "be", "bg", "mk", "kk", "ky":
		ar.plainly = true
	}
	ar.compile(starts)
	for w := range ar.letters {
		starts.Add(w)
	}
	return ar
}

// Stops reports whether a word before a full stop is an abbreviation that does not end
// the sentence.
func (ar *Recognizer) Stops(word string) bool { return ar.stops[word] }

// FollowsNumber reports whether an abbreviation that is used after numbers stands at i.
func (ar *Recognizer) FollowsNumber(in *scan.View, i int) bool {
	_, n := ar.afterNumber.Match(in, i)
	return n > 0
}

// IsWord reports whether an acronym is said as a word, such as NASA.
func (ar *Recognizer) IsWord(acronym string) bool {
	v, listed := ar.acronyms[acronym]
	return listed && v == ""
}

// Abbreviation reads an abbreviation of the lexicon. It also reads a roman numeral that has
// an ordinal suffix or stands before a word that is used with one. After an abbreviation
// that stands before numbers, such as No., its note says that a roman numeral may follow.
func (ar *Recognizer) Abbreviation(in *scan.View, i int) scan.Outcome {
	if !in.Opens(i) || in.Is(i-1, '@') || in.Is(i-1, '#') {
		return scan.Outcome{}
	}
	_, longer := ar.plain.Match(in, i) // art. L. before art.
	if w, n := ar.beforeNumber.Match(in, i); n > 0 && n >= longer && (in.Closes(i+n) || in.Token(i+n-1).Kind == scan.Sign) && numberFollows(in, i+n) {
		// The second of two is part of the first: ru п. 3 ст. 14, пункт три статьи четырнадцать.
		if v, m := ar.afterNumber.Match(in, i); m == n && ar.behindNumber(in, i) {
			w = v
		}
		o := scan.Said(w, n)
		if in.Expected <= i { // no other word has announced what follows
			o.Note = in.Expect(i+n, scan.ExpectRoman, "")
		}
		return o
	}
	if w, n := ar.beforeName.Match(in, i); n > 0 && named(in, i, n) {
		return scan.Said(w, n)
	}
	// Behind an ordinal, what is a unit elsewhere is one of many: in der 88. Min.
	if k := in.Back(i - 1); k < i-1 && in.Kind(k-1) == scan.Digits && (in.Is(k, '.') || in.Is(k, '°') || in.Kind(k) == scan.Word) || in.Kind(k) == scan.Word && in.Is(k-1, '-') && in.Kind(k-2) == scan.Digits {
		if w, n := ar.afterNumber.Match(in, i); n > 0 && (in.Closes(i+n) || in.Is(i+n-1, '.')) {
			return scan.Said(w, n)
		}
	}
	if w, n := ar.plain.Match(in, i); n > 0 && (in.Closes(i+n) || in.Token(i+n-1).Kind == scan.Sign) {
		if _, m := ar.beforeName.Match(in, i); m == n && in.Is(i+n-1, '.') && in.Capitalized(in.Skip(i+n)) {
			w += "." // no name follows, so the full stop ends the sentence
		}
		// Behind a number it may have another form: tr Gül Sok., but 5. Sok.
		if v, m := ar.afterNumber.Match(in, i); m == n && ar.behindNumber(in, i) {
			w = v
		}
		return scan.Said(w, n)
	}
	if w := ar.Ended(in, i); w != "" {
		return scan.Said(w, 2)
	}
	// Some abbreviations are such only after a number, as h in 5 h.
	if ar.behindNumber(in, i) {
		if w, n := ar.afterNumber.Match(in, i); n > 0 && in.Closes(i+n) {
			return scan.Said(w, n)
		}
	}
	if w, n := ar.ordinals.RomanOrdinal(in, i); n > 0 {
		return scan.Said(w, n)
	}
	if w, n := ar.ordinals.RomanBeforeNoun(in, i); n > 0 {
		return scan.Said(w, n)
	}
	return scan.Said(ar.ordinals.RomanBehind(in, i))
}

// behindNumber reports whether a number or an ordinal with a full stop stands before i.
func (ar *Recognizer) behindNumber(in *scan.View, i int) bool {
	b := in.Back(i - 1)
	if in.Is(b, ')') {
		b-- // 1:3 (1:1) n. V.
	}
	return in.Kind(b) == scan.Digits || ar.say.OrdinalDot && in.Is(b, '.') && in.Kind(b-1) == scan.Digits
}

// Ended returns a word at i whose end is abbreviated, with its whole end: Sonnenstr. It
// returns "" for any other.
func (ar *Recognizer) Ended(in *scan.View, i int) string {
	if len(ar.endings) == 0 || !in.Is(i+1, '.') || in.Kind(i) != scan.Word {
		return ""
	}
	w := in.Text(i)
	for _, e := range ar.endings {
		if first, ok := strings.CutSuffix(w, e.short); ok && len(first) > 2 {
			return first + e.whole
		}
	}
	return ""
}

// Figures reads an abbreviation that begins with digits, such as 24/7.
func (ar *Recognizer) Figures(in *scan.View, i int) scan.Outcome {
	if !in.Opens(i) || in.Kind(i-1) == scan.Sign && in.Kind(i-2) == scan.Digits {
		return scan.Outcome{}
	}
	w, n := ar.plain.Match(in, i)
	if n == 0 || !in.Closes(i+n) || in.Is(i+n, '/') {
		return scan.Outcome{}
	}
	return scan.Said(w, n)
}

// numberFollows reports whether a number or a roman numeral stands at i or after a space
// there.
func numberFollows(in *scan.View, i int) bool {
	j := in.Skip(i)
	if in.Is(j, ':') {
		j = in.Skip(j + 1)
	}
	if coded(in, j) {
		return true
	}
	if in.Kind(j) == scan.Word && in.Token(j).Upper && (in.Kind(j+1) == scan.Digits || in.Is(j+1, '-') && in.Kind(j+2) == scan.Digits) {
		return true // a code: n. IT7-2214, gate B12
	}
	// A letter: Geb. B, esc. C.
	if in.Kind(j) == scan.Word && j > i && in.Token(j).Upper && scan.RuneLen(in.Text(j)) == 1 && (in.Kind(j+1) == 0 || in.Is(j+1, ',') || in.Is(j+1, ';') || in.Is(j+1, ')')) {
		return true
	}
	return in.Kind(j) == scan.Digits || in.Kind(j) == scan.Word && ordinal.Value(in.Text(j)) > 0 && in.Token(j).Upper
}

// coded reports whether a code stands at j: digits behind capitals, a mask or the sign for
// numbers, as in XX4521, AB1234 and #12.
func coded(in *scan.View, j int) bool {
	switch {
	case in.Is(j, '#') || in.Is(j, '*'):
		return in.Kind(j+1) == scan.Digits || in.Is(j, '*') && in.Is(j+1, '*')
	case in.Kind(j) != scan.Word || !in.Token(j).Upper && strings.Trim(in.Text(j), "x") != "" || in.Token(j).R >= 0x80 || scan.RuneLen(in.Text(j)) > 6:
		return false
	case in.Is(j+1, '-') || in.Is(j+1, '/'):
		return in.Kind(j+2) == scan.Digits
	}
	return in.Kind(j+1) == scan.Digits
}

// Initials reads letters with full stops: U.S.A., A.P.I.
func (ar *Recognizer) Initials(in *scan.View, i int) scan.Outcome {
	if ar.letters[in.Text(i)] {
		return ar.namedLetters(in, i)
	}
	var room [scan.Lookahead]string
	parts := room[:0]
	j := i
	for len(parts) < cap(room) && in.Kind(j) == scan.Word && in.Is(j+1, '.') && in.Token(j).Upper && scan.RuneLen(in.Text(j)) == 1 && in.Token(j).R < 0x590 {
		in.Step()
		parts = append(parts, ar.say.Letters(in.Text(j)))
		j += 2
	}
	if len(parts) < 2 || !in.Opens(i) {
		return scan.Outcome{}
	}
	if in.Kind(j) == scan.Word && in.Token(j).Upper && scan.RuneLen(in.Text(j)) == 1 && in.Closes(j+1) {
		return scan.Said(strings.Join(append(parts, ar.say.Letters(in.Text(j))), " "), j+1-i)
	}
	if !in.Closes(j) {
		return scan.Outcome{}
	}
	return scan.Said(strings.Join(parts, " "), j-i)
}

// namedLetters reads names of letters with full stops between them: एम.बी.बी.एस., के.सी.
func (ar *Recognizer) namedLetters(in *scan.View, i int) scan.Outcome {
	var room [scan.Lookahead]string
	parts := room[:0]
	j := i
	for len(parts) < cap(room) && in.Kind(j) == scan.Word && ar.letters[in.Text(j)] {
		in.Step()
		parts = append(parts, in.Text(j))
		if j++; !in.Is(j, '.') {
			break
		}
		j++
	}
	if len(parts) < 2 || !in.Opens(i) || !in.Closes(j) {
		return scan.Outcome{}
	}
	return scan.Said(strings.Join(parts, " "), j-i)
}

// stop adds an abbreviation with a full stop to stops, whole and by its last part: both
// e.g and g for e.g.
func (ar *Recognizer) stop(written string) {
	w, ok := strings.CutSuffix(written, ".")
	if !ok {
		return
	}
	ar.stops[w] = true
	ar.stops[w[strings.LastIndexAny(w, " .")+1:]] = true
}

// UpperFirst returns a text with a capital at its beginning.
func UpperFirst(s string) string {
	r, size := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[size:]
}

// compile reads abbreviations and acronyms.
func (ar *Recognizer) compile(starts *scan.Starts) {
	lex := ar.say.Lexicon
	for _, k := range []struct {
		key string
		to  *scan.Phrases[string]
	}{{"abbr", &ar.plain}, {"abbr.name", &ar.beforeName}, {"abbr.number", &ar.beforeNumber}, {"abbr.after", &ar.afterNumber}} {
		for _, r := range lex.Rows(k.key) {
			k.to.Add(r[0], r[1])
			starts.Add(r[0])
			if k.key != "abbr.number" { // No. may also be a word that ends a sentence
				ar.stop(r[0])
			}
		}
	}
	// These may begin a sentence: Pp. 12-15.
	for _, r := range lex.Rows("abbr.number") {
		if written := UpperFirst(r[0]); scan.RuneLen(written) > 2 && strings.HasSuffix(written, ".") {
			ar.beforeNumber.Add(written, UpperFirst(r[1]))
			starts.Add(written)
		}
	}
	for _, r := range lex.Rows("abbr.ending") {
		ar.endings = append(ar.endings, ending{strings.TrimSuffix(r[0], "."), r[1]})
	}
	for _, w := range lex.List("acronym.word") {
		ar.acronyms[w] = ""
	}
	for _, w := range lex.List("acronym.spell") {
		ar.acronyms[w] = "-"
		starts.Add(w)
	}
	for _, r := range lex.Rows("acronym") {
		ar.acronyms[r[0]] = r[1]
		starts.Add(r[0])
	}
}

// named reports whether the abbreviation of n tokens at i stands before a name: a word
// with a capital follows and none stands before, as in St. Paul and unlike Baker St. in
// London. The capital of a first word of a sentence does not count.
func named(in *scan.View, i, n int) bool {
	next := i + n
	if in.Is(next-1, '.') || in.Kind(next) == scan.Space {
		next = in.Skip(next)
	}
	// Without a space only a whole name follows, no initial: Q.Bình Thạnh.
	if !in.Capitalized(next) || next == i+n && (!in.Is(next-1, '.') || in.Token(next).Upper || in.Is(next+1, '.')) {
		return false
	}
	before := in.Back(i - 1)
	if before == i-1 || !in.Capitalized(before) {
		return true
	}
	first := in.Back(before - 1)
	return in.Kind(first) != scan.Word && in.Kind(first) != scan.Digits && !in.Is(first, ',')
}
