package machines

import (
	"bytes"
	"io"
	"net"
	"net/mail"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
)

const operator = "desk@example.org"

// mailServer takes every mail, and notes when each enquiry came.
type mailServer struct {
	address string

	mu      sync.Mutex
	came    map[string]time.Time       // by what the person wrote: the first time
	ids     map[string]map[string]bool // Message-IDs of its mails
	mails   int
	refuses int             // how many mails are still to be put off
	later   map[string]bool // enquiries whose mail was put off
}

// marker is in the message of each enquiry, and names it.
var marker = regexp.MustCompile(`enquiry-[0-9]+-[0-9]+`)

func startMailServer(t *testing.T) *mailServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m := &mailServer{address: l.Addr().String(), came: map[string]time.Time{}, ids: map[string]map[string]bool{}, later: map[string]bool{}}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return mailSession{m}, nil }))
	server.ErrorLog = nobody{}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(l) }) // it ends when it is closed
	t.Cleanup(func() {
		_ = server.Close()
		serving.Wait()
	})
	return m
}

// putOff has the server answer the next mails with 451, so that they are sent again later.
func (m *mailServer) putOff(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refuses = n
}

// arrived returns when the mail of an enquiry came first, and whether it was put off before.
func (m *mailServer) arrived(name string) (at time.Time, came, later bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at, came = m.came[name]
	return at, came, m.later[name]
}

// twice returns how many mails came more than once, and how many enquiries have several Message-IDs.
func (m *mailServer) twice() (again, different int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, ids := range m.ids {
		if len(ids) > 1 {
			different++
		}
	}
	return m.mails - len(m.came), different
}

type nobody struct{}

func (nobody) Printf(string, ...any) {}
func (nobody) Println(...any)        {}

type mailSession struct{ m *mailServer }

func (mailSession) Reset()                               {}
func (mailSession) Logout() error                        { return nil }
func (mailSession) Mail(string, *smtp.MailOptions) error { return nil }
func (mailSession) Rcpt(string, *smtp.RcptOptions) error { return nil }

func (s mailSession) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	message, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	text, err := io.ReadAll(message.Body)
	if err != nil {
		return err
	}
	name := string(marker.Find(text))
	if name == "" || message.Header.Get("To") != "<"+operator+">" {
		return nil
	}
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	if s.m.refuses > 0 {
		s.m.refuses--
		s.m.later[name] = true
		return &smtp.SMTPError{Code: 451, EnhancedCode: smtp.EnhancedCode{4, 3, 0}, Message: "later"}
	}
	if s.m.mails++; s.m.ids[name] == nil {
		s.m.came[name], s.m.ids[name] = time.Now(), map[string]bool{}
	}
	s.m.ids[name][message.Header.Get("Message-ID")] = true
	return nil
}
