package plain

import (
	"bytes"
	"encoding/json"
)

// MaxString is the longest string of a document that [JSON] leaves whole, in code
// points: the longest text that the catalogue takes.
const MaxString = 5000

// JSON returns a document in which [Text] has cleaned every string and [Line] every name of a
// member. If two names of an object become equal, the later one gets a number: "a", "a (2)".
// Everything else stays the same, byte for byte. A document that needs no change is returned
// itself. raw must be valid JSON, of any depth.
func JSON(raw json.RawMessage) json.RawMessage {
	var out []byte // nil while nothing changed
	from := 0      // raw[:from] has been copied to out
	// nil until a name must change. Only then are the names of the open objects needed, to keep
	// them apart; most documents never pay for that.
	var apart *names
	for i := 0; i < len(raw); i++ {
		if raw[i] != '"' {
			apart.enter(raw[i])
			continue
		}
		end := endOfString(raw, i)
		var changed []byte
		if isMember(raw[end:]) {
			if apart == nil && nameToChange(raw[i:end]) {
				apart = namesBefore(raw[:i])
			}
			changed = apart.name(raw[i:end])
		} else {
			changed = text(raw[i:end])
		}
		if changed != nil {
			out = append(append(out, raw[from:i]...), changed...)
			from = end
		}
		// The loop adds one.
		i = end - 1
	}
	if out == nil {
		return raw
	}
	return append(out, raw[from:]...)
}

// endOfString returns where the string that begins at i ends.
func endOfString(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(raw)
}

// isMember reports whether the string before rest is the name of a member.
func isMember(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(rest) > 0 && rest[0] == ':'
}

// text returns the cleaned form of a string token; nil when the token needs no change.
func text(token []byte) []byte {
	if len(token) <= MaxString && simple(token) {
		return nil
	}
	var s string
	if json.Unmarshal(token, &s) != nil {
		return nil // not JSON; the reader of the result will say so
	}
	t := Text(s, MaxString)
	if t == s {
		return nil
	}
	return quote(t)
}

// quote returns the token of a string.
func quote(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if enc.Encode(s) != nil {
		return nil // cannot be: every string can be encoded
	}
	return bytes.TrimRight(b.Bytes(), "\n")
}

// simple reports whether a token is plain ASCII without escapes and brackets.
func simple(token []byte) bool {
	for _, c := range token {
		if c < ' ' || c > '~' || c == '\\' || c == '<' {
			return false
		}
	}
	return true
}
