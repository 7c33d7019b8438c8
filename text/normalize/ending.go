package normalize

import "strings"

// ending is how a case ending or a clitic joins words: those that end in from
// end in to instead.
type ending struct{ from, to string }

// compileEndings reads the endings that are written to numbers, as in the
// Dravidian languages: 2024-ல், 10ಕ್ಕೆ.
func (n *Normalizer) compileEndings() {
	t := &n.tables
	t.ending = n.wordSet("ending")
	t.inflect = map[string][]ending{}
	for _, r := range n.lex.Rows("suffix") {
		var list []ending
		for part := range strings.SplitSeq(r.Value(1), "|") {
			if from, to, ok := strings.Cut(strings.TrimSpace(part), ">"); ok {
				list = append(list, ending{from, to})
			}
		}
		for s := range strings.FieldsSeq(r[0]) {
			t.inflect[s] = list
		}
	}
}

// inflected returns words with an ending joined to them by the first of its
// changes that fits; ok is false when none does.
func (n *Normalizer) inflected(words, suffix string) (string, bool) {
	if r := lastRune(words); r < 0x900 {
		return "", false // letters of an acronym, or nothing
	}
	for _, e := range n.tables.inflect[suffix] {
		if stem, ok := strings.CutSuffix(words, e.from); ok {
			return stem + e.to, true
		}
	}
	return "", false
}

// endingAt returns how many tokens an ending takes that is written to the token
// before i, with or without a hyphen, and the ending; 0 for none.
func (c *cursor) endingAt(i int) (suffix string, n int) {
	if len(c.tables.inflect) == 0 {
		return "", 0
	}
	if c.is(i, '-') || c.is(i, '‑') || c.kind(i) == space && c.kind(i-1) == digits && looseEnding(c.text(i+1)) {
		n = 1
	}
	suffix = c.text(i + n)
	if c.kind(i+n) != word || c.kind(i+n+1) == digits || c.tables.inflect[suffix] == nil {
		return "", 0
	}
	return suffix, n + 1
}

// looseEnding says that a word is an ending of the south of India that is also
// written apart from its number: those of ordinals, 2024 ஆம் ஆண்டு, and those that
// cannot be spoken alone, 2024 ல்.
func looseEnding(w string) bool {
	switch w {
	case "ஆம்", "ஆவது", "வது", "ல்", "వ", "న", "ನೇ", "ആം", "ന്", "ൽ":
		return true
	}
	return false
}

// withEnding joins the ending that is written to a form of n tokens at i.
func (c *cursor) withEnding(i int, spoken string, n int) (string, int) {
	suffix, m := c.endingAt(i + n)
	if m == 0 {
		return spoken, n
	}
	w, ok := c.inflected(spoken, suffix)
	if !ok {
		return spoken, n
	}
	return w, n + m
}

// fillJoined is fill for a pattern that may end in an ending which is joined to
// what stands before it: {h} {m}-ന്.
func (n *Normalizer) fillJoined(pattern string, value func(name, set string) (string, bool)) (string, bool) {
	p, suffix, found := strings.Cut(pattern, "}-")
	if !found || n.tables.inflect[suffix] == nil {
		return fill(pattern, value)
	}
	w, ok := fill(p+"}", value)
	if !ok {
		return "", false
	}
	return n.inflected(w, suffix)
}

// joined fills two fields of a pattern. An ending may be written to a field with
// a hyphen: {a}-ல் {b}.
func (n *Normalizer) joined(pattern, a, va, b, vb string) string {
	pattern, va = n.joinField(pattern, a, va)
	pattern, vb = n.joinField(pattern, b, vb)
	return fill2(pattern, a, va, b, vb)
}

// joinField takes the ending of a field out of a pattern and joins it to the
// value if it can be.
func (n *Normalizer) joinField(pattern, field, value string) (string, string) {
	before, after, ok := strings.Cut(pattern, field+"-")
	if !ok || len(n.tables.inflect) == 0 {
		return pattern, value
	}
	suffix, rest, _ := strings.Cut(after, " ")
	if n.tables.inflect[suffix] == nil {
		return pattern, value
	}
	if w, ok := n.inflected(value, suffix); ok {
		value = w
	}
	return strings.TrimSpace(before + field + " " + rest), value
}
