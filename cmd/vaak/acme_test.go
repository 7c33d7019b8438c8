package main

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/binary"
	"encoding/json"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"vaak/internal/needed"
)

// freePort returns a port that stays free.
func freePort(t *testing.T) int {
	t.Helper()
	return int(netip.MustParseAddrPort(needed.Address(t)).Port())
}

// names starts a DNS server over TCP that says of every name that it is this machine.
func names(t *testing.T) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				size := make([]byte, 2)
				if _, err := io.ReadFull(conn, size); err != nil {
					return
				}
				query := make([]byte, binary.BigEndian.Uint16(size))
				if _, err := io.ReadFull(conn, query); err != nil {
					return
				}
				answer := here(query)
				_, _ = conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...))
			}()
		}
	}()
	return l.Addr().String()
}

// here returns the answer to a query, see RFC 1035, section 4.1.
func here(query []byte) []byte {
	end := 12 // of the question
	for end < len(query) && query[end] != 0 {
		end += int(query[end]) + 1
	}
	if end += 5; end > len(query) {
		return nil
	}
	answer := append([]byte{query[0], query[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, query[12:end]...)
	if query[end-3] == 1 { // the type A
		answer[7] = 1
		answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1)
	}
	return answer
}

// authority is a running Pebble, a small ACME server for tests.
type authority struct {
	directory, roots string         // of the flags
	issuer           *x509.CertPool // of what it issues
}

// pebble builds and starts an authority that calls names at two ports, and whose certificates are
// valid for a time; 0 is 90 days.
func pebble(t *testing.T, httpPort, tlsPort int, valid time.Duration) authority {
	t.Helper()
	program := filepath.Join(t.TempDir(), "pebble")
	build := exec.CommandContext(t.Context(), "go", "build", "-modfile=tools/go.mod", "-o", program, "github.com/letsencrypt/pebble/v2/cmd/pebble")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		needed.Missing(t, "Pebble cannot be built: %v: %s", err, out)
	}
	cert, key, _ := issued(t, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "pebble"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	})
	at, manage := needed.Address(t), needed.Address(t)
	config, err := json.Marshal(map[string]any{"pebble": map[string]any{
		"listenAddress": at, "managementListenAddress": manage, "certificate": cert, "privateKey": key, "httpPort": httpPort, "tlsPort": tlsPort,
		"profiles": map[string]any{"default": map[string]any{"description": "the only one", "validityPeriod": int(valid.Seconds())}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "pebble.json")
	if err := os.WriteFile(path, config, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-config", path, "-dnsserver", names(t))
	cmd.Env = append(os.Environ(), "PEBBLE_VA_NOSLEEP=1")
	log := &lockedBuffer{}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("Pebble: %s", log)
		}
	})
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	a := authority{directory: "https://" + at + "/dir", roots: cert, issuer: x509.NewCertPool()}
	get := func(url string) []byte {
		resp, err := client.Get(url)
		if err != nil {
			return nil
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		return b
	}
	until(t, "Pebble answers", func() bool {
		return get(a.directory) != nil && a.issuer.AppendCertsFromPEM(get("https://"+manage+"/roots/0"))
	})
	return a
}

// trusted returns the serial number of the certificate that a server shows for a name, if it is
// of the authority; else "".
func (s *server) trusted(a authority, name string) string {
	conn, err := tls.Dial("tcp", strings.TrimPrefix(s.public, "https://"), &tls.Config{ServerName: name, RootCAs: a.issuer})
	if err != nil {
		if strings.Contains(s.log.String(), "no certificate was issued") {
			s.t.Fatalf("%s: %v; log: %s", name, err, s.log)
		}
		return ""
	}
	defer conn.Close()
	return conn.ConnectionState().PeerCertificates[0].SerialNumber.String()
}

// TestLengthyACME gets certificates from an authority, by both kinds of challenge.
func TestLengthyACME(t *testing.T) {
	slow(t)
	t.Parallel()
	t.Run("TLS-ALPN-01", func(t *testing.T) {
		t.Parallel()
		public := freePort(t)
		a := pebble(t, freePort(t), public, 0)
		flags := []string{"--acme-domain", "one.example.org,two.example.org", "--acme-directory", a.directory, "--acme-ca", a.roots, "--acme-email", "ops@example.org"}
		s := start(t, append(flags, "--listen", "127.0.0.1:"+strconv.Itoa(public))...)
		serials := map[string]string{}
		for _, name := range []string{"one.example.org", "two.example.org"} {
			until(t, name+" has a certificate", func() bool { serials[name] = s.trusted(a, name); return serials[name] != "" })
		}
		if serials["one.example.org"] == serials["two.example.org"] {
			t.Error("the names share a certificate")
		}
		if got := s.trusted(a, "three.example.org"); got != "" {
			t.Error("a name that no flag has gets a certificate")
		}
		if nameless, err := tls.Dial("tcp", strings.TrimPrefix(s.public, "https://"), &tls.Config{InsecureSkipVerify: true}); err != nil {
			t.Errorf("a client that names no host: %v", err)
		} else {
			_ = nameless.Close()
		}
		metrics := s.figures()
		if !strings.Contains(metrics, `vaak_tls_certificate_end_timestamp_seconds{name="two.example.org"}`) || !strings.Contains(metrics, "vaak_tls_certificate_failures_total 0") {
			t.Error("the metrics do not tell of the certificates")
		}
		info, err := os.Stat(filepath.Join(s.dir, "acme"))
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the cache has the mode %v, %v", info.Mode(), err)
		}
		// Another server with the same cache takes its certificates, and the authority is not
		// asked again. A dead directory would fail otherwise.
		s.stop()
		s.serve("--acme-domain", "one.example.org,two.example.org", "--acme-directory", "https://127.0.0.1:1/dir")
		for name, serial := range serials {
			if got := s.trusted(a, name); got != serial {
				t.Errorf("%s has the certificate %q after a restart, want %q", name, got, serial)
			}
		}
		s.stop()
	})
	t.Run("HTTP-01", func(t *testing.T) {
		t.Parallel()
		challenges := freePort(t)
		a := pebble(t, challenges, freePort(t), 0)
		at := "127.0.0.1:" + strconv.Itoa(challenges)
		s := start(t, "--acme-domain", "three.example.org", "--acme-directory", a.directory, "--acme-ca", a.roots, "--acme-listen", at, "--public-url", "https://three.example.org")
		until(t, "the name has a certificate", func() bool { return s.trusted(a, "three.example.org") != "" })
		client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		resp, err := client.Get("http://" + at + "/v1/voices?a=b")
		if err != nil || resp.StatusCode != 302 || resp.Header.Get("Location") != "https://three.example.org/v1/voices?a=b" {
			t.Errorf("other requests at the address of challenges are answered with %v, %v", resp, err)
		}
		if err == nil {
			_ = resp.Body.Close()
		}
		s.stop()
	})
}

