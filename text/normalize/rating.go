package normalize

// readRating reads one number of another, 3/5 stars and 4.5/5, where a word
// beside it says that something is judged.
func readRating(c *cursor, i int) outcome {
	if c.patterns.rating == "" || !c.opens(i) {
		return outcome{}
	}
	a := number{whole: arabic(c.text(i)), start: i, end: i + 1}
	if c.fraction(&a); !c.is(a.end, '/') || c.kind(a.end+1) != digits || !c.closes(a.end+2) || c.is(a.end+2, '/') {
		return outcome{}
	}
	end := a.end + 2
	before := c.back1(i - 1)
	if c.is(before, ':') {
		before--
	}
	// After its word it is so only of a usual total: he scored 3/4 of the goals.
	if !c.tables.rating[c.text(c.skip(end))] && (!c.tables.rating[c.text(before)] || atoi(arabic(c.text(a.end+1)))%5 != 0) {
		return outcome{}
	}
	x, ok := c.say(a, c.cardinal)
	y, ok2 := c.say(number{whole: arabic(c.text(a.end + 1))}, c.cardinal)
	if !ok || !ok2 {
		return outcome{}
	}
	return said(c.joined(c.patterns.rating, "{a}", x, "{b}", y), end-i)
}
