package form

import (
	_ "embed"
	"strings"
	"sync"
	"unicode/utf8"
)

// This file reads Japanese numbers written in kanji. The dictionary has their
// parts only, and their sounds change where parts meet: ichi and hon are ippon.

//go:embed counters.tsv
var countersTSV string

//go:embed numbers.tsv
var numbersTSV string

// counter is what a number counts.
type counter struct {
	reading           string
	kind              string // how its first sound changes; see counters.tsv
	four, seven, nine string // "" is the usual reading
}

// counterTable has the counters, and the numbers that are words of their own.
type counterTable struct {
	counters map[string]counter
	words    map[string]string
	longest  int // counter, in bytes
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

// rows splits a table into lines and columns, without comments.
func rows(tsv string) [][]string {
	var all [][]string
	for line := range strings.Lines(tsv) {
		if line = strings.TrimRight(line, "\n"); line != "" && line[0] != '#' {
			all = append(all, strings.Split(line, "\t"))
		}
	}
	return all
}

// at returns the longest counter that s begins with, and its length in bytes;
// 0 when there is none.
func (t counterTable) at(s string) (counter, int) {
	for n := min(t.longest, len(s)); n > 0; n-- {
		if c, ok := t.counters[s[:n]]; ok {
			return c, n
		}
	}
	return counter{}, 0
}

const digits = "〇一二三四五六七八九"

// digitOf returns the value of a digit, -1 when r is none.
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

// powers are the readings of powers of ten, and how their sounds change.
var powers = map[rune]counter{
	'十': {reading: "ジュー"}, '百': {reading: "ヒャク", kind: "hb"}, '千': {reading: "セン", kind: "sz"},
	'万': {reading: "マン"}, '億': {reading: "オク"}, '兆': {reading: "チョー", kind: "t"}, '京': {reading: "ケー", kind: "k"},
}

var (
	digitReadings = [...]string{"ゼロ", "イチ", "ニ", "サン", "ヨン", "ゴ", "ロク", "ナナ", "ハチ", "キュー"}
	point         = counter{reading: "テン", kind: "t"}
)

// isNumeral says whether r is written in numbers.
func isNumeral(r rune) bool {
	_, power := powers[r]
	return power || digitOf(r) >= 0
}

// numeral is a number at the start of a text.
type numeral struct {
	whole string // the digits and powers before the point
	parts string // the digits after it
	size  int    // in bytes, with the point
}

// readNumeral reads the number that s begins with; size is 0 when there is none.
func readNumeral(s string) numeral {
	n := numeral{whole: s[:numerals(s)]}
	n.size = len(n.whole)
	if n.size == 0 {
		return n
	}
	if after, ok := strings.CutPrefix(s[n.size:], "・"); ok {
		if k := numerals(after); k > 0 && !strings.ContainsAny(after[:k], "十百千万億兆京") {
			n.parts = after[:k]
			n.size += len("・") + k
		}
	}
	return n
}

// numerals returns how many bytes of numerals s begins with.
func numerals(s string) int {
	for i, r := range s {
		if !isNumeral(r) {
			return i
		}
	}
	return len(s)
}

// plain says whether a number has digits alone, which may be those of a
// telephone as well.
func (n numeral) plain() bool { return !strings.ContainsAny(n.whole, "十百千万億兆京") }

// hasCounter says whether the number is one that a counter can follow, not the
// first half of a word such as 万年筆.
func (n numeral) hasCounter() bool {
	r, size := utf8.DecodeRuneInString(n.whole)
	return size < len(n.whole) || r == '十' || r == '百' || r == '千' || digitOf(r) >= 0
}

// read returns the reading of the number before a counter, or before nothing.
func (n numeral) read(c counter, counted bool) string {
	var b strings.Builder
	whole := n.whole
	if n.plain() && utf8.RuneCountInString(whole) > 1 && counted && n.parts == "" {
		whole = positional(whole)
	}
	if n.parts == "" {
		spell(&b, whole, c)
		return b.String()
	}
	spell(&b, whole, point)
	b.WriteString(point.reading)
	spell(&b, n.parts, c)
	return b.String()
}

// positional writes digits that stand for powers of ten, as in 二〇二四, with
// the powers; more than four digits stay as they are.
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

// spell writes the reading of digits and powers, the last of which meets what
// follows.
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
			reading = changed(before, power)
		}
		b.WriteString(doubled(r, reading, next))
	}
}

// digitBefore returns the reading of a digit before a power or counter.
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

// doubled returns the reading of a power of ten before what follows it.
func doubled(r rune, reading string, next counter) string {
	switch {
	case r == '十' && strings.ContainsAny(next.kind, "ksthp"):
		return "ジュッ"
	case r == '百' && strings.ContainsAny(next.kind, "kh"):
		return strings.TrimSuffix(reading, "ク") + "ッ"
	}
	return reading
}

// changed returns the reading of a counter behind the last sign of a number.
func changed(last rune, c counter) string {
	first, size := utf8.DecodeRuneInString(c.reading)
	switch c.kind {
	case "kg", "sz": // the voiced kana is the next one
		if last == '三' {
			first++
		}
	case "hb", "hp":
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
