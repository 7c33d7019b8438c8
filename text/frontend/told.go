package frontend

import (
	"vaak/lang"
	"vaak/text/segment"
)

// Told is the language that a text is in, as it was told from the text and not
// said by its caller.
type Told struct {
	// Language is the one that the text is read in.
	Language lang.Tag

	letters lang.Code // that the letters tell, whatever the words
}

// Memory tells the languages of the texts of one session, one after another. It
// stays with the language that it told last where a text does not clearly speak
// for another; see [lang.Memory]. The zero Memory is ready. It is not safe for
// concurrent use.
type Memory struct {
	codes lang.Memory
}

// Tell returns the language that the next text of the session is in.
func (m *Memory) Tell(s string) Told {
	whole, _ := letters(s)
	code := m.codes.Detect(whole)
	return Told{Language: inLatin(lang.Tag{Code: code}, whole), letters: code}
}

// PrepareTold is [Frontend.Prepare] without a hint, for a text whose language was
// told before: from more of the same sentence, or from what came before it.
func (f *Frontend) PrepareTold(s string, told Told) (Prepared, error) {
	whole, found := letters(s)
	return f.begin(s, told.Language, segment.Told(whole, lang.Tag{Code: told.letters}), found)
}
