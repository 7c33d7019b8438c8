package lang

// Memory detects the language of the texts of a session, one after another. If a text is too
// short or too unspecific, or has only names, it keeps the language of the text before. The zero
// value is ready to use. It is not safe for concurrent use.
type Memory struct {
	// Prior is what else is known of the languages of the session.
	Prior Prior

	last Code
	in   [numScripts]Code // the last language detected in each script
}

// What a text needs to change the language of a session.
const (
	clearLead    = 20 // lead in levels, 15 nats, if the last language writes the same script
	clearLetters = 12 // letters, if they are Latin and the last language does not write Latin
)

// Detect returns the language of the session's next text. It keeps the last language in four
// cases: the text has no letters of an offered language; the last language writes the same
// script and its score is close to the best; the text has only names, in letters of the last
// language or in Latin ones; or it is a word or two in Latin letters, such as "OK", which occur
// in every language.
func (m *Memory) Detect(text string) Code {
	var t tally
	t.count(text)
	s := t.majority(&m.Prior)
	// The language to keep: the last one if it writes this script, otherwise the one that
	// was last detected in it.
	before := m.in[s]
	if writes(m.last, s) {
		before = m.last
	}
	v := t.decide(s, text, &m.Prior)
	switch {
	case m.last == "":
	case s == unknown, s == latin && before == "" && (t.letters[s] < clearLetters || v.silent || v.bare):
		return m.last
	case before != "" && (v.silent || v.lead(before) < clearLead):
		m.last = before
		return before
	}
	m.last = v.best()
	m.in[s] = m.last
	return m.last
}
