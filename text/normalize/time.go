package normalize

import (
	"strconv"
	"strings"
)

// timeMark is a word that follows a time: am, pm, or 24 for one that is part of
// it, hm where it is so only after hours and minutes. The patterns are those of
// the time with the word, which may inflect the minutes; "" for the usual ones.
// A mark of the sort quarters is one of 24 whose quarters have short forms.
type timeMark struct {
	sort, hour, minutes string
	quarters            bool // :15, :30 and :45 are read as fractions of the hour
}

// clock is a time of day as it was written.
type clock struct {
	hour, minute, second int
	seconds              bool
	period               string   // am, pm or ""
	mark                 bool     // a word such as Uhr stands after it
	bare                 bool     // hours only
	padded               bool     // its form alone tells a time: 09.00
	said                 timeMark // that word, with its patterns
	agreed               string   // the rule set that the word before it asks for, or ""
}

// readTime reads 17:45, 10:30:15, 5 pm, 17.45 Uhr, 17h30, and ranges of times.
func readTime(c *cursor, i int) outcome { return said(c.time(i, false)) }

// time reads the time at i. Told says that a word before it says so.
func (c *cursor) time(i int, told bool) (string, int) {
	if !c.opens(i) || c.kind(i) != digits {
		return "", 0
	}
	t, j, ok := c.clock(i, told)
	if !ok {
		return "", 0
	}
	t.agreed = c.agreed(i)
	timed := told || t.padded
	if k := c.skip(j); c.kind(k) == sign && dash(c.rune(k)) {
		if u, end, ok := c.clock(c.skip(k+1), timed); ok {
			return c.times(t, u, end-i, timed)
		}
	}
	if t.bare && t.period == "" && !t.mark && !timed {
		return "", 0
	}
	w, ok := c.sayTime(t)
	if !ok {
		return "", 0
	}
	return w, j - i
}

// times reads a range of times of n tokens. Bare hours are times when a word says
// so.
func (c *cursor) times(t, u clock, n int, timed bool) (string, int) {
	if !timed && t.bare && t.period == "" && u.period == "" && !u.mark {
		return "", 0
	}
	if t.bare && t.period == "" {
		// 5–7 pm: the hour stands for itself.
		a, ok := c.sayInt(t.hour, "")
		b, ok2 := c.sayTime(u)
		if !ok || !ok2 {
			return "", 0
		}
		return c.sayRange(a, b), n
	}
	a, ok := c.sayTime(t)
	b, ok2 := c.sayTime(u)
	if !ok || !ok2 {
		return "", 0
	}
	return c.sayRange(a, b), n
}

// clock reads a time; bare hours are taken, too.
func (c *cursor) clock(i int, told bool) (t clock, j int, ok bool) {
	h := arabic(c.text(i))
	if c.kind(i) != digits || len(h) > 2 {
		return t, i, false
	}
	t.hour, j = atoi(h), i+1
	sep := c.rune(j)
	if (sep == ':' || sep == '.' || sep == '፡') && c.two(j+1) {
		t.minute = atoi(arabic(c.text(j + 1)))
		j += 2
		if sep == ':' && c.is(j, ':') && c.two(j+1) {
			t.second, t.seconds = atoi(arabic(c.text(j+1))), true
			j += 2
		}
	} else {
		t.bare = true
	}
	pointed := !t.bare && sep == '.'
	t.padded = pointed && len(h) == 2 && h[0] == '0' && c.padded(t, c.skip(j))
	after := c.skip(j)
	j = c.timeMark(&t, j)
	if pointed && !told && !c.pointTime(t, i, after) || t.hour > 24 || t.minute > 59 || t.second > 59 || !c.closes(j) && !c.toks[j-1].dense {
		return t, i, false
	}
	if t.period != "" && (t.hour > 12 || t.hour == 0) {
		t.period = ""
	}
	if r := c.rune(j); c.kind(j) == sign && c.kind(j+1) == digits && (r == ':' || r == '.' || r == '/' || r == ',' || r == '%') {
		return t, i, false
	}
	return t, j, true
}

