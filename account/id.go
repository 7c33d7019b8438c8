package account

import (
	"crypto/rand"
	"encoding/base32"
	"strings"
)

// Prefixes of ids.
const (
	orgPrefix  = "org_"
	keyPrefix  = "key_"
	holdPrefix = "hold_"
	slotPrefix = "slot_"
)

const idAlphabet = "abcdefghijklmnopqrstuvwxyz234567"

var idEncoding = base32.NewEncoding(idAlphabet).WithPadding(base32.NoPadding)

// newID returns prefix and 16 random base32 characters (80 bits).
func newID(prefix string) string {
	var b [10]byte
	rand.Read(b[:]) // never fails: see crypto/rand
	return prefix + idEncoding.EncodeToString(b[:])
}

// isID reports whether s has the shape of newID(prefix). An id of another
// shape names nothing, and need not be looked for.
func isID(prefix, s string) bool {
	tail, ok := strings.CutPrefix(s, prefix)
	return ok && len(tail) == 16 && strings.Trim(tail, idAlphabet) == ""
}
