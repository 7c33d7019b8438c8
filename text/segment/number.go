package segment

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/text"
)

// number reads a number that begins at i with what is read with it: sign and
// currency before it; percent, degree, currency and units after it. Digits that
// Latin letters go on, and that are no unit, are a word ("5G", "24-hour").
func (c *cutter) number(i, end int) bool {
	digits, lettered := c.prefix(i, end)
	if digits < 0 {
		return false
	}
	a := atom{Span: text.Span{Start: i}, kind: number, lettered: lettered}
	at, native := c.digits(digits, end)
	a.script = native
	at, more, glued := c.suffix(at, end, digits > i)
	// The letter of a house is no part of its number, 14-B, unless Latin words surround it.
	n := len(c.atoms)
	if glued && houseLetter(c.text[at:]) && n > 0 && c.atoms[n-1].script != "Latn" {
		glued = false
	}
	// A letter that multiplies, at the end of a clause in another script: किराया 50k, या.
	if k := at + 1; glued && c.nativeBefore() && strings.IndexByte("kKM", c.text[at]) >= 0 && endsClause(c.text[k:]) {
		at, glued, a.lettered = k, false, true
	}
	// ASCII digits without a sign or currency, with Latin letters behind: a word such as
	// "5G".
	if glued && digits == i && native == "" {
		c.word(i, at, "Latn", end)
		return true
	}
	a.lettered = a.lettered || more
	if script := glue(c.text[at:end]); script != "" {
		a.script = script
	} else if n := len(c.atoms); a.script == "" && n > 0 && c.atoms[n-1].kind == word && c.atoms[n-1].script != "Latn" {
		// ASCII digits right behind a word of another script are read in its language, as
		// in "на-5".
		if gap := c.text[c.atoms[n-1].End:i]; gap == "" || gap == "-" || gap == "־" {
			a.script = c.atoms[n-1].script
		}
	}
	c.add(a, at)
	return true
}

// prefix returns where the digits of a number that begins at i are, -1 for no
// number, and whether letters stand before them.
func (c *cutter) prefix(i, end int) (digits int, lettered bool) {
	s := c.text[i:end]
	b := s[0]
	if isDigit(b) {
		return i, false
	}
	// The x of a size whose first side has a unit in another script: ২ মি. x ৩ মি.
	if b == 'x' || b == 'X' {
		if n := c.crossesWord(i); n > 0 {
			return i + n, false
		}
	}
	if b < utf8.RuneSelf && !mayPrefix[b] {
		return -1, false
	}
	at := 0
	// After a word without a space, + and - join: "COVID-19". A sign stands alone.
	if n := len(c.atoms); n == 0 || c.atoms[n-1].End != i {
		at = sign(s)
	}
	// A sign may stand on either side of the currency: "-$5", "$-5".
	n, letters := currency(s[at:])
	if n > 0 {
		at += n
		at += blank(s[at:])
		at += sign(s[at:])
	}
	if at == len(s) || !isNumeric(s[at:]) {
		return -1, false
	}
	return i + at, letters
}

// crossesWord returns how many bytes from the letter at i on stand before a number, 0 if it
// does not stand between single spaces, with a word of a script other than Latin before it and
// a digit or a sum of money behind it.
func (c *cutter) crossesWord(i int) int {
	n := len(c.atoms)
	if n == 0 || c.atoms[n-1].kind == link || c.atoms[n-1].script == "Latn" || c.atoms[n-1].script == "" ||
		i == 0 || c.text[i-1] != ' ' || i-c.atoms[n-1].End >= 3 || i+2 >= len(c.text) || c.text[i+1] != ' ' {
		return 0
	}
	at := i + len("x ")
	if size, lettered := currency(c.text[at:]); !lettered {
		at += size // x ₹6.50
	}
	if at == len(c.text) || !isNumeric(c.text[at:]) {
		return 0
	}
	return at - i
}

// mayPrefix holds the ASCII characters that a number may begin with besides its
// digits: signs, and the first letters of currencies.
var mayPrefix = [utf8.RuneSelf]bool{
	'+': true, '-': true, '~': true, '<': true, '>': true, '#': true, '$': true,
	'A': true, 'B': true, 'C': true, 'E': true, 'G': true, 'H': true, 'I': true, 'J': true,
	'L': true, 'N': true, 'P': true, 'R': true, 'S': true, 'T': true, 'U': true, 'r': true, 'k': true,
}

// digits returns the end of the digits at i, with what parts them, and the
// script that they belong to, "" for those of all scripts.
func (c *cutter) digits(i, end int) (at int, script string) {
	for at = i; at < end; {
		r, n := utf8.DecodeRuneInString(c.text[at:end])
		switch {
		case isNumericRune(r):
			if script == "" && r >= utf8.RuneSelf {
				script = scriptOf(c.text[at : at+n])
			}
		// A comma or full stop is part of the number only between two digits; behind the
		// last it is that of the sentence.
		case at > i && crosses(c.text, i, at, n):
		case r == ' ' && at > i && multiplies(c.text[at:end]) > 0:
			at += multiplies(c.text[at:end])
			continue
		case !parts(r) || at+n >= end || !isNumeric(c.text[at+n:end]):
			return c.whole(at), script
		}
		at += n
	}
	return c.whole(at), script
}

// parts reports whether a character may stand between the digits of a number, date,
// time, range or telephone number.
func parts(r rune) bool {
	switch r {
	case '.', ',', ':', '/', '-', '\'', '’', '–', '×', '⁄', '٫', '٬', '．', '，', '：', '\u00A0', '\u2009', '\u202F', '\u2011':
		return true
	}
	return false
}

// crosses reports whether the letter at at, of n bytes, stands between the sides of
// something, 10x15. The digits begin at i; those of 0x1F are no side.
func crosses(s string, i, at, n int) bool {
	switch s[at : at+n] {
	case "x", "X", "х":
	default:
		return false
	}
	return at+n < len(s) && isDigit(s[at+n]) && s[i:at] != "0"
}

// multiplies returns the length of a sign of multiplication with the spaces around it,
// and a currency behind it, at the start of a text that goes on with digits: 2 x ₹350.
func multiplies(s string) int {
	n := 0
	for _, sign := range [...]string{" x ", " X ", " × "} {
		if strings.HasPrefix(s, sign) {
			n = len(sign)
		}
	}
	if n == 0 {
		return 0
	}
	c, _ := currency(s[n:])
	if c > 0 {
		c += blank(s[n+c:])
	}
	if n+c == len(s) || !isNumeric(s[n+c:]) {
		return 0
	}
	return n + c
}

// suffix returns where what belongs to the number before i ends, and whether it
// has letters. A number with a sign or currency before it may have a scale, such
// as k. If the number goes on with other Latin letters, glued is true.
func (c *cutter) suffix(i, end int, prefixed bool) (at int, lettered, glued bool) {
	at = i
	// At most four parts follow, such as the unit, a slash with a unit, and a currency. The
	// bound keeps the work linear.
	for range 4 {
		s := c.text[at:end]
		space := blank(s)
		if space == len(s) {
			break
		}
		n, letters := afterNumber(s[space:], space == 0 && prefixed, space == 0)
		if n == 0 && space == 0 && s[0] == '/' && isIndian(c.matrix) {
			n, letters = spanOfTime(s), true
		}
		if n == 0 {
			glued = at == i && space == 0 && startsLatin(s)
			break
		}
		at += space + n
		lettered = lettered || letters
	}
	return c.whole(at), lettered, glued
}

// nativeBefore reports whether the last word is of another script than Latin.
func (c *cutter) nativeBefore() bool {
	k := len(c.atoms) - 1
	for k >= 0 && c.atoms[k].kind == number && c.atoms[k].script == "" {
		k--
	}
	return k >= 0 && c.atoms[k].script != "Latn" && c.atoms[k].script != ""
}

// endsClause reports whether a text is over, or begins with a mark that parts clauses or with
// the other end of a range.
func endsClause(s string) bool {
	if len(s) > 1 && s[0] == '-' && isDigit(s[1]) {
		return true
	}
	r, _ := utf8.DecodeRuneInString(s)
	return s == "" || strings.ContainsRune(".,;!?)।،。、，\n", r)
}

// houseLetter reports whether a hyphen and a single capital stand at the start of a text.
func houseLetter(s string) bool {
	return len(s) > 1 && s[0] == '-' && s[1] >= 'A' && s[1] <= 'Z' && (len(s) == 2 || !isLatin(s[2]) && !isDigit(s[2]))
}

// startsLatin reports whether a text goes on a number as a word: with a Latin letter,
// or a hyphen and one.
func startsLatin(s string) bool {
	if s != "" && s[0] == '-' {
		s = s[1:]
	}
	return s != "" && isLatin(s[0])
}

// afterNumber returns the length of a sign, currency or unit that begins a text
// after a number, 0 for none, and whether it has letters. Near says that no space
// parts the two.
func afterNumber(s string, scaled, near bool) (n int, letters bool) {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r == '%' || r == '‰' || r == '٪' || r == '％' || r == '℃' || r == '℉' || r == '²' || r == '³':
		return size, false
	// The raised o is written for a degree, too.
	case near && (r == 'º' || r == 'ª') && !isLatinAt(s, size):
		return size, false
	case r == '°':
		if n := unit(s[size:]); n == 1 || len(s) > size && (s[size] == 'C' || s[size] == 'F') && !isLatinAt(s, size+1) {
			return size + 1, true
		}
		return size, false
	// "500/-" is how sums of rupees are written, and "km/h" divides units.
	case r == '/' && near:
		if len(s) > 1 && s[1] == '-' {
			return 2, false
		}
		if n := unit(s[1:]); n > 0 {
			return 1 + n, true
		}
		return 0, false
	case r == '-' && near:
		if n := unit(s[1:]); n > 0 {
			return 1 + n, true
		}
		return 0, false
	case unicode.Is(unicode.Sc, r):
		// The sign belongs to the number after it: "5 $7".
		if size < len(s) && isNumeric(s[size:]) {
			return 0, false
		}
		return size, false
	}
	if n := unit(s); n > 0 {
		return n, true
	}
	// 2x, how many times.
	if near && (s[0] == 'x' || s[0] == 'X') && !isLatinAt(s, 1) && !(len(s) > 1 && isDigit(s[1])) {
		return 1, true
	}
	if n, letters := currency(s); n > 0 && !(n < len(s) && isNumeric(s[n:])) {
		return n, letters
	}
	if n := scale(s); n > 0 && (scaled || n > 1 && isIndianScale(s[:n])) {
		return n, true
	}
	// A letter that multiplies belongs to the number when the text goes on in another
	// script: 10k подписчиков, Chinese 1.2w人.
	if near && len(s) > 1 && strings.IndexByte("kKMwW", s[0]) >= 0 {
		next := s[1:]
		next = strings.TrimPrefix(next[blank(next):], "/")
		if r, _ := utf8.DecodeRuneInString(next); unicode.IsLetter(r) && r >= 0x370 && (s[0] != 'w' && s[0] != 'W' || unicode.Is(unicode.Han, r)) {
			return 1, true
		}
	}
	return 0, false
}

