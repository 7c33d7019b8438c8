// Package connection bounds the TCP connections of a server: how many there are in all
// and from one address. It also sees what net/http does not show its handlers: a TLS
// handshake that fails, a request that tells its length in two ways, and a request that
// net/http refuses before any handler runs.
//
// A [Pool] counts the connections of all listeners that share it. [Reserve] keeps
// descriptors for a listener that must answer when every other descriptor is taken.
package connection

import (
	"crypto/tls"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// Config says how many connections a pool lets in.
type Config struct {
	// Total is how many connections may be open at once; 0 is no bound.
	Total int
	// PerAddress is how many of them may come from one address, where an IPv6 address
	// counts as its /64; 0 is no bound.
	PerAddress int
	// Exempt reports whether an address is that of a proxy, which brings the connections
	// of many clients; nil exempts none.
	Exempt func(netip.Addr) bool
	// Refusal returns the body of the answer to a request that no handler sees, its
	// content type, and the id under which the request is known; nil leaves net/http's
	// plain text.
	Refusal func(status int, reason string) (body []byte, contentType, requestID string)
	// Logger gets a line about refusals at most once a minute; nil is slog.Default.
	Logger *slog.Logger
}

// Stats are the figures of a pool since it began.
type Stats struct {
	Open             int
	RefusedTotal     int64 // connections that were over Total
	RefusedAddress   int64 // connections that were over PerAddress
	FailedHandshakes int64 // of TLS
}

// Pool counts the connections of some listeners. It is safe for concurrent use.
type Pool struct {
	cfg Config

	mu        sync.Mutex
	open      int
	byAddress map[netip.Addr]int

	refusedTotal, refusedAddress, failedHandshakes atomic.Int64
	lastLogged                                     atomic.Int64 // when a refusal was last logged, in Unix seconds
}

// NewPool returns a pool without connections.
func NewPool(c Config) *Pool {
	if c.Exempt == nil {
		c.Exempt = func(netip.Addr) bool { return false }
	}
	if c.Logger == nil {
		c.Logger = slog.Default()
	}
	return &Pool{cfg: c, byAddress: map[netip.Addr]int{}}
}

// Stats returns the figures of the pool.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	open := p.open
	p.mu.Unlock()
	return Stats{
		Open: open, RefusedTotal: p.refusedTotal.Load(), RefusedAddress: p.refusedAddress.Load(),
		FailedHandshakes: p.failedHandshakes.Load(),
	}
}

// Listener returns a listener whose connections the pool counts. With a TLS
// configuration they speak TLS; the handshake runs with the first read.
func (p *Pool) Listener(l net.Listener, secure *tls.Config) net.Listener {
	return &listener{Listener: l, pool: p, secure: secure}
}

// Secure reports whether the connections of a listener of a pool speak TLS.
func Secure(l net.Listener) bool {
	of, ok := l.(*listener)
	return ok && of.secure != nil
}

type listener struct {
	net.Listener
	pool   *Pool
	secure *tls.Config
}

// Accept returns the next connection for which the pool has room. It refuses and closes all others.
func (l *listener) Accept() (net.Conn, error) {
	for {
		raw, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		from := scope(raw.RemoteAddr())
		// Counted at once and not at the first request: a connection that sends nothing takes a
		// descriptor too.
		if refused := l.pool.enter(from); refused != "" {
			l.pool.turnAway(raw, refused, l.secure != nil)
			continue
		}
		c := &Conn{Conn: raw, pool: l.pool, from: from}
		if l.secure != nil {
			// No handshake here, because a client that is slow at it would hold up Accept for all
			// others.
			c.tls = tls.Server(raw, l.secure)
			c.Conn = c.tls
		}
		return c, nil
	}
}

// scope returns the key under which connections from an address are counted: an IPv4 address, or
// the /64 of an IPv6 address. It returns the zero Addr where there is no IP address.
func scope(a net.Addr) netip.Addr {
	tcp, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.Addr{}
	}
	at := tcp.AddrPort().Addr().Unmap().WithZone("")
	// A customer usually has a whole /64, and could take another address for each connection.
	if at.Is6() {
		if p, err := at.Prefix(64); err == nil {
			at = p.Addr()
		}
	}
	return at
}

// Status lines of the refusals, by the bound that was reached.
const (
	fullTotal   = "503 Service Unavailable"
	fullAddress = "429 Too Many Requests"
)

// enter counts a connection, or returns the status line of the refusal.
func (p *Pool) enter(from netip.Addr) (refused string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.cfg.Total > 0 && p.open >= p.cfg.Total:
		// First the sum: the client cannot do anything about it, so it is told 503 and not 429.
		p.refusedTotal.Add(1)
		return fullTotal
	case p.cfg.PerAddress > 0 && p.byAddress[from] >= p.cfg.PerAddress && !p.cfg.Exempt(from):
		p.refusedAddress.Add(1)
		return fullAddress
	}
	p.open++
	// Exempt addresses are counted too, so that leave need not know which they were.
	p.byAddress[from]++
	return ""
}

func (p *Pool) leave(from netip.Addr) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open--
	if p.byAddress[from]--; p.byAddress[from] == 0 {
		// Otherwise the map would keep every address that ever connected.
		delete(p.byAddress, from)
	}
}

// logEvery is the least time between two log lines about refusals, in seconds.
const logEvery = 60

// turnAway closes a connection for which there is no room. On a plain listener it first sends the
// reason. That write cannot block, because nothing was sent before it.
func (p *Pool) turnAway(raw net.Conn, status string, secure bool) {
	// Of several listeners that refuse in the same second, only the one whose swap succeeds logs.
	if now, last := time.Now().Unix(), p.lastLogged.Load(); now-last >= logEvery && p.lastLogged.CompareAndSwap(last, now) {
		s := p.Stats()
		p.cfg.Logger.Warn("connections are refused", "open", s.Open, "limit", p.cfg.Total, "limit_per_address", p.cfg.PerAddress,
			"refused_in_all", s.RefusedTotal, "refused_by_address", s.RefusedAddress)
	}
	if !secure {
		reason := "the server has as many connections as it may have; try again in a moment"
		if status == fullAddress {
			reason = "this address has as many connections as one may have; close some, or reuse them"
		}
		_, _ = raw.Write(p.refusal(status, reason, "Retry-After: 1\r\n")) // whoever has gone needs no answer
	}
	_ = raw.Close()
}
