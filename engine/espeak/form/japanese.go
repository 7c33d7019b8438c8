package form

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ikawaha/kagome/v2/tokenizer"

	"vaak/text"
)

// maxClause bounds what is split into words at once, in code points: splitting
// takes memory in proportion, which is kept for the next text.
const maxClause = 160

// japanese writes Japanese as it is pronounced, in katakana with spaces between
// words: the library reads kana and no kanji, and does not know particles (は
// is wa) or words. A particle or an ending stays with its word.
func japanese(s string) (string, text.Map) {
	if strings.IndexFunc(s, isJapanese) < 0 {
		return letters("ja", s)
	}
	w := japaneseWriter{dictionary: readings()}
	w.out.Grow(len(s) + len(s)/4)
	for rest := s; rest != ""; {
		n := clause(rest)
		w.clause(rest[:n])
		rest = rest[n:]
	}
	if w.out.String() == s {
		return s, nil
	}
	return w.out.String(), w.m.Map()
}

// isJapanese says whether r is kana or kanji.
func isJapanese(r rune) bool {
	return r >= 0x3005 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// clause returns the length of the first piece of s that can be split into words
// by itself, up to the end of a sentence or maxClause.
func clause(s string) int {
	count, comma := 0, 0
	for i, r := range s {
		end := i + utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, n := utf8.DecodeRuneInString(s[i:])
			end = i + n
		}
		switch r {
		case '。', '！', '？', '!', '?', '\n':
			return end
		case '、', ' ', '　', ',':
			comma = end
		}
		if count++; count == maxClause {
			if comma > 0 {
				return comma
			}
			return end
		}
	}
	return len(s)
}

// japaneseWriter writes the form of a text and its map.
type japaneseWriter struct {
	*dictionary
	out strings.Builder
	m   text.Builder

	kana  []rune // of the word being written
	last  rune   // the code point that was written last; 0 at the start
	class class  // of the word that was written last
	month bool   // that word was a month
}

// clause writes a piece of text.
func (w *japaneseWriter) clause(s string) {
	tokens := w.tokenizer.Tokenize(s)
	for i := 0; i < len(tokens); {
		if n := w.number(s, tokens[i:]); n > 0 {
			i += n
			continue
		}
		w.word(tokens[i])
		i++
	}
}

// word writes a word of the dictionary, or one that it does not have.
func (w *japaneseWriter) word(t tokenizer.Token) {
	class := aWord
	w.kana = w.kana[:0]
	if t.Class == tokenizer.KNOWN {
		class = w.dictionary.class[t.ID]
		w.kana = w.pronunciation(w.kana, t.ID)
	}
	if len(w.kana) == 0 {
		w.spell(t.Surface)
		return
	}
	if string(w.kana) == "イウ" && strings.HasSuffix(t.Surface, "う") {
		w.kana[0] = 'ユ' // to say
	}
	w.month = false
	w.begin(class)
	w.say(t.Surface)
}

// begin ends the word before if the next is not a part of it.
func (w *japaneseWriter) begin(c class) {
	if c != anEnding && w.class != aPrefix && isJapanese(w.last) {
		w.out.WriteByte(' ')
		w.m.Replace(0, 1)
		w.last = ' '
	}
	w.class = c
}

// say writes w.kana for a piece of text.
func (w *japaneseWriter) say(written string) {
	start := w.out.Len()
	for _, r := range w.kana {
		w.put(r)
	}
	switch kana := w.out.String()[start:]; kana {
	case written:
		w.m.Keep(len(written))
	case "":
		w.m.Drop(len(written))
	default:
		w.m.Replace(len(written), len(kana))
	}
}

// spell writes code point by code point what has no reading as a word: kana as
// they are, kanji as they are read alone, and the others as they are in every
// language.
func (w *japaneseWriter) spell(s string) {
	for i, r := range s {
		_, n := utf8.DecodeRuneInString(s[i:])
		w.kana = w.kana[:0]
		switch {
		case !isJapanese(r):
			w.class, w.month = aSymbol, false
		case isKana(katakana(r)):
			if !isKana(w.last) {
				w.begin(aWord)
			}
		default:
			w.begin(aWord)
			w.kana = w.alone(w.kana, s[i:i+n])
		}
		if len(w.kana) == 0 {
			w.kana = append(w.kana, common(symbol(katakana(r))))
		}
		w.say(s[i : i+n])
	}
}

// alone appends the reading of a kanji by itself, if it has any.
func (w *japaneseWriter) alone(b []rune, kanji string) []rune {
	for _, t := range w.tokenizer.Tokenize(kanji) {
		if t.Class == tokenizer.KNOWN {
			b = w.pronunciation(b, t.ID)
		}
	}
	return b
}

// number writes the number that the first of some words begins with, and its
// counter. It returns how many words they were; 0 leaves them to word.
func (w *japaneseWriter) number(s string, tokens []tokenizer.Token) int {
	at := tokens[0].Position
	n := readNumeral(s[at:])
	if n.size == 0 {
		return 0
	}
	table := counting()
	rest := s[at+n.size:]
	c, size := table.at(rest)
	if size > 0 && n.hasCounter() {
		added, reading := suffix(rest[size:], c)
		if n.whole == "十" && c.reading == "フン" && added == 0 && w.last != 'ジ' && !minutes(rest[size:]) {
			c = counter{reading: "ブン"} // enough
		}
		for _, end := range [...]int{size + added, size} {
			if words := covered(tokens, at+n.size+end); words > 0 {
				if end == size {
					reading = ""
				}
				w.counted(s[at:at+n.size+end], table, n, c, rest[:size], reading)
				return words
			}
		}
	}
	words := covered(tokens, at+n.size)
	if words == 0 || words == 1 && n.parts == "" && tokens[0].Surface != "〇" {
		return 0
	}
	w.begin(aNumeral)
	w.kana = append(w.kana[:0], []rune(n.read(counter{}, false))...)
	w.say(s[at : at+n.size])
	w.month = false
	return words
}

// covered returns how many words end exactly at a byte of the clause; 0 when a
// word goes beyond it.
func covered(tokens []tokenizer.Token, end int) int {
	for i, t := range tokens {
		switch at := t.Position + len(t.Surface); {
		case at == end:
			return i + 1
		case at > end:
			return 0
		}
	}
	return 0
}

// suffix returns what may follow a counter as a part of it, in bytes, and how it
// is read: 間 makes a span of a point in time, 目 an ordinal.
func suffix(s string, c counter) (size int, reading string) {
	switch {
	case strings.HasPrefix(s, "間") && strings.Contains("ネン ニチ ジ フン ビョー シュー カゲツ", c.reading):
		return len("間"), "カン"
	case strings.HasPrefix(s, "目"):
		return len("目"), "メ"
	}
	return 0, ""
}

// minutes says whether what follows 十分 makes it ten minutes, not enough.
func minutes(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return strings.ContainsRune("後前以程ほお毎", r)
}

// counted writes a number with its counter and what belongs to it.
func (w *japaneseWriter) counted(written string, t counterTable, n numeral, c counter, sign, added string) {
	reading, ok := t.words[n.whole+sign]
	switch {
	case n.parts != "" || !ok:
		last, _ := utf8.DecodeLastRuneInString(n.whole + n.parts)
		reading = n.read(c, true) + changed(last, c)
	case n.whole+sign == "一日" && w.month && added == "":
		reading = "ツイタチ"
	}
	w.begin(aWord)
	w.kana = append(append(w.kana[:0], []rune(reading)...), []rune(added)...)
	w.say(written)
	w.class, w.month = aNumeral, sign == "月"
}
