package symbol

import (
	"strings"
	"unicode"

	"vaak/text/normalize/scan"
)

// Left reads a sign that no other recognizer has taken, so that no engine has to: an
// engine names signs in another language or leaves them out as it likes. A sign that
// means something beside a word or a number gets its name; any other becomes a space.
// Punctuation stays, because engines make pauses of it.
func (sr *Recognizer) Left(in *scan.View, i int) scan.Outcome {
	r := in.Rune(i)
	if Punctuates(r) {
		return scan.Outcome{}
	}
	switch {
	case r == '۽' || r == '۾': // two words of Sindhi, and and in
		return scan.Outcome{}
	case (r == '`' || r == '´') && in.Kind(i-1) == scan.Word && in.Kind(i+1) == scan.Word:
		return scan.Said("'", 1) // written for an apostrophe: don`t
	}
	if r == '·' && sr.say.Code == "ca" && in.Kind(i-1) == scan.Word && in.Kind(i+1) == scan.Word {
		return scan.Outcome{} // a letter of Catalan has it inside: col·legi
	}
	if above, below, ok := figure(r); ok {
		return scan.Said(sr.figure(in, i, above, below))
	}
	n := 1
	for n < scan.Lookahead && in.Is(i+n, r) {
		in.Step()
		n++
	}
	if w := sr.span(in, i, n); w != "" {
		// It clings to what stands before it.
		if k := in.Kind(i + 1); sr.say.Spaced && (k == scan.Word || k == scan.Digits) {
			w += " "
		}
		return scan.Said(w, 1)
	}
	w := sr.named(in, i, n)
	if w == "" {
		return scan.Said("", n)
	}
	// Only the plus signs of C++ are said both.
	if r == '+' && n == 2 {
		w = sr.say.Join(w, w)
	}
	before, _ := sr.word(in, i, w)
	_, after := in.Kind(i+n), strings.HasSuffix(before, " ")
	if !after && sr.say.Spaced && (in.Kind(i+n) == scan.Word && !in.Token(i+n).Dense || in.Kind(i+n) == scan.Digits) {
		before += " "
	}
	return scan.Said(before, n)
}

// span returns the word for a tilde that stands between two ends that no recognizer took
// together, or behind the first of them: 午前10時〜午後5時, 月〜金, 1,200円〜. It is "" for a
// tilde that only draws a word out.
func (sr *Recognizer) span(in *scan.View, i, n int) string {
	open := sr.say.Lexicon.Word("range.open")
	if r := in.Rune(i); n != 1 || open == "" || r != '~' && r != '〜' && r != '～' {
		return ""
	}
	j, k := in.Back(i-1), in.Skip(i+1)
	ends := in.Kind(k) == scan.Word || in.Kind(k) == scan.Digits
	counted := in.Kind(j) == scan.Word && in.Kind(j-1) == scan.Digits && scan.RuneLen(in.Text(j)) <= 3
	switch {
	case (in.Kind(j) == scan.Digits || counted) && ends && (k > i+1) == (j < i-1):
	case (counted && strings.Contains(openUnits, in.Text(j)) || in.Kind(j) == scan.Digits && in.Is(j-1, ':')) && j == i-1 && !(ends && k == i+1):
		return open
	case in.Kind(j) == scan.Word && in.Kind(k) == scan.Word && j == i-1 && k == i+1 && scan.RuneLen(in.Text(j)) == 1 && strings.ContainsRune(shortDays, in.Rune(j)) && strings.ContainsRune(shortDays, in.Rune(k)):
	default:
		return ""
	}
	between := sr.say.Span
	a, b := strings.Index(between, "{a}"), strings.Index(between, "{b}")
	if a < 0 || b < a {
		return ""
	}
	return strings.TrimSpace(between[a+len("{a}") : b])
}

const (
	openUnits = "원 시 분 일 월 년 세 명 만원 천원 円 時 分 日 月 年 歳 名 元 点 岁 人" // what prices, times and ages are counted in
	shortDays = "월화수목금토일月火水木金土日一二三四五六"                          // days of the week in one character
)

