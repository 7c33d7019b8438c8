package smtp

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// authority is an authority of certificates, and one that it made for 127.0.0.1 and
// localhost.
type authority struct {
	roots *x509.CertPool
	leaf  tls.Certificate
}

var testAuthority = sync.OnceValues(func() (authority, error) { return newAuthority(time.Now().Add(time.Hour)) })

func newAuthority(until time.Time) (authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return authority{}, err
	}
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of a test"},
		NotBefore: until.Add(-48 * time.Hour), NotAfter: until.Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "mail.test"},
		NotBefore: until.Add(-48 * time.Hour), NotAfter: until,
		DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	caDER, err := x509.CreateCertificate(rand.Reader, ca, ca, key.Public(), key)
	if err != nil {
		return authority{}, err
	}
	leafDER, err := x509.CreateCertificate(rand.Reader, leaf, ca, key.Public(), key)
	if err != nil {
		return authority{}, err
	}
	root, err := x509.ParseCertificate(caDER)
	if err != nil {
		return authority{}, err
	}
	a := authority{roots: x509.NewCertPool(), leaf: tls.Certificate{Certificate: [][]byte{leafDER}, PrivateKey: key}}
	a.roots.AddCert(root)
	return a, nil
}

func trusted(t testing.TB) authority {
	t.Helper()
	a, err := testAuthority()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// letter is a mail as a server has it.
type letter struct {
	From string
	To   []string
	Data string
}

// office is the backend of a server by emersion.
type office struct {
	mu      sync.Mutex
	letters []letter

	onMail, onRcpt, onData func() error // nil accepts
}

func (o *office) NewSession(*smtp.Conn) (smtp.Session, error) { return &visit{o: o}, nil }

func (o *office) taken() []letter {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]letter(nil), o.letters...)
}

type visit struct {
	o *office
	l letter
}

func answer(f func() error) error {
	if f == nil {
		return nil
	}
	return f()
}

func (v *visit) Reset()        { v.l = letter{} }
func (v *visit) Logout() error { return nil }
func (v *visit) Mail(from string, _ *smtp.MailOptions) error {
	v.l = letter{From: from}
	return answer(v.o.onMail)
}
func (v *visit) Rcpt(to string, _ *smtp.RcptOptions) error {
	v.l.To = append(v.l.To, to)
	return answer(v.o.onRcpt)
}
func (v *visit) Data(r io.Reader) error {
	b, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	v.l.Data = string(b)
	if err := answer(v.o.onData); err != nil {
		return err
	}
	v.o.mu.Lock()
	defer v.o.mu.Unlock()
	v.o.letters = append(v.o.letters, v.l)
	return nil
}

// open starts a server for an office and returns its port's address. With a
// configuration for TLS it offers STARTTLS.
func (o *office) open(t testing.TB, secure *tls.Config, options ...func(*smtp.Server)) string {
	t.Helper()
	l := listen(t)
	s := smtp.NewServer(o)
	s.Domain, s.TLSConfig, s.ErrorLog = "mail.test", secure, log.New(io.Discard, "", 0)
	for _, option := range options {
		option(s)
	}
	o.serve(t, s, l)
	return l.Addr().String()
}

func (o *office) serve(t testing.TB, s *smtp.Server, l net.Listener) {
	done := make(chan error, 1)
	go func() { done <- s.Serve(l) }()
	t.Cleanup(func() {
		_ = s.Close()
		_ = l.Close() // which the server does not know before it serves
		if err := <-done; err != nil && !errors.Is(err, net.ErrClosed) {
			t.Errorf("Serve: %v", err)
		}
	})
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// What a script can do instead of an answer.
const (
	drop = "drop" // close the connection
	hang = "hang" // say nothing until the other side closes
)

// script is a server of which every answer can be given, by the command: "banner",
// "EHLO", "AUTH", "MAIL", "RCPT", "DATA", "." and "QUIT". One that is left out is a
// good one.
type script map[string]string

var goodAnswers = script{
	"banner": "220 mail.test", "EHLO": "250-mail.test\r\n250-ENHANCEDSTATUSCODES\r\n250 AUTH PLAIN",
	"AUTH": "235 2.7.0 welcome", "MAIL": "250 2.1.0 ok", "RCPT": "250 2.1.5 ok",
	"DATA": "354 go on", ".": "250 2.0.0 taken", "QUIT": "221 2.0.0 bye", "RSET": "250 2.0.0 ok",
}

// record is what a script was told.
type record struct {
	mu    sync.Mutex
	lines []string
}

func (r *record) add(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, line)
}

func (r *record) all() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Join(r.lines, "\n")
}

// play starts a server that follows a script, and returns its address.
func play(t testing.TB, s script) (addr string, r *record) {
	t.Helper()
	l, r := listen(t), &record{}
	var conns sync.WaitGroup
	conns.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			conns.Go(func() { defer c.Close(); s.talk(c, r) })
		}
	})
	t.Cleanup(func() { l.Close(); conns.Wait() })
	return l.Addr().String(), r
}

// talk follows the script on one connection.
func (s script) talk(c net.Conn, r *record) {
	in := bufio.NewReader(c)
	if !s.say(c, in, "banner") {
		return
	}
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimSpace(line)
		r.add(line)
		verb := strings.ToUpper(strings.SplitN(line, " ", 2)[0])
		if !s.say(c, in, verb) {
			return
		}
		if verb == "DATA" && s.of("DATA") == goodAnswers["DATA"] {
			for text := ""; text != ".\r\n"; {
				if text, err = in.ReadString('\n'); err != nil {
					return
				}
			}
			if !s.say(c, in, ".") {
				return
			}
		}
	}
}

func (s script) of(what string) string {
	if a, ok := s[what]; ok {
		return a
	}
	if a, ok := goodAnswers[what]; ok {
		return a
	}
	return "500 5.5.1 what?"
}

// say answers, and reports whether the conversation goes on.
func (s script) say(c net.Conn, in io.Reader, what string) bool {
	switch a := s.of(what); a {
	case drop:
		return false
	case hang:
		_, _ = io.Copy(io.Discard, in)
		return false
	default:
		_, err := io.WriteString(c, a+"\r\n")
		return err == nil
	}
}
