package form

import (
	_ "embed"
	"strings"
	"sync"
	"unicode/utf8"
)

// This file reads Japanese numbers written in kanji. The dictionary has only their parts, and
// sounds change where parts meet: ichi and hon make ippon.

//go:embed counters.tsv
var countersTSV string

//go:embed numbers.tsv
var numbersTSV string

// counter is a word that follows a number and says what it counts.
type counter struct {
	reading           string
	kind              string // how its first sound changes after a number; see counters.tsv
	four, seven, nine string // readings of these digits before it; "" is the usual one
}

// counterTable has the counters, and the numbers with counters that are words of their own.
type counterTable struct {
	counters map[string]counter
	words    map[string]string
	longest  int // length of the longest counter in bytes
}

var counting = sync.OnceValue(func() counterTable {
	t := counterTable{counters: map[string]counter{}, words: map[string]string{}}
	for _, c := range rows(countersTSV) {
		for i := range c {
			if c[i] == "-" {
				c[i] = ""
			}
		}
		t.counters[c[0]] = counter{c[1], c[2], c[3], c[4], c[5]}
		t.longest = max(t.longest, len(c[0]))
	}
	for _, c := range rows(numbersTSV) {
		t.words[c[0]] = c[1]
	}
	return t
})

// rows splits a table into lines and columns. It skips empty lines and comments.
func rows(tsv string) [][]string {
	var all [][]string
	for line := range strings.Lines(tsv) {
		if line = strings.TrimRight(line, "\n"); line != "" && line[0] != '#' {
			all = append(all, strings.Split(line, "\t"))
		}
	}
	return all
}

// at returns the longest counter at the start of s and its length in bytes, or 0 if there is none.
func (t counterTable) at(s string) (counter, int) {
	for n := min(t.longest, len(s)); n > 0; n-- {
		if c, ok := t.counters[s[:n]]; ok {
			return c, n
		}
	}
	return counter{}, 0
}

const digits = "〇一二三四五六七八九"

// digitOf returns the value of a digit, or -1 if r is not a digit.
func digitOf(r rune) int {
	switch r {
	case '零':
		return 0
	}
	if i := strings.IndexRune(digits, r); i >= 0 {
		return i / len("〇")
	}
	return -1
}

// powers are the readings of the powers of ten, and how their first sounds change.
var powers = map[rune]counter{
	'十': {reading: "ジュー"}, '百': {reading: "ヒャク", kind: "hb"}, '千': {reading: "セン", kind: "sz"},
	'万': {reading: "マン"}, '億': {reading: "オク"}, '兆': {reading: "チョー", kind: "t"}, '京': {reading: "ケー", kind: "k"},
}

var (
	digitReadings = [...]string{"ゼロ", "イチ", "ニ", "サン", "ヨン", "ゴ", "ロク", "ナナ", "ハチ", "キュー"}
	point         = counter{reading: "テン", kind: "t"}
)

// isNumeral reports whether r is a digit or a power of ten.
func isNumeral(r rune) bool {
	_, power := powers[r]
	return power || digitOf(r) >= 0
}

// numeral is a number at the start of a text.
type numeral struct {
	whole    string // digits and powers before the decimal point
	fraction string // digits after it
	size     int    // length in bytes, with the point
}

// readNumeral returns the number at the start of s; its size is 0 if there is none.
func readNumeral(s string) numeral {
	n := numeral{whole: s[:numeralBytes(s)]}
	n.size = len(n.whole)
	if n.size == 0 {
		return n
	}
	for _, sign := range [...]string{"・", "点"} { // 点 is also a counter: 一点九百円
		if after, ok := strings.CutPrefix(s[n.size:], sign); ok {
			if k := numeralBytes(after); k > 0 && !strings.ContainsAny(after[:k], "十百千万億兆京") {
				n.fraction = after[:k]
				n.size += len(sign) + k
			}
		}
	}
	return n
}

// numeralBytes returns the length in bytes of the digits and powers at the start of s.
func numeralBytes(s string) int {
	for i, r := range s {
		if !isNumeral(r) {
			return i
		}
	}
	return len(s)
}

// digitsOnly reports whether a number has digits and no powers, as years and telephone numbers do.
func (n numeral) digitsOnly() bool { return !strings.ContainsAny(n.whole, "十百千万億兆京") }

