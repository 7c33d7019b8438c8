// Package emoji names emoji, in the words of the languages that Unicode CLDR has for them.
package emoji

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf8"

	"vaak/lang"
)

// packed holds the names as text/normalize/cldr/generate writes them: the languages, then the emoji, then the
// names of each language in the order of the emoji, in parts that NUL separates, compressed.
// Source: CLDR 48.2, annotations and derived annotations; see NOTICE.
//
//go:embed names.flate
var packed []byte

// table is what packed holds.
type table struct {
	index map[string]int // of an emoji
	names map[lang.Code][]string
}

var load = sync.OnceValue(func() table {
	b, err := io.ReadAll(flate.NewReader(bytes.NewReader(packed)))
	if err != nil {
		panic(fmt.Sprintf("the names of emoji cannot be read: %v", err)) // they are part of the program
	}
	parts := strings.Split(string(b), "\x00")
	t := table{map[string]int{}, map[lang.Code][]string{}}
	for i, e := range strings.Split(parts[1], "\n") {
		t.index[e] = i
	}
	for i, code := range strings.Fields(parts[0]) {
		t.names[lang.Code(code)] = strings.Split(parts[2+i], "\n")
	}
	return t
})

// variant are the characters that change how an emoji looks and not what it is called: the
// selectors of its form, and the tones of skin.
func variant(r rune) bool { return r == 0xFE0E || r == 0xFE0F || 0x1F3FB <= r && r <= 0x1F3FF }

// joiner joins several emoji to one.
const joiner = "\u200d"

// Name returns the name of an emoji in a language, "" where the language has none. What is
// joined of several emoji and has no name has that of the first.
func Name(code lang.Code, emoji string) string {
	t := load()
	names := t.names[code]
	if names == nil {
		return ""
	}
	emoji = strings.Map(func(r rune) rune {
		if variant(r) {
			return -1
		}
		return r
	}, emoji)
	for emoji != "" {
		if i, ok := t.index[emoji]; ok {
			return names[i]
		}
		i := strings.LastIndex(emoji, joiner)
		if i < 0 {
			_, i = utf8.DecodeRuneInString(emoji)
			if i == len(emoji) {
				return ""
			}
		}
		emoji = emoji[:i]
	}
	return ""
}
