package lang

// Memory tells the language of the texts of one session, one after another,
// and keeps to what it told when a text is too short or too plain to say
// otherwise. The zero value is ready. It is not safe for concurrent use.
type Memory struct {
	last Code
	in   [numScripts]Code // the language told last for each script
}

// What a text must have to change the language of a session.
const (
	clearLead    = 16 // levels of the table, about 12 nats, if the last language writes its script
	clearLetters = 12 // if they are Latin and the last language does not write them
)

// Detect tells the language of the session's next text as [Detect] does, but
// stays with the language that it told last where the text does not clearly
// speak for another: it has no letters of a supported language; the last language writes its script too and comes close; or it is a word or two in a
// script that many languages write, such as "OK" in Latin letters.
func (m *Memory) Detect(text string) Code {
	var t tally
	t.take(text)
	s := t.majority()
	before := m.in[s]
	if last, _ := Lookup(m.last); last.Writes(scriptNames[s].iso) {
		before = m.last
	}
	v := t.decide(s, text)
	switch {
	case m.last == "":
	case s == unknown, s == latin && before == "" && t.letters[s] < clearLetters:
		return m.last
	case before != "" && v.lead(before) < clearLead:
		m.last = before
		return before
	}
	m.last = v.best()
	m.in[s] = m.last
	return m.last
}
