package normalize

import (
	"strings"
	"unicode"
)

// nouns tell which rule set a plain number takes from the word after it.
type nouns struct {
	not       map[string]bool // words after a number that are not what it counts
	lower     bool            // words with a capital or a digit are not what it counts
	link      map[string]bool // words between a number and what it counts
	whole     map[string]noun
	ending    map[string]noun
	beginning map[string]noun
	longest   int   // the longest ending or beginning, in bytes
	other     *noun // any other word, nil where it tells nothing
}

// noun is what a noun says of the number before it.
type noun struct {
	set    string
	last   bool            // of a range only the last number takes the set
	except map[string]bool // words that it does not hold for
}

// compileNouns reads the words that a plain number agrees with.
func (n *Normalizer) compileNouns() {
	t := &n.tables.nouns
	t.not, t.link = n.wordSet("counting.except"), n.wordSet("counting.link")
	t.lower = t.not["^"]
	t.whole, t.ending, t.beginning = map[string]noun{}, map[string]noun{}, map[string]noun{}
	for _, r := range n.lex.Rows("counting.noun") {
		v := noun{set: n.firstSet(r.Value(1), n.cardinal), except: r.Set(2), last: r.Value(3) == "last"}
		for _, w := range r.List(0) {
			t.add(w, v)
		}
	}
}

// add puts in a noun as files write it: a whole word, an -ending, a beginning-,
// or * for any other word.
func (t *nouns) add(written string, v noun) {
	ending, ends := strings.CutPrefix(written, "-")
	beginning, begins := strings.CutSuffix(written, "-")
	switch {
	case written == "*":
		t.other = &v
	case ends:
		t.ending[ending] = v
		t.longest = max(t.longest, len(ending))
	case begins:
		t.beginning[beginning] = v
		t.longest = max(t.longest, len(beginning))
	default:
		t.whole[written] = v
	}
}

// of returns what a word says, by the most of it that is known; ok is false when
// it says nothing.
func (t *nouns) of(w string) (v noun, ok bool) {
	if v, ok = t.whole[w]; ok && !v.except[w] {
		return v, true
	}
	for size := min(t.longest, len(w)); size > 0; size-- {
		if v, ok = t.ending[w[len(w)-size:]]; ok && !v.except[w] {
			return v, true
		}
		if v, ok = t.beginning[w[:size]]; ok && !v.except[w] {
			return v, true
		}
	}
	if t.other == nil || t.other.except[w] {
		return noun{}, false
	}
	return *t.other, true
}

// numbers says that the sign of an abbreviated word for number stands before the
// one at i, so that it counts nothing.
func (c *cursor) numbers(i int) bool {
	j := c.back1(i - 1)
	return c.kind(j) == sign && strings.ContainsRune("°º№#", c.rune(j)) && c.kind(c.back1(j-1)) != digits
}

// agreement returns what the noun after a plain number that ends at i says of it
// (es "21 personas": veintiuna); the plain rule set when no noun follows or the
// language does not ask for it.
func (c *cursor) agreement(i int) noun {
	t, plain := &c.tables.nouns, noun{set: c.cardinal}
	if c.kind(i) == space && t.link[c.text(i+1)] {
		i += 2
	}
	w := c.text(i + 1)
	if c.kind(i) != space || c.kind(i+1) != word || t.not[w] {
		return plain
	}
	if t.lower && (!c.closes(i+2) || unicode.ToLower(c.rune(i+1)) != c.rune(i+1)) {
		return plain
	}
	if v, ok := t.of(w); ok {
		return v
	}
	return plain
}
