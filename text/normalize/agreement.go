package normalize

import "strings"

// nouns tell which rule set a plain number takes from the word after it.
type nouns struct {
	except  map[string]bool // words after a number that are not what it counts
	link    map[string]bool // words between a number and what it counts
	plain   string          // the rule set before a noun whose ending tells nothing
	ending  map[string]noun // by a word's ending or the whole word
	longest int             // the longest of the endings, in bytes
}

// noun is what an ending says: the rule set, and words that it does not hold for.
type noun struct {
	set    string
	except map[string]bool
}

// compileNouns reads the words that a plain number agrees with.
func (n *Normalizer) compileNouns() {
	t := &n.tables.nouns
	if rows := n.lex.Rows("counting.except"); len(rows) > 0 {
		t.except = set(n.lex.List("counting.except"))
	}
	t.link = set(n.lex.List("counting.link"))
	t.plain = n.firstSet(n.lex.Word("counting.plain"), n.counting)
	rows := n.lex.Rows("counting.ending")
	t.ending = make(map[string]noun, len(rows))
	for _, r := range rows {
		v := noun{set: r.Value(1), except: set(r.List(2))}
		for _, e := range r.List(0) {
			t.ending[e] = v
			t.longest = max(t.longest, len(e))
		}
	}
}

// set returns the items of a list as a set.
func set(items []string) map[string]bool {
	m := make(map[string]bool, len(items))
	for _, s := range items {
		m[s] = true
	}
	return m
}

// agreement returns the rule set of a plain number by the noun after it, as its
// ending tells the gender (es "21 personas": veintiuna); "" when no noun
// follows or the language does not ask for it.
func (c *cursor) agreement(q quantity) string {
	t := &c.tables.nouns
	j := q.end
	if t.except != nil && c.kind(j) == space && t.link[c.text(j+1)] {
		j += 2
	}
	if t.except == nil || q.scale != "" || c.kind(j) != space || c.kind(j+1) != word || !c.closes(j+2) {
		return ""
	}
	w := c.text(j + 1)
	if r := firstRune(w); t.except[w] || r != firstRune(strings.ToLower(string(r))) {
		return ""
	}
	for k := max(0, len(w)-t.longest); k < len(w); k++ {
		if v, ok := t.ending[w[k:]]; ok && !v.except[w] {
			return c.firstSet(v.set, t.plain)
		}
	}
	return t.plain
}
