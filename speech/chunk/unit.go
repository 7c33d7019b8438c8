package chunk

import "slices"

// unit is a word with the spaces and marks up to the next one.
type unit struct {
	end   int // bytes of the session up to its end
	count int // code points up to there
	stop  stop
}

// stop says what ends with a unit, the greater the later.
type stop uint8

const (
	wordEnd stop = iota
	clauseEnd
	cutEnd      // a chunk ends here and its sentence goes on
	sentenceEnd // or is over
	flushEnd
)

// line is the text that was added and not returned, in units.
type line struct {
	text  []byte // from start on
	start int    // bytes that were returned
	end   int    // bytes that were added
	ink   int    // bytes up to the end of the last character that is no space

	counted  int // code points that were added
	returned int // code points that were returned

	units  []unit
	opened int // bytes up to the end of the last unit
	stops  int // units that end a chunk at least

	// Of the sentence at hand: code points up to its last cut, and to the end of
	// its last clause after that.
	from, clause int
}

// Bounds of the pieces of a long sentence, in code points: beyond longSentence it
// is cut at the end of a clause that is no shorter than shortClause; beyond
// longClause at any word, with heldBack words as lookahead.
const (
	longSentence = 300
	shortClause  = 100
	longClause   = 400
	heldBack     = 2
)

// slice returns the text between two places of the session.
func (l *line) slice(from, to int) []byte { return l.text[from-l.start : to-l.start] }

// add adds a character.
func (l *line) add(s string, space bool) {
	l.text = append(l.text, s...)
	l.end += len(s)
	l.counted++
	if !space {
		l.ink = l.end
	}
}

// blank says that there is nothing but spaces behind the last unit.
func (l *line) blank() bool { return l.ink <= l.opened }

// inner says that the last unit is not returned, and no chunk ends with it.
func (l *line) inner() bool {
	n := len(l.units)
	return n > 0 && l.units[n-1].stop < cutEnd
}

// close ends the unit at hand. What is not spoken goes on the unit before, unless
// it leads the one after, as it does if there is no other, or a chunk must end
// here. It does nothing for spaces alone: those wait for the next unit.
func (l *line) close(end stop, spoken, leads bool) {
	if l.blank() {
		return
	}
	n := len(l.units)
	switch {
	case l.inner() && (!spoken && !leads || l.isGroup()):
		n--
		l.units[n].end, l.units[n].count = l.end, l.counted
	case !spoken && end < cutEnd:
		return
	default:
		l.units = append(l.units, unit{end: l.end, count: l.counted})
	}
	l.opened = l.end
	l.stop(n, end)
}

// stop raises what ends with a unit.
func (l *line) stop(i int, end stop) {
	u := &l.units[i]
	if end <= u.stop {
		return
	}
	if end >= cutEnd && u.stop < cutEnd {
		l.stops++
	}
	u.stop = end
	switch {
	case end >= cutEnd:
		l.from = max(l.from, u.count)
	case end == clauseEnd:
		l.clause = u.count
	}
}

// bound cuts a sentence that is too long. It looks at whole units only, so that
// it does the same however the text was cut into fragments.
func (l *line) bound() {
	n := len(l.units)
	if n == 0 || l.units[n-1].stop >= cutEnd {
		return
	}
	switch length := l.counted - l.from; {
	case length > longSentence && l.clause-l.from >= shortClause:
		l.stop(l.at(l.clause), cutEnd)
	case length > longClause && n > heldBack && l.units[n-1-heldBack].count > l.from:
		l.stop(n-1-heldBack, cutEnd)
	}
}

// at returns the unit that ends after so many code points.
func (l *line) at(count int) int {
	i, _ := slices.BinarySearchFunc(l.units, count, func(u unit, count int) int { return u.count - count })
	return i
}

// isGroup says that the unit at hand is three digits that go on a number, as in
// "10 000". It looks at the few bytes there, of numbers of a sane length.
func (l *line) isGroup() bool {
	s := l.slice(l.opened, l.end)
	if len(s) < 3 || !isDigits(s[:3]) || len(s) > 3 && isDigits(s[3:4]) {
		return false
	}
	from := l.start
	if n := len(l.units); n > 1 {
		from = l.units[n-2].end
	}
	before := l.slice(from, l.opened)
	n := len(before)
	if n < 2 || n > 20 || before[n-1] != ' ' {
		return false
	}
	digits := 0
	for digits < n-1 && isDigits(before[n-2-digits:n-1-digits]) {
		digits++
	}
	return 1 <= digits && digits <= 3
}

func isDigits(s []byte) bool {
	for _, b := range s {
		if b < '0' || '9' < b {
			return false
		}
	}
	return true
}

// drop forgets the first units, which were returned, and with them their text.
func (l *line) drop(n int) {
	last := l.units[n-1]
	for _, u := range l.units[:n] {
		if u.stop >= cutEnd {
			l.stops--
		}
	}
	l.text = l.text[last.end-l.start:]
	l.start, l.returned = last.end, last.count
	l.units = l.units[n:]
	l.from = max(l.from, last.count)
}

// rest has the spaces behind the last unit belong to it, or to one of their own.
func (l *line) rest() {
	if l.opened == l.end {
		return
	}
	if n := len(l.units); n > 0 {
		l.units[n-1].end, l.units[n-1].count = l.end, l.counted
	} else {
		l.units = append(l.units, unit{end: l.end, count: l.counted})
		l.stop(0, flushEnd)
	}
	l.opened = l.end
}

// waiting returns how many code points were not returned.
func (l *line) waiting() int { return l.counted - l.returned }

// unended returns how many code points there are behind the last unit.
func (l *line) unended() int {
	if n := len(l.units); n > 0 {
		return l.counted - l.units[n-1].count
	}
	return l.waiting()
}
