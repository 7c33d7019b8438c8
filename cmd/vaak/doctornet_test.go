package main

import (
	"crypto/x509"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"vaak/internal/checkup"
	"vaak/internal/needed"
)

// muteServer returns the address of a server that takes connections and says nothing.
func muteServer(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var open sync.WaitGroup
	open.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			open.Go(func() {
				defer c.Close()
				_, _ = io.Copy(io.Discard, c) // until the other side leaves
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		open.Wait()
	})
	return l.Addr().String()
}

func TestCommandDoctorPorts(t *testing.T) {
	t.Parallel()
	agreeable := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") }))
	t.Cleanup(agreeable.Close)
	free, other, foreign := needed.Address(t), needed.Address(t), strings.TrimPrefix(agreeable.URL, "http://")
	for _, tt := range []struct {
		name, listen, admin string
		want                checkup.State
		found               string
	}{
		{"free", free, other, checkup.OK, free + " is free; " + other + " is free"},
		{"any", "127.0.0.1:0", ":0", checkup.OK, "is free"},
		{"one for both", "127.0.0.1:39123", "127.0.0.1:39123", checkup.Failure, "are both 127.0.0.1:39123"},
		{"foreign", foreign, "127.0.0.1:0", checkup.Failure, foreign + " is in use by another program: it is no Vaak"},
		{"foreign that says it lives", "127.0.0.1:0", foreign, checkup.Failure, "/readyz not as Vaak does"},
		{"mute", muteServer(t), "127.0.0.1:0", checkup.Failure, "does not answer within"},
		{"not ours", "192.0.2.1:8080", "127.0.0.1:0", checkup.Failure, "no such address"},
		{"no port", "127.0.0.1", "127.0.0.1:0", checkup.Failure, `--listen "127.0.0.1"`},
		{"both wrong", "127.0.0.1", "127.0.0.1:x", checkup.Failure, `--listen .*--admin-listen`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			examine(t, t.TempDir(), "--listen", tt.listen, "--admin-listen", tt.admin).only("ports", "links").expect("ports", tt.want, tt.found)
		})
	}
}