// named returns the name of a sign that stands n times at i, "" where nobody says it.
func (sr *Recognizer) named(in *scan.View, i, n int) string {
	r := in.Rune(i)
	if w, listed := sr.say.Signs.Listed[string(r)]; listed && w == "" || n > 2 {
		return "" // signs in a row draw a line
	}
	// A text that is one sign is about it.
	if in.Len() == n && r != '²' && r != '³' {
		if r == '№' {
			return sr.say.Signs.Number
		}
		return sr.say.Signs.Name(r)
	}
	left, right := in.Kind(i-1), in.Kind(i+n)
	touches := left == scan.Word || left == scan.Digits || right == scan.Word || right == scan.Digits
	stands := left == scan.Space && right == scan.Space
	switch r {
	case '/':
		// Between words it parts alternatives, and a reader makes a short pause. So it does between
		// two numbers that have their names before them: RT 03/RW 05.
		if k := in.Skip(i + 2); left == scan.Digits && in.Kind(in.Back(i-2)) == scan.Word && in.Token(in.Back(i-2)).Upper && right == scan.Word && in.Token(i+1).Upper && k > i+2 && in.Kind(k) == scan.Digits {
			return ""
		}
		if left == scan.Digits || right == scan.Digits {
			return sr.say.Signs.Name(r)
		}
	case '@', '#':
		if touches && n == 1 {
			return sr.say.Signs.Name(r)
		}
	case '&':
		if touches && n == 1 || stands {
			return sr.say.Signs.And
		}
	case '+', '=':
		if in.Is(i+n, '>') {
			return "" // an arrow
		}
		// "18+", "B+": the sign is called by its name there, as in telephone numbers, where the
		// language adds with another word. So are those of C++.
		if r == '+' && (n == 1 || left == scan.Word) && (left == scan.Digits || left == scan.Word) && right != scan.Digits && right != scan.Word && sr.say.Signs.PhonePlus != "" {
			return sr.say.Signs.PhonePlus
		}
		if touches || stands {
			return sr.say.Signs.Math(r)
		}
	case '~':
		if right == scan.Digits {
			return sr.say.Signs.Lead(r)
		}
	case '<', '>':
		if in.Kind(in.Back(i-1)) == scan.Digits && in.Kind(in.Skip(i+1)) == scan.Digits {
			return sr.say.Signs.Math(r)
		}
	case '→', '←', '↑', '↓', '⇒', '⇐', '↔', '⇔', '➜', '➔':
		return sr.say.Signs.Listed[string(r)] // else a pause
	case '^', '*', '_', '|', '\\', '`', '·', '•', '〜', '²', '³':
		// Ends of words, bullets and marks of emphasis. Powers have been read.
	default:
		if (touches || stands) && n == 1 && !silent(r) {
			return sr.say.Signs.Math(r)
		}
	}
	return ""
}

// Punctuates reports whether a sign is punctuation that stays in the text for the engine.
func Punctuates(r rune) bool {
	if r < 0x80 {
		return strings.ContainsRune(".,;:!?'\"()[]{}-", r)
	}
	switch r {
	case '§', '¶', '·', '•', '‧', '†', '‡', '‰', '‱', '※', '〜', '〰', '゠', '‿', '⁀', '′', '″', '‴', '﹏', '﹟', '﹠', '﹡', '﹨', '﹪', '﹫', '⁎', '⁑', '‣', '⁃', '٪':
		return false
	}
	// Format characters, such as the joiners of Arabic, and bytes that are not UTF-8 are
	// none of this package's.
	return unicode.In(r, unicode.P, unicode.C) || r == unicode.ReplacementChar
}

