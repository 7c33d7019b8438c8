package frontend

import (
	"vaak/lang"
	"vaak/text/normalize"
	"vaak/text/segment"
)

// EndsSentence reports whether the run ends where a sentence does, so that a
// pause belongs between it and the next.
func (r Run) EndsSentence() bool { return EndsSentence(r.Text) }

// EndsSentence reports whether a text ends where a sentence does.
func EndsSentence(s string) bool { return segment.EndsSentence(s) }

// Abbreviation reports whether a word with its full stops is a usual
// abbreviation of a language.
func Abbreviation(code lang.Code, word string) bool { return normalize.Abbreviation(code, word) }
