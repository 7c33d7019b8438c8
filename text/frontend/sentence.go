package frontend

import (
	"iter"

	"vaak/lang"
	"vaak/text"
	"vaak/text/normalize"
	"vaak/text/segment"
)

// EndsSentence reports whether the run ends where a sentence does, so that a
// pause belongs between it and the next.
func (r Run) EndsSentence() bool { return EndsSentence(r.Text) }

// EndsSentence reports whether a text ends where a sentence does.
func EndsSentence(s string) bool { return segment.EndsSentence(s) }

// Sentences returns the sentences of a text in a language, which together are
// the whole text.
func Sentences(s string, code lang.Code) iter.Seq[text.Span] {
	return segment.Sentences(s, func(word string) bool { return Abbreviation(code, word) })
}

// Abbreviation reports whether a word with its full stops is an abbreviation of a language
// behind which the next character alone does not tell that the sentence ended.
func Abbreviation(code lang.Code, word string) bool { return normalize.Abbreviation(code, word) }