// figure returns the number that a character beside the digits stands for, or the two of
// a fraction.
func figure(r rune) (above, below string, ok bool) {
	small := func(n rune) (string, string, bool) {
		if n >= 10 {
			return string([]rune{'0' + n/10, '0' + n%10}), "", true
		}
		return string('0' + n), "", true
	}
	switch {
	case '⁴' <= r && r <= '⁹', r == '⁰':
		return small(r - '⁰')
	case r == '¹':
		return small(1)
	case r == '²' || r == '³':
		return small(r - '²' + 2)
	case '₀' <= r && r <= '₉':
		return small(r - '₀')
	case '①' <= r && r <= '⑳':
		return small(r - '①' + 1)
	case '⑴' <= r && r <= '⒇':
		return small(r - '⑴' + 1)
	case '⒈' <= r && r <= '⒛':
		return small(r - '⒈' + 1)
	case '❶' <= r && r <= '❿':
		return small(r - '❶' + 1)
	case 'Ⅰ' <= r && r <= 'Ⅻ':
		return small(r - 'Ⅰ' + 1)
	case 'ⅰ' <= r && r <= 'ⅻ':
		return small(r - 'ⅰ' + 1)
	}
	for _, f := range fractions {
		if f.r == r {
			return f.above, f.below, true
		}
	}
	return "", "", false
}

// fractions are the characters for fractions.
var fractions = []struct {
	r            rune
	above, below string
}{
	{'½', "1", "2"}, {'¼', "1", "4"}, {'¾', "3", "4"}, {'⅓', "1", "3"}, {'⅔', "2", "3"}, {'⅕', "1", "5"}, {'⅖', "2", "5"}, {'⅗', "3", "5"},
	{'⅘', "4", "5"}, {'⅙', "1", "6"}, {'⅚', "5", "6"}, {'⅛', "1", "8"}, {'⅜', "3", "8"}, {'⅝', "5", "8"}, {'⅞', "7", "8"}, {'⅐', "1", "7"},
	{'⅑', "1", "9"}, {'⅒', "1", "10"},
}

// figure says a character that stands for a number or a fraction. A small raised number
// after a number is its power, after a word it marks a footnote and is not read.
func (sr *Recognizer) figure(in *scan.View, i int, above, below string) (string, int) {
	r := in.Rune(i)
	if below != "" {
		if w, ok := sr.say.Mixed(scan.Number{Above: above, Below: below}, sr.say.Cardinal); ok {
			return sr.spaced(in, i, w)
		}
		a, _ := sr.say.Int(scan.Atoi(above), "")
		b, _ := sr.say.Int(scan.Atoi(below), "")
		return sr.spaced(in, i, sr.say.Join(a, sr.say.Signs.Name('/'), b))
	}
	raised := isRaised(r)
	if raised && in.Kind(i-1) != scan.Digits && !raisedAfter(in, i-1) && in.Len() > 1 {
		return "", 1
	}
	w, ok := sr.say.Int(scan.Atoi(above), "")
	if !ok {
		return "", 1
	}
	if raised && in.Kind(i-1) == scan.Digits {
		w = sr.say.Join(sr.say.Signs.Math('^'), w)
	}
	return sr.spaced(in, i, w)
}

// isRaised reports whether a rune is a raised digit.
func isRaised(r rune) bool {
	return r == '¹' || r == '²' || r == '³' || r == '⁰' || '⁴' <= r && r <= '⁹'
}

// raisedAfter reports whether the token at i is a raised digit and no footnote, as the
// first of 10¹².
func raisedAfter(in *scan.View, i int) bool {
	return in.Kind(i) == scan.Sign && isRaised(in.Rune(i)) && in.Kind(i-1) != scan.Word
}

// spaced returns words for one sign, with spaces where words touch it.
func (sr *Recognizer) spaced(in *scan.View, i int, w string) (string, int) {
	if w == "" {
		return "", 1
	}
	return sr.word(in, i, w)
}

// Ordinal reads a word that ends in the raised o or a of the Romance languages where
// no recognizer knows it: a degree after a number, else the word without the mark.
func (sr *Recognizer) Ordinal(in *scan.View, i int) scan.Outcome {
	w := in.Text(i)
	bare := scan.WithoutRaised(w)
	switch {
	case bare == w:
		return scan.Outcome{}
	case bare == "" && (in.Kind(i-1) == scan.Digits || in.Len() == 1):
		return scan.Said(sr.say.Signs.Math('°'), 1)
	case strings.EqualFold(bare, "n") && sr.say.Signs.Number != "" && in.Kind(in.Skip(i+1)) == scan.Digits:
		return scan.Said(sr.say.Signs.Number, 1)
	}
	return scan.Said(bare, 1)
}
