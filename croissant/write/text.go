package write

import (
	"net/url"
	"strings"
	"time"
	"unicode"
)

// prose returns a text without control characters, except line breaks, without characters that
// change the direction of text, and without bytes that are not UTF-8.
func prose(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t':
			return ' '
		// Pages and terminals that show the text must not obey it.
		case unicode.IsControl(r), turnsDirection(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	return strings.TrimSpace(s)
}

// turnsDirection reports whether a character overrides, embeds or isolates the direction of text.
// Marks that Indian scripts need are not among these.
func turnsDirection(r rune) bool {
	return '\u202A' <= r && r <= '\u202E' || '\u2066' <= r && r <= '\u2069'
}

// line returns a text as one line with single spaces.
func line(s string) string { return strings.Join(strings.Fields(prose(s)), " ") }

// text returns prose of a text that may be unknown.
func text(s *string) string {
	if s == nil {
		return ""
	}
	return prose(*s)
}

// day returns a date such as 2026-01-31, or "" for anything else.
func day(s *string) string {
	if s == nil {
		return ""
	}
	if _, err := time.Parse(time.DateOnly, *s); err != nil {
		return ""
	}
	return *s
}

// sentence returns a text with a full stop, unless it ends with other punctuation.
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

// labelled returns "label: text." or, if there is no text, "".
func labelled(label, s string) string {
	if s = line(s); s == "" {
		return ""
	}
	return label + ": " + sentence(s)
}

// some returns the texts that are not empty, without repetitions in any case of letters.
func some(texts ...string) []string {
	var out []string
	seen := map[string]bool{"": true}
	for _, t := range texts {
		// The first spelling stays.
		if key := strings.ToLower(t); !seen[key] {
			seen[key] = true
			out = append(out, t)
		}
	}
	return out
}

// web returns an address if it is one of the web, otherwise "". Cards are written by strangers, and
// readers of the document may follow its links.
func web(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		s != line(s) || strings.Contains(s, " ") {
		return ""
	}
	return s
}
