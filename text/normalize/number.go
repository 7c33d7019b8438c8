package normalize

import "strings"

// number is a written number.
type number struct {
	minus  bool
	whole  string // ASCII digits, at least one unless there is a fraction
	frac   string // digits after the point
	above  string // of a fraction that stands alone or after the whole
	below  string
	lakhs  bool // grouped the Indian way
	groups bool
	by     rune // parts the groups
	start  int  // its first token, without the sign
	end    int  // the token after it
}

// decimal returns the number as rules read it, without its fraction.
func (n number) decimal() string {
	s := n.whole
	if n.frac != "" {
		s += "." + n.frac
	}
	if n.minus {
		s = "-" + s
	}
	return s
}

// number reads the number at a token, without a sign. The last one is kept, as
// several recognizers look at it.
func (c *cursor) number(i int) (n number, ok bool) {
	if i == c.last.start && c.last.end > 0 {
		return c.last, true
	}
	if n, ok = c.parseNumber(i); ok {
		c.last = n
	}
	return n, ok
}

func (c *cursor) parseNumber(i int) (n number, ok bool) {
	n.start = i
	if a, b, ok := vulgar(c.rune(i)); ok {
		n.above, n.below, n.end = a, b, i+1
		return n, true
	}
	if c.leadingPoint(i) {
		n.whole, n.frac, n.end = "0", arabic(c.text(i+1)), i+2
		return n, true
	}
	if c.kind(i) != digits {
		return n, false
	}
	n.whole, n.end = arabic(c.text(i)), i+1
	c.simple(i, &n)
	if n.below != "" {
		return n, true
	}
	c.grouping(&n)
	c.fraction(&n)
	if n.frac == "" {
		c.vulgarAfter(&n)
	}
	return n, true
}

// leadingPoint says that a decimal without a whole part is at i: .5
func (c *cursor) leadingPoint(i int) bool {
	if !c.is(i, '.') || c.kind(i+1) != digits || c.is(i+2, '.') && c.kind(i+3) == digits {
		return false
	}
	k := c.kind(i - 1)
	return k == 0 || k == space || k == sign && strings.ContainsRune("(-−+$€£₹¥", c.rune(i-1))
}

// grouping reads on over groups of digits.
func (c *cursor) grouping(n *number) {
	if len(n.whole) > 3 || n.whole[0] == '0' || c.kind(n.end+1) != digits {
		return
	}
	sep, j, parts, two := c.rune(n.end), n.end, 0, 0
	if !groupSign(sep) || wide(c.text(n.end)) && c.rune(n.start) < '０' {
		return
	}
	last := 0
	for parts < 8 && c.rune(j) == sep && c.kind(j+1) == digits && (c.kind(j) == sign || c.text(j) == string(sep)) {
		c.steps++
		last = runeLen(c.text(j + 1))
		if last > 3 || last < 2 {
			return
		}
		if last == 2 {
			two++
		}
		parts++
		j += 2
	}
	if parts == 0 || last != 3 || two > 0 && (two != parts-1 || sep != ',' || len(n.whole) > 2) || !c.groups(sep, parts) && !c.elsewhere(sep, j) {
		return
	}
	for k := n.end + 1; k < j; k += 2 {
		n.whole += arabic(c.text(k))
	}
	n.end, n.groups, n.lakhs, n.by = j, true, two > 0, sep
}

// elsewhere says that groups parted by a full stop or a comma end at j before the
// other of the two and digits: 1.250,50 is a number also where 1,250.50 is usual.
func (c *cursor) elsewhere(sep rune, j int) bool {
	return (sep == '.' && c.is(j, ',') || sep == ',' && c.is(j, '.')) && c.kind(j+1) == digits &&
		!(c.rune(j+2) == c.rune(j) && c.kind(j+3) == digits)
}

// wide says that a sign is of full width, which between narrow digits parts
// sentences and lists.
func wide(s string) bool { r := firstRune(s); return r >= '！' && r <= '～' }

// groupSign says that a rune parts groups of digits somewhere.
func groupSign(r rune) bool {
	switch r {
	case ',', '.', '\'', '’', ' ', '\u00a0', '\u202f', '\u2009', '٬', '،':
		return true
	}
	return false
}

// groups says whether so many groups parted by a sign are one number here.
func (c *cursor) groups(sep rune, parts int) bool {
	group := firstRune(c.loc.Group)
	switch sep {
	case ',':
		return c.loc.Decimal != "," || parts > 1
	case '.':
		return group == '.' || c.loc.Decimal == "," && parts > 1
	case ' ':
		return group == '\u00a0' || group == '\u202f' || group == ' '
	}
	return true
}

// fraction reads the digits after a decimal sign.
func (c *cursor) fraction(n *number) {
	sep := c.rune(n.end)
	if c.kind(n.end) != sign || c.kind(n.end+1) != digits {
		return
	}
	switch {
	case sep == '٫', sep == '．':
	case sep == '.' && !(n.groups && n.by == '.'):
	case sep == ',' && (c.loc.Decimal == "," || n.by == '.'):
	default:
		return
	}
	// Another part of the same kind makes it a version, an address or a date.
	if c.rune(n.end+2) == sep && c.kind(n.end+3) == digits {
		return
	}
	n.frac = arabic(c.text(n.end + 1))
	n.end += 2
}

// vulgarAfter reads a fraction that belongs to a whole number: 1½, 1 1/2.
func (c *cursor) vulgarAfter(n *number) {
	j := c.skip(n.end)
	if a, b, ok := vulgar(c.rune(j)); ok {
		n.above, n.below, n.end = a, b, j+1
		return
	}
	if j == n.end || c.kind(j) != digits || !c.is(j+1, '/') && !c.is(j+1, '⁄') || c.kind(j+2) != digits || !c.closes(j+3) || c.is(j+3, '/') {
		return
	}
	a, b := arabic(c.text(j)), arabic(c.text(j+2))
	if len(a) <= 2 && len(b) <= 2 && atoi(a) < atoi(b) && a[0] != '0' {
		n.above, n.below, n.end = a, b, j+3
	}
}

// vulgar returns the parts of a fraction that is one character.
func vulgar(r rune) (above, below string, ok bool) {
	if r < 0xBC || r > 0xBE && r < 0x2150 || r > 0x2189 {
		return "", "", false
	}
	p, ok := vulgars[r]
	if !ok {
		return "", "", false
	}
	above, below, _ = strings.Cut(p, "/")
	return above, below, true
}

var vulgars = map[rune]string{
	'¼': "1/4", '½': "1/2", '¾': "3/4", '⅐': "1/7", '⅑': "1/9", '⅒': "1/10", '⅓': "1/3", '⅔': "2/3", '⅕': "1/5",
	'⅖': "2/5", '⅗': "3/5", '⅘': "4/5", '⅙': "1/6", '⅚': "5/6", '⅛': "1/8", '⅜': "3/8", '⅝': "5/8", '⅞': "7/8", '↉': "0/3",
}
