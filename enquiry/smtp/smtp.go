// Package smtp delivers the mails of enquiries: [Relay] hands them to a mail server, and
// [Folder] writes them into a directory where there is no server.
//
// Both write a mail as the same bytes at every attempt, in plain text, to exactly one
// recipient. They refuse a mail whose fields could be read as anything else.
package smtp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"strconv"
	"time"

	"github.com/wneessen/go-mail"

	"vaak/enquiry"
	"vaak/internal/fault"
)

// Config configures a [Relay].
type Config struct {
	// URL is smtp://user:password@host:port, which requires STARTTLS, or smtps://..., which
	// begins with TLS. Required. The default ports are 587 and 465. User and password may
	// both be left out.
	URL string
	// AllowPlaintext allows mail without TLS to a server that offers none, for development.
	// A password is still sent without TLS to this machine only, because an attacker on the
	// way to another one could remove the offer of TLS and read it.
	AllowPlaintext bool
	// Hello is the name in the greeting; "" is the name of this machine, or localhost if that
	// is not a domain name.
	Hello       string
	DialTimeout time.Duration  // for connecting; 0 means 10 s
	Timeout     time.Duration  // for a whole delivery; 0 means 60 s
	Roots       *x509.CertPool // trusted authorities; nil means those of the system
}

const (
	defaultDialTimeout = 10 * time.Second
	defaultTimeout     = time.Minute
	quitTimeout        = 2 * time.Second // the mail is delivered by then
)

// Relay hands mails to a mail server, each on a connection of its own. Safe for concurrent use.
type Relay struct {
	to    target
	tls   *tls.Config
	hello string
	dial  time.Duration
	whole time.Duration
	// clear allows a connection without TLS.
	clear bool
}

// New returns a relay, without connecting. Errors are of kind Invalid and never contain a part
// of the URL, which holds the password.
func New(cfg Config) (*Relay, error) {
	to, err := parse(cfg.URL)
	if err != nil {
		return nil, err
	}
	hello, err := greeting(cfg.Hello)
	if err != nil {
		return nil, err
	}
	if cfg.DialTimeout < 0 || cfg.Timeout < 0 {
		return nil, fault.BadParameter("smtp", "the time limits of mail must not be negative: they are %v and %v", cfg.DialTimeout, cfg.Timeout)
	}
	return &Relay{
		to:    to,
		tls:   &tls.Config{ServerName: to.host, RootCAs: cfg.Roots, MinVersion: tls.VersionTLS12},
		hello: hello,
		dial:  orDefault(cfg.DialTimeout, defaultDialTimeout),
		whole: orDefault(cfg.Timeout, defaultTimeout),
		clear: cfg.AllowPlaintext && (to.user == "" || to.loopback()),
	}, nil
}

func orDefault(d, otherwise time.Duration) time.Duration {
	if d == 0 {
		return otherwise
	}
	return d
}

// Addr returns the host and port of the server.
func (r *Relay) Addr() string { return net.JoinHostPort(r.to.host, strconv.Itoa(r.to.port)) }

// Send implements [enquiry.Sender].
func (r *Relay) Send(ctx context.Context, m enquiry.Mail) error {
	msg, err := compose(m)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, r.whole)
	defer cancel()
	s, err := r.open(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	// Once the server has accepted the mail, a later error does not change that.
	if err := s.client.SendWithSMTPClient(s.smtp, msg); err != nil && !msg.IsDelivered() {
		return explain(ctx, err)
	}
	return nil
}

// Probe connects, greets, turns on TLS and signs in as Send does, and then quits without a mail.
// Its errors contain neither the password nor text of the server.
func (r *Relay) Probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, r.whole)
	defer cancel()
	s, err := r.open(ctx)
	if err != nil {
		return err
	}
	s.close()
	return nil
}

// options returns the options of the mail library for a client that connects by dial.
func (r *Relay) options(dial mail.DialContextFunc) []mail.Option {
	opts := []mail.Option{
		mail.WithHELO(r.hello),
		mail.WithPort(r.to.port),
		mail.WithTimeout(r.whole),
		mail.WithTLSConfig(r.tls),
		mail.WithTLSPolicy(r.policy()),
		mail.WithDialContextFunc(dial),
		mail.WithoutNoop(),
		mail.WithoutRset(),
		mail.WithoutSMTPUTF8(), // every server on the way would have to support it
	}
	if r.to.user != "" {
		ways := []mail.SMTPAuthType{mail.SMTPAuthPlain, mail.SMTPAuthLogin}
		if r.clear {
			ways = []mail.SMTPAuthType{mail.SMTPAuthPlainNoEnc, mail.SMTPAuthLoginNoEnc}
		}
		opts = append(opts, mail.WithOpportunisticSMTPAuth(ways...),
			mail.WithUsername(r.to.user), mail.WithPassword(r.to.password))
	}
	return opts
}

// policy returns whether STARTTLS is used. A connection that begins with TLS does not need it.
func (r *Relay) policy() mail.TLSPolicy {
	switch {
	case r.to.implicit:
		return mail.NoTLS
	case r.clear:
		return mail.TLSOpportunistic
	}
	return mail.TLSMandatory
}
