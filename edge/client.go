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

// Clients tells the addresses of clients, behind proxies or not.
type Clients struct {
	trusted []netip.Prefix
}

// NewClients returns a Clients that believes what the proxies with addresses
// in trusted say of whom they serve. Without any, X-Forwarded-For is ignored.
// Prefixes of IPv4-mapped IPv6 addresses stand for those of IPv4; invalid ones
// are left out.
func NewClients(trusted []netip.Prefix) *Clients {
	c := &Clients{}
	for _, p := range trusted {
		if a := p.Addr(); a.Is4In6() && p.Bits() >= 96 {
			p = netip.PrefixFrom(a.Unmap(), p.Bits()-96)
		}
		if p.IsValid() {
			c.trusted = append(c.trusted, p.Masked())
		}
	}
	return c
}

// Address returns the address of the client that sent r: that of its
// connection or, when that is a trusted proxy, the right-most address of
// X-Forwarded-For that is not one. Each proxy adds on the right the address
// that it was called from, so what stands further left is only what an unknown
// client claims.
//
// The header is read from the right, several lines as if joined in their
// order. Reading ends at the first entry that is no address, be it empty, and
// after 32 entries; the address is then the last one that was read: a proxy
// nearer to us. Ports, brackets around IPv6 and zones are left out, and
// IPv4-mapped IPv6 addresses are returned as IPv4.
//
// The zero Addr is returned for a connection that has no IP address.
func (c *Clients) Address(r *http.Request) netip.Addr {
	client, ok := parseAddress(r.RemoteAddr)
	if !ok {
		return netip.Addr{}
	}
	lines := forwarded{lines: r.Header["X-Forwarded-For"]}
	for range maxProxies {
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

// Trusts reports whether an address is that of a proxy which is believed.
func (c *Clients) Trusts(a netip.Addr) bool {
	for _, p := range c.trusted {
		if p.Contains(a) {
			return true
		}
	}
	return false
}

// forwarded takes the entries of X-Forwarded-For off its lines, from the right.
type forwarded struct {
	lines []string // those that were not begun
	line  string   // the rest of the one that was begun
	begun bool
}

// last takes off the right-most entry, without the white space around it; ok
// is false when there is none, or it is too long. It looks at no more than
// maxEntry bytes and a comma.
func (f *forwarded) last() (entry string, ok bool) {
	if !f.begun {
		if len(f.lines) == 0 {
			return "", false
		}
		n := len(f.lines) - 1
		f.line, f.lines = f.lines[n], f.lines[:n]
	}
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
		if a, err = netip.ParseAddr(inner); a.Is4() {
			return netip.Addr{}, false
		}
	case bracketed || strings.Count(s, ":") == 1:
		p, err = netip.ParseAddrPort(s)
		a = p.Addr()
	default:
		a, err = netip.ParseAddr(s)
	}
	if err != nil {
		return netip.Addr{}, false
	}
	return a.WithZone("").Unmap(), true
}
