package oauth

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// Prefixes of ids and of secrets. Those of secrets tell scanners what they have found, and the
// server which kind it is given.
const (
	clientPrefix  = "app_"
	grantPrefix   = "grant_"
	codePrefix    = "vcode_"
	accessPrefix  = "vat_"
	refreshPrefix = "vrt_"
)

// Random bytes of ids.
const (
	clientBytes = 16
	grantBytes  = 10
)

// newSecret returns a code or token of 256 random bits, and the digest that is kept of it.
func newSecret(prefix string) (secret string, hash []byte) {
	var b [32]byte
	rand.Read(b[:])
	secret = prefix + base64.RawURLEncoding.EncodeToString(b[:])
	return secret, digest(secret)
}

// isSecret reports whether a text has the shape of a code or token.
func isSecret(prefix, text string) bool {
	tail, ok := strings.CutPrefix(text, prefix)
	b, err := base64.RawURLEncoding.Strict().DecodeString(tail)
	return ok && err == nil && len(b) == 32 && len(tail) == 43
}

// IsAccessToken reports whether a text claims to be an access token, so that nothing else can
// say whether it is valid.
func IsAccessToken(text string) bool { return strings.HasPrefix(text, accessPrefix) }

// digest is what is kept of a secret. A plain one is enough for 256 random bits.
func digest(secret string) []byte {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}
