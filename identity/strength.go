package identity

import (
	_ "embed"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"vaak/internal/fault"
)

// common lists passwords, one a line and in lower case, that are long enough and that
// attackers try first.
//
//go:embed common.txt
var common string

// maxRepeated is the longest piece, in code points, whose repetition is refused as a
// password.
const maxRepeated = 4

// maxPasswordBytes bounds the length before normalization. A code point takes up to 4 bytes,
// and up to 4 code points may compose into one.
const maxPasswordBytes = 4 * 4 * MaxPassword

// normalPassword returns a password in NFC. Keyboards send the same character composed or
// decomposed, and both must give the same hash. The result is false for a text that can be
// nobody's password.
func normalPassword(password string) (string, bool) {
	if len(password) > maxPasswordBytes || !utf8.ValidString(password) {
		return "", false
	}
	return norm.NFC.String(password), true
}

// newPassword checks a password that somebody chooses, and returns it in NFC.
func newPassword(password string, p Person) (string, error) {
	bad := func(format string, args ...any) (string, error) {
		return "", fault.BadParameter("password", format, args...)
	}
	if len(password) > maxPasswordBytes {
		return bad("the password has more than %d characters; %d to %d are allowed", MaxPassword, MinPassword, MaxPassword)
	}
	password, ok := normalPassword(password)
	if !ok {
		return bad("the password is not valid UTF-8")
	}
	if n := utf8.RuneCountInString(password); n < MinPassword || n > MaxPassword {
		return bad("the password has %d characters; %d to %d are allowed", n, MinPassword, MaxPassword)
	}
	// Compared in lower case: a capital letter makes none of these harder to guess.
	folded := strings.ToLower(password)
	local, _, _ := strings.Cut(p.Email, "@")
	name := strings.ToLower(norm.NFC.String(p.Name))
	switch {
	case folded == p.Email || folded == local || folded == name:
		return bad("the password is the e-mail address or the name; choose one that others do not know")
	case repeats(password):
		return bad("the password is one short piece over and over; choose one with more in it")
	case isCommon(folded):
		return bad("the password is one of those that are tried first; choose another")
	}
	return password, nil
}

// repeats reports whether s is a repetition of a piece of up to maxRepeated code points, as
// "abcabcabc" is. The last piece may be cut off.
func repeats(s string) bool {
	runes := []rune(s)
	for n := 1; n <= maxRepeated; n++ {
		// A text repeats every n code points if each one equals the one n before it.
		same := true
		for i := n; i < len(runes) && same; i++ {
			same = runes[i] == runes[i-n]
		}
		if same {
			return true
		}
	}
	return false
}

// isCommon reports whether a password in lower case is in the list.
func isCommon(folded string) bool {
	for line := range strings.Lines(common) {
		if strings.TrimSpace(line) == folded {
			return true
		}
	}
	return false
}