// TestLengthyACMEOfTwo starts two servers at once that share the directory of certificates, which is
// empty, behind a balancer that sends the authority to the first. Both serve soon, with one order,
// and go on while the certificate is renewed before its end.
func TestLengthyACMEOfTwo(t *testing.T) {
	slow(t)
	t.Parallel()
	const name, valid = "one.example.org", 30 * time.Second
	public := freePort(t)
	a := pebble(t, freePort(t), public, valid)
	shared := t.TempDir()
	servers := make([]*server, 2)
	for i := range servers {
		servers[i] = start(t, "--listen", "127.0.0.1:0") // makes the data
		servers[i].stop()
		if err := os.Symlink(shared, filepath.Join(servers[i].dir, "acme")); err != nil {
			t.Fatal(err)
		}
	}
	var starting sync.WaitGroup
	for i, listen := range []string{"127.0.0.1:" + strconv.Itoa(public), "127.0.0.1:0"} {
		starting.Go(func() {
			servers[i].serve("--acme-domain", name, "--acme-directory", a.directory, "--acme-ca", a.roots, "--listen", listen)
		})
	}
	starting.Wait()
	serials := make([]string, 2)
	for i, s := range servers {
		until(t, "a server has a certificate", func() bool { serials[i] = s.trusted(a, name); return serials[i] != "" })
	}
	began := time.Now()
	if serials[0] != serials[1] {
		t.Errorf("the servers have asked for a certificate each: %s and %s", serials[0], serials[1])
	}
	// From now on every handshake succeeds, over the end of the first certificate.
	renewed := make([]time.Duration, 2)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for time.Since(began) < valid+3*time.Second && !t.Failed() {
		<-tick.C
		for i, s := range servers {
			switch serial := s.trusted(a, name); {
			case serial == "":
				t.Errorf("server %d has no valid certificate %v after the first", i+1, time.Since(began))
			case serial != serials[i] && renewed[i] == 0:
				renewed[i] = time.Since(began)
			}
		}
	}
	for i, s := range servers {
		if renewed[i] == 0 || renewed[i] > valid {
			t.Errorf("server %d has renewed its certificate after %v, want less than %v", i+1, renewed[i], valid)
		}
		if !strings.Contains(s.figures(), "vaak_tls_certificate_failures_total 0") {
			t.Errorf("server %d has failed to get certificates", i+1)
		}
		s.stop()
	}
	t.Logf("renewed after %v of %v", renewed, valid)
}

// TestCommandACME refuses settings that do not go together.
func TestCommandACME(t *testing.T) {
	t.Parallel()
	for flags, want := range map[string]string{
		"--acme-domain=localhost":                                              "not the name of a host",
		"--acme-domain=*.example.org":                                          "not the name of a host",
		"--acme-email=a@b.example":                                             "need --acme-domain",
		"--acme-listen=127.0.0.1:0":                                            "need --acme-domain",
		"--acme-domain=a.example.org --acme-directory=http://a.example":        "not an address",
		"--acme-domain=a.example.org --tls-cert=/dev/null --tls-key=/dev/null": "give one of them",
		"--acme-domain=a.example.org --acme-listen=nowhere":                    "--acme-listen",
	} {
		var errOut lockedBuffer
		status := run(t.Context(), append([]string{"serve", "--data-dir", t.TempDir()}, strings.Fields(flags)...), nil, io.Discard, &errOut)
		if status != 2 || !strings.Contains(errOut.String(), want) {
			t.Errorf("vaak serve %s = %d, %s; want 2 and %q", flags, status, &errOut, want)
		}
	}
}
