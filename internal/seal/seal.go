// Package seal signs and encrypts what a deployment hands out and gets back: links,
// and the state of exchanges that clients carry.
//
// A deployment has one [Secret], the same on all of its servers. Each purpose has a
// [Key] that is derived from it, so that what is signed for one purpose is worth
// nothing for another.
package seal

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"fmt"
)

// MinBytes is the least that a secret may have.
const MinBytes = 32

// Secret is what keys are derived from: one or more secrets of at least [MinBytes]
// random bytes. The first signs, all verify, so that a new one can be put before
// the old. It is safe for concurrent use.
type Secret struct{ secrets [][]byte }

// New returns a secret of given bytes, for tests and for programs that live no
// longer than what they sign. It panics without any, and on one that is too short.
func New(secrets ...[]byte) *Secret {
	if len(secrets) == 0 {
		panic("seal: no secret is given")
	}
	s := &Secret{}
	for _, b := range secrets {
		if len(b) < MinBytes {
			panic(fmt.Sprintf("seal: a secret of %d bytes is under %d", len(b), MinBytes))
		}
		s.secrets = append(s.secrets, append([]byte(nil), b...))
	}
	return s
}

// For returns the key of a purpose, which is any words, always the same for the
// same ones (HKDF with SHA-256, RFC 5869).
func (s *Secret) For(purpose string) *Key {
	k := &Key{}
	for _, b := range s.secrets {
		derived, err := hkdf.Key(sha256.New, b, nil, "vaak: "+purpose, sha256.Size)
		if err != nil {
			panic(err) // only a length beyond what the hash can give is refused
		}
		k.keys = append(k.keys, derived)
	}
	return k
}

// Key signs and verifies for one purpose. It is safe for concurrent use.
type Key struct{ keys [][]byte } // the first signs

// signatureBytes are kept of a MAC: 128 bits, which makes 22 characters.
const signatureBytes = 16

// Sign returns the signature of a list of texts, which is 22 characters of base64url
// (HMAC with SHA-256, RFC 2104, cut to 128 bits). Lists that differ in where one
// text ends and the next begins have different signatures.
func (k *Key) Sign(parts ...string) string { return sign(k.keys[0], parts) }

// Signatures returns the signatures of a list of texts by each of the secrets, that of
// Sign first: for what was signed before the secret was changed.
func (k *Key) Signatures(parts ...string) []string {
	out := make([]string, len(k.keys))
	for i, key := range k.keys {
		out[i] = sign(key, parts)
	}
	return out
}

// Verify reports whether a signature is that of a list of texts by any of the
// secrets. How long it takes does not tell how much of it is right.
func (k *Key) Verify(signature string, parts ...string) bool {
	good := 0
	for _, key := range k.keys {
		good |= subtle.ConstantTimeCompare([]byte(signature), []byte(sign(key, parts)))
	}
	return good == 1
}

func sign(key []byte, parts []string) string {
	mac := hmac.New(sha256.New, key)
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		mac.Write(n[:])
		mac.Write([]byte(p))
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:signatureBytes])
}
