package accent

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clause is how a part of a text is read.
type Clause struct {
	End   int      // the byte of the text at which it ends
	Words []string // phonemes in IPA, with bars between them
}

// Place says where a word stands, in code points.
type Place struct {
	At         int // in the phonemes
	Start, End int // in the text
}

// Said is a text in the phonemes of a native language, as the library takes them:
// a word in double brackets, and the marks that end clauses.
type Said struct {
	Text   string
	Places []Place // of its words, in order
	Sounds int     // phonemes that there were in the text
	Missed int     // of them, those for which the native language has nothing near
	Cost   float64 // how far those of the native language are from the others, summed
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

// Say returns a text in native phonemes. Clauses are how the library reads it in
// its own language.
func (a *Accent) Say(text string, clauses []Clause) Said {
	s := speech{accent: a}
	from, at := 0, 0
	for _, c := range clauses {
		end := min(max(c.End, from), len(text))
		s.clause(text[from:end], at, c.Words)
		at += utf8.RuneCountInString(text[from:end])
		from = end
	}
	s.said.Text = s.b.String()
	return s.said
}

// speech is a text on its way into phonemes.
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

// clause says the words of a clause, which begins at a code point of the text.
func (s *speech) clause(text string, at int, words []string) {
	any := false
	for _, g := range pair(tokens(text), words) {
		m := s.word(g.word)
		if m == "" {
			continue
		}
		s.put("[[")
		s.said.Places = append(s.said.Places, Place{s.length, at + g.start, at + g.end})
		s.put(m)
		s.put("]] ")
		any = true
	}
	if m := mark(text); any && m != "" {
		s.put(m + " ")
	}
}

// word returns a word in native phonemes.
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

// mark returns the mark that ends a clause as every language of the library knows
// it.
func mark(clause string) string {
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
	case unicode.IsPunct(r):
		return ","
	}
	return ""
}
