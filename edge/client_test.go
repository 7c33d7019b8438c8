package edge

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// proxies are trusted in the tests; the first is IPv4 in IPv6, and not masked.
var proxies = []netip.Prefix{
	netip.MustParsePrefix("::ffff:10.1.2.3/104"), // 10.0.0.0/8
	netip.MustParsePrefix("192.0.2.7/32"),
	netip.MustParsePrefix("2001:db8:aa::/48"),
	netip.MustParsePrefix("fe80::/10"),
	{}, // left out
}

func request(remote string, forwarded ...string) *http.Request {
	r := httptest.NewRequest("GET", "/", nil)
	r.RemoteAddr = remote
	if forwarded != nil {
		r.Header["X-Forwarded-For"] = forwarded
	}
	return r
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, remote string
		forwarded    []string
		want         string // "" is the zero Addr
	}{
		{"no header", "198.51.100.1:1234", nil, "198.51.100.1"},
		{"IPv6", "[2001:db8::1]:1234", nil, "2001:db8::1"},
		{"IPv4-mapped connection", "[::ffff:198.51.100.1]:1234", nil, "198.51.100.1"},
		{"connection with a zone", "[fe81::1%eth0]:1234", nil, "fe81::1"},
		{"no port", "198.51.100.1", nil, "198.51.100.1"},
		{"unix socket", "@", []string{"203.0.113.9"}, ""},
		{"no connection", "", []string{"203.0.113.9"}, ""},

		{"not a proxy: the header is ignored", "198.51.100.1:1", []string{"203.0.113.9"}, "198.51.100.1"},
		{"not a proxy: a trusted address in the header", "198.51.100.1:1", []string{"203.0.113.9, 10.0.0.1"}, "198.51.100.1"},
		{"one address beside a proxy", "192.0.2.8:1", []string{"203.0.113.9"}, "192.0.2.8"},

		{"one proxy", "10.0.0.1:1", []string{"203.0.113.9"}, "203.0.113.9"},
		{"proxy by IPv4-mapped address", "[::ffff:10.0.0.1]:1", []string{"203.0.113.9"}, "203.0.113.9"},
		{"proxy with a zone", "[fe80::1%eth0]:1", []string{"203.0.113.9"}, "203.0.113.9"},
		{"proxy without a header", "10.0.0.1:1", nil, "10.0.0.1"},
		{"two proxies", "10.0.0.1:1", []string{"203.0.113.9, 192.0.2.7"}, "203.0.113.9"},
		{"proxies of both families", "10.0.0.1:1", []string{"2001:db8::9,2001:db8:aa::1 ,\t192.0.2.7"}, "2001:db8::9"},
		{"all are proxies", "10.0.0.1:1", []string{"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},

		{"spoof on the left", "10.0.0.1:1", []string{"1.1.1.1, 203.0.113.9"}, "203.0.113.9"},
		{"spoof that pretends to be a proxy", "10.0.0.1:1", []string{"1.1.1.1, 10.0.0.7, 203.0.113.9"}, "203.0.113.9"},
		{"spoof in a line of its own", "10.0.0.1:1", []string{"1.1.1.1", "203.0.113.9"}, "203.0.113.9"},
		{"spoof that is not an address", "10.0.0.1:1", []string{"<script>, 203.0.113.9"}, "203.0.113.9"},
		{"spoof behind two proxies", "10.0.0.1:1", []string{"1.1.1.1, 203.0.113.9", "192.0.2.7"}, "203.0.113.9"},

		{"lines are joined in order", "10.0.0.1:1", []string{"203.0.113.9, 10.0.0.3", "192.0.2.7", "10.0.0.2"}, "203.0.113.9"},
		{"malformed at once", "10.0.0.1:1", []string{"203.0.113.9, unknown"}, "10.0.0.1"},
		{"malformed after a proxy", "10.0.0.1:1", []string{"203.0.113.9, unknown, 192.0.2.7"}, "192.0.2.7"},
		{"empty header", "10.0.0.1:1", []string{""}, "10.0.0.1"},
		{"empty entry", "10.0.0.1:1", []string{"203.0.113.9, , 192.0.2.7"}, "192.0.2.7"},
		{"trailing comma", "10.0.0.1:1", []string{"203.0.113.9,"}, "10.0.0.1"},
		{"leading comma", "10.0.0.1:1", []string{",192.0.2.7"}, "192.0.2.7"},
		{"leading comma of a line", "10.0.0.1:1", []string{"203.0.113.9", ",192.0.2.7"}, "192.0.2.7"},
		{"empty line between", "10.0.0.1:1", []string{"203.0.113.9", "", "192.0.2.7"}, "192.0.2.7"},
		{"address cut short", "10.0.0.1:1", []string{"203.0.113"}, "10.0.0.1"},
		{"leading zeros", "10.0.0.1:1", []string{"203.0.113.009"}, "10.0.0.1"},
		{"two addresses without a comma", "10.0.0.1:1", []string{"203.0.113.9 192.0.2.7"}, "10.0.0.1"},
		{"quotes", "10.0.0.1:1", []string{`"203.0.113.9"`}, "10.0.0.1"},
		{"other white space", "10.0.0.1:1", []string{"\u00a0203.0.113.9"}, "10.0.0.1"},
		{"NUL", "10.0.0.1:1", []string{"203.0.113.9\x00"}, "10.0.0.1"},

		{"IPv4 with a port", "10.0.0.1:1", []string{"203.0.113.9:8080"}, "203.0.113.9"},
		{"port out of range", "10.0.0.1:1", []string{"203.0.113.9:65536"}, "10.0.0.1"},
		{"empty port", "10.0.0.1:1", []string{"203.0.113.9:"}, "10.0.0.1"},
		{"IPv6 in brackets", "10.0.0.1:1", []string{"[2001:db8::9]"}, "2001:db8::9"},
		{"IPv6 in brackets with a port", "10.0.0.1:1", []string{"[2001:db8::9]:8080"}, "2001:db8::9"},
		{"IPv6 with a zone", "10.0.0.1:1", []string{"2001:db8::9%eth0"}, "2001:db8::9"},
		{"IPv4-mapped", "10.0.0.1:1", []string{"::ffff:203.0.113.9"}, "203.0.113.9"},
		{"IPv4-mapped in hexadecimal", "10.0.0.1:1", []string{"[::FFFF:CB00:7109]:1"}, "203.0.113.9"},
		{"proxy in the header, IPv4-mapped", "10.0.0.1:1", []string{"203.0.113.9, ::ffff:10.0.0.2"}, "203.0.113.9"},
		{"proxy in the header, with a port", "10.0.0.1:1", []string{"203.0.113.9, 10.0.0.2:443, [2001:db8:aa::1]:443"}, "203.0.113.9"},
		{"IPv4 in brackets", "10.0.0.1:1", []string{"[203.0.113.9]"}, "10.0.0.1"},
		{"bracket not closed", "10.0.0.1:1", []string{"[2001:db8::9"}, "10.0.0.1"},
		{"bracket not opened", "10.0.0.1:1", []string{"2001:db8::9]"}, "10.0.0.1"},
		{"brackets in brackets", "10.0.0.1:1", []string{"[[2001:db8::9]]"}, "10.0.0.1"},

		{"longest entry", "10.0.0.1:1", []string{strings.Repeat(" ", maxEntry-11) + "203.0.113.9"}, "203.0.113.9"},
		{"entry too long", "10.0.0.1:1", []string{strings.Repeat(" ", maxEntry-10) + "203.0.113.9"}, "10.0.0.1"},
		{"long entry after a good one", "10.0.0.1:1", []string{"1.1.1.1" + strings.Repeat(" ", 500) + "10.0.0.3, 10.0.0.2"}, "10.0.0.2"},
		{"long entry that ends in an address", "10.0.0.1:1", []string{"x" + strings.Repeat(" ", maxEntry) + "203.0.113.9"}, "10.0.0.1"},
		{"32 entries", "10.0.0.1:1", []string{"203.0.113.9" + strings.Repeat(",10.0.0.2", maxProxies-1)}, "203.0.113.9"},
		{"33 entries", "10.0.0.1:1", []string{"203.0.113.9" + strings.Repeat(",10.0.0.2", maxProxies)}, "10.0.0.2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := NewClients(proxies).Address(request(tt.remote, tt.forwarded...))
			if want := parse(tt.want); got != want {
				t.Errorf("Address from %q with %q = %v, want %v", tt.remote, tt.forwarded, got, want)
			}
		})
	}
}

