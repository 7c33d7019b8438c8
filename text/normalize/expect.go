package normalize

import (
	"strings"

	"vaak/text/normalize/ordinal"
	"vaak/text/normalize/scan"
)

// expecter handles announcements: it notes which words announce a kind of token, and reads
// the tokens that were announced.
type expecter struct {
	*Normalizer
	scoreWord          scan.Phrases[bool]   // words before the result of a match
	phoneWord, pinWord scan.Phrases[bool]   // words before a telephone number and a code
	serialWord         scan.Phrases[bool]   // words before a number that is a code when it is long
	link               scan.Phrases[bool]   // words between those and the code
	or                 scan.Phrases[bool]   // words between telephone numbers
	yearWord, timeWord scan.Phrases[bool]   // words before a year and a time of day
	romanBefore        scan.Phrases[string] // words before a roman numeral, and its rule
	nounBefore         scan.Phrases[string] // nouns before a number that they make an ordinal
	prefixes           map[string]bool      // words that are written on to a number
	and                string
}

// newExpecter returns the expecter of a normalizer's language.
func newExpecter(n *Normalizer) *expecter {
	ex, lex := &expecter{Normalizer: n, prefixes: n.say.Lexicon.Set("prefix"), and: n.say.Lexicon.Word("and")}, n.say.Lexicon
	for w := range ex.prefixes {
		n.starts.Add(w)
	}
	for key, to := range map[string]*scan.Phrases[bool]{
		"score.word": &ex.scoreWord, "phone.word": &ex.phoneWord, "pin.word": &ex.pinWord, "code.word": &ex.serialWord, "year.word": &ex.yearWord, "time.word": &ex.timeWord,
	} {
		for _, w := range lex.List(key) {
			if strings.HasPrefix(w, "… ") {
				continue // it stands after a telephone number
			}
			to.Add(w, true)
			n.starts.Add(w)
		}
	}
	for _, w := range lex.List("phone.or") {
		ex.or.Add(w, true)
	}
	for _, w := range lex.List("code.link") {
		ex.link.Add(w, true)
	}
	for _, w := range lex.List("roman.before") {
		ex.romanBefore.Add(w, "")
		n.starts.Add(w)
	}
	for w, rule := range lex.Pairs("roman.ordinal") {
		ex.romanBefore.Add(w, rule)
		n.starts.Add(w)
	}
	for _, r := range lex.Rows("ordinal.noun") {
		if r.Value(2) != "before" {
			continue
		}
		for _, w := range r.List(0) {
			ex.nounBefore.Add(w, r.Value(1))
			n.starts.Add(w)
		}
	}
	return ex
}

// another returns the note of a telephone number that is listed after one: "call 112 or
// 108"; nil for none.
func (ex *expecter) another(in *scan.View, i int) *scan.Note {
	j := in.Skip(i)
	if in.Is(j, ',') || in.Is(j, '/') || in.Is(j, ';') || in.Is(j, '、') {
		j = in.Skip(j + 1)
	} else if _, n := ex.or.Match(in, j); n > 0 {
		j = in.Skip(j + n)
	} else {
		return nil
	}
	if in.Kind(j) != scan.Digits && !in.Is(j, '+') && !in.Is(j, '(') {
		return nil
	}
	return in.Expect(j, scan.ExpectPhone, "")
}

// furtherRoman returns the note of a roman numeral that is listed after an announced one:
// secoli XV e XVI; nil for none.
func (ex *expecter) furtherRoman(in *scan.View, i int) *scan.Note {
	j := in.Skip(i)
	if in.Kind(j) != scan.Word || j == i || in.Text(j) != ex.and || in.Skip(j+1) == j+1 {
		return nil
	}
	k := in.Skip(j + 1)
	if !in.Token(k).Upper || scan.RuneLen(in.Text(k)) < 2 || ordinal.Value(in.Text(k)) == 0 {
		return nil
	}
	return &scan.Note{Kind: scan.ExpectRoman, At: k, Rule: in.Rule}
}

// score notes a word that announces the result of a match.
func (ex *expecter) score(in *scan.View, i int) scan.Outcome {
	if in.Opens(i) {
		if _, n := ex.scoreWord.Match(in, i); n > 0 {
			return scan.Outcome{Note: &scan.Note{Kind: scan.NoteScore, At: i + 1}}
		}
	}
	return scan.Outcome{}
}

// note returns a note if the word at i announces what the next token is: a roman numeral, a
// telephone number, a code that is read digit by digit, or an ordinal. It never takes a
// token itself.
func (ex *expecter) note(in *scan.View, i int) scan.Outcome {
	if !in.Opens(i) {
		return scan.Outcome{}
	}
	o := scan.Outcome{Note: ex.code(in, i)}
	if o.Note == nil {
		o.Note = ex.number(in, i)
	}
	if v, n := ex.nounBefore.Match(in, i); n > 0 && in.Kind(in.Skip(i+n)) == scan.Digits {
		o.Note = in.Expect(i+n, scan.ExpectOrdinal, v)
	}
	// Words between an announced code and its number announce nothing: "mã OTP của quý khách
	// là 482913", where quý by itself announces a quarter.
	if o.Note != nil && in.Expected > o.Note.At && (in.Expectation == scan.ExpectCode || in.Expectation == scan.ExpectSerial || in.Expectation == scan.ExpectPhone) {
		o.Note = nil
	}
	return o
}

