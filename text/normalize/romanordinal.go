package normalize

import "strconv"

// romanStem returns the length of the roman numeral with which a word begins
// that ends in the suffix of an ordinal, XIXe; 0 when the word is none. Only I,
// V and X count, as in ordinals of centuries, kings and chapters.
func (c *cursor) romanStem(w string) int {
	k := 0
	for k < len(w) && (w[k] == 'I' || w[k] == 'V' || w[k] == 'X') {
		k++
	}
	if k == 0 || k == len(w) || k > 6 || c.tables.attached[w[k:]] == "" || romanValue(w[:k]) == 0 {
		return 0
	}
	return k
}

// romanOrdinal reads a roman numeral with the suffix of an ordinal: XIXe,
// XX-lea. A single letter with a single one after it, such as Va, may be a word
// and is read only before what numerals stand before (Ve République).
func (c *cursor) romanOrdinal(i int) (string, int) {
	w := c.text(i)
	if !c.opens(i) {
		return "", 0
	}
	if k := c.romanStem(w); k > 0 && c.closes(i+1) && (k > 1 || runeLen(w) > 2 && w[0] == 'I' && !c.toks[i].upper || c.beforeNoun(i+1)) {
		return c.sayRomanOrdinal(w[:k], c.tables.attached[w[k:]], 1)
	}
	if v := romanValue(w); v == 0 || c.kind(i+1) != sign {
		return "", 0
	}
	rule, n := c.tables.suffix.match(c, i+1)
	if n < 2 || !c.closes(i+1+n) {
		return "", 0
	}
	return c.sayRomanOrdinal(w, rule, 1+n)
}

// beforeNoun says that after a space at j a word follows that roman numerals
// stand before.
func (c *cursor) beforeNoun(j int) bool {
	k := c.skip(j)
	_, n := c.tables.romanAfter.match(c, k)
	return k > j && n > 0 && c.closes(k+n)
}

// sayRomanOrdinal reads a roman numeral of so many tokens as an ordinal.
func (c *cursor) sayRomanOrdinal(numeral, rule string, tokens int) (string, int) {
	return c.ordinalOf(number{whole: strconv.Itoa(romanValue(numeral))}, rule, tokens)
}
