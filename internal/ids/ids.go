// Package ids writes ids: a prefix that says of what, and bits in lower-case base 32.
package ids

import (
	"crypto/rand"
	"encoding/base32"
	"strings"
)

// Bytes is how many bytes most ids have: 80 bits, in 16 characters.
const Bytes = 10

var encoding = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// New returns a prefix with n random bytes.
func New(prefix string, n int) string {
	b := make([]byte, n)
	rand.Read(b) // never fails: see crypto/rand
	return Of(prefix, b)
}

// Of returns a prefix with the given bytes.
func Of(prefix string, b []byte) string { return prefix + encoding.EncodeToString(b) }

// Is reports whether s is a prefix with n bytes, as New and Of write them. A text of another shape
// names nothing, and need not be looked for.
func Is(prefix string, n int, s string) bool {
	tail, ok := strings.CutPrefix(s, prefix)
	b, err := encoding.DecodeString(tail)
	return ok && err == nil && len(b) == n && encoding.EncodeToString(b) == tail
}
