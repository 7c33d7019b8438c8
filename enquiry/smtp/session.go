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

// session is one conversation with the server.
type session struct {
	client *mail.Client
	smtp   *client.Client
	conn   net.Conn    // the plain one below any TLS
	stop   func() bool // lets go of the context
}

// errExposed is the error of a password that would have left this machine in the clear.
var errExposed = errors.New("the password would leave this machine without TLS")

// open connects, greets and signs in. When ctx ends so does the connection, whatever is
// under way on it.
func (r *Relay) open(ctx context.Context) (*session, error) {
	s := &session{stop: func() bool { return true }}
	dial := func(context.Context, string, string) (net.Conn, error) { return r.connect(ctx, s) }
	var err error
	if s.client, err = mail.NewClient(r.to.host, r.options(dial)...); err != nil {
		return nil, errors.New("the settings of the mail server are not taken") // New has checked them
	}
	if s.smtp, err = s.client.DialToSMTPClientWithContext(ctx); err != nil {
		s.drop()
		return nil, explain(ctx, err)
	}
	return s, nil
}

// connect dials the server and, where TLS comes first, shakes hands.
func (r *Relay) connect(ctx context.Context, s *session) (net.Conn, error) {
	dialCtx, cancel := context.WithTimeout(ctx, r.dial)
	defer cancel()
	conn, err := (&net.Dialer{}).DialContext(dialCtx, "tcp", r.Addr())
	if err != nil {
		return nil, err
	}
	s.conn = conn
	// Closing cannot fail in a way that matters: the conversation is over.
	s.stop = context.AfterFunc(ctx, func() { _ = conn.Close() })
	if r.to.implicit {
		secure := tls.Client(conn, r.tls)
		return secure, secure.HandshakeContext(dialCtx)
	}
	if addr, ok := conn.RemoteAddr().(*net.TCPAddr); r.clear && r.to.user != "" && (!ok || !addr.IP.IsLoopback()) {
		return nil, errExposed // a name that pretends to be of this machine
	}
	return conn, nil
}

// close says goodbye and lets go of the connection.
func (s *session) close() {
	if s.conn.SetDeadline(time.Now().Add(quitTimeout)) == nil {
		// A server that has gone already needs no goodbye.
		_ = s.client.CloseWithSMTPClient(s.smtp)
	}
	s.drop()
}

// drop lets go of the connection.
func (s *session) drop() {
	s.stop()
	if s.conn != nil {
		_ = s.conn.Close() // perhaps a second time
	}
}
