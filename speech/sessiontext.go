package speech

import (
	"unicode/utf8"

	"vaak/text"
	"vaak/text/frontend"
	"vaak/text/markdown"
)

// sessionText is all text of a session: as the caller adds it, and as it is read, without
// Markdown. The chunker and the front end see only the text that is read. What is charged,
// timed and told to the caller is the added text.
type sessionText struct {
	added  []byte
	reader *markdown.Reader // nil if the text is read as it is added
	ended  bool
}

func newSessionText(style frontend.Style) sessionText {
	if style.PlainText {
		return sessionText{}
	}
	return sessionText{reader: markdown.New(markdown.Options{FullAddresses: style.FullAddresses})}
}

// add adds text and returns what is to be read by then.
func (t *sessionText) add(s string) string {
	t.added = append(t.added, s...)
	if t.reader == nil {
		return s
	}
	t.reader.Add(s)
	return t.reader.Take()
}

// flush returns what is still to be read of the text so far.
func (t *sessionText) flush() string {
	if t.reader == nil {
		return ""
	}
	t.reader.Flush()
	return t.reader.Take()
}

// waiting returns how many code points were added of which it is not known how they are
// read.
func (t *sessionText) waiting() int {
	if t.reader == nil {
		return 0
	}
	return t.reader.Waiting()
}

// place returns where in the added text a place in the text that is read is. What is left
// out belongs to the text before it.
func (t *sessionText) place(read int) int {
	if t.reader == nil {
		return read
	}
	m := t.reader.Map()
	switch {
	case read < m.Len():
		return m.Back(text.Span{Start: read, End: read}).Start
	case t.ended:
		return len(t.added)
	case len(m) == 0:
		return 0
	}
	return m[len(m)-1].In.End
}

// back returns the map from a part of the text that is read to a part of the added text, which
// is made from it; nil if they are the same.
func (t *sessionText) back(read, added text.Span) text.Map {
	if t.reader == nil {
		return nil
	}
	m := t.reader.Map().Slice(read)
	for i := range m {
		in := &m[i].In
		// The first or last piece may reach beyond the part, when it was cut in a formula.
		if in.Start < added.Start || in.End > added.End {
			m[i].Verbatim = false
			in.Start = min(max(in.Start, added.Start), added.End)
			in.End = min(max(in.End, added.Start), added.End)
		}
		*in = in.Shift(-added.Start)
	}
	return m
}

// written is the text of a session that a run takes from the chunker and says.
type written struct {
	taken    int // bytes of the text that is read, which were taken
	said     int // bytes of it that were said
	reserved int // bytes of the added text that are to be in the hold
	told     int // bytes of the added text that were said
}

// take records that so many bytes more of the text that is read were taken, and returns how
// many code points of the added text they are.
func (s *Session) take(w *written, bytes int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.taken += bytes
	return s.upTo(&w.reserved, s.text.place(w.taken))
}

// takeAll returns how many code points of the added text are left after the last chunk.
func (s *Session) takeAll(w *written) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.upTo(&w.reserved, len(s.text.added))
}

// upTo returns the code points of the added text between two places, and goes on to the
// second. s.mu is held.
func (s *Session) upTo(from *int, to int) int {
	to = max(to, *from)
	n := utf8.RuneCount(s.text.added[*from:to])
	*from = to
	return n
}

// say records that so many bytes more of the text that is read are said. It returns the part
// of the added text that they are, and the map to it, nil if it is the same.
func (s *Session) say(w *written, bytes int) (string, text.Map) {
	s.mu.Lock()
	defer s.mu.Unlock()
	read := text.Span{Start: w.said, End: w.said + bytes}
	added := text.Span{Start: w.told, End: max(w.told, s.text.place(read.End))}
	w.said, w.told = read.End, added.End
	return string(s.text.added[added.Start:added.End]), s.text.back(read, added)
}

// rest returns the added text that was not said.
func (s *Session) rest(w *written) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.text.added[w.told:])
}