// number returns the note for the kind of number that the words at i announce; nil for
// none.
func (ex *expecter) number(in *scan.View, i int) *scan.Note {
	if rule, n := ex.romanBefore.Match(in, i); n > 0 {
		return in.Expect(i+n, scan.ExpectRoman, rule)
	} else if _, n := ex.yearWord.Match(in, i); n > 0 {
		return in.Expect(i+n, scan.ExpectYear, "")
	} else if _, n := ex.timeWord.Match(in, i); n > 0 {
		return in.Expect(i+n, scan.ExpectTime, "")
	}
	return nil
}

// read reads the token that earlier words announced.
func (ex *expecter) read(in *scan.View, i int) scan.Outcome {
	if i != in.Expected {
		return scan.Outcome{}
	}
	switch in.Expectation {
	case scan.ExpectPhone:
		o := scan.Said(ex.phones.Phone(in, i, true))
		if o.Tokens > 0 {
			o.Note = ex.another(in, i+o.Tokens)
		}
		return o
	case scan.ExpectCode, scan.ExpectSerial:
		if w, n := ex.plates.India(in, i); n > 0 {
			return scan.Said(w, n)
		}
	}
	switch in.Expectation {
	case scan.ExpectCode:
		if w, n := ex.codes.Account(in, i); n > 0 {
			return scan.Said(w, n)
		}
		return scan.Said(ex.codes.Serial(in, i))
	case scan.ExpectSerial:
		if w, n := ex.codes.Account(in, i); n > 0 {
			return scan.Said(w, n)
		}
		return scan.Said(ex.codes.Announced(in, i))
	case scan.ExpectRoman:
		o := scan.Said(ex.ordinals.Roman(in, i, in.Rule))
		if o.Tokens > 0 {
			o.Note = ex.furtherRoman(in, i+o.Tokens)
		}
		return o
	case scan.ExpectTime:
		return scan.Said(ex.times.At(in, i, true))
	case scan.ExpectOrdinal:
		return scan.Said(ex.ordinals.AfterNoun(in, i, in.Rule))
	case scan.ExpectYear:
		if o := ex.years.Decade(in, i); o.Tokens > 0 {
			return o
		}
		if o := ex.years.Era(in, i); o.Tokens > 0 {
			return o
		}
		if x, ok := ex.quantities.Number(in, i); ok && len(x.Whole) == 4 && x.Frac == "" && x.Below == "" && !in.Spans(x.End) && in.Closes(x.End) && x.End == i+1 {
			if w, ok := ex.say.Year(x.Whole, ""); ok {
				return scan.Said(w, 1)
			}
		}
	}
	return scan.Outcome{}
}

// code returns the note of a telephone number or a code that the words at i announce,
// nil for none.
func (ex *expecter) code(in *scan.View, i int) *scan.Note {
	if _, n := ex.phoneWord.Match(in, i); n > 0 {
		return ex.linked(in, i+n, scan.ExpectPhone)
	}
	if _, n := ex.pinWord.Match(in, i); n > 0 {
		return ex.linked(in, i+n, scan.ExpectCode)
	}
	if _, n := ex.serialWord.Match(in, i); n > 0 {
		return ex.linked(in, i+n, scan.ExpectSerial)
	}
	return nil
}

// linked returns the note of a code that stands at i or after words such as "no." and
// "is" there.
func (ex *expecter) linked(in *scan.View, i int, kind scan.NoteKind) *scan.Note {
	note := in.Expect(i, kind, "")
	for range 3 {
		_, n := ex.link.Match(in, note.At)
		if n == 0 || !in.Closes(note.At+n) && !in.Is(note.At+n-1, '.') && !in.Token(note.At+n-1).Dense {
			break
		}
		note = in.Expect(note.At+n, kind, "")
	}
	return note
}

// prefix reads a short word that is spoken as one word with the number after it, Amharic
// በ1966. It drops a hyphen between them, Hebrew ב-5.
func (ex *expecter) prefix(in *scan.View, i int) scan.Outcome {
	if !ex.prefixes[in.Text(i)] || !in.Opens(i) {
		return scan.Outcome{}
	}
	j := i + 1
	if in.Is(j, '-') || in.Is(j, '־') {
		j++
	}
	if in.Kind(j) != scan.Digits {
		return scan.Outcome{}
	}
	return scan.Outcome{Words: in.Text(i), Tokens: j - i, Note: &scan.Note{Kind: scan.NoteJoined, At: j}}
}
