package translit

import (
	"unicode"
	"unicode/utf8"

	"vaak/lang"
	"vaak/text"
)

// Text writes the Latin words of a text in the script of a language, see
// [Write], and keeps what stands between them. It returns the map back to s.
func Text(code lang.Code, s string) (string, text.Map) {
	var b text.Builder
	out := make([]byte, 0, 3*len(s))
	for at := 0; at < len(s); {
		n := wordLength(s[at:])
		if n == 0 {
			_, n = utf8.DecodeRuneInString(s[at:])
			out = append(out, s[at:at+n]...)
			b.Keep(n)
			at += n
			continue
		}
		// The map has one entry for a word: letters of two scripts do not correspond one to
		// one.
		before := len(out)
		out = append(out, Write(code, s[at:at+n])...)
		b.Replace(n, len(out)-before)
		at += n
	}
	return string(out), b.Map()
}

// wordLength returns the bytes of the Latin word at the start of a text, 0 when
// there is none. An apostrophe between letters belongs to it.
func wordLength(s string) int {
	end := 0
	for i, r := range s {
		switch {
		case lang.ScriptOf(r) == "Latn", i > 0 && unicode.Is(unicode.Mn, r):
			end = i + utf8.RuneLen(r)
		// end stays before the apostrophe, so it belongs to the word only if a letter
		// follows.
		case i > 0 && i == end && (r == '\'' || r == '’'):
		default:
			return end
		}
	}
	return end
}
