package certificate

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/acme/autocert"
)

// written makes a certificate that is valid from and until, as the texts of two files.
func written(t *testing.T, serial int64, from, until time.Time) (cert, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(serial), NotBefore: from, NotAfter: until, DNSNames: []string{"a.example"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})
}

type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) count(text string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Count(b.b.String(), text)
}

// TestFollow changes the files of a keeper in every way.
func TestFollow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir, began := t.TempDir(), time.Now()
		put := func(name string, text []byte) {
			t.Helper()
			path := filepath.Join(dir, name)
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
			// The file system has another clock than the test.
			if err := os.Chtimes(path, time.Now(), time.Now()); err != nil {
				t.Fatal(err)
			}
		}
		year := began.Add(365 * 24 * time.Hour)
		cert, key := written(t, 1, began, year)
		put("cert", cert)
		put("key", key)
		var log buffer
		k, err := Open(Config{Cert: filepath.Join(dir, "cert"), Key: filepath.Join(dir, "key"), Logger: slog.New(slog.NewTextHandler(&log, nil))})
		if err != nil {
			t.Fatal(err)
		}
		defer k.Watch()()
		config := k.TLS()
		serves := func(what string, serial int64, failures int64) {
			t.Helper()
			<-time.After(2*lookEvery + time.Second)
			synctest.Wait()
			c, err := config.GetCertificate(&tls.ClientHelloInfo{})
			if err != nil || c.Leaf.SerialNumber.Int64() != serial {
				t.Errorf("%s: certificate %v is served, %v; want %d", what, c.Leaf.SerialNumber, err, serial)
			}
			if n := k.Stats().Failures; n != failures {
				t.Errorf("%s: %d failures, want %d", what, n, failures)
			}
			if n := log.count("stays as it was"); int64(n) != failures {
				t.Errorf("%s: the log has %d lines of failures, want %d", what, n, failures)
			}
		}
		serves("unchanged", 1, 0)
		cert, key = written(t, 2, began, year)
		put("cert", cert)
		<-time.After(lookEvery) // the key comes a look later, which is no failure
		put("key", key)
		serves("a pair that came one after the other", 2, 0)
		put("cert", []byte("garbage"))
		serves("garbage", 2, 1)
		serves("garbage that stays", 2, 1)
		_, other := written(t, 3, began, year)
		put("cert", cert)
		put("key", other)
		serves("a key of another certificate", 2, 2)
		if err := os.Remove(filepath.Join(dir, "key")); err != nil {
			t.Fatal(err)
		}
		serves("no key", 2, 3)
		past, pastKey := written(t, 4, began.Add(-48*time.Hour), began.Add(-24*time.Hour))
		put("cert", past)
		put("key", pastKey)
		serves("an expired pair", 2, 4)
		cert, key = written(t, 5, began, began.Add(Soon))
		put("cert", cert)
		put("key", key)
		serves("a good pair again", 5, 4)
		<-time.After(30 * time.Hour)
		if n := log.count("expires soon"); n != 2 {
			t.Errorf("the log warns %d times in 30 hours, want 2", n)
		}
		if ends := k.Stats().Ends; len(ends) != 1 || ends[0].Name != "file" || ends[0].At.Sub(began.Add(Soon)).Abs() > time.Second {
			t.Errorf("the ends are %v", ends)
		}
	})
}

func TestCheckDomain(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"speech.example.org": true, "xn--bcher-kva.example": true, "a.b": false, "localhost": false, "*.example.org": false,
		"10.0.0.1": false, "Speech.example.org": false, "a..example": false, "-a.example": false, "": false, "../etc/passwd": false,
		strings.Repeat("a.", 130) + "example": false,
	} {
		if err := CheckDomain(name); (err == nil) != want {
			t.Errorf("CheckDomain(%.40q) = %v, want good: %v", name, err, want)
		}
	}
}