// sign returns the length of a sign before a number.
func sign(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	switch r {
	case '+', '-', '−', '±', '~', '≈', '<', '>', '≤', '≥', '№', '#':
		return n
	}
	return 0
}

// blank returns the length of the one space at the start of a text.
func blank(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	switch r {
	case ' ', '\u00A0', '\u2009', '\u202F':
		return n
	}
	return 0
}

// glue returns the script of the letters that go on a number as one word, with
// or without a hyphen, unless they are Latin.
func glue(s string) string {
	// At most one joiner, and then the letter.
	for range 2 {
		r, n := utf8.DecodeRuneInString(s)
		switch r {
		case '-', '\u2010', '\u2011', '\'', '’', '־', '\u200C', '\u200D':
			s = s[n:]
			continue
		}
		if script := scriptOf(s[:n]); script != "Latn" && unicode.IsLetter(r) {
			return script
		}
		break
	}
	return ""
}

func isLatinAt(s string, i int) bool { return i < len(s) && isLatin(s[i]) }

// eraDate reads a Japanese date whose era is a letter, R6.4.1 or R6年, as a number of
// Japanese.
func (c *cutter) eraDate(i, end int) bool {
	switch c.text[i] {
	case 'R', 'H', 'S', 'T', 'M':
	default:
		return false
	}
	if c.matrix != "ja" || i+1 >= end || !isDigit(c.text[i+1]) {
		return false
	}
	if n := len(c.atoms); n > 0 && c.atoms[n-1].End == i && c.atoms[n-1].script == "Latn" {
		return false
	}
	at, _ := c.digits(i+1, end)
	written := c.text[i+1 : at]
	if !strings.HasPrefix(c.text[at:end], "年") && strings.Count(written, ".") != 2 && strings.Count(written, "/") != 2 {
		return false
	}
	c.add(atom{Span: text.Span{Start: i}, kind: number, script: "Jpan"}, at)
	return true
}

// zone reads a difference from universal time, GMT+5:30, as one word, so that the sign
// stays with the hours.
func (c *cutter) zone(i, end int) bool {
	s := c.text[i:end]
	if !strings.HasPrefix(s, "GMT") && !strings.HasPrefix(s, "UTC") {
		return false
	}
	n := len("GMT") + sign(s[len("GMT"):])
	if n == len("GMT") || n == len(s) || !isDigit(s[n]) {
		return false
	}
	at, _ := c.digits(i+n, end)
	c.add(atom{Span: text.Span{Start: i}, script: "Latn", letters: int32(len("GMT"))}, at)
	return true
}

// before reads AM and PM before a time, and abbreviations before a number, as a part of the
// number, as Chinese, Japanese and Korean texts have them: AM9:00, No.3.
func (c *cutter) before(i, end int) bool {
	s := c.text[i:end]
	half := strings.HasPrefix(s, "AM") || strings.HasPrefix(s, "PM")
	n := len("AM")
	if !half {
		if n = numbersAhead(s); n == 0 {
			return false
		}
	}
	script := ""
	switch c.matrix {
	case "ja":
		script = "Jpan"
	case "ko":
		script = "Kore"
	case "zh", "yue":
		script = "Hans"
	default:
		return false
	}
	n += blank(s[n:])
	if n >= len(s) || !isDigit(s[n]) {
		return false
	}
	if k := len(c.atoms); k > 0 && c.atoms[k-1].End == i && c.atoms[k-1].script == "Latn" {
		return false
	}
	at, _ := c.digits(i+n, end)
	if half && !strings.Contains(c.text[i+n:at], ":") {
		return false
	}
	c.add(atom{Span: text.Span{Start: i}, kind: number, script: script}, at)
	return true
}

// numbersAhead returns the length of an abbreviation that stands before numbers, such as No.,
// at the start of a text; 0 for none.
func numbersAhead(s string) int {
	for _, w := range [...]string{"No.", "NO.", "no.", "Vol.", "vol.", "p.", "P.", "pp.", "Ver.", "ver.", "Lv."} {
		if strings.HasPrefix(s, w) {
			return len(w)
		}
	}
	return 0
}
