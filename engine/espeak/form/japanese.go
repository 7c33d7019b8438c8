package form

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ikawaha/kagome/v2/tokenizer"

	"vaak/text"
)

// maxClause limits, in code points, what is split into words at once. Splitting takes memory in
// proportion, which the tokenizer keeps for later.
const maxClause = 160

// japanese writes Japanese as it is pronounced, in katakana with spaces between words. The
// library reads kana but no kanji; it does not find words, and does not know that the particle
// は is read wa. Particles and endings are joined to the word before them.
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
	if w.out.Len() == 0 { // a mark that repeats what is not there
		return "", text.Map{}
	}
	return w.out.String(), w.m.Map()
}

// isJapanese reports whether r is kana or kanji.
func isJapanese(r rune) bool {
	return r >= 0x3005 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

// clause returns the length of the first piece of s that can be split into words on its own: up to
// the end of a sentence, or at most maxClause code points.
func clause(s string) int {
	count, comma := 0, 0
	for i, r := range s {
		end := i + utf8.RuneLen(r)
		// An invalid byte is one byte long, and U+FFFD three.
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
			// Better at the last comma than inside a word.
			if comma > 0 {
				return comma
			}
			return end
		}
	}
	return len(s)
}

// japaneseWriter builds the form of a text and its map.
type japaneseWriter struct {
	*dictionary
	out strings.Builder
	m   text.Builder

	kana  []rune // of the current word; memory is reused
	last  rune   // the last code point written; 0 at the start
	class class  // of the last word written
	month bool   // the last word was a month, after which 一日 is the first day of it
}

// clause writes one piece of text.
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

// word writes a word, known to the dictionary or not.
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
		w.kana[0] = 'ユ' // 言う, to say, is pronounced yuu
	}
	w.month = false
	w.begin(class)
	w.emit(t.Surface)
}

// begin writes a space before the next word, unless that belongs to the word before.
func (w *japaneseWriter) begin(c class) {
	if c != anEnding && w.class != aPrefix && isJapanese(w.last) {
		w.out.WriteByte(' ')
		w.m.Replace(0, 1)
		w.last = ' '
	}
	w.class = c
}

// emit writes w.kana as the form of a piece of text.
func (w *japaneseWriter) emit(written string) {
	start := w.out.Len()
	for _, r := range w.kana {
		w.putKana(r)
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

// spell writes text that has no reading as a word, one code point at a time: kana as they are,
// kanji with the reading that they have alone, other characters as in every language.
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
		w.emit(s[i : i+n])
	}
}

// alone appends the reading that a kanji has by itself, if any.
func (w *japaneseWriter) alone(b []rune, kanji string) []rune {
	for _, t := range w.tokenizer.Tokenize(kanji) {
		if t.Class == tokenizer.KNOWN {
			b = w.pronunciation(b, t.ID)
		}
	}
	return b
}

// number writes the number with which some words begin, and its counter. It returns how many words
// that took, or 0 if the first word is not a number or is better read by word.
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
		if n.whole == "十" && c.reading == "フン" && added == 0 && w.last != 'ジ' && !isTenMinutes(rest[size:]) {
			c = counter{reading: "ブン"} // 十分 without a context of time means "enough", read juubun
		}
		// Words of the dictionary must not be split, so try with the suffix and without it.
		for _, end := range [...]int{size + added, size} {
			if words := wordsUpTo(tokens, at+n.size+end); words > 0 {
				if end == size {
					reading = ""
				}
				w.counted(s[at:at+n.size+end], table, n, c, rest[:size], reading)
				return words
			}
		}
	}
	words := wordsUpTo(tokens, at+n.size)
	// The dictionary reads a numeral of one word itself, but for the zero 〇.
	if words == 0 || words == 1 && n.fraction == "" && tokens[0].Surface != "〇" {
		return 0
	}
	w.begin(aNumeral)
	w.kana = append(w.kana[:0], []rune(n.read(counter{}, false))...)
	w.emit(s[at : at+n.size])
	w.month = false
	return words
}

// wordsUpTo returns how many words end at a byte offset, or 0 if a word goes across it.
func wordsUpTo(tokens []tokenizer.Token, end int) int {
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

// suffix returns the length in bytes of what may follow a counter as part of it, and its reading:
// 間 turns a point in time into a span of time, 目 makes an ordinal.
func suffix(s string, c counter) (size int, reading string) {
	switch {
	case strings.HasPrefix(s, "間") && strings.Contains("ネン ニチ ジ フン ビョー シュー カゲツ", c.reading):
		return len("間"), "カン"
	case strings.HasPrefix(s, "目"):
		return len("目"), "メ"
	}
	return 0, ""
}

// isTenMinutes reports whether the text after 十分 shows that it means ten minutes.
func isTenMinutes(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return strings.ContainsRune("後前以程ほお毎", r)
}

// counted writes a number with its counter and suffix.
func (w *japaneseWriter) counted(written string, t counterTable, n numeral, c counter, sign, added string) {
	reading, ok := t.words[n.whole+sign]
	// Words of their own, such as 二十日, come before the regular reading.
	switch {
	case n.fraction != "" || !ok:
		last, _ := utf8.DecodeLastRuneInString(n.whole + n.fraction)
		reading = n.read(c, true) + counterReading(last, c)
	case n.whole+sign == "一日" && w.month && added == "":
		reading = "ツイタチ"
	}
	w.begin(aWord)
	w.kana = append(append(w.kana[:0], []rune(reading)...), []rune(added)...)
	w.emit(written)
	w.class, w.month = aNumeral, sign == "月"
}
