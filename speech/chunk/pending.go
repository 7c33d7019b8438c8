package chunk

import "slices"

// unit is a word with the spaces and marks up to the next word. Chunks end with units.
type unit struct {
	end      int // offset of its end in the text of the session, in bytes
	count    int // the same in code points
	boundary boundary
}

// boundary tells what ends with a unit. A greater boundary replaces a smaller one.
type boundary uint8

const (
	wordEnd boundary = iota
	clauseEnd
	cutEnd      // a chunk, but not its sentence
	sentenceEnd // a chunk and its sentence
	flushEnd    // a chunk, because the caller asked for it
)

// pending is the text that was added and not yet returned, in units. Offsets count from the
// start of the session, so they stay valid when text is dropped.
type pending struct {
	text   []byte // from offset start to offset end
	start  int    // bytes that were returned
	end    int    // bytes that were added
	inkEnd int    // end of the last character that is not a space

	added    int // code points that were added
	returned int // code points that were returned

	units    []unit
	unitsEnd int // end of the last unit; the text after it is an unfinished word
	cuts     int // units with a boundary of at least cutEnd

	// Of the current sentence, in code points: the end of its last chunk, and the end of its
	// last clause after that.
	cutCount, clauseCount int
}

// Limits of the pieces of a long sentence, in code points. A sentence longer than
// longSentence is cut at the end of a clause if the piece is at least shortClause long. One
// longer than longClause is cut after any word that has lookahead words after it.
const (
	longSentence = 300
	shortClause  = 100
	longClause   = 400
	lookahead    = 2
)

// slice returns the text between two offsets.
func (l *pending) slice(from, to int) []byte { return l.text[from-l.start : to-l.start] }

// add adds a character.
func (l *pending) add(s string, space bool) {
	l.text = append(l.text, s...)
	l.end += len(s)
	l.added++
	if !space {
		l.inkEnd = l.end
	}
}

// blank reports whether there are only spaces after the last unit.
func (l *pending) blank() bool { return l.inkEnd <= l.unitsEnd }

// lastUnitOpen reports whether there is a last unit and no chunk ends with it.
func (l *pending) lastUnitOpen() bool {
	n := len(l.units)
	return n > 0 && l.units[n-1].boundary < cutEnd
}

// close makes a unit of the text after the last one. A text that is not spoken is joined
// to the unit before. It stays for the next unit if it leads that one, if there is no unit
// before, or if a chunk must end here. close does nothing if there are only spaces: they
// stay for the next unit.
func (l *pending) close(end boundary, spoken, leads bool) {
	if l.blank() {
		return
	}
	n := len(l.units)
	switch {
	// Trailing marks and further digits belong to the last unit.
	case l.lastUnitOpen() && (!spoken && !leads || l.isGroup()):
		n--
		l.units[n].end, l.units[n].count = l.end, l.added
	// Leading marks wait for the word that they lead.
	case !spoken && end < cutEnd:
		return
	default:
		l.units = append(l.units, unit{end: l.end, count: l.added})
	}
	l.unitsEnd = l.end
	l.raise(n, end)
}

// raise sets the boundary of unit i to end if that is greater.
func (l *pending) raise(i int, end boundary) {
	u := &l.units[i]
	if end <= u.boundary {
		return
	}
	if end >= cutEnd && u.boundary < cutEnd {
		l.cuts++
	}
	u.boundary = end
	switch {
	case end >= cutEnd:
		// A new sentence or piece begins here; the lengths in cutLong count from it.
		l.cutCount = max(l.cutCount, u.count)
	case end == clauseEnd:
		l.clauseCount = u.count
	}
}

// cutLong cuts the current sentence if it is too long. It looks at whole units only, so
// the result does not depend on how the text was split into fragments.
func (l *pending) cutLong() {
	n := len(l.units)
	if n == 0 || l.units[n-1].boundary >= cutEnd {
		return
	}
	switch length := l.added - l.cutCount; {
	case length > longSentence && l.clauseCount-l.cutCount >= shortClause:
		l.raise(l.unitEndingAt(l.clauseCount), cutEnd)
	case length > longClause && n > lookahead && l.units[n-1-lookahead].count > l.cutCount:
		l.raise(n-1-lookahead, cutEnd)
	}
}

// unitEndingAt returns the index of the unit that ends after count code points.
func (l *pending) unitEndingAt(count int) int {
	i, _ := slices.BinarySearchFunc(l.units, count, func(u unit, count int) int { return u.count - count })
	return i
}

// isGroup reports whether the text after the last unit is a group of three digits that
// continues a number, as in "10 000".
func (l *pending) isGroup() bool {
	s := l.slice(l.unitsEnd, l.end)
	if len(s) < 3 || !isDigits(s[:3]) || len(s) > 3 && isDigits(s[3:4]) {
		return false
	}
	// The number must stand at the end of the unit before, with one space and one to three
	// digits. The limit of 20 bytes keeps the work constant for absurdly long "numbers".
	from := l.start
	if n := len(l.units); n > 1 {
		from = l.units[n-2].end
	}
	before := l.slice(from, l.unitsEnd)
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

// drop removes the first n units, which were returned, and their text.
func (l *pending) drop(n int) {
	last := l.units[n-1]
	for _, u := range l.units[:n] {
		if u.boundary >= cutEnd {
			l.cuts--
		}
	}
	// Slicing forward is enough: append moves the text to a new array when this one is full.
	l.text = l.text[last.end-l.start:]
	l.start, l.returned = last.end, last.count
	l.units = l.units[n:]
	l.cutCount = max(l.cutCount, last.count)
}

// attachSpaces adds the spaces after the last unit to it, or makes a unit of them if there
// is none, so that the chunks add up to the text.
func (l *pending) attachSpaces() {
	if l.unitsEnd == l.end {
		return
	}
	if n := len(l.units); n > 0 {
		l.units[n-1].end, l.units[n-1].count = l.end, l.added
	} else {
		l.units = append(l.units, unit{end: l.end, count: l.added})
		l.raise(0, flushEnd)
	}
	l.unitsEnd = l.end
}

// waiting returns how many code points have not been returned.
func (l *pending) waiting() int { return l.added - l.returned }

// unended returns how many code points stand after the last unit.
func (l *pending) unended() int {
	if n := len(l.units); n > 0 {
		return l.added - l.units[n-1].count
	}
	return l.waiting()
}