// TestCommandDoctorPortsOfAServerThatIsNotReady asks an admin address that says what is wrong.
func TestCommandDoctorPortsOfAServerThatIsNotReady(t *testing.T) {
	t.Parallel()
	sick := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/livez" {
			_, _ = io.WriteString(w, "ok\n")
			return
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"ready":false,"checks":[{"name":"store","ok":true},{"name":"disk","ok":false,"error":"1 MiB are free"}]}`)
	}))
	t.Cleanup(sick.Close)
	examine(t, t.TempDir(), "--admin-listen", strings.TrimPrefix(sick.URL, "http://")).
		expect("ports", checkup.Warning, "a running Vaak that is not ready: disk: 1 MiB are free$")
}

// TestLengthyDoctorPortsOverTLS looks at a server whose certificate nobody signed.
func TestLengthyDoctorPortsOverTLS(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it runs a server and speaks all languages")
	}
	cert, key, _ := selfSigned(t)
	s := start(t, "--tls-cert", cert, "--tls-key", key)
	examine(t, s.dir, "--listen", strings.TrimPrefix(s.public, "https://"), "--tls-cert", cert, "--tls-key", key).only("tls").
		expect("ports", checkup.OK, "in use by a running Vaak").
		expect("tls", checkup.Warning, "expires soon")
	s.stop()
}

// certified makes a certificate for names and its key, as files.
func certified(t *testing.T, from, until time.Time, names ...string) (cert, key string) {
	t.Helper()
	cert, key, _ = issued(t, &x509.Certificate{SerialNumber: big.NewInt(7), NotBefore: from, NotAfter: until, DNSNames: names})
	return cert, key
}

func TestCommandDoctorTLS(t *testing.T) {
	t.Parallel()
	now := time.Now()
	const day = 24 * time.Hour
	cert, key := certified(t, now.Add(-day), now.Add(90*day), "speech.example.org")
	expired, expiredKey := certified(t, now.Add(-9*day), now.Add(-day), "speech.example.org")
	early, earlyKey := certified(t, now.Add(day), now.Add(90*day), "speech.example.org")
	soon, soonKey := certified(t, now.Add(-day), now.Add(5*day), "speech.example.org")
	bare, bareKey := certified(t, now.Add(-day), now.Add(90*day))
	open := filepath.Join(t.TempDir(), "open.pem")
	b, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(open, b, 0o644); err != nil {
		t.Fatal(err)
	}
	one, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	two, err := os.ReadFile(soon)
	if err != nil {
		t.Fatal(err)
	}
	muddled := filepath.Join(t.TempDir(), "chain.pem")
	if err := os.WriteFile(muddled, append(one, two...), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, cert, key, url string
		want                 checkup.State
		found                string
	}{
		{"none", "", "", "https://speech.example.org", checkup.OK, "plain HTTP"},
		{"good", cert, key, "https://speech.example.org", checkup.OK, "valid until .*for speech.example.org; a chain of 1"},
		{"without address", cert, key, "", checkup.OK, "for speech.example.org"},
		{"another name", cert, key, "https://data.example.org/x", checkup.Failure, "for speech.example.org, not for data.example.org"},
		{"no name", bare, bareKey, "https://data.example.org", checkup.Failure, "for no name"},
		{"expired", expired, expiredKey, "", checkup.Failure, "expired on"},
		{"not yet", early, earlyKey, "", checkup.Failure, "only from"},
		{"soon", soon, soonKey, "", checkup.Warning, "expires soon"},
		{"another key", cert, soonKey, "", checkup.Failure, "private key does not match"},
		{"the wrong way round", key, cert, "", checkup.Failure, "PEM"},
		{"a key for all", cert, open, "", checkup.Warning, "mode 0644"},
		{"muddled", muddled, key, "", checkup.Warning, "certificate 2 of the chain did not sign certificate 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			flags := []string{"--public-url", tt.url}
			if tt.cert != "" {
				flags = append(flags, "--tls-cert", tt.cert, "--tls-key", tt.key)
			}
			e := examine(t, t.TempDir(), flags...).only("tls").expect("tls", tt.want, tt.found)
			if strings.Contains(e.raw, "PRIVATE KEY-----") {
				t.Errorf("the report holds a key: %s", e.raw)
			}
		})
	}
	t.Run("missing", func(t *testing.T) {
		t.Parallel()
		examine(t, t.TempDir(), "--tls-cert", "/nowhere.pem", "--tls-key", key).
			expect("tls", checkup.Failure, "no such file").expect("settings", checkup.Failure, "--tls-cert: .*no such file")
	})
	t.Run("links without TLS", func(t *testing.T) {
		t.Parallel()
		examine(t, t.TempDir(), "--tls-cert", cert, "--tls-key", key, "--public-url", "http://speech.example.org").
			expect("links", checkup.Warning, "TLS alone")
	})
}

// operatorConfig is a configuration file that says who answers enquiries.
func operatorConfig(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "vaak.toml")
	if err := os.WriteFile(path, []byte("[mail]\noperator = \"sales@example.org\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCommandDoctorMail(t *testing.T) {
	t.Parallel()
	relay := startMailServer(t)
	config := operatorConfig(t)
	for _, tt := range []struct {
		name, url string
		plain     bool
		want      checkup.State
		found     string
	}{
		{"good", "smtp://" + relay.addr, true, checkup.OK, relay.addr + " takes mails"},
		{"no STARTTLS", "smtp://" + relay.addr, false, checkup.Failure, relay.addr + ": .*STARTTLS"},
		{"no TLS", "smtps://" + relay.addr, false, checkup.Failure, "does not speak TLS"},
		{"no way to sign in", "smtp://vaak:hunter2@" + relay.addr, true, checkup.Failure, relay.addr},
		{"nobody there", "smtp://vaak:hunter2@" + needed.Address(t), true, checkup.Failure, "refused"},
		{"mute", "smtp://vaak:hunter2@" + muteServer(t), true, checkup.Failure, "mail server"},
		{"no URL", "vaak:hunter2@mail", true, checkup.Failure, "begins with neither|cannot be read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			flags := []string{"--smtp", tt.url, "--config", config}
			if tt.plain {
				flags = append(flags, "--smtp-allow-plaintext")
			}
			dir := t.TempDir()
			unchanged(t, dir, func() {
				e := examine(t, dir, flags...).expect("mail", tt.want, tt.found)
				if strings.Contains(e.raw+e.stderr, "hunter2") {
					t.Errorf("the report holds the password: %s", e.raw)
				}
			})
		})
	}
	t.Cleanup(func() {
		if n := len(relay.mails()); n > 0 {
			t.Errorf("%d mails were sent", n)
		}
	})
}

// TestCommandDoctorACME looks at the certificates that an authority has issued.
func TestCommandDoctorACME(t *testing.T) {
	t.Parallel()
	now := time.Now()
	const day = 24 * time.Hour
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "acme"), 0o700); err != nil {
		t.Fatal(err)
	}
	cache := func(name string, from, until time.Time) {
		t.Helper()
		cert, key := certified(t, from, until, name)
		var text []byte
		for _, file := range []string{key, cert} {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			text = append(text, b...)
		}
		if err := os.WriteFile(filepath.Join(dir, "acme", name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cache("good.example.org", now.Add(-day), now.Add(90*day))
	cache("soon.example.org", now.Add(-80*day), now.Add(10*day))
	cache("expired.example.org", now.Add(-91*day), now.Add(-day))
	if err := os.WriteFile(filepath.Join(dir, "acme", "broken.example.org"), []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		flags string
		want  checkup.State
		found string
	}{
		{"--acme-domain=good.example.org --public-url=https://good.example.org", checkup.OK, "good.example.org valid until"},
		{"--acme-domain=good.example.org,soon.example.org", checkup.Warning, "soon.example.org the certificate expires soon"},
		{"--acme-domain=expired.example.org", checkup.Failure, "expired.example.org the certificate expired"},
		{"--acme-domain=broken.example.org", checkup.Failure, "has no certificate"},
		{"--acme-domain=new.example.org", checkup.Warning, "no certificate yet"},
		{"--acme-domain=good.example.org --public-url=https://other.example.org", checkup.Failure, "no certificate is asked for other.example.org"},
	} {
		t.Run(tt.flags, func(t *testing.T) {
			t.Parallel()
			examine(t, dir, strings.Fields(tt.flags)...).only("tls").expect("tls", tt.want, tt.found)
		})
	}
}
