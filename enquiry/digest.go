package enquiry

import (
	"crypto/rand"
	"encoding/base32"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"vaak/internal/seal"
)

// keys are what digests, states and links are made with. Digests are keyed, so that
// whoever has the database alone cannot try addresses against them.
type keys struct {
	enquiry, text, content, sender, client, token, state, attest, mail *seal.Key
}

func newKeys(s *seal.Secret) keys {
	return keys{
		enquiry: s.For("enquiry id"), text: s.For("enquiry text"), content: s.For("enquiry content"), sender: s.For("enquiry sender"),
		client: s.For("enquiry client"), token: s.For("enquiry link"), state: s.For("enquiry state"), attest: s.For("enquiry attestation"),
		mail: s.For("enquiry mail"),
	}
}

// words are what makes an enquiry the same as another: who asks for what in which words.
// Name and company may be corrected, and the agent is another, without its being
// another one.
func words(d Draft) []string {
	return []string{strings.ToLower(d.Email), string(d.Intent), d.Dataset, d.Message}
}

// id is the id of an enquiry: the same one on one day (UTC) has one. Where those
// before were purged, n counts them.
func (k keys) id(d Draft, at time.Time, n int) string {
	parts := append(words(d), at.UTC().Format(time.DateOnly))
	if n > 0 {
		parts = append(parts, strconv.Itoa(n))
	}
	return "enq_" + lettersOf(k.enquiry.Sign(parts...))
}

// textOf is a digest of what makes an enquiry the same as another.
func (k keys) textOf(d Draft) string { return k.text.Sign(words(d)...) }

// contentOf is a digest of all that a person is shown and agrees to.
func (k keys) contentOf(d Draft) string {
	return k.content.Sign(d.Name, d.Email, d.Company, string(d.Intent), d.Dataset, d.Message, d.Agent)
}

// clientOf is the digest of a client; "" for none.
func (k keys) clientOf(client string) string {
	if client == "" {
		return ""
	}
	return k.client.Sign(client)
}

// letters writes bytes in lower-case letters and digits.
var letters = base32.StdEncoding.WithPadding(base32.NoPadding)

// lettersOf is a signature in 26 lower-case letters and digits.
func lettersOf(signature string) string {
	b, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil {
		panic(fmt.Sprintf("enquiry: signature %q is not base64url", signature)) // cannot be
	}
	return strings.ToLower(letters.EncodeToString(b))
}

// newToken returns 26 random lower-case letters and digits (128 bits).
func newToken() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // never fails
	return strings.ToLower(letters.EncodeToString(b))
}

// mailID and its Message-ID are of the kind and of the enquiry, or of the release that
// it tells of, so that what is composed twice is one mail.
func mailID(of string, kind MailKind) string {
	_, of, _ = strings.Cut(of, "_")
	return "mail_" + of + "_" + string(kind)
}

// quoted is what somebody sent, in quotes and short.
func quoted(s string) string { return fmt.Sprintf("%.100q", s) }
