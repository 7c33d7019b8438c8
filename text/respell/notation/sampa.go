package notation

import (
	"regexp"
	"strings"
)

// address is a token in which signs between letters mean something else: an e-mail
// address, a link, a Windows path, a setting, a placeholder.
var address = regexp.MustCompile(`^[\w.+%-]+@[\w-]+(?:\.[\w-]+)+(?:[:/].*)?\W*$|://|^www\.|^["'(]?[A-Za-z]:\\|^\\\\|="|::|^[@#$]?\{+[^{}]*\}+\W*$|^@[\w.-]+\W*$`)

// telling is what alone makes a word X-SAMPA: a stop with its breath in a short word
// ("p_ha", not "p_house_1"), a syllabic consonant at the end ("n_="), a backslash after a
// consonant and before a capital at the end or a long vowel ("r\Ed", "r\i:", neither
// "tools\Main" nor "src\a"), and "the" ("D@").
var telling = regexp.MustCompile(`^["']?[bdgkpt]_h[aeiouAEIOQUV@{3][^_]{0,2}$|[lmnr]_=\W*$|[hjlprsvxz]\\(?:[ADEINOQSTUVZ][a-z]?(?:[^a-zA-Z]|$)|[a-zA-Z]:)|^\W*D@\W*$`)

// isSAMPA reports whether a word of a value is X-SAMPA, or Kirshenbaum, its ancestor:
// it has two or more of their signs where no spelling has them ("pju:t@", "k{n"), or
// one of them and a capital among small letters ("h@loU"), or what alone tells it.
func isSAMPA(s string) bool {
	if !strings.ContainsAny(s, `@{}\"%_`) && !strings.Contains(s, "dZ") && !strings.Contains(s, "tS") {
		return false
	}
	words := sampaWords{
		brace: strings.Count(s, "{") != strings.Count(s, "}"),
		quote: strings.Count(s, `"`)%2 == 1,
	}
	for token := range strings.FieldsSeq(s) {
		if !asciiOnly(token) {
			continue
		}
		if inner, ok := braced(token); ok {
			token = inner
		} else if words.signs(token) < 2 && affricates(token) < 2 && !telling.MatchString(token) {
			continue
		}
		if !address.MatchString(token) {
			return true
		}
	}
	return false
}

// braced returns what stands in braces with a schwa beside a letter, and is no name of
// a placeholder then.
func braced(token string) (inner string, ok bool) {
	if inner, ok = strings.CutPrefix(strings.TrimRight(token, ".,;:!?"), "{"); ok {
		inner, ok = strings.CutSuffix(inner, "}")
	}
	at := strings.IndexByte(inner, '@')
	return strings.Trim(inner, `"'`), ok && at > 0 && latinLetter(byteAt(inner, at-1)) && !strings.ContainsAny(inner, "{}")
}

// affricates counts dZ and tS in a word, as in "jam" and "chat", that do not part a name
// as in "setSize".
func affricates(token string) int {
	n := 0
	for i := 1; i < len(token); i++ {
		if pair := token[i-1 : i+1]; (pair == "dZ" || pair == "tS") && besideSAMPA(token, i) {
			n++
		}
	}
	return n
}

// sampaWords counts signs in the words of a value in which a brace or a quotation
// mark may have no partner.
type sampaWords struct{ brace, quote bool }

// signs counts what is X-SAMPA in a word, 0 where there is none of the signs that
// are never part of one.
func (w sampaWords) signs(token string) int {
	sure, beside := 0, 0
	for i := range len(token) {
		sure += w.sure(token, i)
		if besideSAMPA(token, i) {
			beside++
		}
	}
	if sure == 0 {
		return 0
	}
	return sure + beside
}

// sure weighs a byte of a word: 1 for one that a spelling hardly has there, 2 for one
// that none has.
func (w sampaWords) sure(s string, i int) int {
	before, after := latinLetter(byteAt(s, i-1)), latinLetter(byteAt(s, i+1))
	sure := false
	switch s[i] {
	case '{', '}': // the a of "cat"
		if w.brace && before && after {
			return 2
		}
		sure = w.brace && (before || after)
	case '@': // schwa
		sure = before || after || stressedAt(s, i+1)
	case '"': // primary stress; not inches, nor rock"n"roll
		sure = after && (i == 0 && w.quote || sampaLetter(byteAt(s, i-1)) && strings.Count(s, `"`) == 1)
	case '%': // secondary stress
		sure = after && (before || i == 0)
	case '\\': // makes other consonants
		sure = latinSmall(byteAt(s, i-1))
	}
	if sure {
		return 1
	}
	return 0
}

// stressedAt reports whether a byte of a word is a stress mark before a letter, and no
// quotation mark.
func stressedAt(s string, i int) bool {
	mark := byteAt(s, i)
	return (mark == '\'' || mark == '"') && latinLetter(byteAt(s, i+1)) && strings.Count(s, string(mark)) == 1
}

// besideSAMPA reports whether a byte of a word is a sign that counts beside others:
// length, which Finnish and Swedish have before endings ("EU:n"), a diacritic, a
// capital that begins no part of a name as in YouTube.
func besideSAMPA(s string, i int) bool {
	c, before, after := s[i], byteAt(s, i-1), byteAt(s, i+1)
	switch c {
	case ':':
		return sampaLetter(before) && sampaLetter(after)
	case '_':
		return latinSmall(before) && !latinSmall(byteAt(s, i+2))
	case '=':
		return latinSmall(before)
	}
	return latinSmall(before) && strings.IndexByte("ADEINOQSTUVZ", c) >= 0 && (!latinSmall(after) || !latinSmall(byteAt(s, i+2)))
}

// byteAt returns a byte of a token, 0 outside of it.
func byteAt(s string, i int) byte {
	if i < 0 || i >= len(s) {
		return 0
	}
	return s[i]
}

func latinSmall(b byte) bool   { return 'a' <= b && b <= 'z' }
func latinCapital(b byte) bool { return 'A' <= b && b <= 'Z' }
func latinLetter(b byte) bool  { return latinSmall(b | 0x20) }

func sampaLetter(b byte) bool {
	return latinLetter(b) || b == '@' || b == '{' || b == '}' || b == '3'
}
