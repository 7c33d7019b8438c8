package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
)

// Seal encrypts a text so that nobody else can read or forge it (AES-256-GCM), for one purpose
// and context. It can be opened only with the same context. The result is base64url, and
// different each time.
func (k *Key) Seal(text []byte, context ...string) string {
	gcm := aead(k.keys[0])
	// 96 random bits, which must not repeat with one key: NIST SP 800-38D, section 8.3, allows 2^32
	// messages. The capacity leaves room for the text behind the nonce.
	nonce := make([]byte, gcm.NonceSize(), gcm.NonceSize()+len(text)+gcm.Overhead())
	_, _ = rand.Read(nonce) // never fails
	return base64.RawURLEncoding.EncodeToString(gcm.Seal(nonce, nonce, text, joined(context)))
}

// Open decrypts what was sealed with the same context under any of the secrets. ok is false for
// anything else.
func (k *Key) Open(sealed string, context ...string) (text []byte, ok bool) {
	// Strict, so that one text has one form: without it the last character could have several.
	b, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil {
		return nil, false
	}
	for _, key := range k.keys {
		gcm := aead(key)
		if len(b) < gcm.NonceSize() {
			return nil, false
		}
		nonce, rest := b[:gcm.NonceSize()], b[gcm.NonceSize():]
		if text, err := gcm.Open(nil, nonce, rest, joined(context)); err == nil {
			return text, true
		}
	}
	return nil, false
}

// aead returns the cipher for a key. It derives a key of its own, because a key should serve
// only one algorithm.
func aead(key []byte) cipher.AEAD {
	derived, err := hkdf.Expand(sha256.New, key, "seal", 32)
	if err != nil {
		panic(err) // only a length beyond what the hash can give is refused
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		panic(err) // only another length of the key is refused
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // only another block size is refused
	}
	return gcm
}

// joined encodes a list so that different lists have different encodings: each text follows its
// length.
func joined(list []string) []byte {
	var out []byte
	for _, s := range list {
		out = append(binary.BigEndian.AppendUint64(out, uint64(len(s))), s...)
	}
	return out
}
