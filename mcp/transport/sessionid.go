package transport

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

const (
	nonceBytes = 16 // random, so that an id cannot be guessed
	tagBytes   = 16 // of the HMAC, which shows without a look-up that an id belongs to another owner
	idChars    = (nonceBytes+tagBytes)*4/3 + 1
)

// nonce identifies a session of an endpoint.
type nonce [nonceBytes]byte

// idForm encodes ids in visible ASCII. It is strict, so that each id has only one form.
var idForm = base64.RawURLEncoding.Strict()

// secret makes ids and recognizes them. It lives as long as the sessions: in one process.
type secret [32]byte

func newSecret() (s secret) {
	rand.Read(s[:]) // never fails: crypto/rand ends the program instead
	return s
}

// mint returns an id that is valid for owner only.
func (s *secret) mint(owner string) (string, nonce) {
	var n nonce
	rand.Read(n[:])
	return idForm.EncodeToString(append(n[:], s.tag(n, owner)...)), n
}

// read returns the nonce of an id that was minted for owner. It returns false for any other text.
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
	// Unambiguous without a length between the two, because the nonce always has the same one.
	mac.Write([]byte(owner))
	return mac.Sum(nil)[:tagBytes]
}
