package speak

import (
	"strings"

	"vaak/text/normalize/locale"
	"vaak/text/normalize/scan"
)

// ending says how a case ending or clitic changes the word before it: a word that ends
// in from ends in to instead.
type ending struct{ from, to string }

// Endings holds the case endings that are written after numbers and spoken with their
// last word.
type Endings struct {
	inflect map[string][]ending // by the written ending
	marked  []markedEnding
}

// compile reads the endings written directly after numbers, as in the Dravidian
// languages, 2024-ல், 10ಕ್ಕೆ, and those after a mark.
func (en *Endings) compile(lex *locale.Lexicon) {
	en.inflect = map[string][]ending{}
	for _, r := range lex.Rows("suffix") {
		var list []ending
		for part := range strings.SplitSeq(r.Value(1), "|") {
			if from, to, ok := strings.Cut(strings.TrimSpace(part), ">"); ok {
				list = append(list, ending{from, to})
			}
		}
		for s := range strings.FieldsSeq(r[0]) {
			en.inflect[s] = list
		}
	}
	for _, r := range lex.Rows("ending.mark") {
		e := markedEnding{mark: scan.FirstRune(r[0]), drop: r.Value(2)}
		if r.Value(1) != "*" {
			e.endings = r.List(1)
		}
		en.marked = append(en.marked, e)
	}
}

// Inflecting returns the endings that change the word before them.
func (en *Endings) Inflecting() map[string]bool {
	set := make(map[string]bool, len(en.inflect))
	for ending, changes := range en.inflect {
		if changes != nil {
			set[ending] = true
		}
	}
	return set
}

// Inflects reports whether an ending changes the word before it.
func (en *Endings) Inflects(ending string) bool { return en.inflect[ending] != nil }

// Inflect returns words with an ending joined to them. The first change that fits is
// made; ok is false when none fits.
func (en *Endings) Inflect(words, suffix string) (string, bool) {
	if r := scan.LastRune(words); r < 0x900 {
		return "", false // letters of an acronym, or nothing
	}
	for _, e := range en.inflect[suffix] {
		if stem, ok := strings.CutSuffix(words, e.from); ok {
			return stem + e.to, true
		}
	}
	return "", false
}

// WithEnding joins the ending written after a form of n tokens at i to its words. It
// returns the words and how many tokens they stand for.
func (en *Endings) WithEnding(in *scan.View, i int, spoken string, n int) (string, int) {
	suffix, m := in.EndingAt(i + n)
	if m == 0 {
		return spoken, n
	}
	w, ok := en.Inflect(spoken, suffix)
	if !ok {
		return spoken, n
	}
	return w, n + m
}

// Fill is [Fill] for a pattern that may end in an ending, which is joined to the word
// before it: {h} {m}-ന്.
func (en *Endings) Fill(pattern string, value func(name, set string) (string, bool)) (string, bool) {
	// The ending is behind the last field. It is joined after the value is known, since it
	// may change the value's last letters.
	p, suffix, found := strings.Cut(pattern, "}-")
	if !found || en.inflect[suffix] == nil {
		return Fill(pattern, value)
	}
	w, ok := Fill(p+"}", value)
	if !ok {
		return "", false
	}
	return en.Inflect(w, suffix)
}

// Fill2 is [Fill2] for a pattern whose fields may have an ending after a hyphen, which
// is joined to the value: {a}-ல் {b}.
func (en *Endings) Fill2(pattern, a, va, b, vb string) string {
	pattern, va = en.joinField(pattern, a, va)
	pattern, vb = en.joinField(pattern, b, vb)
	return Fill2(pattern, a, va, b, vb)
}

// joinField removes the ending of a field from a pattern and joins it to the value where
// it can.
func (en *Endings) joinField(pattern, field, value string) (string, string) {
	before, after, ok := strings.Cut(pattern, field+"-")
	if !ok || len(en.inflect) == 0 {
		return pattern, value
	}
	suffix, rest, _ := strings.Cut(after, " ")
	if en.inflect[suffix] == nil {
		return pattern, value
	}
	if w, ok := en.Inflect(value, suffix); ok {
		value = w
	}
	return strings.TrimSpace(before + field + " " + rest), value
}
