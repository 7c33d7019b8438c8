package wire

import (
	"slices"
	"strings"
	"unicode"
)

// Redact returns what a server said, on one line of ASCII of at most 160 bytes, without the words
// of the text that it was to speak, which servers repeat. Words that are long or not plain ASCII
// are left out too: they may be a part of the text in another form. What is left out is "...".
func Redact(said, text string) string {
	const mostWord, most = 40, 160
	between := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.M, r)
	}
	secret := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), between) {
		secret[w] = true
	}
	odd := func(r rune) bool { return r < '!' || r > '~' || r == '\\' || r == '%' }
	told, kept := "", false
	for field := range strings.FieldsSeq(said) {
		hidden := len(field) > mostWord || strings.ContainsFunc(field, odd) ||
			slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(field), between), func(w string) bool { return secret[w] })
		if hidden {
			field = "..."
		}
		if hidden && strings.HasSuffix(told, field) {
			continue // one mark for several words
		}
		if len(told)+1+len(field) > most {
			break
		}
		if told != "" {
			told += " "
		}
		told, kept = told+field, kept || !hidden
	}
	if !kept {
		return ""
	}
	return told
}
