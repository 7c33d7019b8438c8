// Package certificate keeps the TLS certificates of a server: a pair of files that is read again
// when it changes, or certificates that an ACME authority (RFC 8555) issues and renews. Running
// connections are not interrupted by a new certificate.
package certificate

import (
	"context"
	"crypto/tls"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/acme"
)

// Soon is how long before its end a certificate is worth a warning. ACME clients renew 30 days
// before the end, so at this time the renewal has failed.
const Soon = 14 * 24 * time.Hour

const (
	lookEvery  = 5 * time.Second              // between two looks at the files
	checkEvery = time.Hour                    // between two checks of the end of the certificates
	warnEvery  = 24 * time.Hour               // between two warnings about one certificate
	firstRetry = time.Minute + 10*time.Second // an order that failed is remembered for a minute
)

// Config says where certificates come from: Cert and Key, or ACME.
type Config struct {
	Cert, Key string // files in PEM: the chain, the server's own certificate first, and its key
	ACME      ACME
	Logger    *slog.Logger // nil is slog.Default
}

// Keeper has the certificates of a server. It is safe for concurrent use.
type Keeper struct {
	log      *slog.Logger
	files    *pair   // nil with ACME
	issuer   *issuer // nil with files
	failures atomic.Int64

	mu     sync.Mutex
	ends   map[string]time.Time // by name
	warned map[string]time.Time // when the log last had a warning
}

// fileName is the name under which the certificate of files is reported.
const fileName = "file"

// Open reads the files, or prepares the issue of certificates. It returns an error if the files
// hold no pair, or if the settings of ACME cannot be used. It asks no authority.
func Open(cfg Config) (*Keeper, error) {
	if cfg.Logger == nil {
		cfg.Logger = slog.Default()
	}
	k := &Keeper{log: cfg.Logger, ends: map[string]time.Time{}, warned: map[string]time.Time{}}
	var err error
	if cfg.ACME.On() {
		k.issuer, err = newIssuer(cfg.ACME)
		return k, err
	}
	k.files = &pair{cert: cfg.Cert, key: cfg.Key}
	k.files.seen = k.files.look()
	if err := k.files.load(); err != nil {
		return nil, err
	}
	k.note(fileName, k.files.now.Load())
	return k, nil
}

// TLS returns the configuration of a listener: TLS 1.2 and 1.3, HTTP/2 and HTTP/1.1.
func (k *Keeper) TLS() *tls.Config {
	c := &tls.Config{
		MinVersion: tls.VersionTLS12,
		// Clients that open a WebSocket offer only http/1.1, because its handshake is a request
		// of HTTP/1.1 (RFC 6455, section 4.1).
		NextProtos: []string{"h2", "http/1.1"},
	}
	if k.issuer == nil {
		c.GetCertificate = func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return k.files.now.Load(), nil }
		return c
	}
	c.NextProtos = append(c.NextProtos, acme.ALPNProto)
	c.GetCertificate = k.issued
	return c
}

// HTTP returns the handler of challenges of the kind HTTP-01. Other requests go to next.
// Without ACME it returns next.
func (k *Keeper) HTTP(next http.Handler) http.Handler {
	if k.issuer == nil {
		return next
	}
	return k.issuer.http(next)
}

// Watch follows the files, or gets the certificates of all names and renews them, until the
// returned function is called. It also warns of certificates that end soon.
func (k *Keeper) Watch() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		look, check := time.NewTicker(lookEvery), time.NewTicker(checkEvery)
		defer look.Stop()
		defer check.Stop()
		k.warn(time.Now())
		for {
			select {
			case <-ctx.Done():
				return
			case <-look.C:
				k.follow()
			case now := <-check.C:
				k.warn(now)
			}
		}
	})
	if k.issuer != nil {
		for _, name := range k.issuer.names {
			// Not waited for: an order cannot be interrupted, and may take minutes.
			go k.obtain(ctx, name)
		}
	}
	return func() {
		cancel()
		running.Wait()
	}
}

// Reload reads the files again at once. What is wrong with them is logged, and the server goes
// on with the pair that it had. With ACME it does nothing.
func (k *Keeper) Reload() {
	if k.files == nil {
		return
	}
	k.files.mu.Lock()
	defer k.files.mu.Unlock()
	k.files.seen = k.files.look()
	k.reload()
}

// follow reads the files again if they have changed.
func (k *Keeper) follow() {
	if k.files == nil {
		return
	}
	k.files.mu.Lock()
	defer k.files.mu.Unlock()
	is := k.files.look()
	switch was := k.files.seen; {
	case is != was:
		k.files.seen, k.files.pending = is, true
		// A renewal writes two files. The new pair is whole at the next look at the latest.
		if k.files.load() == nil {
			k.loaded()
		}
	case k.files.pending:
		k.reload()
	}
}

// reload reads the files and logs how it ends. Its caller holds the lock of the files.
func (k *Keeper) reload() {
	if err := k.files.load(); err != nil {
		k.files.pending = false
		k.failures.Add(1)
		k.log.Error("the certificate stays as it was", "error", err)
		return
	}
	k.loaded()
}

func (k *Keeper) loaded() {
	k.files.pending = false
	c := k.files.now.Load()
	k.note(fileName, c)
	k.log.Info("the certificate was read again", "until", c.Leaf.NotAfter.UTC())
}

// note keeps the end of a certificate for the metrics.
func (k *Keeper) note(name string, c *tls.Certificate) {
	if c == nil || c.Leaf == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.ends[name] = c.Leaf.NotAfter
}

// has reports whether this server has shown a certificate of a name that is still valid.
func (k *Keeper) has(name string, now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return now.Before(k.ends[name])
}

// warn logs the certificates that end soon, each once a day.
func (k *Keeper) warn(now time.Time) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for name, end := range k.ends {
		left := end.Sub(now)
		if left >= Soon || now.Sub(k.warned[name]) < warnEvery {
			continue
		}
		k.warned[name] = now
		if left <= 0 {
			k.log.Error("the certificate has expired", "name", name, "until", end.UTC())
		} else {
			k.log.Warn("the certificate expires soon", "name", name, "until", end.UTC())
		}
	}
}

// End is when a certificate ends.
type End struct {
	Name string // "file", or a name of [ACME.Domains]
	At   time.Time
}

// Stats are the figures of a keeper.
type Stats struct {
	Ends     []End // of the certificates that there are, by name
	Failures int64 // new pairs that could not be used, and orders that failed
}

// Stats returns the figures.
func (k *Keeper) Stats() Stats {
	k.mu.Lock()
	defer k.mu.Unlock()
	s := Stats{Failures: k.failures.Load()}
	for _, name := range slices.Sorted(maps.Keys(k.ends)) {
		s.Ends = append(s.Ends, End{Name: name, At: k.ends[name]})
	}
	return s
}
