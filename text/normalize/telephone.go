package normalize

import "strings"

// readTelephone reads telephone numbers that their form gives away.
func readTelephone(c *cursor, i int) outcome {
	if w, n := c.phone(i, false); n > 0 {
		return said(w, n)
	}
	return said(c.shortPhone(i))
}

// shortPhone reads a number of three to five digits before words such as
// "पर कॉल", which say that it is dialled: 112 पर कॉल करें.
func (c *cursor) shortPhone(i int) (string, int) {
	if c.kind(i) != digits || !c.opens(i) || c.kind(i-1) == sign || c.skip(i+1) == i+1 {
		return "", 0
	}
	if n := runeLen(c.text(i)); n < 3 || n > 5 {
		return "", 0
	}
	if _, n := c.tables.phoneAfter.match(c, i+2); n == 0 || !c.closes(i+2+n) {
		return "", 0
	}
	w, ok := c.dialSpell(arabic(c.text(i)))
	if !ok {
		return "", 0
	}
	return w, 1
}

// dial is a telephone number as it was written.
type dial struct {
	plus    bool
	bracket bool // an area code in brackets
	groups  []string
	seps    string // the signs between the groups
	total   int    // digits
	end     int
}

// phone reads a telephone number at i. After a word that says so, any three
// digits are one.
func (c *cursor) phone(i int, told bool) (string, int) {
	r := c.rune(i)
	if c.kind(i) == sign && r != '+' && r != '(' || c.kind(i) != sign && c.kind(i) != digits || !c.opens(i) {
		return "", 0
	}
	if c.kind(i-1) == sign && !wide(c.text(i-1)) && strings.ContainsRune(".,/:-#$₹€£", c.rune(i-1)) && !told {
		return "", 0
	}
	if c.kind(i) == digits && !told && !c.dials(i) {
		return "", 0
	}
	var room [8]string
	d, ok := c.dial(i, room[:0])
	if !ok || !c.dialled(d, told) || told && c.countsAfter(d) {
		return "", 0
	}
	var b strings.Builder
	if d.plus && c.names.phonePlus != "" {
		b.WriteString(c.names.phonePlus + " ")
	}
	for k, g := range d.groups {
		w, ok := c.dialSpell(g)
		if !ok {
			return "", 0
		}
		if k > 0 {
			b.WriteString(", ")
		}
		b.WriteString(w)
	}
	return b.String(), d.end - i
}

// dials says that a first group of digits may begin a telephone number, which
// spares the look at the others.
func (c *cursor) dials(i int) bool {
	switch n := runeLen(c.text(i)); {
	case n >= 10:
		return true
	case zero(c.rune(i)) == c.rune(i):
		return true
	case n == 5:
		return c.rune(i)-zero(c.rune(i)) >= 6
	default:
		return n == 3 || c.text(i) == "1" || n == 4 && (c.rune(i) == '1' || c.beginsForm(c.text(i)))
	}
}

// dial collects the groups of a number.
func (c *cursor) dial(i int, groups []string) (d dial, ok bool) {
	d.groups = groups
	j := i
	if c.is(j, '+') {
		d.plus = true
		j = c.skip(j + 1)
	}
	seps := make([]byte, 0, 8)
	for len(d.groups) < 8 {
		open := c.is(j, '(')
		if open && d.total > 0 && !c.is(j+2, ')') {
			break // words in brackets: +91 98765 43210 (9 am)
		}
		if open {
			d.bracket = true
			j++
		}
		if c.kind(j) != digits || c.toks[j].end-c.toks[j].start > 4*most {
			break
		}
		c.steps++
		g := arabic(c.text(j))
		d.groups, d.total, d.end = append(d.groups, g), d.total+len(g), j+1
		j++
		if open {
			if !c.is(j, ')') {
				return d, false
			}
			j++
			d.end = j
		}
		k := c.between(j)
		if len(d.groups) == 1 && c.is(j, '/') && g[0] == '0' && len(g) > 2 && c.kind(j+1) == digits && runeLen(c.text(j+1)) > 3 {
			k = j + 1 // an area code: 030/123456
		}
		if k == j && len(d.groups) == 1 && g[0] == '0' && len(g) > 1 && (c.is(j, '(') || c.is(j, ')')) && c.kind(j+1) == digits {
			open, d.bracket = true, true // 03(1234)5678, 02)123-4567
			if c.is(j, ')') {
				k = j + 1
			}
		}
		if k == j && !open {
			break
		}
		sep := byte(' ')
		if c.kind(j) == sign {
			sep = byte(c.rune(j))
		}
		if c.kind(k) == digits || c.is(k, '(') && c.kind(k+1) == digits {
			seps = append(seps, sep)
		}
		j = k
	}
	d.seps = string(seps)
	return d, len(d.groups) > 0
}

// between returns the token after what stands between groups: one space, or a
// hyphen or full stop.
func (c *cursor) between(j int) int {
	if k := c.skip(j); k > j {
		if c.is(k, '-') && c.kind(k+1) == space {
			return k + 2
		}
		return k
	}
	if r := c.rune(j); c.kind(j) == sign && (r == '-' || r == '.' || r == '‑' || r == '–') {
		return j + 1
	}
	return j
}

// dialled says that groups of digits are a telephone number.
func (c *cursor) dialled(d dial, told bool) bool {
	if d.total > 15 || !c.closes(d.end) || c.is(d.end, '/') || c.is(d.end, ':') || c.is(d.end, '%') {
		return false
	}
	if told {
		return d.total >= 3 && (len(d.groups) > 1 || len(d.groups[0]) < 15)
	}
	first, n := d.groups[0], len(d.groups)
	switch {
	case d.plus:
		return d.total >= 8 && (n > 1 && len(first) <= 4 || d.total >= 10)
	case d.bracket:
		return d.total >= 7 && n > 1 && len(first) >= 2
	case n == 1 && !c.formed(d):
		return c.phones && d.total == 10 && first[0] >= '6' || d.total == 11 && c.phones && first[0] == '0' && first[1] >= '6'
	case c.formed(d):
		return true
	case uneven(d.seps):
		return false
	case first[0] == '0':
		return d.total >= 9 && len(first) >= 2 && !strings.Contains(d.seps, ".") && len(d.groups[n-1]) >= 2
	case n == 2 && len(first) == 5 && len(d.groups[1]) == 5:
		return first[0] >= '6'
	case first == "1" && n == 4:
		return len(d.groups[1]) == 3 && len(d.groups[3]) == 4
	case first == "1800" || first == "1860":
		return d.total >= 10
	}
	return n == 3 && len(first) == 3 && len(d.groups[1]) == 3 && len(d.groups[2]) == 4
}

// uneven says that groups are parted in more than one way.
func uneven(seps string) bool {
	for i := 1; i < len(seps); i++ {
		if seps[i] != seps[0] && seps[i] != ' ' && seps[0] != ' ' {
			return true
		}
	}
	return false
}

// dialSpell reads the digits of a telephone number.
func (c *cursor) dialSpell(group string) (string, bool) {
	if len(c.tables.phoneDigit) == 0 {
		return c.spell(group)
	}
	words := make([]string, 0, len(group))
	for i := range len(group) {
		w := c.tables.phoneDigit[group[i:i+1]]
		if w == "" {
			w = c.digit[group[i]-'0']
		}
		if w == "" {
			return "", false
		}
		words = append(words, w)
	}
	if _, dense := classify(firstRune(words[0])); dense {
		return strings.Join(words, ""), true
	}
	return c.join(words...), true
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