// pointTime says that two numbers at i with a full stop between them are a time and
// no decimal: a mark says so, a word before them, or the form of the numbers. What
// is counted after them, at j, says otherwise.
func (c *cursor) pointTime(t clock, i, j int) bool {
	return t.padded || t.period != "" || t.mark ||
		c.loc.Decimal == "," && c.agreed(i) != "" && !c.percentSign(j) && !c.counted(j)
}

// padded says of a time with a full stop and a nought before its hour that it is
// one without a word that says so: no decimal begins with a nought, no month has
// so many minutes, and nothing that is counted follows at j.
func (c *cursor) padded(t clock, j int) bool {
	return c.loc.Decimal == "," && t.hour > 0 && (t.minute == 0 || t.minute > 12) && !c.counted(j) && !c.percentSign(j)
}

// two says that two digits stand at i.
func (c *cursor) two(i int) bool { return c.kind(i) == digits && runeLen(c.text(i)) == 2 }

// timeMark reads a mark such as am or Uhr, and the minutes of 17h30.
func (c *cursor) timeMark(t *clock, j int) int {
	k := c.skip(j)
	if p, n := period(c, k); n > 0 {
		t.period = p
		return k + n
	}
	v, n := c.tables.timeMark.match(c, k)
	if n == 0 || !c.closes(k+n) && !(t.bare && k == j && c.two(k+n)) && !c.toks[k].dense {
		return j
	}
	if v.sort == "hm" && t.bare {
		return j
	}
	if v.sort == "24" || v.sort == "hm" {
		t.mark, t.said = true, v
		if t.bare && k == j && c.two(k+n) {
			t.bare, t.minute = false, atoi(arabic(c.text(k+n)))
			n++
			if m := c.text(k + n); (m == "min" || m == "mn") && c.closes(k+n+1) {
				n++ // pt 13h30min
			}
		}
		return k + n
	}
	t.period = v.sort
	return k + n
}

// period reads AM and PM in the ways they are written everywhere.
func period(c *cursor, k int) (string, int) {
	if c.kind(k) != word {
		return "", 0
	}
	switch c.text(k) {
	case "am", "AM", "Am":
		if c.closes(k + 1) {
			return "am", 1
		}
	case "pm", "PM", "Pm":
		if c.closes(k + 1) {
			return "pm", 1
		}
	case "a", "A", "p", "P":
		if (c.text(k+2) == "m" || c.text(k+2) == "M") && c.is(k+1, '.') && c.is(k+3, '.') {
			return strings.ToLower(c.text(k)) + "m", 4
		}
	}
	return "", 0
}

// sayTime reads a time of day.
func (n *Normalizer) sayTime(t clock) (string, bool) {
	if w := n.sayQuarters(t); w != "" {
		return w, true
	}
	p := n.patterns.clock
	switch {
	case t.period != "" && (t.bare || t.minute == 0 && n.patterns.twelveHour != ""):
		p = n.patterns.twelveHour
	case t.period != "":
		p = n.patterns.twelve
	case t.seconds:
		p = n.patterns.second
	case t.minute == 0 && t.said.hour != "":
		p = t.said.hour
	case t.minute > 0 && t.said.minutes != "":
		p = t.said.minutes
	case t.minute == 0 && n.patterns.hour != "":
		p = n.patterns.hour
	}
	if t.period == "" && !t.seconds && (t.hour > 12 || t.hour == 0) && n.patterns.clock24 != "" {
		p = n.patterns.clock24
		if t.minute == 0 && n.patterns.hour24 != "" {
			p = n.patterns.hour24
		}
	}
	if p == "" {
		return n.sayTimePlain(t)
	}
	return n.fillJoined(p, func(name, set string) (string, bool) {
		switch name {
		case "h":
			return n.sayInt(t.hour, n.inCase(set, t.agreed))
		case "m":
			return n.sayMinutes(t.minute, n.minuteCase(set, t.agreed))
		case "s":
			return n.sayInt(t.second, set)
		case "period":
			return n.sayPeriod(t)
		}
		return n.timeUnit(t, name)
	})
}

