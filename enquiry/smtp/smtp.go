// Package smtp hands the mails of enquiries over: [Relay] to a server over SMTP, and
// [Folder], for whoever has none, to a directory.
//
// Both write the same mail as the same bytes whenever it is sent, in plain text, to
// exactly one recipient, and refuse one whose fields could be anything else.
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

// Config says how mails reach the next server.
type Config struct {
	// URL is smtp://user:password@host:port, where STARTTLS is required, or
	// smtps://..., where TLS comes first; required. The port is 587 or 465 when it is
	// left out; user and password may be, both.
	URL string
	// AllowPlaintext lets mails go without TLS to a server that offers none, which is
	// for development. A password still goes without TLS to this machine alone: whoever
	// sits on the way to another one could strip the offer of TLS and read it.
	AllowPlaintext bool
	// Hello is the name by which the server is greeted; "" is the name of this machine,
	// or localhost where that is no domain name.
	Hello       string
	DialTimeout time.Duration  // for the connection; 0 is 10 s
	Timeout     time.Duration  // for a whole delivery; 0 is 60 s
	Roots       *x509.CertPool // authorities that are trusted; nil is those of the system
}

const (
	defaultDialTimeout = 10 * time.Second
	defaultTimeout     = time.Minute
	quitTimeout        = 2 * time.Second // the mail is delivered by then
)

// Relay hands mails to a server over SMTP, each on a connection of its own. Its methods
// may be called from many goroutines.
type Relay struct {
	to    target
	tls   *tls.Config
	hello string
	dial  time.Duration
	whole time.Duration
	// clear is whether a connection without TLS will do.
	clear bool
}

// New returns a relay; nothing is dialled. Its errors are of kind Invalid, and never
// show what the URL holds.
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
	// Once the server has taken the mail nothing that follows makes it not so.
	if err := s.client.SendWithSMTPClient(s.smtp, msg); err != nil && !msg.IsDelivered() {
		return explain(ctx, err)
	}
	return nil
}

// Probe connects to the server, greets it, turns on TLS and signs in as Send does, and
// says goodbye. No mail is sent. Its errors hold neither the password nor words of the
// server.
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

// options are those of a client that connects by dial.
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
		mail.WithoutSMTPUTF8(), // which every server on the way would have to know
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

// policy says whether STARTTLS is asked for; a connection that has TLS from its first
// byte needs none.
func (r *Relay) policy() mail.TLSPolicy {
	switch {
	case r.to.implicit:
		return mail.NoTLS
	case r.clear:
		return mail.TLSOpportunistic
	}
	return mail.TLSMandatory
}
