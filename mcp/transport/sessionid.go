package transport

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

const (
	nonceBytes = 16 // random, so that an id cannot be guessed
	tagBytes   = 16 // of the HMAC, so that one of another owner is known without a look-up
	idChars    = (nonceBytes+tagBytes)*4/3 + 1
)

// nonce tells the sessions of an endpoint apart.
type nonce [nonceBytes]byte

// idForm writes ids in visible ASCII, in one way only.
var idForm = base64.RawURLEncoding.Strict()

// secret makes ids, and knows its own again. It lives as long as the sessions
// do: in one process.
type secret [32]byte

func newSecret() (s secret) {
	rand.Read(s[:]) // never fails: crypto/rand ends the program instead
	return s
}

// mint returns an id that is good for owner alone.
func (s *secret) mint(owner string) (string, nonce) {
	var n nonce
	rand.Read(n[:])
	return idForm.EncodeToString(append(n[:], s.tag(n, owner)...)), n
}

// read returns the nonce of an id that was minted for owner; false is any other
// text.
func (s *secret) read(id, owner string) (n nonce, ok bool) {
	if len(id) != idChars {
		return n, false
	}
	raw, err := idForm.DecodeString(id)
	if err != nil || len(raw) != nonceBytes+tagBytes {
		return n, false
	}
	copy(n[:], raw)
	return n, hmac.Equal(raw[nonceBytes:], s.tag(n, owner))
}

func (s *secret) tag(n nonce, owner string) []byte {
	mac := hmac.New(sha256.New, s[:])
	mac.Write(n[:])
	mac.Write([]byte(owner))
	return mac.Sum(nil)[:tagBytes]
}
