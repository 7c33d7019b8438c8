package smtp

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestTLS checks that nothing is sent where TLS is not as it must be.
func TestTLS(t *testing.T) {
	t.Parallel()
	ca := trusted(t)
	other, err := newAuthority(time.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	old, err := newAuthority(time.Now().Add(-time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		server *tls.Config // nil offers no STARTTLS
		roots  *x509.CertPool
		scheme string
		host   string // "" is the address
		clear  bool
		want   string
	}{
		{"unknown authority", &tls.Config{Certificates: []tls.Certificate{other.leaf}}, ca.roots, "smtp", "", false, "not trusted"},
		{"unknown authority, plaintext allowed", &tls.Config{Certificates: []tls.Certificate{other.leaf}}, ca.roots, "smtp", "", true, "not trusted"},
		{"expired", &tls.Config{Certificates: []tls.Certificate{old.leaf}}, old.roots, "smtp", "", false, "not any more"},
		{"another name", &tls.Config{Certificates: []tls.Certificate{ca.leaf}}, ca.roots, "smtp", "127.0.0.2", false, "another name"},
		{"no STARTTLS", nil, ca.roots, "smtp", "", false, "no STARTTLS"},
		{"no TLS", nil, ca.roots, "smtps", "", false, "does not speak TLS"},
		{"no TLS, plaintext allowed", nil, ca.roots, "smtps", "", true, "does not speak TLS"},
		{"too old", &tls.Config{Certificates: []tls.Certificate{ca.leaf}, MaxVersion: tls.VersionTLS11}, ca.roots, "smtp", "", false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := &office{}
			addr := o.open(t, tt.server)
			if tt.host != "" {
				_, port, _ := net.SplitHostPort(addr)
				addr = redirect(t, tt.host, port)
			}
			r := relay(t, Config{URL: tt.scheme + "://" + addr, Roots: tt.roots, AllowPlaintext: tt.clear, Timeout: patience})
			err := r.Send(t.Context(), sample())
			checkError(t, err, nil)
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Send = %v, want %q in it", err, tt.want)
			}
			if len(o.taken()) != 0 {
				t.Error("the mail arrived all the same")
			}
		})
	}
}

// redirect listens at another address of this machine and passes on to a port.
func redirect(t *testing.T, host, port string) string {
	t.Helper()
	l, err := net.Listen("tcp", host+":0")
	if err != nil {
		t.Skipf("no address %s: %v", host, err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", "127.0.0.1:"+port)
			if err != nil {
				in.Close()
				return
			}
			half := make(chan struct{})
			go func() { defer close(half); io.Copy(out, in); out.Close() }()
			io.Copy(in, out)
			in.Close()
			<-half
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return l.Addr().String()
}

// TestNobodyThere checks addresses that nobody listens at.
func TestNobodyThere(t *testing.T) {
	t.Parallel()
	l := listen(t)
	addr := l.Addr().String()
	l.Close()
	for url, want := range map[string]string{"smtp://" + addr: "refused", "smtps://" + addr: "refused", "smtp://nowhere.invalid": "not found"} {
		err := relay(t, Config{URL: url, Timeout: patience}).Send(t.Context(), sample())
		checkError(t, err, nil)
		if !strings.Contains(err.Error(), want) {
			t.Errorf("Send to %s = %v, want %q in it", url, err, want)
		}
	}
}

// TestPassword checks when a password leaves: as it is in the URL, and never without
// TLS but to this machine.
func TestPassword(t *testing.T) {
	t.Parallel()
	sent := "AUTH PLAIN " + base64.StdEncoding.EncodeToString([]byte("\x00u@x\x00p:/#é"))
	addr, told := play(t, nil)
	cfg := Config{URL: "smtp://u%40x:p%3A%2F%23%C3%A9@" + addr, AllowPlaintext: true, Timeout: patience}
	if err := relay(t, cfg).Send(t.Context(), sample()); err != nil {
		t.Fatalf("Send: %v", err)
	}
	if !strings.Contains(told.all(), sent) {
		t.Errorf("the server was told %q, want %q in it", told.all(), sent)
	}
	cfg.AllowPlaintext = false
	addr, told = play(t, nil)
	cfg.URL = "smtp://u:secret@" + addr
	checkError(t, relay(t, cfg).Send(t.Context(), sample()), nil)
	if strings.Contains(told.all(), "AUTH") {
		t.Errorf("the password left without TLS: %q", told.all())
	}
	for host, want := range map[string]bool{"mail.example.org": false, "192.0.2.1": false, "127.0.0.1": true, "[::1]": true, "localhost": true} {
		r := relay(t, Config{URL: "smtp://u:p@" + host, AllowPlaintext: true})
		if r.clear != want {
			t.Errorf("a password goes without TLS to %s = %v, want %v", host, r.clear, want)
		}
	}
}

// TestPretender checks that a name of this machine that leads elsewhere takes no
// password there.
func TestPretender(t *testing.T) {
	t.Parallel()
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addrs {
		n, ok := a.(*net.IPNet)
		if !ok || n.IP.IsLoopback() || n.IP.To4() == nil {
			continue
		}
		o := &office{}
		_, port, _ := net.SplitHostPort(o.open(t, nil))
		r := relay(t, Config{URL: "smtp://u:secret@localhost", AllowPlaintext: true, Timeout: patience})
		_, to, _ := net.SplitHostPort(redirect(t, n.IP.String(), port))
		r.to.host = n.IP.String() // as if localhost were that address
		r.to.port, _ = strconv.Atoi(to)
		err := r.Send(t.Context(), sample())
		checkError(t, err, nil)
		if !strings.Contains(err.Error(), errExposed.Error()) {
			t.Errorf("Send = %v, want %v", err, errExposed)
		}
		return
	}
	t.Skip("this machine has no address but its own")
}