// sayQuarters reads quarters of an hour as numbers with a fraction are read,
// साढ़े दस बजे for 10:30, where the word after the time asks for it and the
// language has a short form; else it returns "".
func (n *Normalizer) sayQuarters(t clock) string {
	if !t.said.quarters || t.seconds || t.bare || t.hour < 1 || t.hour > 12 || t.minute == 0 || t.minute%15 != 0 {
		return ""
	}
	x := number{whole: strconv.Itoa(t.hour), above: strconv.Itoa(t.minute / 15), below: "4"}
	if t.minute == 30 {
		x.above, x.below = "1", "2"
	}
	f := x.above + "/" + x.below
	if n.tables.special[x.whole+" "+f] == "" && n.tables.add[f] == "" {
		return ""
	}
	w, ok := n.sayMixed(x, n.cardinal)
	if !ok {
		return ""
	}
	return fill1(t.said.hour, "{h}", w)
}

// timeUnit reads the name of a unit beside its number: {unit-h}, {unit-m} and
// {unit-s}, from CLDR, in the plural form that the number takes.
func (n *Normalizer) timeUnit(t clock, name string) (string, bool) {
	v, key := t.hour, "duration-hour"
	switch name {
	case "unit-m":
		v, key = t.minute, "duration-minute"
	case "unit-s":
		v, key = t.second, "duration-second"
	}
	u := n.unitOf(key)
	if u == nil {
		return "", false
	}
	d := []byte{byte('0' + v/10), byte('0' + v%10)}
	q := quantity{a: number{whole: strings.TrimLeft(string(d[:1]), "0") + string(d[1:])}, genitive: isGenitive(t.agreed)}
	form, _ := fieldSet(pick(u.forms, n.category(q)))
	return strings.TrimSpace(fill1(form, "{n}", "")), true
}

// sayTimePlain reads the parts of a time for which there is no pattern.
func (n *Normalizer) sayTimePlain(t clock) (string, bool) {
	w, ok := n.sayInt(t.hour, "")
	if !t.bare && (t.minute > 0 || t.seconds || t.period == "") {
		m, ok2 := n.sayMinutes(t.minute, "")
		w, ok = w+" "+m, ok && ok2
	}
	if t.seconds {
		s, ok2 := n.sayInt(t.second, "")
		w, ok = w+" "+s, ok && ok2
	}
	switch t.period {
	case "am":
		w = n.join(w, n.patterns.am)
	case "pm":
		w = n.join(w, n.patterns.pm)
	}
	return w, ok
}

func (n *Normalizer) sayMinutes(m int, set string) (string, bool) {
	w, ok := n.sayInt(m, set)
	if m < 10 && n.patterns.oh != "" {
		w = n.join(n.patterns.oh, w)
	}
	return w, ok
}

// sayPeriod says whether an hour is before or after noon, by the part of the day
// where the language names it.
func (n *Normalizer) sayPeriod(t clock) (string, bool) {
	hour, w := t.hour%12, n.patterns.am
	if t.period == "pm" {
		hour, w = hour+12, n.patterns.pm
	}
	for ; hour >= 0; hour-- {
		if part := n.tables.dayPart[strconv.Itoa(hour)]; part != "" {
			return part, true
		}
	}
	return w, w != ""
}

// compileTimes reads the words beside times of day.
func (n *Normalizer) compileTimes() {
	t := &n.tables
	n.told("time.word", &t.timeWord)
	for _, r := range n.lex.Rows("time.mark") {
		for _, w := range r.List(0) {
			m := timeMark{sort: r.Value(1), hour: r.Value(2), minutes: r.Value(3)}
			if m.sort == "quarters" {
				m.sort, m.quarters = "24", true
			}
			t.timeMark.add(w, m)
		}
	}
	t.dayPart = n.byFirst("time.part")
}
