package identity

import (
	_ "embed"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"vaak/internal/fault"
)

// common are passwords that are long enough and that everybody tries first.
//
//go:embed common.txt
var common string

// maxRepeated is the longest piece, in code points, that a password must not consist of.
const maxRepeated = 4

// normalPassword returns a password in NFC, so that it is the same whichever keyboard
// it was typed on; false when it cannot be anybody's.
func normalPassword(password string) (string, bool) {
	if len(password) > 4*4*MaxPassword || !utf8.ValidString(password) { // decomposed characters take several code points
		return "", false
	}
	return norm.NFC.String(password), true
}

// newPassword checks a password that somebody chooses, and returns it in NFC.
func newPassword(password string, p Person) (string, error) {
	bad := func(format string, args ...any) (string, error) {
		return "", fault.BadParameter("password", format, args...)
	}
	if len(password) > 4*4*MaxPassword {
		return bad("the password has more than %d characters; %d to %d are allowed", MaxPassword, MinPassword, MaxPassword)
	}
	password, ok := normalPassword(password)
	if !ok {
		return bad("the password is not valid UTF-8")
	}
	if n := utf8.RuneCountInString(password); n < MinPassword || n > MaxPassword {
		return bad("the password has %d characters; %d to %d are allowed", n, MinPassword, MaxPassword)
	}
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

// repeats reports whether s is a piece of up to maxRepeated code points, over and over.
func repeats(s string) bool {
	runes := []rune(s)
	for n := 1; n <= maxRepeated; n++ {
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
