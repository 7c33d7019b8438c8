package smtp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"os"
	"regexp"
	"strings"
	"syscall"

	"github.com/wneessen/go-mail"

	"vaak/enquiry"
)

// enhanced matches the enhanced status code (RFC 3463) at the start of a reply. What follows it
// is free text of the server, which may name people. net/textproto quotes the text or not.
var enhanced = regexp.MustCompile(`^[45]\d\d "?([45]\.\d{1,3}\.\d{1,3})(?:[\s,"\\]|$)`)

// status returns the enhanced status code of a reply, or "".
func status(reply string) string {
	if m := enhanced.FindStringSubmatch(reply); m != nil {
		return m[1]
	}
	return ""
}

// commands names the steps of a delivery at which a server may refuse a mail for good.
var commands = map[mail.SendErrReason]string{
	mail.ErrSMTPMailFrom:  "MAIL FROM",
	mail.ErrSMTPRcptTo:    "RCPT TO",
	mail.ErrSMTPData:      "DATA",
	mail.ErrWriteContent:  "the text",
	mail.ErrSMTPDataClose: "the end of DATA",
}

// explain turns the error of a delivery into an error of [enquiry.Sender]. It keeps the codes of
// the server's reply and nothing of its text, and nothing of the mail.
func explain(ctx context.Context, err error) error {
	if sent, ok := errors.AsType[*mail.SendError](err); ok {
		return explainSent(ctx, sent)
	}
	if reply, ok := errors.AsType[*textproto.Error](err); ok {
		return temporary(signInOr("the connection", reply.Code), reply.Code, status(reply.Error()))
	}
	if ctx.Err() != nil {
		return fmt.Errorf("mail server: %w", context.Cause(ctx))
	}
	return errors.New("mail server: " + words(err))
}

// explainSent is explain for errors after the greeting.
func explainSent(ctx context.Context, err *mail.SendError) error {
	stage, ok := commands[err.Reason]
	if !ok {
		stage = "the mail"
	}
	code := err.ErrorCode()
	// The library exports the text of the reply only as a part of its error.
	reply, _ := strings.CutPrefix(err.Error(), err.Reason.String()+": ")
	switch {
	case code >= 500 && !signIn(code):
		return &enquiry.Refusal{Stage: stage, Code: code, Status: status(reply)}
	case code != 0:
		return temporary(signInOr(stage, code), code, status(reply))
	case ctx.Err() != nil:
		return fmt.Errorf("mail server, at %s: %w", stage, context.Cause(ctx))
	}
	return fmt.Errorf("mail server: the connection was lost at %s", stage)
}

func temporary(stage string, code int, status string) error {
	return errors.New(strings.TrimSpace(fmt.Sprintf("mail server: %s was answered with %d %s", stage, code, status)))
}

// signIn reports whether a code is about authentication (RFC 4954). Then the settings are wrong
// and not the mail, whichever command was answered with it.
func signIn(code int) bool {
	switch code {
	case 530, 534, 535, 538:
		return true
	}
	return false
}

func signInOr(stage string, code int) string {
	if signIn(code) {
		return "signing in"
	}
	return stage
}

// words returns what is wrong with a connection, in our own words.
func words(err error) string {
	var (
		unknown x509.UnknownAuthorityError
		name    x509.HostnameError
		invalid x509.CertificateInvalidError
		plain   tls.RecordHeaderError
		lookup  *net.DNSError
		number  syscall.Errno
		network net.Error
	)
	switch {
	case errors.Is(err, errExposed):
		return errExposed.Error()
	case errors.As(err, &unknown):
		return "its certificate is of an authority that is not trusted"
	case errors.As(err, &name):
		return "its certificate is for another name"
	case errors.As(err, &invalid):
		return "its certificate is not valid, or not any more"
	case errors.As(err, &plain):
		return "it does not speak TLS"
	case errors.As(err, &lookup):
		return "its name was not found"
	case errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return "it did not answer in time"
	case errors.As(err, &number):
		return number.Error()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return "it closed the connection"
	}
	return "it offers no STARTTLS, or no way of signing in that is known here"
}
