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

// Left says how much remains.
func Left(characters int64) string {
	if characters == ledger.Unlimited {
		return "unlimited"
	}
	return Plural(characters, "character") + " left"
}

// Plural counts things.
func Plural(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Instant is a time as the service writes it: in UTC, to the second.
func Instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05-07:00") }

// Quoted is what a stranger wrote, at most most code points of it, in quotes: it
// cannot pass for a line or a part of a line of ours. Of nothing it is "".
func Quoted(s string, most int) string {
	if s = plain.Line(s, most); s == "" {
		return ""
	}
	return `"` + inQuotes.Replace(s) + `"`
}

// Beginning is what of s fits into so many bytes.
func Beginning(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

// Encode is json.Marshal that leaves <, > and & as they are: a model reads them.
func Encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// LookUp are the hints of every tool of the catalogue: they only read.
var LookUp = Hints{ReadOnly: true, Idempotent: true}

// Absolute reports whether an address of the catalogue can be followed: without a
// public address of the server it cannot.
func Absolute(address string) bool {
	return strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://")
}

// Linked leaves the links that can be followed.
func Linked(all ...Link) []Link {
	var out []Link
	for _, l := range all {
		if Absolute(l.Uri) {
			out = append(out, l)
		}
	}
	return out
}

// inQuotes is what ends a quotation, or begins an escape.
var inQuotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)
