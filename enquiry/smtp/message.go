package smtp

import (
	"encoding/base64"
	"net/mail"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	gomail "github.com/wneessen/go-mail"

	"vaak/enquiry"
)

// maxWord is the longest word of a subject, in bytes, that is written without encoding. With it
// a line of the header stays under 76 bytes.
const maxWord = 60

var messageID = regexp.MustCompile(`^[A-Za-z0-9.!$&'*+/=?^_{|}~-]{1,120}@[A-Za-z0-9.-]{1,120}$`)

// compose returns the message of a mail, which is the same at every attempt, byte for byte. An
// error is a refusal that names the field at fault, because another attempt cannot succeed.
func compose(m enquiry.Mail) (*gomail.Msg, error) {
	if !messageID.MatchString(m.MessageID) {
		return nil, &enquiry.Refusal{Stage: "Message-ID"}
	}
	if m.Date.IsZero() {
		return nil, &enquiry.Refusal{Stage: "Date"}
	}
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	msg.SetMessageIDWithValue(m.MessageID)
	msg.SetDateWithValue(m.Date.UTC())
	msg.SetGenHeader(gomail.HeaderSubject, subject(m.Subject))
	if m.Kind != enquiry.ToOperator {
		// RFC 3834. Not in mails to the operator: help desks close tickets that have it, and the
		// enquiry is from a person.
		msg.SetGenHeader("Auto-Submitted", "auto-generated")
	}
	if err := address(msg, m); err != nil {
		return nil, err
	}
	msg.SetBodyString(gomail.TypeTextPlain, endLine(m.Text), gomail.WithPartEncoding(encoding(m.Text)))
	return msg, nil
}

// address sets From, To and Reply-To.
func address(msg *gomail.Msg, m enquiry.Mail) error {
	if !bare(m.From) || msg.From(m.From) != nil {
		return &enquiry.Refusal{Stage: "From"}
	}
	if !bare(m.To) || msg.To(m.To) != nil {
		return &enquiry.Refusal{Stage: "To"}
	}
	// The library may have read more than one address out of the field.
	if to, err := msg.GetRecipients(); err != nil || len(to) != 1 {
		return &enquiry.Refusal{Stage: "To"}
	}
	if m.ReplyTo != "" && (!bare(m.ReplyTo) || msg.ReplyTo(m.ReplyTo) != nil) {
		return &enquiry.Refusal{Stage: "Reply-To"}
	}
	return nil
}

// bare reports whether s is exactly one address as SMTP has it: no name, no comment, no quotes,
// and only printable ASCII, which every server accepts.
func bare(s string) bool {
	if len(s) > enquiry.MaxEmail || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return false
	}
	a, err := mail.ParseAddress(s)
	return err == nil && a.Name == "" && a.Address == s
}

// subject returns a subject as it is written in the header. Line ends and other control
// characters become spaces, even though they would be encoded: software on the way that
// decodes a subject and writes it again would start a new header line.
func subject(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	if asIs(s) {
		return s
	}
	// RFC 2047: an encoded word has whole characters and at most 75 bytes.
	var words []string
	for s != "" {
		n := 0
		for n < len(s) {
			_, size := utf8.DecodeRuneInString(s[n:])
			// Base64 makes 4 bytes of 3; with the frame of an encoded word 36 bytes stay under 75.
			if n+size > maxWord*3/5 {
				break
			}
			n += size
		}
		words = append(words, "=?utf-8?b?"+base64.StdEncoding.EncodeToString([]byte(s[:n]))+"?=")
		s = s[n:]
	}
	return strings.Join(words, " ")
}

// asIs reports whether a subject can be written without encoding, however its line is folded.
func asIs(s string) bool {
	if strings.Contains(s, "=?") {
		return false
	}
	for word := range strings.SplitSeq(s, " ") {
		if s != "" && word == "" || len(word) > maxWord {
			return false
		}
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

// encoding returns how a text is encoded: quoted-printable, which people can read on the way, or
// base64 if it has a carriage return, which quoted-printable would turn into a line end.
func encoding(text string) gomail.Encoding {
	if strings.Contains(text, "\r") {
		return gomail.EncodingB64
	}
	return gomail.EncodingQP
}

// endLine returns a text whose last line has an end.
func endLine(text string) string {
	if strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}
