package write

import (
	"net/url"
	"strings"
	"time"
	"unicode"
)

// prose returns a text without what is no text: control characters but line breaks,
// marks that turn the direction of what follows, and bytes that are not UTF-8.
func prose(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t':
			return ' '
		case unicode.IsControl(r), turnsDirection(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return strings.TrimSpace(s)
}

// turnsDirection reports whether a character overrides, embeds or isolates the
// direction of text. Marks that letters of Indian scripts need are none of them.
func turnsDirection(r rune) bool {
	return '\u202A' <= r && r <= '\u202E' || '\u2066' <= r && r <= '\u2069'
}

// line returns a text as one line, with one space between words.
func line(s string) string { return strings.Join(strings.Fields(prose(s)), " ") }

// text is prose of what may be unknown.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return prose(*s)
}

// day returns a date such as 2026-01-31, and "" of anything else.
func day(s *string) string {
	if s == nil {
		return ""
	}
	if _, err := time.Parse(time.DateOnly, *s); err != nil {
		return ""
	}
	return *s
}

// sentence returns a text with a full stop at its end, unless it has an end.
func sentence(s string) string {
	if s == "" || strings.ContainsRune(".!?…।॥", lastRune(s)) {
		return s
	}
	return s + "."
}

func lastRune(s string) (last rune) {
	for _, r := range s {
		last = r
	}
	return last
}

// labelled is "label: text." or, of no text, nothing.
func labelled(label, s string) string {
	if s = line(s); s == "" {
		return ""
	}
	return label + ": " + sentence(s)
}

// some returns the texts that are not empty, each once.
func some(texts ...string) []string {
	var out []string
	seen := map[string]bool{"": true}
	for _, t := range texts {
		if key := strings.ToLower(t); !seen[key] {
			seen[key] = true
			out = append(out, t)
		}
	}
	return out
}

// web returns an address if it is one of the web, and "" of anything else: cards
// are written by others.
func web(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		s != line(s) || strings.Contains(s, " ") {
		return ""
	}
	return s
}
