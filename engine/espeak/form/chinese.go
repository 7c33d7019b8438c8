package form

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"vaak/text"
)

//go:embed mandarin.tsv
var mandarinTSV string

// mandarinTable has what the Mandarin voice reads wrongly. It knows one reading
// for each character, which for some is a rare one, and no words. The remedy is
// a character of the same sound that has no other, or pinyin.
type mandarinTable struct {
	single map[rune]rune
	words  map[rune][]mandarinWord // by first character, the longer ones first
	fold   map[rune]rune           // simplified characters of traditional ones
	pinyin []string                // what aPinyin and those after it stand for
}

// aPinyin is the first of the code points that stand for pinyin until the text
// is spelled; they are of private use, and what a text has of them is not heard.
const aPinyin = '\ue000'

// mandarinWord is a word in which some character has not its usual reading.
type mandarinWord struct{ written, read []rune }

var mandarinReadings = sync.OnceValue(func() mandarinTable {
	t := mandarinTable{single: map[rune]rune{}, words: map[rune][]mandarinWord{}, fold: map[rune]rune{}}
	sections := strings.SplitN(mandarinTSV, "\n\n", 3)
	for _, c := range rows(sections[0]) {
		t.single[only(c[0])] = only(c[1])
	}
	for _, c := range rows(sections[1]) {
		w := mandarinWord{[]rune(c[0]), t.sounds(c[1])}
		all := t.words[w.written[0]]
		i := 0
		for i < len(all) && len(all[i].written) >= len(w.written) {
			i++
		}
		all = append(all, w)
		copy(all[i+1:], all[i:])
		all[i] = w
		t.words[w.written[0]] = all
	}
	for _, c := range rows(sections[2]) {
		t.fold[only(c[0])] = only(c[1])
	}
	return t
})

// sounds reads characters and pinyin in braces.
func (t *mandarinTable) sounds(s string) []rune {
	var all []rune
	for s != "" {
		before, rest, ok := strings.Cut(s, "{")
		all = append(all, []rune(before)...)
		if s = ""; ok {
			var pinyin string
			pinyin, s, _ = strings.Cut(rest, "}")
			all = append(all, t.sign(pinyin))
		}
	}
	return all
}

// sign returns the code point that stands for pinyin.
func (t *mandarinTable) sign(pinyin string) rune {
	i := slices.Index(t.pinyin, pinyin)
	if i < 0 {
		i = len(t.pinyin)
		t.pinyin = append(t.pinyin, pinyin)
	}
	return aPinyin + rune(i)
}

// only returns the one code point of s.
func only(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// simplified returns the character under which the tables have r.
func (t mandarinTable) simplified(r rune) rune {
	if s, ok := t.fold[r]; ok {
		return s
	}
	return r
}

// begins says whether text begins with the word, in either form.
func (t mandarinTable) begins(text []rune, w mandarinWord) bool {
	if len(text) < len(w.written) {
		return false
	}
	for i, r := range w.written {
		if t.simplified(text[i]) != r {
			return false
		}
	}
	return true
}

// mandarin writes characters of several readings so that the voice reads the one
// that their word has: 银行 with the hang of 航.
func mandarin(all []rune) {
	t := mandarinReadings()
	for i, r := range all {
		if t.spelled(r) != "" {
			all[i] = Silent
		}
	}
	for len(all) > 0 {
		all = all[t.read(all):]
	}
}

// spelled returns the pinyin that a code point stands for, "" for others.
func (t mandarinTable) spelled(r rune) string {
	if i := int(r - aPinyin); 0 <= i && i < len(t.pinyin) {
		return t.pinyin[i]
	}
	return ""
}

// pinyinForm returns the form of s in Mandarin, whose code points are those of r,
// and the way back.
func pinyinForm(s string, r []rune) (string, text.Map) {
	t := mandarinReadings()
	var b strings.Builder
	var m text.Builder
	b.Grow(len(s))
	i := 0
	for at := 0; at < len(s); i++ {
		c, n := utf8.DecodeRuneInString(s[at:])
		at += n
		if pinyin := t.spelled(r[i]); pinyin != "" {
			b.WriteString(pinyin)
			m.Replace(n, len(pinyin))
			continue
		}
		b.WriteRune(r[i])
		if to := utf8.RuneLen(r[i]); c == r[i] && n == to {
			m.Keep(n)
		} else {
			m.Replace(n, to)
		}
	}
	return b.String(), m.Map()
}

// read writes the first word of a text, and returns its length.
func (t mandarinTable) read(text []rune) int {
	first := t.simplified(text[0])
	for _, w := range t.words[first] {
		if !t.begins(text, w) {
			continue
		}
		for i, r := range w.read {
			if r != w.written[i] {
				text[i] = r
			}
		}
		return len(w.read)
	}
	if r, ok := t.single[first]; ok {
		text[0] = r
	}
	return 1
}
