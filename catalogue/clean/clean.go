// Package clean prepares what people wrote on the cards of datasets for documents that other
// programs read: no control characters, no text that changes the direction of what stands around
// it, no addresses but those of the web.
package clean

import (
	"net/url"
	"strings"
	"time"
	"unicode"
)

// Prose returns a text that may have several lines.
func Prose(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t':
			return ' '
		// Pages and terminals that show the text must not obey it, and XML has no noncharacters.
		case unicode.IsControl(r), turnsDirection(r), r >= 0xFFFE && r <= 0xFFFF:
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

// Line returns a text as one line with single spaces.
func Line(s string) string { return strings.Join(strings.Fields(Prose(s)), " ") }

// Text returns the prose of a text that may be unknown; "" if it is.
func Text(s *string) string {
	if s == nil {
		return ""
	}
	return Prose(*s)
}

// Day returns a date such as 2026-01-31, or "" for anything else.
func Day(s *string) string {
	if s == nil {
		return ""
	}
	if _, err := time.Parse(time.DateOnly, *s); err != nil {
		return ""
	}
	return *s
}

// Web returns an address in ASCII if it is one of the web and has no password, otherwise "". It
// can stand in a Link header and in RDF.
func Web(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || s != Line(s) || strings.Contains(s, " ") {
		return ""
	}
	out := u.String() // escapes what is not ASCII in the path and the fragment
	if strings.ContainsFunc(out, func(r rune) bool { return r > '~' || r <= ' ' || strings.ContainsRune("<>\"{}|\\^`", r) }) {
		return ""
	}
	return out
}
