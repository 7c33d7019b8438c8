package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"vaak/account/ledger"
	"vaak/mcp/plain"
)

// Left says in words how many characters are left.
func Left(characters int64) string {
	if characters == ledger.Unlimited {
		return "unlimited"
	}
	return Plural(characters, "character") + " left"
}

// Plural returns a number with its noun, in the plural unless the number is 1.
func Plural(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Instant returns a time as the services write it: in UTC, to the second.
func Instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05-07:00") }

// Quoted returns text of a stranger in quotes, at most most code points of it, so that a model
// cannot take it for a text of ours. It returns "" for an empty text.
func Quoted(s string, most int) string {
	if s = plain.Line(s, most); s == "" {
		return ""
	}
	return `"` + inQuotes.Replace(s) + `"`
}

// Beginning returns the beginning of s, at most most bytes in whole characters.
func Beginning(s string, most int) string {
	if len(s) <= most {
		return s
	}
	// Back to the first byte of the character that the cut would split.
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// Encode is [json.Marshal] without escapes for <, > and &, which a model reads.
func Encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// LookUp holds the hints of tools that only read.
var LookUp = Hints{ReadOnly: true, Idempotent: true}

// Absolute reports whether an address is absolute. Addresses of the catalogue are not when the
// server has no public address, and then a client cannot follow them.
func Absolute(address string) bool {
	return strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://")
}

// Linked returns the links that a client can follow.
func Linked(all ...Link) []Link {
	var out []Link
	for _, l := range all {
		if Absolute(l.Uri) {
			out = append(out, l)
		}
	}
	return out
}

// inQuotes escapes the characters that would end a quotation, or begin an escape.
var inQuotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)
