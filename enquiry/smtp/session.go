package smtp

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"

	"github.com/wneessen/go-mail"
	client "github.com/wneessen/go-mail/smtp"
)

// session is one connection to the server.
type session struct {
	client *mail.Client
	smtp   *client.Client
	conn   net.Conn    // the TCP connection below any TLS
	stop   func() bool // ends the watch on the context
}

// errExposed is the error when a password would leave this machine without encryption.
var errExposed = errors.New("the password would leave this machine without TLS")

// open connects, greets and signs in. The connection is closed when ctx ends, whatever is in
// progress on it.
func (r *Relay) open(ctx context.Context) (*session, error) {
	s := &session{stop: func() bool { return true }}
	dial := func(context.Context, string, string) (net.Conn, error) { return r.connect(ctx, s) }
	var err error
	if s.client, err = mail.NewClient(r.to.host, r.options(dial)...); err != nil {
		return nil, errors.New("the settings of the mail server are not taken") // cannot happen: New has checked them
	}
	if s.smtp, err = s.client.DialToSMTPClientWithContext(ctx); err != nil {
		s.drop()
		return nil, explain(ctx, err)
	}
	return s, nil
}

// connect dials the server and, for smtps://, does the TLS handshake.
func (r *Relay) connect(ctx context.Context, s *session) (net.Conn, error) {
	dialCtx, cancel := context.WithTimeout(ctx, r.dial)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(dialCtx, "tcp", r.Addr())
	if err != nil {
		return nil, err
	}
	s.conn = conn
	// The error of Close does not matter: the connection is over either way.
	s.stop = context.AfterFunc(ctx, func() { _ = conn.Close() })
	if r.to.implicit {
		secure := tls.Client(conn, r.tls)
		return secure, secure.HandshakeContext(dialCtx)
	}
	if addr, ok := conn.RemoteAddr().(*net.TCPAddr); r.clear && r.to.user != "" && (!ok || !addr.IP.IsLoopback()) {
		return nil, errExposed // the name localhost resolved to another machine
	}
	return conn, nil
}

// close ends the conversation and the connection.
func (s *session) close() {
	if s.conn.SetDeadline(time.Now().Add(quitTimeout)) == nil {
		// The server may be gone already; then QUIT fails and is not needed.
		_ = s.client.CloseWithSMTPClient(s.smtp)
	}
	s.drop()
}

// drop closes the connection without a word.
func (s *session) drop() {
	s.stop()
	if s.conn != nil {
		_ = s.conn.Close() // may be closed already
	}
}
