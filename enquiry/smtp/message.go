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

// maxWord is how many bytes a word of a subject may have to go as it is: with it a line
// of a header stays below 76.
const maxWord = 60

var messageID = regexp.MustCompile(`^[A-Za-z0-9.!$&'*+/=?^_{|}~-]{1,120}@[A-Za-z0-9.-]{1,120}$`)

// compose makes the message of a mail, which is the same, byte for byte, each time. Its
// errors are refusals that name the field at fault: it is not going to become right.
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
		// RFC 3834. Not to the operator: help desks close what has it, and the enquiry
		// is a person's.
		msg.SetGenHeader("Auto-Submitted", "auto-generated")
	}
	if err := address(msg, m); err != nil {
		return nil, err
	}
	msg.SetBodyString(gomail.TypeTextPlain, endLine(m.Text), gomail.WithPartEncoding(encoding(m.Text)))
	return msg, nil
}

// address writes who a message is from, to, and answered to.
func address(msg *gomail.Msg, m enquiry.Mail) error {
	if !bare(m.From) || msg.From(m.From) != nil {
		return &enquiry.Refusal{Stage: "From"}
	}
	if !bare(m.To) || msg.To(m.To) != nil {
		return &enquiry.Refusal{Stage: "To"}
	}
	if to, err := msg.GetRecipients(); err != nil || len(to) != 1 {
		return &enquiry.Refusal{Stage: "To"}
	}
	if m.ReplyTo != "" && (!bare(m.ReplyTo) || msg.ReplyTo(m.ReplyTo) != nil) {
		return &enquiry.Refusal{Stage: "Reply-To"}
	}
	return nil
}

// bare reports whether s is one address as it stands in SMTP: no name, no comment, no
// quotes, no second address, and nothing but printable ASCII, which every server takes.
func bare(s string) bool {
	if len(s) > enquiry.MaxEmail || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return false
	}
	a, err := mail.ParseAddress(s)
	return err == nil && a.Name == "" && a.Address == s
}

// subject returns a subject as it stands in the header. Whatever ends a line, and other
// control characters, are spaces: software on the way that decodes a subject and writes
// it down anew would make a second line of them.
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
	// A word holds whole characters, and no more than 75 bytes (RFC 2047).
	var words []string
	for s != "" {
		n := 0
		for n < len(s) {
			_, size := utf8.DecodeRuneInString(s[n:])
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

// asIs reports whether a subject means itself in a header, however its lines are folded.
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

// encoding is how a text goes: quoted-printable, which people can read on its way, or
// base64 where the text has a carriage return, which the other would take for a line end.
func encoding(text string) gomail.Encoding {
	if strings.Contains(text, "\r") {
		return gomail.EncodingB64
	}
	return gomail.EncodingQP
}

// endLine ends the last line of a text.
func endLine(text string) string {
	if strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}
