package frontend

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/internal/fault"
	"vaak/lang"
	"vaak/text"
	"vaak/text/respell"
)

// Respelling replaces words of a text by their respelling before any other step. The
// zero Respelling changes nothing.
type Respelling struct {
	Dictionaries respell.Dictionaries
	// Request is the language that the scope of rules refers to; zero is the language
	// of the text.
	Request lang.Tag
	// Most is the largest number of code points of the respelled text; 0 is MaxGrowth
	// times those of the text, and at least FreeGrowth.
	Most int
}

// Bounds of a respelled text: MaxGrowth times the code points of the text, but a short
// text may always grow to FreeGrowth code points.
const (
	MaxGrowth  = 4
	FreeGrowth = 64
)

// With returns a Frontend that respells what it prepares.
func (f *Frontend) With(r Respelling) *Frontend {
	with := *f
	with.respelling = r
	return &with
}

// source is a text on its way into the chain.
type source struct {
	text  string   // respelled, with its markup
	back  text.Map // to the caller's text; nil where that is the text
	grown []growth // ascending, one for each place where a rule applies
}

// lead makes a source of a text without Markdown one of the caller's text, to which back
// leads.
func (s *source) lead(back text.Map) {
	for i := range s.grown {
		s.grown[i].Span = back.Back(s.grown[i].Span)
	}
	if s.back == nil {
		s.back = back
		return
	}
	s.back = text.Compose(back, s.back)
}

// growth is by how many code points the text grew where a rule applied. Its span is in
// bytes of the caller's text.
type growth struct {
	respell.Match
	by int
}

// Respelled is how often a rule of a dictionary applies.
func (p Prepared) Respelled() int { return len(p.remainder.grown) }

// Respellings returns where rules of dictionaries apply, in the bytes of the caller's
// text, ascending and apart.
func (p Prepared) Respellings() []respell.Match {
	var all []respell.Match
	for _, g := range p.remainder.grown {
		all = append(all, g.Match)
	}
	return all
}

// Grown returns by how many code points a part of the caller's text grew, or shrank when
// negative, when it was respelled.
func (p Prepared) Grown(in text.Span) int {
	sum := 0
	for _, g := range p.remainder.grown {
		if in.Start <= g.Start && g.Start < in.End {
			sum += g.by
		}
	}
	return sum
}

// respell applies the rules to a text in a language. The error is of kind Invalid and
// code max_character_limit_exceeded when the text grows beyond its bounds.
func (f *Frontend) respell(s string, language lang.Tag) (source, error) {
	r := f.respelling
	if len(r.Dictionaries) == 0 {
		return source{text: s}, nil
	}
	if r.Request.IsZero() {
		r.Request = language
	}
	matches := r.matches(s)
	if len(matches) == 0 {
		return source{text: s}, nil
	}
	was := utf8.RuneCountInString(s)
	most := r.Most
	if most == 0 {
		most = max(MaxGrowth*was, FreeGrowth)
	}
	w := respeller{source: s}
	is := was
	for _, m := range matches {
		by := w.replace(m)
		// Checked after each replacement, so the memory is bounded by what is allowed and
		// not by what the rules ask for.
		if is += by; is > most {
			return source{}, fault.New(fault.Invalid, fault.CodeTextTooLong, "input",
				"the pronunciation dictionary makes %d characters more than %d; at most %d times as many are allowed, or %d for a short text", was, most, MaxGrowth, FreeGrowth)
		}
		w.grown = append(w.grown, growth{m, by})
	}
	w.keep(len(s))
	return source{w.out.String(), w.back.Map(), w.grown}, nil
}

// respeller writes a text with its replacements.
type respeller struct {
	source string
	at     int // how much of it was taken
	out    strings.Builder
	back   text.Builder
	grown  []growth
}

// noTag is written after a "<" that begins no tag, so that a replacement behind it cannot
// make it one. The cleaning of the text removes it.
const noTag = "\u2060"

// keep copies the source up to a byte as it is.
func (w *respeller) keep(to int) {
	for w.at < to {
		i := strings.IndexByte(w.source[w.at:to], '<')
		if i < 0 {
			w.copy(to)
			return
		}
		i += w.at
		if t, ok := readTag(w.source[i:]); ok {
			w.copy(min(i+t.size, to))
			continue
		}
		w.copy(i + 1)
		w.out.WriteString(noTag)
		w.back.Replace(0, len(noTag))
	}
}

func (w *respeller) copy(to int) {
	w.out.WriteString(w.source[w.at:to])
	w.back.Keep(to - w.at)
	w.at = to
}

// replace writes the respelling of a match, and returns by how many code points it is
// longer than the term. It adds a space where the term separated words that its
// respelling would join.
func (w *respeller) replace(m respell.Match) (by int) {
	w.keep(m.Start)
	term := m.In(w.source)
	said := strings.ReplaceAll(m.Respelling, "<", "<"+noTag)
	if joins(lastRune(w.source[:m.Start]), firstRune(term), firstRune(said)) {
		said = " " + said
	}
	if joins(firstRune(w.source[m.End:]), lastRune(term), lastRune(said)) {
		said += " "
	}
	w.out.WriteString(said)
	w.back.Replace(len(term), len(said))
	w.at = m.End
	return utf8.RuneCountInString(said) - utf8.RuneCountInString(term)
}

// joins reports whether a character beside a term would become part of the same word as
// its respelling, but is not of the same word as the term.
func joins(beside, term, said rune) bool {
	return wordy(beside) && !wordy(term) && wordy(said) && !unicode.In(beside, unspaced...) && !unicode.In(said, unspaced...)
}

// wordy reports whether a character is of a word.
func wordy(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N) }

// unspaced are scripts that put no spaces between words.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// matches returns where rules apply to a text. Rules do not see markup: a word continues
// behind a tag that does not separate words, and ends at one that does.
func (r Respelling) matches(s string) []respell.Match {
	if strings.IndexByte(s, '<') < 0 {
		return r.Dictionaries.Find(s, r.Request)
	}
	var all []respell.Match
	for _, p := range untagged(s) {
		for _, m := range r.Dictionaries.Find(p.text, r.Request) {
			m.Span = p.back.Back(m.Span)
			all = append(all, m)
		}
	}
	return all
}

// untagged returns the pieces of a text between the tags that separate words, with the
// other tags removed.
func untagged(s string) []piece {
	var pieces []piece
	var out []byte
	var back text.Builder
	done := 0
	end := func(next int) {
		if len(out) > 0 {
			pieces = append(pieces, piece{text: string(out), back: back.Map()})
		}
		// A new map for each piece, which begins at its place in the text.
		out, back = nil, text.Builder{}
		back.Drop(next)
	}
	for i := 0; i < len(s); {
		if s[i] != '<' {
			i++
			continue
		}
		t, ok := readTag(s[i:])
		if !ok {
			i++
			continue
		}
		out = append(out, s[done:i]...)
		back.Keep(i - done)
		i += t.size
		if done = i; t.separates {
			end(i)
		} else {
			back.Drop(t.size)
		}
	}
	out = append(out, s[done:]...)
	back.Keep(len(s) - done)
	end(len(s))
	return pieces
}