func parse(s string) netip.Addr {
	if s == "" {
		return netip.Addr{}
	}
	return netip.MustParseAddr(s)
}

func TestAddressWithoutProxies(t *testing.T) {
	t.Parallel()
	for _, c := range []*Clients{NewClients(nil), NewClients([]netip.Prefix{{}})} {
		if got := c.Address(request("10.0.0.1:1", "203.0.113.9")); got != parse("10.0.0.1") {
			t.Errorf("Address = %v, want that of the connection", got)
		}
	}
}

// TestAddressTrustsEverybody: with every address trusted the left-most one is
// taken, which is what was asked for.
func TestAddressTrustsEverybody(t *testing.T) {
	t.Parallel()
	c := NewClients([]netip.Prefix{netip.MustParsePrefix("0.0.0.0/0")})
	if got := c.Address(request("10.0.0.1:1", "1.1.1.1, 2.2.2.2")); got != parse("1.1.1.1") {
		t.Errorf("Address = %v, want 1.1.1.1", got)
	}
	// IPv6 is not IPv4.
	if got := c.Address(request("[2001:db8::1]:1", "1.1.1.1")); got != parse("2001:db8::1") {
		t.Errorf("Address = %v, want 2001:db8::1", got)
	}
}

// TestNewClientsKeepsItsOwn: a caller may use its slice for something else.
func TestNewClientsKeepsItsOwn(t *testing.T) {
	t.Parallel()
	mine := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	c := NewClients(mine)
	mine[0] = netip.MustParsePrefix("0.0.0.0/0")
	if got := c.Address(request("198.51.100.1:1", "203.0.113.9")); got != parse("198.51.100.1") {
		t.Errorf("Address = %v, want 198.51.100.1", got)
	}
}

