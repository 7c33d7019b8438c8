package certificate

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// pair is a certificate and its key in two files.
type pair struct {
	cert, key string
	now       atomic.Pointer[tls.Certificate]

	mu      sync.Mutex
	seen    [2]state // of the files, at the last look
	pending bool     // the files have changed and were not read well yet
}

// state is what tells one version of a file from another.
type state struct {
	size  int64
	mtime time.Time
}

// look returns the state of both files. It follows links, so it sees when a mounted Secret of
// Kubernetes is replaced.
func (p *pair) look() (s [2]state) {
	for i, name := range []string{p.cert, p.key} {
		if info, err := os.Stat(name); err == nil {
			s[i] = state{info.Size(), info.ModTime()}
		}
	}
	return s
}

// maxFile is the largest file that is read, in bytes.
const maxFile = 1 << 20

// load reads the pair, and keeps the one before if there is an error.
func (p *pair) load() error {
	for _, name := range []string{p.cert, p.key} {
		info, err := os.Stat(name)
		if err != nil {
			return fmt.Errorf("load the certificate: %w", err)
		}
		if !info.Mode().IsRegular() || info.Size() > maxFile {
			return fmt.Errorf("load the certificate: %s is no file of at most %d bytes", name, maxFile)
		}
	}
	c, err := tls.LoadX509KeyPair(p.cert, p.key)
	if err != nil {
		return fmt.Errorf("load the certificate: %w", err)
	}
	if old := p.now.Load(); old != nil {
		now := time.Now()
		if valid(old, now) && !valid(&c, now) {
			return fmt.Errorf("load the certificate: it is valid only from %s to %s", c.Leaf.NotBefore.UTC(), c.Leaf.NotAfter.UTC())
		}
	}
	p.now.Store(&c)
	return nil
}

func valid(c *tls.Certificate, at time.Time) bool {
	return !at.Before(c.Leaf.NotBefore) && !at.After(c.Leaf.NotAfter)
}
