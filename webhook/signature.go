package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"vaak/internal/fault"
)

// SecretPrefix begins every secret.
const SecretPrefix = "whsec_"

// How many bytes a secret has; a new one has secretBytes.
const (
	minSecret   = 24
	maxSecret   = 64
	secretBytes = 32
)

// Names of the headers of a request.
const (
	HeaderID        = "webhook-id"
	HeaderTimestamp = "webhook-timestamp"
	HeaderSignature = "webhook-signature"
)

// Secret signs what is sent to an endpoint.
type Secret []byte

// NewSecret returns a secret of 256 random bits.
func NewSecret() Secret {
	s := make(Secret, secretBytes)
	rand.Read(s) // never fails: see crypto/rand
	return s
}

// ParseSecret reads a secret as [Secret.String] writes it. Its error does not repeat the text.
func ParseSecret(text string) (Secret, error) {
	tail, ok := strings.CutPrefix(text, SecretPrefix)
	b, err := base64.StdEncoding.Strict().DecodeString(tail)
	if !ok || err != nil || len(b) < minSecret || len(b) > maxSecret || strings.ContainsAny(text, "\r\n") {
		return nil, fault.BadParameter("secret", "secret is not %s and %d to %d bytes in base64; leave it out to get a new one", SecretPrefix, minSecret, maxSecret)
	}
	return b, nil
}

// String writes the secret as the owner of the endpoint gets it.
func (s Secret) String() string { return SecretPrefix + base64.StdEncoding.EncodeToString(s) }

// Sign returns the header [HeaderSignature]: a signature by each secret, separated by spaces. Each is
// HMAC-SHA256 (RFC 2104) of the id, the time in Unix seconds and the body, separated by full stops.
func Sign(id string, at time.Time, body string, secrets ...Secret) string {
	signed := id + "." + Timestamp(at) + "." + body
	all := make([]string, len(secrets))
	for i, s := range secrets {
		mac := hmac.New(sha256.New, s)
		mac.Write([]byte(signed))
		all[i] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	return strings.Join(all, " ")
}

// Timestamp returns the header [HeaderTimestamp].
func Timestamp(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }
