// Package seal signs and encrypts what a deployment hands out and later gets back: links, and
// state that clients carry.
//
// A deployment has one [Secret], the same on all of its servers. Each purpose has a [Key]
// derived from it, so a signature for one purpose is invalid for every other.
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

// MinBytes is the least length of a secret.
const MinBytes = 32

// Secret is what keys are derived from: one or more secrets of at least [MinBytes] random
// bytes. The first one signs and all verify, so a new secret can be put before the old one. It
// is safe for concurrent use.
type Secret struct{ secrets [][]byte }

// New returns a secret from given bytes, for tests and for programs that end before what they
// sign expires. It panics without any secret, or if one is too short.
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

// For returns the key for a purpose. The same words always give the same key (HKDF with
// SHA-256, RFC 5869).
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

// signatureBytes is how many bytes of a MAC are kept: 128 bits, or 22 characters.
const signatureBytes = 16

// Sign returns the signature of a list of texts: 22 characters of base64url (HMAC with SHA-256,
// RFC 2104, truncated to 128 bits). Lists that divide the same text differently have different
// signatures.
func (k *Key) Sign(parts ...string) string { return sign(k.keys[0], parts) }

// Signatures returns the signatures of a list of texts by all secrets, that of Sign first. It
// finds what was signed before the secret was changed.
func (k *Key) Signatures(parts ...string) []string {
	out := make([]string, len(k.keys))
	for i, key := range k.keys {
		out[i] = sign(key, parts)
	}
	return out
}

// Verify reports whether a signature of a list of texts was made with any of the secrets. The
// time it takes does not depend on how much of the signature is right.
func (k *Key) Verify(signature string, parts ...string) bool {
	good := 0
	for _, key := range k.keys {
		// No early return: which of the secrets fits must not show in the time either.
		good |= subtle.ConstantTimeCompare([]byte(signature), []byte(sign(key, parts)))
	}
	return good == 1
}

func sign(key []byte, parts []string) string {
	mac := hmac.New(sha256.New, key)
	var n [8]byte
	for _, p := range parts {
		// The length of each part comes first, so that "ab","c" and "a","bc" differ.
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		mac.Write(n[:])
		mac.Write([]byte(p))
	}
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:signatureBytes])
}
