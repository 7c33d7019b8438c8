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

// mandarinTable corrects what the Mandarin voice reads wrongly. The voice knows one reading per
// character, which for some characters is a rare one, and it knows no words. Such a character is
// replaced by one that has only the right reading, or by pinyin.
type mandarinTable struct {
	single map[rune]rune           // for characters outside these words
	words  map[rune][]mandarinWord // by first character, longer words first
	fold   map[rune]rune           // traditional to simplified characters
	pinyin []string                // what pinyinBase and the code points after it stand for
}

// pinyinBase is the first of the private-use code points that stand for pinyin until the text is
// spelled out. Where the text itself has such code points they become silent.
const pinyinBase = '\ue000'

// mandarinWord is a word in which some character does not have its usual reading.
type mandarinWord struct{ written, read []rune }

var mandarinReadings = sync.OnceValue(func() mandarinTable {
	t := mandarinTable{single: map[rune]rune{}, words: map[rune][]mandarinWord{}, fold: map[rune]rune{}}
	// The file has three tables with an empty line between them: single characters, words, and
	// traditional characters.
	sections := strings.SplitN(mandarinTSV, "\n\n", 3)
	for _, c := range rows(sections[0]) {
		t.single[firstRune(c[0])] = firstRune(c[1])
	}
	for _, c := range rows(sections[1]) {
		w := mandarinWord{[]rune(c[0]), t.sounds(c[1])}
		// Insert behind words of the same length, so that the table's order decides among them.
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
		t.fold[firstRune(c[0])] = firstRune(c[1])
	}
	return t
})

// sounds reads characters, and pinyin in braces.
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

// sign returns the code point that stands for pinyin. It adds one if necessary.
func (t *mandarinTable) sign(pinyin string) rune {
	i := slices.Index(t.pinyin, pinyin)
	if i < 0 {
		i = len(t.pinyin)
		t.pinyin = append(t.pinyin, pinyin)
	}
	return pinyinBase + rune(i)
}

// firstRune returns the first code point of s; the table's columns have only one.
func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// simplified returns the form of r under which the tables have it.
func (t mandarinTable) simplified(r rune) rune {
	if s, ok := t.fold[r]; ok {
		return s
	}
	return r
}

// begins reports whether text begins with the word, in simplified or traditional characters.
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

// mandarin replaces characters with several readings so that the voice reads the one that their
// word has: the hang of 银行 is written as 航.
func mandarin(all []rune) {
	t := mandarinReadings()
	for i, r := range all {
		// The text itself may hold such a code point, which must not turn into pinyin.
		if t.spelled(r) != "" {
			all[i] = silent
		}
	}
	for len(all) > 0 {
		all = all[t.readWord(all):]
	}
}

// spelled returns the pinyin for which a code point stands, or "".
func (t mandarinTable) spelled(r rune) string {
	if i := int(r - pinyinBase); 0 <= i && i < len(t.pinyin) {
		return t.pinyin[i]
	}
	return ""
}

// pinyinForm returns the form of s in Mandarin, where r has the code points of the form, and the
// map from the form back to s.
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
		// An invalid byte decodes to U+FFFD, which takes three bytes in the form.
		if to := utf8.RuneLen(r[i]); c == r[i] && n == to {
			m.Keep(n)
		} else {
			m.Replace(n, to)
		}
	}
	return b.String(), m.Map()
}

// readWord rewrites the first word of a text and returns its length.
func (t mandarinTable) readWord(text []rune) int {
	first := t.simplified(text[0])
	for _, w := range t.words[first] {
		if !t.begins(text, w) {
			continue
		}
		for i, r := range w.read {
			// Other characters stay, so that a text in traditional characters keeps them.
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
