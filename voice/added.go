package voice

import (
	"crypto/sha256"
	"encoding/base32"
	"strings"

	"vaak/lang"
)

// IDOf returns the id of a voice that the operator has added, by a name that only this voice has
// and keeps: the first 80 bits of its SHA-256 in base32, as the ids of the roster.
func IDOf(name string) ID {
	const idBytes = 10
	sum := sha256.Sum256([]byte(name))
	return ID("sv_" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:idBytes])))
}

// AccentOf returns what the roster calls the accent of a language in a region, such as "British
// English".
func AccentOf(code lang.Code, region string) string {
	for _, v := range ForLanguage(code) {
		if v.Region == region {
			return v.Accent
		}
	}
	l, _ := lang.Lookup(code)
	return l.Name
}
