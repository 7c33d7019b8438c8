package identity

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// cost is the cost of a new hash: 19 MiB and two passes in one lane, the least that OWASP's
// Password Storage Cheat Sheet recommends for argon2id. It takes 20 to 40 ms of a processor,
// for a sign-in as for a guess.
var cost = hashing{memory: 19 << 10, passes: 2, lanes: 1}

// Lengths of a new hash. RFC 9106, section 4, recommends 16 bytes of salt and 32 of tag.
const (
	saltBytes = 16
	hashBytes = 32
)

// hashing is the cost of argon2id; memory is in KiB.
type hashing struct {
	memory, passes uint32
	lanes          uint8
}

// hashPassword returns the stored form of a password: its hash with a new salt, in the PHC
// string format ($argon2id$v=19$m=...,t=...,p=...$salt$hash).
func hashPassword(password string) string {
	salt := make([]byte, saltBytes)
	rand.Read(salt) // never fails: see crypto/rand
	return cost.encode(salt, cost.sum(password, salt, hashBytes))
}

func (h hashing) sum(password string, salt []byte, length uint32) []byte {
	return argon2.IDKey([]byte(password), salt, h.passes, h.memory, h.lanes, length)
}

func (h hashing) encode(salt, sum []byte) string {
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, h.memory, h.passes, h.lanes,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(sum))
}

// decoy returns a stored password that no password matches. A sign-in with an unknown
// address is checked against it, so that it takes as long as one with a wrong password.
func decoy() string {
	// A random hash: to find a password for it is as hard as to invert argon2id.
	random := make([]byte, saltBytes+hashBytes)
	rand.Read(random) // never fails
	return cost.encode(random[:saltBytes], random[saltBytes:])
}

// checkPassword reports whether a password matches a stored one. A stored one that decode
// refuses matches none.
func checkPassword(stored, password string) bool {
	// The cost is that of the stored hash, not of a new one, so older hashes stay valid
	// when cost changes.
	h, salt, want, ok := decode(stored)
	return ok && subtle.ConstantTimeCompare(want, h.sum(password, salt, uint32(len(want)))) == 1
}

// decode is the inverse of [hashing.encode]. It returns false for another format, and for a
// cost or lengths outside what this server accepts.
func decode(stored string) (h hashing, salt, sum []byte, ok bool) {
	parts := strings.Split(stored, "$")
	if len(parts) != 6 { // "", argon2id, version, cost, salt, hash
		return h, nil, nil, false
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &h.memory, &h.passes, &h.lanes); err != nil {
		return h, nil, nil, false
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return h, nil, nil, false
	}
	sum, err = base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil {
		return h, nil, nil, false
	}
	// Encoding again must give the same text. That also checks the name and the version,
	// and refuses what Sscanf and base64 would read leniently.
	ok = h.within() && len(salt) >= 8 && len(salt) <= 64 && len(sum) >= 16 && len(sum) <= 64 && h.encode(salt, sum) == stored
	return h, salt, sum, ok
}

// within reports whether a cost is one that this server can afford. Without the bound, a row
// with a huge cost would exhaust the memory at sign-in.
func (h hashing) within() bool {
	return h.memory >= 8 && h.memory <= 64<<10 && h.passes >= 1 && h.passes <= 10 && h.lanes >= 1 && h.lanes <= 8
}
