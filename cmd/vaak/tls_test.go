package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// selfSigned makes a certificate of 127.0.0.1 that nobody else has signed, as
// files for the server and as what its clients trust.
func selfSigned(t *testing.T) (cert, key string, roots *x509.CertPool) {
	t.Helper()
	cert, key, chain := issued(t, &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	})
	roots = x509.NewCertPool()
	roots.AppendCertsFromPEM(chain)
	return cert, key, roots
}

// issued makes a certificate that its own key signed, and that key, as files.
func issued(t *testing.T, template *x509.Certificate) (cert, key string, chain []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	chain = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for name, text := range map[string][]byte{cert: chain, key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key, chain
}

// TestTLS serves over TLS, as clients need that know nothing else.
func TestTLS(t *testing.T) {
	t.Parallel()
	cert, key, roots := selfSigned(t)
	s := start(t, "--tls-cert", cert, "--tls-key", key)
	if !strings.HasPrefix(s.public, "https://") {
		t.Fatalf("the ready line says %s", s.public)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	t.Cleanup(transport.CloseIdleConnections)
	client := &http.Client{Transport: transport}
	for _, path := range []string{"", "/stream", "/with-timestamps", "/stream/with-timestamps"} {
		r, err := http.NewRequestWithContext(t.Context(), "POST", s.public+"/v1/text-to-speech/"+s.voice(client)+path+"?output_format=pcm_16000", strings.NewReader(`{"text":"Hello there."}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("xi-api-key", s.key)
		resp, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if err != nil || resp.StatusCode != 200 || len(body) < 8000 || resp.TLS == nil {
			t.Errorf("POST ...%s = %d, %d bytes, %v", path, resp.StatusCode, len(body), err)
		}
	}
	resp, err := http.Get("http" + strings.TrimPrefix(s.public, "https") + "/health")
	if err == nil {
		if resp.StatusCode == 200 {
			t.Error("the listener also serves without TLS")
		}
		_ = resp.Body.Close()
	}
	old := &tls.Config{RootCAs: roots, MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}
	if conn, err := tls.Dial("tcp", strings.TrimPrefix(s.public, "https://"), old); err == nil {
		_ = conn.Close()
		t.Error("the listener takes TLS 1.1")
	}
	s.stop()
}

// voice returns the id of the voice that speaks by default.
func (s *server) voice(client *http.Client) string {
	s.t.Helper()
	resp, err := client.Get(s.public + "/health")
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	_, rest, _ := bytes.Cut(body, []byte(`"default_voice":"`))
	id, _, found := bytes.Cut(rest, []byte(`"`))
	if !found {
		s.t.Fatalf("no default voice in %s", body)
	}
	return string(id)
}