// TestCached reads what a cache directory has of a name.
func TestCached(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if c, err := Cached(dir, "a.example"); c != nil || err != nil {
		t.Errorf("an empty cache has %v, %v", c, err)
	}
	cert, key := written(t, 7, time.Now(), time.Now().Add(time.Hour))
	if err := os.WriteFile(filepath.Join(dir, "a.example"), append(key, cert...), 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err := Cached(dir, "a.example"); err != nil || c.SerialNumber.Int64() != 7 {
		t.Errorf("the cache has %v, %v", c, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.example"), []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	if c, err := Cached(dir, "a.example"); err == nil {
		t.Errorf("garbage is %v", c)
	}
}

// TestTurn: orders of one name wait for each other, and for those of no other name.
func TestTurn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var servers [2]*issuer
	for n := range servers {
		var err error
		if servers[n], err = newIssuer(ACME{Domains: []string{"a.example.org", "b.example.org"}, Cache: dir}); err != nil {
			t.Fatal(err)
		}
	}
	release := servers[0].turns.take(t.Context(), "a.example.org")
	began := time.Now()
	servers[0].turns.take(t.Context(), "b.example.org")()
	servers[1].turns.take(t.Context(), "b.example.org")()
	if took := time.Since(began); took > turnLimit/2 {
		t.Errorf("an order of another name has waited for %v", took)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*turnEvery)
	defer cancel()
	servers[1].turns.take(ctx, "a.example.org")()
	if ctx.Err() == nil {
		t.Error("two servers order one name at once")
	}
	release()
	began = time.Now()
	servers[1].turns.take(t.Context(), "a.example.org")()
	if took := time.Since(began); took > turnLimit/2 {
		t.Errorf("after the order another one of the name has waited for %v", took)
	}
}

// TestRenewalOfTwo: of servers that share a cache one renews a certificate, and the others take it.
func TestRenewalOfTwo(t *testing.T) {
	t.Parallel()
	const name = "a.example"
	dir := t.TempDir()
	var caches [2]autocert.Cache
	for n := range caches {
		i, err := newIssuer(ACME{Domains: []string{name}, Cache: dir})
		if err != nil {
			t.Fatal(err)
		}
		caches[n] = i.manager.Cache
	}
	serial := func(text []byte, err error) int64 {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		c, err := leaf(text)
		if err != nil {
			t.Fatal(err)
		}
		return c.SerialNumber.Int64()
	}
	stored := func(serial int64, from, until time.Duration) []byte {
		cert, key := written(t, serial, time.Now().Add(from), time.Now().Add(until))
		return append(key, cert...)
	}
	// One that is not due keeps nobody waiting.
	fresh := stored(1, -time.Hour, time.Hour)
	if err := caches[0].Put(t.Context(), name, fresh); err != nil {
		t.Fatal(err)
	}
	for _, c := range caches {
		if got := serial(c.Get(t.Context(), name)); got != 1 {
			t.Errorf("the certificate is %d, want 1", got)
		}
	}
	old := stored(2, -3*time.Hour, time.Hour)
	if err := caches[0].Put(t.Context(), name, old); err != nil {
		t.Fatal(err)
	}
	if got := serial(caches[0].Get(t.Context(), name)); got != 2 {
		t.Errorf("who renews is shown %d, want 2", got)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*turnEvery)
	defer cancel()
	if _, err := caches[1].Get(ctx, name); ctx.Err() == nil {
		t.Errorf("another server does not wait for the renewal: %v", err)
	}
	// It waits for the new one, but for nothing else.
	type answer struct {
		text []byte
		err  error
	}
	waited := make(chan answer)
	go func() {
		text, err := caches[1].Get(t.Context(), name)
		waited <- answer{text, err}
	}()
	if err := caches[1].Put(t.Context(), name+"+token", old); err != nil {
		t.Fatal(err)
	}
	if got := serial(caches[1].Get(t.Context(), name+"+token")); got != 2 {
		t.Errorf("the answer to a challenge is %d, want 2", got)
	}
	if err := caches[0].Put(t.Context(), name, stored(3, 0, 2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if a := <-waited; serial(a.text, a.err) != 3 {
		t.Errorf("who has waited gets %d, want 3", serial(a.text, a.err))
	}
	// The next renewal is anybody's.
	if err := caches[0].Put(t.Context(), name, stored(4, -3*time.Hour, time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got := serial(caches[1].Get(t.Context(), name)); got != 4 {
		t.Errorf("who renews next is shown %d, want 4", got)
	}
}
