package identity

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"

	"vaak/internal/ids"
)

const idPrefix = "usr_"

// newID returns the id of a new person.
func newID() string { return ids.New(idPrefix, ids.Bytes) }

// isID reports whether s has the shape of an id. One of another shape names nobody.
func isID(s string) bool { return ids.Is(idPrefix, ids.Bytes, s) }

// newToken returns 256 random bits as 43 characters of base64url.
func newToken() string {
	var b [32]byte
	rand.Read(b[:]) // never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// isToken reports whether s has the shape of a token.
func isToken(s string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	return err == nil && len(b) == 32 && len(s) == 43
}

// hashToken returns what is kept of a token. A plain digest is enough: 256 random bits
// cannot be guessed, however cheap the hash.
func hashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
