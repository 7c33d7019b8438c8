package account

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"vaak/internal/fault"
)

// MaxName is the longest name of an organisation and label of a key, in code points.
const MaxName = 200

// checkName returns an Invalid error about field when s is no name: 1 to
// MaxName code points of valid UTF-8, not all blank, without control
// characters, and without a secret, which people do paste into the wrong box.
func checkName(field, s string) error {
	if !utf8.ValidString(s) {
		return fault.BadParameter(field, "%s is not valid UTF-8", field)
	}
	if n := utf8.RuneCountInString(s); n > MaxName {
		return fault.BadParameter(field, "%s has %d characters; 1 to %d are allowed", field, n, MaxName)
	}
	if strings.TrimSpace(s) == "" {
		return fault.BadParameter(field, "%s is empty; 1 to %d characters are needed", field, MaxName)
	}
	if strings.ContainsFunc(s, unicode.IsControl) {
		return fault.BadParameter(field, "%s %s has a control character; none is allowed", field, quote(s))
	}
	if strings.Contains(s, SecretPrefix) {
		return fault.BadParameter(field, "%s holds an API key (%s...); a name must not", field, SecretPrefix)
	}
	return nil
}

// quote shows at most 64 code points of a text that a caller sent.
func quote(s string) string {
	r := []rune(s)
	if len(r) <= 64 {
		return strconv.Quote(s)
	}
	return strconv.Quote(string(r[:64])) + "..."
}
