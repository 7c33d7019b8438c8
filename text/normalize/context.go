package normalize

import (
	"strings"
	"unicode"
)

// compileContexts reads the words that tell apart forms which are written alike.
func (n *Normalizer) compileContexts() {
	t := &n.tables
	set := func(key string) map[string]bool {
		m := map[string]bool{}
		for _, w := range n.lex.List(key) {
			m[w] = true
		}
		return m
	}
	t.decadeBefore, t.duringBefore = set("decade.before"), set("duration.before")
	t.rating, t.phoneNot = set("rating.word"), map[string]bool{}
	for _, w := range n.lex.List("phone.not") {
		if ending, ok := strings.CutPrefix(w, "-"); ok {
			t.phoneNotEnding = append(t.phoneNotEnding, ending)
		} else {
			t.phoneNot[w] = true
		}
	}
	t.shout = set("shout.word")
	for _, r := range n.lex.Rows("money") {
		for _, w := range forms(r.Value(1)) {
			t.phoneNot[w] = true
		}
	}
	if n.names.times != "" {
		t.start("x")
	}
}

// named says that the abbreviation of n tokens at i stands before a name: a
// capital follows and none goes before, as in St. Paul and unlike Baker St. in
// London. The capital of the word that begins a sentence does not count.
func (c *cursor) named(i, n int) bool {
	next := i + n
	if c.is(next-1, '.') || c.kind(next) == space {
		next = c.skip(next)
	}
	if next == i+n || !c.capitalized(next) {
		return false
	}
	before := c.back1(i - 1)
	if before == i-1 || !c.capitalized(before) {
		return true
	}
	first := c.back1(before - 1)
	return c.kind(first) != word && c.kind(first) != digits && !c.is(first, ',')
}

// capitalized says that a word that begins with a capital stands at i.
func (c *cursor) capitalized(i int) bool { return c.kind(i) == word && unicode.IsUpper(c.rune(i)) }

// expectCode notes that a telephone number or a code follows when the words at i
// say so.
func (c *cursor) expectCode(i int) {
	if _, n := c.tables.phone.match(c, i); n > 0 {
		c.expect(i+n, expectPhone, "")
	} else if _, n := c.tables.pin.match(c, i); n > 0 {
		c.expect(i+n, expectCode, "")
	}
}

// shortest is the most digits of a telephone number that a noun after it makes a
// number that counts: call 100 people.
const shortest = 5

// countsAfter says that a short number after a word such as phone counts what
// follows.
func (c *cursor) countsAfter(d dial) bool {
	if len(d.groups) != 1 || d.total > shortest || d.plus || d.groups[0][0] == '0' {
		return false
	}
	j := c.skip(d.end)
	if j == d.end {
		return false
	}
	if _, n := c.tables.abbrAfter.match(c, j); n > 0 || c.counted(j) {
		return true
	}
	w := c.text(j)
	if c.kind(j) != word || !c.closes(j+1) {
		return false
	}
	for _, ending := range c.tables.phoneNotEnding {
		if strings.HasSuffix(w, ending) && runeLen(w) > 3 && !c.capitalized(j) {
			return true
		}
	}
	return c.tables.phoneNot[w]
}

// readRating reads one number of another, 3/5 stars and 4.5/5, where a word
// beside it says that something is judged.
func readRating(c *cursor, i int) (string, int) {
	if c.patterns.rating == "" || !c.opens(i) {
		return "", 0
	}
	a := number{whole: arabic(c.text(i)), start: i, end: i + 1}
	if c.fraction(&a); !c.is(a.end, '/') || c.kind(a.end+1) != digits || !c.closes(a.end+2) || c.is(a.end+2, '/') {
		return "", 0
	}
	end := a.end + 2
	before := c.back1(i - 1)
	if c.is(before, ':') {
		before--
	}
	// After its word it is so only of a usual total: he scored 3/4 of the goals.
	if !c.tables.rating[c.text(c.skip(end))] && (!c.tables.rating[c.text(before)] || atoi(arabic(c.text(a.end+1)))%5 != 0) {
		return "", 0
	}
	x, ok := c.say(a, c.cardinal)
	y, ok2 := c.say(number{whole: arabic(c.text(a.end + 1))}, c.cardinal)
	if !ok || !ok2 {
		return "", 0
	}
	return c.joined(c.patterns.rating, "{a}", x, "{b}", y), end - i
}
