package accent

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clause tells how a part of a text is read.
type Clause struct {
	End   int      // the offset in the text at which it ends
	Words []string // the phonemes of each word in IPA, with bars between them
}

// Place tells where a word stands, in code points.
type Place struct {
	At         int // in the phonemes
	Start, End int // in the text
}

// Said is a text in the phonemes of a native language, as the library accepts it: each word in
// double brackets, and the marks that end clauses.
type Said struct {
	Text   string
	Places []Place // of the words, in order
	Sounds int     // phonemes in the text
	Missed int     // phonemes for which the native language has nothing near
	Cost   float64 // sum of the distances from the phonemes of the text
}

// Mnemonics returns the phonemes of each word.
func (s Said) Mnemonics() [][]string {
	var words [][]string
	for _, rest := range strings.Split(s.Text, "[[")[1:] {
		word, _, _ := strings.Cut(rest, "]]")
		words = append(words, strings.Split(word, "|"))
	}
	return words
}

// Say returns a text in native phonemes. clauses tell how the library reads the text in its own
// language.
func (a *Accent) Say(text string, clauses []Clause) Said {
	s := speech{accent: a}
	from, at := 0, 0
	for _, c := range clauses {
		// Ends come from another process, so keep them in order and in range.
		end := min(max(c.End, from), len(text))
		s.clause(text[from:end], at, c.Words)
		at += utf8.RuneCountInString(text[from:end])
		from = end
	}
	s.said.Text = s.b.String()
	return s.said
}

// speech builds a Said.
type speech struct {
	accent *Accent
	said   Said
	b      strings.Builder
	length int // of b, in code points
}

func (s *speech) put(text string) {
	s.b.WriteString(text)
	s.length += utf8.RuneCountInString(text)
}

// clause adds the words of a clause, which begins at code point at of the text.
func (s *speech) clause(text string, at int, words []string) {
	any := false
	for _, g := range pair(tokens(text), words) {
		m := s.word(g.word)
		// A word without sounds gets no brackets: the library would read them aloud.
		if m == "" {
			continue
		}
		s.put("[[")
		s.said.Places = append(s.said.Places, Place{s.length, at + g.start, at + g.end})
		s.put(m)
		s.put("]] ")
		any = true
	}
	if m := clauseMark(text); any && m != "" {
		s.put(m + " ")
	}
}

// word returns a word in native phonemes, with bars between them.
func (s *speech) word(ipa string) string {
	var all []string
	for _, phoneme := range Phonemes(ipa) {
		r, ok := s.accent.Render(phoneme)
		s.said.Sounds++
		s.said.Cost += r.Cost
		if !ok {
			s.said.Missed++
		}
		if r.Mnemonics != "" {
			all = append(all, r.Mnemonics)
		}
	}
	return strings.Join(all, "|")
}

// clauseMark returns the mark with which a clause ends, in a form that the library knows in every
// language.
func clauseMark(clause string) string {
	// Cut off what may follow the mark, such as quotation marks and brackets.
	clause = strings.TrimRightFunc(clause, func(r rune) bool {
		return !unicode.Is(unicode.Terminal_Punctuation, r) && !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r) && !unicode.Is(unicode.Pd, r) && r != '…'
	})
	switch r, _ := utf8.DecodeLastRuneInString(clause); {
	case strings.ContainsRune("?؟？\u037e⁇⸮՞፧", r):
		return "?"
	case strings.ContainsRune("!！՜‼", r):
		return "!"
	case strings.ContainsRune(".।॥。．۔።։…᱾᱿꯫", r):
		return "."
	// Any other punctuation is a short pause.
	case unicode.IsPunct(r):
		return ","
	}
	return ""
}