// hasCounter reports whether a counter may follow the number. 万 alone may be the start of a word,
// as in 万年筆, fountain pen.
func (n numeral) hasCounter() bool {
	r, size := utf8.DecodeRuneInString(n.whole)
	return size < len(n.whole) || r == '十' || r == '百' || r == '千' || digitOf(r) >= 0
}

// read returns the reading of the number before c. counted says that c is a counter of it.
func (n numeral) read(c counter, counted bool) string {
	var b strings.Builder
	whole := n.whole
	if n.digitsOnly() && utf8.RuneCountInString(whole) > 1 && counted && n.fraction == "" {
		whole = positional(whole)
	}
	if n.fraction == "" {
		spell(&b, whole, c)
		return b.String()
	}
	spell(&b, whole, point)
	b.WriteString(point.reading)
	spell(&b, n.fraction, c)
	return b.String()
}

// positional inserts the powers of ten into digits that stand for them by position, as in 二〇二四.
// More than four digits stay as they are.
func positional(s string) string {
	var b strings.Builder
	left := utf8.RuneCountInString(s)
	if left > 4 {
		return s
	}
	for _, r := range s {
		left--
		power := [...]string{"", "十", "百", "千"}[left]
		switch d := digitOf(r); {
		case d == 0:
		// One ten and one hundred are said without the one.
		case d == 1 && left > 0:
			b.WriteString(power)
		default:
			b.WriteRune(r)
			b.WriteString(power)
		}
	}
	if b.Len() == 0 {
		return "〇"
	}
	return b.String()
}

// spell writes the reading of digits and powers. after is what follows the last of them, since it
// changes their sounds.
func spell(b *strings.Builder, s string, after counter) {
	for i, r := range s {
		next, rest := after, s[i+utf8.RuneLen(r):]
		if follows, _ := utf8.DecodeRuneInString(rest); rest != "" {
			next = powers[follows] // none for a digit
		}
		power, ok := powers[r]
		if !ok {
			b.WriteString(digitBefore(digitOf(r), next))
			continue
		}
		reading := power.reading
		if before, _ := utf8.DecodeLastRuneInString(s[:i]); digitOf(before) >= 0 {
			reading = counterReading(before, power)
		}
		b.WriteString(powerReading(r, reading, next))
	}
}

// digitBefore returns the reading of a digit before a power or a counter.
func digitBefore(d int, next counter) string {
	switch {
	case d == 4 && next.four != "":
		return next.four
	case d == 7 && next.seven != "":
		return next.seven
	case d == 9 && next.nine != "":
		return next.nine
	}
	switch d {
	case 0:
		if next.reading == "ジ" || next.reading == point.reading {
			return "レー"
		}
		// A small tsu doubles the consonant that follows: ichi + hon = ippon.
	case 1:
		if strings.ContainsAny(next.kind, "ksthp") {
			return "イッ"
		}
	case 6:
		if strings.ContainsAny(next.kind, "khp") {
			return "ロッ"
		}
	case 8:
		if strings.ContainsAny(next.kind, "ksthp") {
			return "ハッ"
		}
	}
	return digitReadings[d]
}

// powerReading returns the reading of a power of ten before what follows it.
func powerReading(r rune, reading string, next counter) string {
	switch {
	case r == '十' && strings.ContainsAny(next.kind, "ksthp"):
		return "ジュッ"
	case r == '百' && strings.ContainsAny(next.kind, "kh"):
		return strings.TrimSuffix(reading, "ク") + "ッ"
	}
	return reading
}

// counterReading returns the reading of a counter after the last character of a number.
func counterReading(last rune, c counter) string {
	first, size := utf8.DecodeRuneInString(c.reading)
	switch c.kind {
	case "kg", "sz": // the voiced kana is the next one
		if last == '三' {
			first++
		}
	case "hb", "hp":
		// In Unicode the voiced kana follows the plain one, and of h there is a third, with p.
		switch last {
		case '一', '六', '八', '十', '百':
			first += 2
		case '三', '千', '万':
			first++
			if c.kind == "hp" {
				first++
			}
		case '四':
			if c.kind == "hp" {
				first += 2
			}
		}
	}
	return string(first) + c.reading[size:]
}
