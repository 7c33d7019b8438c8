package account

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"math/big"
	"strings"
)

// SecretPrefix opens every secret.
const SecretPrefix = "sk_live_"

const (
	base62       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	randomLength = 43 // base 62 digits of 256 bits: 62^43 > 2^256
	checkLength  = 6  // base 62 digits of a CRC-32: 62^6 > 2^32
	secretLength = len(SecretPrefix) + randomLength + checkLength
	shownLength  = 4
)

// newSecret returns a new secret: the prefix, 256 random bits, and their check
// digits, by which scanners and [wellFormed] know a true one.
func newSecret() string {
	var b [32]byte
	rand.Read(b[:]) // never fails: see crypto/rand
	digits := encode62(new(big.Int).SetBytes(b[:]), randomLength)
	return SecretPrefix + digits + check62(digits)
}

// wellFormed reports whether secret has the shape and the check digits of one
// that newSecret made, so that a mistyped key costs no look into the store.
func wellFormed(secret string) bool {
	if len(secret) != secretLength || !strings.HasPrefix(secret, SecretPrefix) {
		return false
	}
	digits := secret[len(SecretPrefix) : secretLength-checkLength]
	return secret[secretLength-checkLength:] == check62(digits)
}

// hashSecret returns what is kept of a secret. A plain digest is enough: 256
// random bits cannot be guessed, however cheap the hash.
func hashSecret(secret string) [sha256.Size]byte { return sha256.Sum256([]byte(secret)) }

// display shows a secret of which only the end is known.
func display(lastFour string) string { return SecretPrefix + "…" + lastFour }

// check62 returns the CRC-32 (IEEE) of digits as checkLength base 62 digits.
func check62(digits string) string {
	var out [checkLength]byte
	sum := crc32.ChecksumIEEE([]byte(digits))
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = base62[sum%62]
		sum /= 62
	}
	return string(out[:])
}

// encode62 writes n as width base 62 digits, most significant first. It uses n up.
func encode62(n *big.Int, width int) string {
	out := make([]byte, width)
	base, digit := big.NewInt(62), new(big.Int)
	for i := width - 1; i >= 0; i-- {
		n.DivMod(n, base, digit)
		out[i] = base62[digit.Int64()]
	}
	return string(out)
}
