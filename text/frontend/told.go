package frontend

import (
	"vaak/lang"
	"vaak/text/segment"
)

// Told is the detected language of a text whose caller did not name one.
type Told struct {
	// Language is the language in which the text is read.
	Language lang.Tag

	letters lang.Tag // the language of the letters or, of words of India, of the words
}

// Memory detects the languages of the texts of one session, one after another. It keeps
// the last language unless a text clearly is in another; see [lang.Memory]. The zero
// Memory is ready. It is not safe for concurrent use.
type Memory struct {
	codes lang.Memory
}

// NewMemory returns a Memory for texts of which something is known besides their letters.
func NewMemory(prior lang.Prior) Memory { return Memory{lang.Memory{Prior: prior}} }

// Tell returns the language of the next text of the session.
func (m *Memory) Tell(s string) Told {
	whole, _ := letters(s)
	code := m.codes.Detect(whole)
	told := Told{Language: inLatin(lang.Tag{Code: code}, whole, m.codes.Prior), letters: lang.Tag{Code: code}}
	if told.Language.Script != "" {
		told.letters = told.Language
	}
	return told
}

// PrepareTold is [Frontend.Prepare] without a hint, for a text whose language was
// detected before: from a longer part of the same sentence, or from earlier texts.
func (f *Frontend) PrepareTold(s string, told Told) (Prepared, error) {
	marked := f.unmark(s)
	whole, found := letters(marked.text)
	return f.begin(marked, told.Language, segment.Told(whole, told.letters, f.prior), found)
}
