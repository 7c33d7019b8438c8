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

// keys are the keys of all digests, seals and links. Digests are keyed, so that somebody who
// has only the database cannot find addresses by trying them.
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

// words returns what identifies an enquiry: who asks for what in which words. Name, company
// and agent are left out, because correcting them does not make it another enquiry.
func words(d Draft) []string {
	return []string{strings.ToLower(d.Email), string(d.Intent), d.Dataset, d.Message}
}

// id returns the id of an enquiry. The same enquiry on the same day (UTC) has the same id, so
// that sending it twice has no effect. n counts earlier enquiries of the day that were purged.
func (k keys) id(d Draft, at time.Time, n int) string {
	// The day is part of the id: the same question a day later is a new enquiry.
	parts := append(words(d), at.UTC().Format(time.DateOnly))
	if n > 0 {
		parts = append(parts, strconv.Itoa(n))
	}
	return "enq_" + lettersOf(k.enquiry.Sign(parts...))
}

// textOf returns a digest of what identifies an enquiry.
func (k keys) textOf(d Draft) string { return k.text.Sign(words(d)...) }

// contentOf returns a digest of everything that a person is shown and agrees to.
func (k keys) contentOf(d Draft) string {
	return k.content.Sign(d.Name, d.Email, d.Company, string(d.Intent), d.Dataset, d.Message, d.Agent)
}

// clientOf returns the digest of a client, or "" if there is none.
func (k keys) clientOf(client string) string {
	if client == "" {
		return ""
	}
	return k.client.Sign(client)
}

// letters encodes bytes as letters and digits.
var letters = base32.StdEncoding.WithPadding(base32.NoPadding)

// lettersOf returns a signature as 26 lower-case letters and digits.
func lettersOf(signature string) string {
	b, err := base64.RawURLEncoding.DecodeString(signature)
	if err != nil {
		panic(fmt.Sprintf("enquiry: signature %q is not base64url", signature)) // seal makes no other
	}
	return strings.ToLower(letters.EncodeToString(b))
}

// newToken returns 26 random lower-case letters and digits (128 bits).
func newToken() string {
	b := make([]byte, 16)
	_, _ = rand.Read(b) // crypto/rand does not fail
	return strings.ToLower(letters.EncodeToString(b))
}

// mailID returns the id of a mail about an enquiry, a release or a link. It follows from its
// arguments, so that a mail that is composed twice is one mail.
func mailID(of string, kind MailKind) string {
	_, of, _ = strings.Cut(of, "_")
	return "mail_" + of + "_" + string(kind)
}

// quoted returns what somebody sent in quotes, cut to 100 characters.
func quoted(s string) string { return fmt.Sprintf("%.100q", s) }
