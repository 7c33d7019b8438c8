package identity

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// cost is what a guess costs: 19 MiB and two passes, the least that OWASP's Password
// Storage Cheat Sheet recommends for argon2id; 20 to 40 ms of a processor.
var cost = hashing{memory: 19 << 10, passes: 2, lanes: 1}

const (
	saltBytes = 16
	hashBytes = 32
)

// hashing is the cost of argon2id; memory is in KiB.
type hashing struct {
	memory, passes uint32
	lanes          uint8
}

// hashPassword returns a password as it is kept, in the PHC string format.
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

// decoy returns a password in the form that is kept, which no password is: it takes the
// work of a check where there is nothing to check.
func decoy() string {
	random := make([]byte, saltBytes+hashBytes)
	rand.Read(random) // never fails
	return cost.encode(random[:saltBytes], random[saltBytes:])
}

// checkPassword reports whether a password is the one that was kept. One that was
// kept in another form is not.
func checkPassword(kept, password string) bool {
	h, salt, want, ok := decode(kept)
	return ok && subtle.ConstantTimeCompare(want, h.sum(password, salt, uint32(len(want)))) == 1
}

// decode is the inverse of [hashing.encode]; false for another form, and for a cost or
// lengths that we never had.
func decode(kept string) (h hashing, salt, sum []byte, ok bool) {
	parts := strings.Split(kept, "$")
	if len(parts) != 6 {
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
	ok = h.within() && len(salt) >= 8 && len(salt) <= 64 && len(sum) >= 16 && len(sum) <= 64 && h.encode(salt, sum) == kept
	return h, salt, sum, ok
}

// within reports whether a cost is one that a server can bear.
func (h hashing) within() bool {
	return h.memory >= 8 && h.memory <= 64<<10 && h.passes >= 1 && h.passes <= 10 && h.lanes >= 1 && h.lanes <= 8
}
