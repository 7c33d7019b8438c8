package certificate

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"vaak/internal/pause"
)

// LetsEncrypt is the directory of Let's Encrypt, the authority that is asked by default.
const LetsEncrypt = autocert.DefaultACMEDirectory

// ACME says which certificates an authority issues.
type ACME struct {
	Domains   []string // names to get a certificate for, each its own; none is no ACME
	Directory string   // URL of the authority; "" is [LetsEncrypt]
	Email     string   // where the authority may write; "" tells it none
	Roots     string   // file of certificates in PEM that vouch for Directory; "" is those of the system
	// Cache is the directory of the account, the certificates and the answers to challenges.
	// Servers that share it use each other's certificates, and each can answer the challenge
	// that another one began.
	Cache string
}

// On reports whether an authority issues the certificates.
func (a ACME) On() bool { return len(a.Domains) > 0 }

var domainName = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$`)

// CheckDomain returns an error unless an authority could issue a certificate for a name.
func CheckDomain(name string) error {
	if len(name) > 253 || !domainName.MatchString(name) || net.ParseIP(name) != nil {
		return fmt.Errorf("%.64q is not the name of a host in small letters, such as speech.example.org; wildcards and addresses get no certificate", name)
	}
	return nil
}

// issuer gets certificates from an authority.
type issuer struct {
	names   []string
	turns   *turns
	manager *autocert.Manager
}

// askTimeout bounds one request to the authority.
const askTimeout = 30 * time.Second

func newIssuer(a ACME) (*issuer, error) {
	for _, name := range a.Domains {
		if err := CheckDomain(name); err != nil {
			return nil, err
		}
	}
	// The cache has keys. autocert makes the directory too, but only with the first certificate.
	if err := os.MkdirAll(a.Cache, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of certificates: %w", err)
	}
	client := &acme.Client{DirectoryURL: a.Directory, UserAgent: "vaak", HTTPClient: &http.Client{Timeout: askTimeout}}
	if client.DirectoryURL == "" {
		client.DirectoryURL = LetsEncrypt
	}
	if a.Roots != "" {
		text, err := os.ReadFile(a.Roots)
		if err != nil {
			return nil, err
		}
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("%s has no certificate in PEM", a.Roots)
		}
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
		client.HTTPClient.Transport = transport
	}
	turns := &turns{path: filepath.Join(a.Cache, ".order-")}
	return &issuer{
		names: a.Domains, turns: turns,
		manager: &autocert.Manager{
			Prompt: autocert.AcceptTOS, Cache: &cache{DirCache: autocert.DirCache(a.Cache), turns: turns}, HostPolicy: autocert.HostWhitelist(a.Domains...),
			Client: client, Email: a.Email,
		},
	}, nil
}

// http answers the challenges of the kind HTTP-01.
func (i *issuer) http(next http.Handler) http.Handler {
	inner := i.manager.HTTPHandler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// autocert compares the host with the names, and a host may have a port.
		if host, _, err := net.SplitHostPort(r.Host); err == nil {
			r = r.Clone(r.Context())
			r.Host = host
		}
		inner.ServeHTTP(w, r)
	})
}

// issued returns the certificate for a handshake. Clients that name no host, such as those that
// call an address, get that of the first name.
func (k *Keeper) issued(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	if hello.ServerName == "" {
		asked := *hello
		asked.ServerName = k.issuer.names[0]
		hello = &asked
	}
	if len(hello.SupportedProtos) == 1 && hello.SupportedProtos[0] == acme.ALPNProto {
		return k.issuer.manager.GetCertificate(hello) // of a challenge, for which the one who orders waits
	}
	name := strings.ToLower(hello.ServerName)
	if slices.Contains(k.issuer.names, name) && !k.has(name, time.Now()) {
		ctx := hello.Context()
		if ctx == nil { // a hello that is no client's
			ctx = context.Background()
		}
		defer k.issuer.turns.take(ctx, name)()
	}
	c, err := k.issuer.manager.GetCertificate(hello)
	if err == nil {
		k.note(name, c)
	}
	return c, err
}

// obtain gets the certificate of a name before a client asks for it, and looks at it once an
// hour: another server that shares the cache may have renewed it. Retries are apart by up to an
// hour, because authorities limit failed orders.
func (k *Keeper) obtain(ctx context.Context, name string) {
	// What a client says that takes ECDSA: all do.
	hello := &tls.ClientHelloInfo{ServerName: name, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}}
	wait := firstRetry
	for had := false; ; {
		_, err := k.issued(hello)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			k.failures.Add(1)
			k.log.Error("no certificate was issued", "name", name, "error", err, "retry_after", wait)
		default:
			if !had {
				k.log.Info("the certificate is there", "name", name)
			}
			had, wait = true, checkEvery
		}
		if pause.For(ctx, wait) != nil {
			return
		}
		if err != nil {
			wait = min(2*wait, checkEvery)
		}
	}
}

// Cached returns the certificate of a name in a cache directory; nil is none.
func Cached(dir, name string) (*x509.Certificate, error) {
	f, err := os.Open(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close() // read only
	text, err := io.ReadAll(io.LimitReader(f, maxFile))
	if err != nil {
		return nil, err
	}
	c, err := leaf(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return c, nil
}

// leaf returns the first certificate of a file of the cache, which begins with a key.
func leaf(text []byte) (*x509.Certificate, error) {
	for {
		var block *pem.Block
		if block, text = pem.Decode(text); block == nil {
			return nil, errors.New("it has no certificate")
		}
		if block.Type == "CERTIFICATE" {
			return x509.ParseCertificate(block.Bytes)
		}
	}
}
