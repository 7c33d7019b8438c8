package edge

import (
	"net/http"
	"net/netip"
	"strings"
)

const (
	// maxProxies is how many entries of X-Forwarded-For are read.
	maxProxies = 32
	// maxEntry is the longest entry of X-Forwarded-For that is read, white
	// space included, in bytes. An IPv6 address with a zone and a port fits.
	maxEntry = 128
)

// Clients finds the addresses of clients, also behind proxies.
type Clients struct {
	trusted []netip.Prefix
}

// NewClients returns a Clients that believes X-Forwarded-For of proxies whose addresses are in
// trusted. Without trusted proxies it ignores that header. Prefixes of IPv4-mapped IPv6
// addresses count as prefixes of IPv4. Invalid prefixes are ignored.
func NewClients(trusted []netip.Prefix) *Clients {
	c := &Clients{}
	for _, p := range trusted {
		if a := p.Addr(); a.Is4In6() && p.Bits() >= 96 {
			// ::ffff:a.b.c.d/96+n stands for a.b.c.d/n.
			p = netip.PrefixFrom(a.Unmap(), p.Bits()-96)
		}
		if p.IsValid() {
			c.trusted = append(c.trusted, p.Masked())
		}
	}
	return c
}

// Address returns the address of the client that sent r. That is the address of the connection
// or, if that is a trusted proxy, the right-most address of X-Forwarded-For that is not a
// trusted proxy. Each proxy appends the address that called it, so entries further left are
// only what an unknown client claims.
//
// Address reads the header from the right; several lines count as one, joined in their order.
// It stops at the first entry that is no address, which may be empty, and after 32 entries. It
// then returns the last address that it read, that of a proxy nearer to us. It drops ports,
// brackets around IPv6 and zones, and returns IPv4-mapped IPv6 addresses as IPv4.
//
// Address returns the zero Addr for a connection without an IP address.
func (c *Clients) Address(r *http.Request) netip.Addr {
	client, ok := parseAddress(r.RemoteAddr)
	if !ok {
		return netip.Addr{}
	}
	// Bounded, so that a header full of trusted addresses costs little.
	lines := forwarded{lines: r.Header["X-Forwarded-For"]}
	for range maxProxies {
		// The first address that is not ours was seen by a proxy that is. What it sent itself is
		// further left, and nobody vouches for that.
		if !c.Trusts(client) {
			return client
		}
		entry, ok := lines.last()
		if !ok {
			return client
		}
		next, ok := parseAddress(entry)
		if !ok {
			return client
		}
		client = next
	}
	return client
}

// Trusts reports whether an address belongs to a trusted proxy.
func (c *Clients) Trusts(a netip.Addr) bool {
	for _, p := range c.trusted {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// forwarded reads the entries of X-Forwarded-For from the right.
type forwarded struct {
	lines []string // the lines that are still unread
	line  string   // the unread part of the current line
	begun bool
}

// last removes and returns the right-most entry, without the white space around it. ok is false
// when there is no entry, or it is too long. last looks at no more than maxEntry bytes and a
// comma, so that a long header costs little.
func (f *forwarded) last() (entry string, ok bool) {
	if !f.begun {
		if len(f.lines) == 0 {
			return "", false
		}
		n := len(f.lines) - 1
		f.line, f.lines = f.lines[n], f.lines[:n]
	}
	// One byte more than an entry may have shows whether the entry is too long. Without a comma
	// LastIndexByte returns -1, and the entry is all that was looked at.
	from := max(0, len(f.line)-maxEntry-1)
	comma := strings.LastIndexByte(f.line[from:], ',')
	entry = f.line[from+comma+1:]
	f.line, f.begun = f.line[:max(0, from+comma)], comma >= 0
	return strings.Trim(entry, " \t"), len(entry) <= maxEntry
}

// parseAddress reads an IP address that may have a port, IPv6 in brackets or
// without.
func parseAddress(s string) (netip.Addr, bool) {
	var a netip.Addr
	var p netip.AddrPort
	var err error
	inner, bracketed := strings.CutPrefix(s, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	switch {
	case bracketed && closed:
		if a, err = netip.ParseAddr(inner); a.Is4() { // only IPv6 has brackets
			return netip.Addr{}, false
		}
	case bracketed || strings.Count(s, ":") == 1: // an IPv6 address has two colons or more
		p, err = netip.ParseAddrPort(s)
		a = p.Addr()
	default:
		a, err = netip.ParseAddr(s)
	}
	if err != nil {
		return netip.Addr{}, false
	}
	// One client has one form: with a zone or mapped into IPv6 it would have a limit of its own.
	return a.WithZone("").Unmap(), true
}
