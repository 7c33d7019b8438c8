package main

import (
	"bytes"
	"errors"
	"io"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"
)

// step is how far a conversation with a mail server is.
type step string

// The steps, each before the server answers, but for stepAnswered.
const (
	stepConnect  step = "connect"
	stepHello    step = "EHLO"
	stepMail     step = "MAIL"
	stepRcpt     step = "RCPT"
	stepData     step = "DATA"
	stepReceived step = "the end of DATA"
	stepAnswered step = "the answer to DATA"
	stepQuit     step = "QUIT"
)

// mailServer is an SMTP server that does what a test says.
type mailServer struct {
	t    testing.TB
	addr string

	mu    sync.Mutex
	taken []takenMail
	hook  func(step) error
}

// takenMail is a mail that a server has taken: it read all of it and meant to say so.
type takenMail struct {
	from, to string
	raw      string
	header   mail.Header
	text     string
}

// startMailServer starts a server that takes every mail.
func startMailServer(t testing.TB) *mailServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m := &mailServer{t: t, addr: l.Addr().String()}
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		return &mailSession{server: m, conn: c.Conn().(*mailConn)}, nil
	}))
	server.ErrorLog = discard{}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(mailListener{l, m}) }) // it ends when it is closed
	t.Cleanup(func() {
		_ = server.Close()
		serving.Wait()
	})
	return m
}

// flags have a server send its mails there.
func (m *mailServer) flags(config string) []string {
	return []string{"--smtp", "smtp://" + m.addr, "--smtp-allow-plaintext", "--config", config}
}

// at has f called at each step of each conversation, and its error is the answer to
// MAIL, RCPT and the end of DATA. Nil ends it.
func (m *mailServer) at(f func(step) error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hook = f
}

// reached calls what is to be done at a step.
func (m *mailServer) reached(s step) error {
	m.mu.Lock()
	hook := m.hook
	m.mu.Unlock()
	if hook == nil {
		return nil
	}
	return hook(s)
}

// mails are those that were taken so far.
func (m *mailServer) mails() []takenMail {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.taken)
}

// to are those to an address.
func (m *mailServer) to(address string) (all []takenMail) {
	for _, one := range m.mails() {
		if one.to == address {
			all = append(all, one)
		}
	}
	return all
}

type discard struct{}

func (discard) Printf(string, ...any) {}
func (discard) Println(...any)        {}

// mailListener watches connections.
type mailListener struct {
	net.Listener
	server *mailServer
}

func (l mailListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	_ = l.server.reached(stepConnect)
	return &mailConn{Conn: c, server: l.server}, nil
}

// mailConn watches what is said on a connection, whose client waits for each answer.
type mailConn struct {
	net.Conn
	server *mailServer

	mu       sync.Mutex
	inMail   bool // the text of a mail is being sent
	received bool // it was, and was not answered yet
}

func (c *mailConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.mu.Lock()
	text := c.inMail
	c.mu.Unlock()
	for _, s := range []step{stepHello, stepQuit} {
		if !text && bytes.HasPrefix(b[:n], []byte(s)) {
			_ = c.server.reached(s)
		}
	}
	return n, err
}

func (c *mailConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.mu.Lock()
	answered := c.received
	c.received = false
	c.mu.Unlock()
	if answered {
		_ = c.server.reached(stepAnswered)
	}
	return n, err
}

func (c *mailConn) set(inMail, received bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.inMail, c.received = inMail, received
}

// mailSession is one conversation.
type mailSession struct {
	server   *mailServer
	conn     *mailConn
	from, to string
}

func (s *mailSession) Reset()        { s.from, s.to = "", "" }
func (s *mailSession) Logout() error { return nil }

func (s *mailSession) Mail(from string, _ *smtp.MailOptions) error {
	s.from = from
	return s.server.reached(stepMail)
}

func (s *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	if s.to != "" {
		s.server.t.Errorf("a mail has two recipients: %s and %s", s.to, to)
	}
	s.to = to
	return s.server.reached(stepRcpt)
}

func (s *mailSession) Data(r io.Reader) error {
	s.conn.set(true, false)
	if err := s.server.reached(stepData); err != nil {
		s.conn.set(false, false)
		return err
	}
	raw, err := io.ReadAll(r)
	s.conn.set(false, err == nil)
	if err != nil {
		return err
	}
	if err := s.server.reached(stepReceived); err != nil {
		return err
	}
	return s.server.take(s.from, s.to, raw)
}

func (m *mailServer) take(from, to string, raw []byte) error {
	header, text, err := readMail(raw)
	if err != nil {
		m.t.Errorf("a mail cannot be read: %v\n%s", err, raw)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.taken = append(m.taken, takenMail{from, to, string(raw), header, text})
	return nil
}

// readMail returns the header and the text of a mail.
func readMail(raw []byte) (mail.Header, string, error) {
	msg, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return nil, "", err
	}
	if how := strings.ToLower(msg.Header.Get("Content-Transfer-Encoding")); how != "quoted-printable" {
		return nil, "", errors.New("its text is " + how)
	}
	text, err := io.ReadAll(quotedprintable.NewReader(msg.Body))
	return msg.Header, strings.ReplaceAll(string(text), "\r\n", "\n"), err
}