// TestAddressHugeHeader: the work does not grow with the header.
func TestAddressHugeHeader(t *testing.T) {
	t.Parallel()
	c := NewClients(proxies)
	for name, header := range map[string][]string{
		"one entry":    {strings.Repeat("1", 1<<20)},
		"white space":  {strings.Repeat(" ", 1<<20)},
		"commas":       {strings.Repeat(",", 1<<20)},
		"proxies":      {strings.Repeat("10.0.0.2,", 1<<17) + "10.0.0.2"},
		"long entries": {strings.Repeat(strings.Repeat("x", maxEntry+1)+",", 1<<13)},
		"many lines":   strings.Split(strings.Repeat("10.0.0.2;", 1<<17)+"10.0.0.2", ";"),
	} {
		r := request("10.0.0.1:1", header...)
		began := time.Now()
		for i := range 20_000 {
			c.Address(r)
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("%s: %d readings took %v, want at most 5 s for 20,000", name, i+1, took)
				break
			}
		}
	}
}

// plainAddress is the rule of Address without bounds on its work, but for the
// same answer.
func plainAddress(c *Clients, remote, header string) netip.Addr {
	client, ok := parseAddress(remote)
	if !ok {
		return netip.Addr{}
	}
	entries := strings.Split(header, ",")
	for read := 0; read < maxProxies && c.Trusts(client) && len(entries) > 0; read++ {
		entry := entries[len(entries)-1]
		entries = entries[:len(entries)-1]
		a, ok := parseAddress(strings.Trim(entry, " \t"))
		if !ok || len(entry) > maxEntry {
			return client
		}
		client = a
	}
	return client
}

func FuzzAddress(f *testing.F) {
	for _, seed := range []struct{ remote, first, second, spoof string }{
		{"10.0.0.1:1", "203.0.113.9", "10.0.0.2", "1.1.1.1"},
		{"[2001:db8:aa::1]:1", "[2001:db8::9]:80", "::ffff:10.0.0.2", ""},
		{"[fe80::1%eth0]:1", "unknown", "", ",,"},
		{"198.51.100.1:1", "", "x,10.0.0.2", "10.0.0.3"},
		{"10.0.0.1", "203.0.113.9:", " 10.0.0.2\t,\t192.0.2.7 ", strings.Repeat(" ", 200)},
		{"@", "203.0.113.9" + strings.Repeat(",10.0.0.2", 40), "[::]", "0.0.0.0"},
		{"10.0.0.1:1", strings.Repeat(" ", 128) + "8.8.8.8", "10.0.0.2", "]"},
	} {
		f.Add(seed.remote, seed.first, seed.second, seed.spoof)
	}
	c := NewClients(proxies)
	f.Fuzz(func(t *testing.T, remote, first, second, spoof string) {
		got := c.Address(request(remote, first, second))
		if got.Is4In6() || got.Zone() != "" {
			t.Fatalf("Address = %v, want it unmapped and without a zone", got)
		}
		joined := first + "," + second
		if want := plainAddress(c, remote, joined); got != want {
			t.Fatalf("Address from %q with %q, %q = %v, want %v", remote, first, second, got, want)
		}
		if one := c.Address(request(remote, joined)); one != got {
			t.Fatalf("Address with %q = %v in one line, %v in two", joined, one, got)
		}
		conn, ok := parseAddress(remote)
		if ok != got.IsValid() {
			t.Fatalf("Address from %q = %v", remote, got)
		}
		if !c.Trusts(conn) && got != conn {
			t.Fatalf("Address from %q, which is no proxy, = %v", remote, got)
		}
		if !c.Trusts(got) {
			// Whoever sent this cannot be taken for another by what it adds.
			for _, header := range [][]string{{spoof, first, second}, {spoof + "," + joined}, {spoof + "," + first, second}} {
				if with := c.Address(request(remote, header...)); with != got {
					t.Fatalf("Address with %q = %v, want %v as without %q", header, with, got, spoof)
				}
			}
		}
	})
}

func BenchmarkAddress(b *testing.B) {
	c := NewClients(proxies)
	for name, r := range map[string]*http.Request{
		"direct":      request("198.51.100.1:1234"),
		"two proxies": request("10.0.0.1:1234", "1.1.1.1, 203.0.113.9, 192.0.2.7"),
		"huge":        request("10.0.0.1:1234", strings.Repeat("10.0.0.2, ", 1<<16)+"10.0.0.2"),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.Address(r)
			}
		})
	}
}
