package frontend

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"vaak/lang"
	"vaak/text"
)

// unreadable reports whether a character is a letter or a mark of a script in which no
// supported language is written, such as Thai. Digits of such scripts are read.
func unreadable(r rune) bool {
	switch {
	// Latin, Greek, Cyrillic, Armenian, Hebrew and Arabic; the main scripts of India; kana, Han
	// and Hangul.
	case r < 0x700, 0x900 <= r && r < 0xE00, 0x3040 <= r && r < 0xA000, 0xAC00 <= r && r < 0xD7A4:
		return false
	}
	return !spokenScripts().has[lang.ScriptOf(r)] && (unicode.IsLetter(r) || unicode.IsMark(r))
}

// scripts are those in which supported languages are written.
type scripts struct {
	has   map[string]bool // by ISO 15924 code
	names []string        // in English, of the usual languages first
}

var spokenScripts = sync.OnceValue(func() scripts {
	s := scripts{has: map[string]bool{"Zyyy": true, "Zinh": true, "Bopo": true}}
	for _, l := range lang.All() {
		for _, composite := range l.Scripts {
			for _, part := range lang.ScriptParts(composite) {
				if !s.has[part] {
					s.has[part] = true
					s.names = append(s.names, lang.ScriptName(part))
				}
			}
		}
	}
	return s
})

// SpokenScripts returns the English names of the scripts in which supported languages are
// written.
func SpokenScripts() []string { return slices.Clone(spokenScripts().names) }

// Unread is text that is left out because no supported language is written in its script.
type Unread struct {
	// Spans are of bytes of the caller's text, ascending and apart.
	Spans []text.Span
	// Scripts are the English names of the scripts.
	Scripts []string
}

// FindUnread finds what is left out of a text.
func FindUnread(s string) (u Unread) {
	for i := 0; i < len(s); {
		if s[i] < 0xDC { // of characters before U+0700
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if !unreadable(r) {
			i += n
			continue
		}
		end := i + unreadSpan(s[i:])
		if last := len(u.Spans) - 1; last >= 0 && u.Spans[last].End == i {
			u.Spans[last].End = end
		} else {
			u.Spans = append(u.Spans, text.Span{Start: i, End: end})
		}
		if name := scriptName(r); !slices.Contains(u.Scripts, name) {
			u.Scripts = append(u.Scripts, name)
		}
		i = end
	}
	return u
}

// unreadSpan returns how many bytes at the start of a text are left out together: letters and
// marks of one script.
func unreadSpan(s string) int {
	n := 0
	first := ""
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		if !unreadable(r) {
			break
		}
		if script := lang.ScriptOf(r); first == "" {
			first = script
		} else if script != first {
			break
		}
		n += size
	}
	return n
}

// scriptName returns the English name of the script of a letter.
func scriptName(r rune) string {
	for name, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			return strings.ReplaceAll(name, "_", " ")
		}
	}
	return "an unknown script"
}

// notice returns the sentence about what is left out of a text.
func (u Unread) notice(s string) []string {
	if len(u.Spans) == 0 {
		return nil
	}
	n := 0
	for _, span := range u.Spans {
		n += utf8.RuneCountInString(span.In(s))
	}
	what := "1 character"
	if n > 1 {
		what = fmt.Sprintf("%d characters", n)
	}
	return []string{fmt.Sprintf("not read and not charged: %s of %s script, in which no supported language is written", what, strings.Join(u.Scripts, " and "))}
}
